package placement

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
)

// fillsPlainly says whether a demand below x is of members alone, between which slots alone decide: nobody runs, nodes
// have no scores, and the policy is BestFit. Groups that no child of x can hold whole are members. The index then tells at
// once which children take how many.
func (s *sums) fillsPlainly(x vertex, d *demand) bool {
	if !s.isOrdinary() || len(d.begun) > 0 || x == rootVertex && s.ask.slots.inTree {
		return false
	}
	switch {
	case s.ask.bottom() == 0:
		return true
	case s.ask.indexed == nil:
		return s.ask.bottom() == 1 && d.units[0] == 0 && !d.short
	case d.units[0] == 0:
		sums := s.ask.slots.ix.sumsOf(x)
		return !d.short || sums.child(1) < s.ask.short
	}
	for _, t := range s.p.v.tiersBelow(s.p.v.tierOf(x)) {
		if s.whole(0, t, x) > 0 {
			return false
		}
	}
	return true
}

// isOrdinary says whether nothing but slots tells nodes apart.
func (s *sums) isOrdinary() bool {
	return s.ask.slots.flat == nil && s.p.policy == gang.BestFit && s.p.mult == nil && s.ask.beyond == 0 && len(s.p.siblings) == 0 &&
		len(s.p.friends) == 0 && !s.p.scored()
}

// fillPlain places n members below x, on the fewest children, the fewest slots in sum, and appends their positions to a
// list. The set of children has less to spare than any of them takes, or one could be left out. So all of them are filled,
// except for the last in fill order.
func (s *sums) fillPlain(x vertex, n int64, list []int32) []int32 {
	if s.p.v.isNode(x) || n == s.ask.slots.at(x) {
		return s.fillAll(x, n, list)
	}
	if s.zonesTell(x) {
		return s.fillZoned(x, n, list)
	}
	kept := len(s.p.scratch.picks)
	s.pickFewest(x, n)
	picks := s.p.scratch.picks[kept:]
	last, spare := 0, -n
	for i := range picks {
		spare += picks[i].slots
		if picks[i].slots <= picks[last].slots {
			last = i
		}
	}
	for i, p := range picks {
		if i == last && spare > 0 {
			list = s.fillPlain(p.at, p.slots-spare, list)
		} else {
			list = s.fillAll(p.at, p.slots, list)
		}
	}
	s.p.scratch.picks = s.p.scratch.picks[:kept]
	return list
}

// fillAll fills a vertex with n members, all that it has slots for unless it is a node. The list has room for one more.
func (s *sums) fillAll(x vertex, n int64, list []int32) []int32 {
	if s.p.v.isNode(x) {
		for range n {
			list = append(list, s.p.v.position(x))
		}
		return list
	}
	s.p.scratch.slots = appendTo(s.p.scratch.slots[:0], &s.ask.slots.ix.slots, s.p.v.firstPos[x], s.p.v.endPos[x])
	end := len(list)
	list = list[:cap(list)]
	for i, slots := range s.p.scratch.slots {
		pos := s.p.v.firstPos[x] + int32(i)
		list[end] = pos // where there is no slot the next one comes here; most nodes have one or none
		for k := 1; k < int(slots); k++ {
			list[end+k] = pos
		}
		end += int(slots)
	}
	return list[:end]
}

// chosen is a child of a set.
type chosen struct {
	at    vertex
	slots int64
}

// pickFewest appends to the scratch's picks, in the order of paths, the best set of children of x for n members.
func (s *sums) pickFewest(x vertex, n int64) {
	sums := s.ask.slots.ix.sumsOf(x)
	size, sum := sums.fewest(n)
	var take func(slots int64) bool
	if least := sums.child(size); sum == n { // all that are larger, and the first ones of the least that are taken
		equal := size - sums.atLeast(least+1)
		take = func(slots int64) bool {
			if slots == least {
				equal--
			}
			return slots > least || slots == least && equal >= 0
		}
	} else {
		l := s.leastSum(&sums)
		counts := l.pick(int(size), n)
		take = func(slots int64) bool {
			i, ok := slices.BinarySearchFunc(l.values, slots, descending)
			if !ok || counts[i] == 0 {
				return false
			}
			counts[i]--
			return true
		}
	}
	lo, _ := s.p.v.kids(x)
	for i, slots := range s.slotsBelow(x) {
		if size == 0 {
			break
		}
		if slots > 0 && take(int64(slots)) {
			s.p.scratch.picks = append(s.p.scratch.picks, chosen{lo + vertex(i), int64(slots)})
			size--
		}
	}
}

// slotsBelow are the slots of the children of x, in the scratch.
func (s *sums) slotsBelow(x vertex) []int32 {
	list := s.p.scratch.slots[:0]
	if lo, end := s.p.v.kids(x); s.p.v.isNode(lo) {
		list = appendTo(list, &s.ask.slots.ix.slots, s.p.v.firstPos[x], s.p.v.endPos[x])
	} else {
		list = appendTo(list, &s.ask.slots.ix.domains, lo, end)
	}
	s.p.scratch.slots = list
	return list
}

func descending(a, b int64) int { return cmp.Compare(b, a) }

// leastSum is the program over the children behind some sums, in the scratch.
func (s *sums) leastSum(sums *childSums) *leastSum {
	l := &s.p.scratch.least
	l.reset()
	var before int64
	for i := range sums.len {
		sum := sums.of(i + 1)
		value := sum - before
		before = sum
		if value == 0 {
			break
		}
		l.add(value)
	}
	return l
}
