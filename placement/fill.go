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
	if !s.isOrdinary() || len(d.begun) > 0 || x == rootVertex && s.slots.inTree {
		return false
	}
	switch {
	case s.bottom() == 0:
		return true
	case s.indexed == nil:
		return s.bottom() == 1 && d.units[0] == 0 && !d.short
	case d.units[0] == 0:
		sums := s.slots.ix.sumsOf(x)
		return !d.short || sums.child(1) < s.short
	}
	for _, t := range s.v.tiersBelow(s.v.tierOf(x)) {
		if s.whole(0, t, x) > 0 {
			return false
		}
	}
	return true
}

// isOrdinary says whether nothing but slots tells nodes apart.
func (s *sums) isOrdinary() bool {
	return s.slots.flat == nil && s.policy == gang.BestFit && s.mult == nil && s.beyond == 0 && len(s.siblings) == 0 &&
		len(s.friends) == 0 && !s.scored()
}

// fillPlain places n members below x, on the fewest children, the fewest slots in sum, and appends their positions to a
// list. The set of children has less to spare than any of them takes, or one could be left out. So all of them are filled,
// except for the last in fill order.
func (s *sums) fillPlain(x vertex, n int64, list []int32) []int32 {
	if s.v.isNode(x) || n == s.slots.at(x) {
		return s.fillAll(x, n, list)
	}
	if s.zonesTell(x) {
		return s.fillZoned(x, n, list)
	}
	kept := len(s.scratch.picks)
	s.pickFewest(x, n)
	picks := s.scratch.picks[kept:]
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
	s.scratch.picks = s.scratch.picks[:kept]
	return list
}

// fillAll fills a vertex with n members, all that it has slots for unless it is a node. The list has room for one more.
func (s *sums) fillAll(x vertex, n int64, list []int32) []int32 {
	if s.v.isNode(x) {
		for range n {
			list = append(list, s.v.position(x))
		}
		return list
	}
	s.scratch.slots = appendTo(s.scratch.slots[:0], &s.slots.ix.slots, s.v.firstPos[x], s.v.endPos[x])
	end := len(list)
	list = list[:cap(list)]
	for i, slots := range s.scratch.slots {
		pos := s.v.firstPos[x] + int32(i)
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
	sums := s.slots.ix.sumsOf(x)
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
	lo, _ := s.v.kids(x)
	for i, slots := range s.slotsBelow(x) {
		if size == 0 {
			break
		}
		if slots > 0 && take(int64(slots)) {
			s.scratch.picks = append(s.scratch.picks, chosen{lo + vertex(i), int64(slots)})
			size--
		}
	}
}

// slotsBelow are the slots of the children of x, in the scratch.
func (s *sums) slotsBelow(x vertex) []int32 {
	list := s.scratch.slots[:0]
	if lo, end := s.v.kids(x); s.v.isNode(lo) {
		list = appendTo(list, &s.slots.ix.slots, s.v.firstPos[x], s.v.endPos[x])
	} else {
		list = appendTo(list, &s.slots.ix.domains, lo, end)
	}
	s.scratch.slots = list
	return list
}

func descending(a, b int64) int { return cmp.Compare(b, a) }

// leastSum is the program over the children behind some sums, in the scratch.
func (s *sums) leastSum(sums *childSums) *leastSum {
	l := &s.scratch.least
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
