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
	if s.bottom() == 0 || d.units[0] == 0 {
		return s.bottom() < 2 && !d.short
	}
	if s.indexed == nil {
		return false
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
	slots := s.slots.at(x)
	if s.v.isNode(x) || n == slots {
		return s.fillAll(x, n, list)
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
		if i == last {
			p.slots -= spare
		}
		list = s.fillPlain(p.at, p.slots, list)
	}
	s.scratch.picks = s.scratch.picks[:kept]
	return list
}

// fillAll fills a vertex with n members, all that it has slots for unless it is a node.
func (s *sums) fillAll(x vertex, n int64, list []int32) []int32 {
	if s.v.isNode(x) {
		for range n {
			list = append(list, s.v.position(x))
		}
		return list
	}
	for pos := s.v.firstPos[x]; pos < s.v.endPos[x]; pos++ {
		for range s.slots.ix.slots.at(pos) {
			list = append(list, pos)
		}
	}
	return list
}

// chosen is a child of a set.
type chosen struct {
	at    vertex
	slots int64
}

// pickFewest appends to the scratch's picks, in the order of paths, the best set of children of x for n members.
func (s *sums) pickFewest(x vertex, n int64) {
	sums := s.slots.ix.sumsOf(x)
	l := &s.scratch.least
	size, sum := sums.fewest(n)
	l.values, l.counts = l.values[:0], l.counts[:0]
	for i := range sums.len {
		value := sums.child(i + 1)
		if value == 0 || sum == n && i >= size {
			break
		}
		if k := len(l.values); k == 0 || l.values[k-1] != value {
			l.values, l.counts = append(l.values, value), append(l.counts, 0)
		}
		l.counts[len(l.counts)-1]++
	}
	counts := l.counts
	if sum > n {
		l.begin(int(size), n)
		counts = l.pick()
	}
	lo, end := s.v.kids(x)
	for c := lo; c < end && size > 0; c++ {
		slots := s.slots.at(c)
		i, ok := slices.BinarySearchFunc(l.values, slots, func(a, b int64) int { return cmp.Compare(b, a) })
		if ok && counts[i] > 0 {
			counts[i]--
			size--
			s.scratch.picks = append(s.scratch.picks, chosen{c, slots})
		}
	}
}
