package gather

import (
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
)

// indexedSpan is spanOf from the index, where nobody runs: the largest children, until they suffice. Groups must be split
// here, or all stay whole at one tier and none at a lower one.
//
// Same answer as order: domain.3, faster.
func (s spans) indexedSpan(x layout.Vertex) (n int64, ok bool) {
	if s.ask.slots.Flat != nil || len(s.p.Siblings) > 0 || x == layout.Root && s.ask.slots.InTree || s.ask.beyond > 0 {
		return 0, false
	}
	sums := s.ask.slots.Ix.SumsOf(x)
	switch {
	case len(s.p.Levels) == 0:
		n, _ := sums.Fewest(s.ask.members)
		return int64(n), true
	case s.ask.indexed == nil:
		return 0, false
	}
	if sums.Nodes != nil {
		return s.spanOfNodes(x, &sums)
	}
	var lower int64
	for i := range s.p.View.TiersBelow(s.p.View.TierOf(x)) {
		whole := int64(s.ask.indexed.Whole[i].At(x))
		if whole >= s.ask.full {
			if lower > 0 || s.ask.short > 0 && whole == s.ask.full {
				return 0, false
			}
			return s.spanWithShort(x, i), true
		}
		lower = whole
	}
	return s.spanOfSplit(&sums), true
}

// spanOfSplit is how many children take all members when groups are split between them and every child keeps the groups
// that it can hold whole.
func (s spans) spanOfSplit(sums *index.ChildSums) int64 {
	n, _ := sums.Fewest(s.ask.members)
	return int64(max(n, sums.AtLeast(s.ask.sizes[0])))
}

// spanWithShort is how many of the children hold all groups, each whole in a domain of the tier at place i. The short one
// takes the place of a whole group, or lies beside those of a child that has room for it.
func (s spans) spanWithShort(x layout.Vertex, i int) int64 {
	sums := s.ask.indexed.SumsOf(s.p.View, i, x)
	n, sum := sums.Fewest(s.ask.full)
	if s.ask.short == 0 || sum > s.ask.full && n > 0 {
		return int64(n)
	}
	// The smallest of the set may have to make way for a child with room for the short group.
	if last := sums.Child(n); n > 0 && s.hasPlaceBeside(x, i, last) {
		return int64(n)
	}
	return int64(n) + 1
}

// hasPlaceBeside says whether a child of x has room for the short group beside its groups, each whole in a domain of the tier at
// place i, and these are so many at least.
func (s spans) hasPlaceBeside(x layout.Vertex, i int, groups int64) bool {
	if s.sums.fromIndex(residue, s.p.View.Tiers[i], x) < s.ask.short {
		return false
	}
	if s.p.View.Gaps[i][x] == 1 && x != layout.Root { // who takes more groups has more slots
		size, sums := s.ask.sizes[0], s.ask.slots.Ix.SumsOf(x)
		for n := int32(1); n <= sums.Len; n++ {
			slots := sums.Child(n)
			if slots < groups*size+s.ask.short {
				return false
			}
			if slots%size >= s.ask.short {
				return true
			}
		}
		return false
	}
	lo, end := s.p.View.Kids(x)
	for c := lo; c < end; c++ {
		if s.sums.whole(0, s.p.View.Tiers[i], c) >= groups && s.sums.rest(0, s.p.View.Tiers[i], c) >= s.ask.short {
			return true
		}
	}
	return false
}

// spanOfNodes is spanOf for groups in a domain of nodes. Nodes with more slots hold more whole groups, so one order serves
// all.
func (s spans) spanOfNodes(x layout.Vertex, sums *index.ChildSums) (int64, bool) {
	size := s.ask.sizes[0]
	whole := s.sums.whole(0, 0, x)
	switch {
	case whole < s.ask.full: // groups are split over the nodes, each keeps what it can hold whole
		return s.spanOfSplit(sums), true
	case s.ask.short > 0 && whole == s.ask.full:
		return s.spanBeside(sums)
	}
	left, n := s.ask.full, int32(0)
	for left > 0 {
		n++
		left -= sums.Child(n) / size
	}
	if s.ask.short == 0 || left < 0 {
		return int64(n), true
	}
	// The short group lies beside the groups of a node that takes no fewer than the last one does, or on one more.
	for i, last := int32(1), sums.Child(n)/size; n > 0 && i <= sums.Len && sums.Child(i)/size >= last; i++ {
		if sums.Child(i)%size >= s.ask.short {
			return int64(n), true
		}
	}
	return int64(n) + 1, true
}

// spanBeside is spanOfNodes where the whole groups take every place that there is for such: the short one lies in what they leave
// over on a node, else on a node that has no such place. False if it must be split.
func (s spans) spanBeside(sums *index.ChildSums) (int64, bool) {
	n := sums.AtLeast(s.ask.sizes[0])
	for i := int32(1); i <= n; i++ {
		if sums.Child(i)%s.ask.sizes[0] >= s.ask.short {
			return int64(n), true
		}
	}
	return int64(n) + 1, n < sums.Len && sums.Child(n+1) >= s.ask.short
}

// nodesHold says whether so many nodes, the largest, hold all groups whole.
func (s spans) nodesHold(sums *index.ChildSums, span int64) bool {
	groups := int64(0)
	for i := int32(1); int64(i) <= span && groups < s.ask.full; i++ {
		groups += sums.Child(i) / s.ask.sizes[0]
	}
	return groups >= s.ask.full
}

// isWider is true only if spanOf is above span: so many children do not have room, even the largest.
//
// Same answer as order: domain.3, faster.
func (s spans) isWider(x layout.Vertex, span int64) bool {
	if s.ask.slots.Flat != nil || len(s.p.Siblings) > 0 || s.p.View.IsNode(x) {
		return false
	}
	sums := s.ask.slots.Ix.SumsOf(x)
	switch {
	case span <= 0:
		return true
	case int64(sums.Len) <= span:
		return false
	case sums.Of(int32(span)) < s.ask.members:
		return true
	case s.ask.indexed == nil || x == layout.Root:
		return false
	case sums.Nodes != nil:
		return s.sums.whole(0, 0, x) >= s.ask.full && !s.nodesHold(&sums, span)
	}
	for i := range s.p.View.TiersBelow(s.p.View.TierOf(x)) {
		if int64(s.ask.indexed.Whole[i].At(x)) >= s.ask.full {
			sums := s.ask.indexed.SumsOf(s.p.View, i, x)
			return sums.Of(int32(span)) < s.ask.full
		}
	}
	return false
}
