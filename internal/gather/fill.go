package gather

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// fillsPlainly says whether a demand below x is of members alone, between which slots alone decide: nobody runs, nodes
// have no scores, and the policy is BestFit. Groups that no child of x can hold whole are members. The index then tells at
// once which children take how many.
func (s *sums) fillsPlainly(x layout.Vertex, d *demand) bool {
	if !s.isOrdinary() || len(d.begun) > 0 || x == layout.Root && s.ask.slots.InTree {
		return false
	}
	switch {
	case s.ask.bottom() == 0:
		return true
	case s.ask.indexed == nil:
		return s.ask.bottom() == 1 && d.units[0] == 0 && !d.short
	case d.units[0] == 0:
		sums := s.ask.slots.Ix.SumsOf(x)
		return !d.short || sums.Child(1) < s.ask.short
	}
	for _, t := range s.p.View.TiersBelow(s.p.View.TierOf(x)) {
		if s.whole(0, t, x) > 0 {
			return false
		}
	}
	return true
}

// isOrdinary says whether nothing but slots tells nodes apart.
func (s *sums) isOrdinary() bool {
	return s.ask.slots.Flat == nil && s.p.Policy == gang.BestFit && s.p.Multiple == nil && s.ask.beyond == 0 && len(s.p.Siblings) == 0 &&
		len(s.p.Friends) == 0 && !s.p.Scored()
}

// fillPlain places n members below x, on the fewest children, the fewest slots in sum, and appends their positions to a
// list. The set of children has less to spare than any of them takes, or one could be left out. So all of them are filled,
// except for the last in fill order.
func (s *sums) fillPlain(x layout.Vertex, n int64, list []int32) []int32 {
	if s.p.View.IsNode(x) || n == s.ask.slots.At(x) {
		return s.fillAll(x, n, list)
	}
	if s.zonesTell(x) {
		return s.fillZoned(x, n, list)
	}
	kept := len(s.ask.scratch.picks)
	s.pickFewest(x, n)
	picks := s.ask.scratch.picks[kept:]
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
	s.ask.scratch.picks = s.ask.scratch.picks[:kept]
	return list
}

// fillAll fills a vertex with n members, all that it has slots for unless it is a node. The list has room for one more.
func (s *sums) fillAll(x layout.Vertex, n int64, list []int32) []int32 {
	if s.p.View.IsNode(x) {
		for range n {
			list = append(list, s.p.View.Position(x))
		}
		return list
	}
	s.ask.scratch.slots = cow.AppendTo(s.ask.scratch.slots[:0], &s.ask.slots.Ix.Slots, s.p.View.FirstPos[x], s.p.View.EndPos[x])
	end := len(list)
	list = list[:cap(list)]
	for i, slots := range s.ask.scratch.slots {
		pos := s.p.View.FirstPos[x] + int32(i)
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
	at    layout.Vertex
	slots int64
}

// pickFewest appends to the scratch's picks, in the order of paths, the best set of children of x for n members.
func (s *sums) pickFewest(x layout.Vertex, n int64) {
	sums := s.ask.slots.Ix.SumsOf(x)
	size, sum := sums.Fewest(n)
	var take func(slots int64) bool
	if least := sums.Child(size); sum == n { // all that are larger, and the first ones of the least that are taken
		equal := size - sums.AtLeast(least+1)
		take = func(slots int64) bool {
			if slots == least {
				equal--
			}
			return slots > least || slots == least && equal >= 0
		}
	} else {
		l := s.leastSum(&sums)
		counts := l.Pick(int(size), n)
		take = func(slots int64) bool {
			i, ok := slices.BinarySearchFunc(l.Values, slots, descending)
			if !ok || counts[i] == 0 {
				return false
			}
			counts[i]--
			return true
		}
	}
	lo, _ := s.p.View.Kids(x)
	for i, slots := range s.slotsBelow(x) {
		if size == 0 {
			break
		}
		if slots > 0 && take(int64(slots)) {
			s.ask.scratch.picks = append(s.ask.scratch.picks, chosen{lo + layout.Vertex(i), int64(slots)})
			size--
		}
	}
}

// slotsBelow are the slots of the children of x, in the scratch.
func (s *sums) slotsBelow(x layout.Vertex) []int32 {
	list := s.ask.scratch.slots[:0]
	if lo, end := s.p.View.Kids(x); s.p.View.IsNode(lo) {
		list = cow.AppendTo(list, &s.ask.slots.Ix.Slots, s.p.View.FirstPos[x], s.p.View.EndPos[x])
	} else {
		list = cow.AppendTo(list, &s.ask.slots.Ix.Domains, lo, end)
	}
	s.ask.scratch.slots = list
	return list
}

func descending(a, b int64) int { return cmp.Compare(b, a) }

// leastSum is the program over the children behind some sums, in the scratch.
func (s *sums) leastSum(sums *index.ChildSums) *sets.LeastSum {
	l := &s.ask.scratch.least
	l.Reset()
	var before int64
	for i := range sums.Len {
		sum := sums.Of(i + 1)
		value := sum - before
		before = sum
		if value == 0 {
			break
		}
		l.Add(value)
	}
	return l
}
