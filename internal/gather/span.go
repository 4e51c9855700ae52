package gather

import (
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
)

// indexedSpan is spanOf from the index, where nobody runs: the largest children, until they suffice. Groups must be split
// here, or all stay whole at one tier and none at a lower one.
func (w spans) indexedSpan(x layout.Vertex) (n int64, ok bool) {
	if w.sums.ask.slots.Flat != nil || len(w.sums.p.Siblings) > 0 || x == layout.Root && w.sums.ask.slots.InTree || w.sums.ask.beyond > 0 {
		return 0, false
	}
	sums := w.sums.ask.slots.Ix.SumsOf(x)
	switch {
	case len(w.sums.p.Levels) == 0:
		n, _ := sums.Fewest(w.sums.ask.members)
		return int64(n), true
	case w.sums.ask.indexed == nil:
		return 0, false
	}
	if sums.Nodes != nil {
		return w.spanOfNodes(x, &sums)
	}
	var lower int64
	for i := range w.sums.p.View.TiersBelow(w.sums.p.View.TierOf(x)) {
		whole := int64(w.sums.ask.indexed.Whole[i].At(x))
		if whole >= w.sums.ask.full {
			if lower > 0 || w.sums.ask.short > 0 && whole == w.sums.ask.full {
				return 0, false
			}
			return w.spanWithShort(x, i), true
		}
		lower = whole
	}
	return w.spanOfSplit(&sums), true
}

// spanOfSplit is how many children take all members when groups are split between them and every child keeps the groups
// that it can hold whole.
func (w spans) spanOfSplit(sums *index.ChildSums) int64 {
	n, _ := sums.Fewest(w.sums.ask.members)
	return int64(max(n, sums.AtLeast(w.sums.ask.sizes[0])))
}

// spanWithShort is how many of the children hold all groups, each whole in a domain of the tier at place i. The short one
// takes the place of a whole group, or lies beside those of a child that has room for it.
func (w spans) spanWithShort(x layout.Vertex, i int) int64 {
	sums := w.sums.ask.indexed.SumsOf(w.sums.p.View, i, x)
	n, sum := sums.Fewest(w.sums.ask.full)
	if w.sums.ask.short == 0 || sum > w.sums.ask.full && n > 0 {
		return int64(n)
	}
	// The smallest of the set may have to make way for a child with room for the short group.
	if last := sums.Child(n); n > 0 && w.hasPlaceBeside(x, i, last) {
		return int64(n)
	}
	return int64(n) + 1
}

// hasPlaceBeside says whether a child of x has room for the short group beside its groups, each whole in a domain of the tier at
// place i, and these are so many at least.
func (w spans) hasPlaceBeside(x layout.Vertex, i int, groups int64) bool {
	if w.sums.fromIndex(residue, w.sums.p.View.Tiers[i], x) < w.sums.ask.short {
		return false
	}
	if w.sums.p.View.Gaps[i][x] == 1 && x != layout.Root { // who takes more groups has more slots
		size, sums := w.sums.ask.sizes[0], w.sums.ask.slots.Ix.SumsOf(x)
		for n := int32(1); n <= sums.Len; n++ {
			slots := sums.Child(n)
			if slots < groups*size+w.sums.ask.short {
				return false
			}
			if slots%size >= w.sums.ask.short {
				return true
			}
		}
		return false
	}
	lo, end := w.sums.p.View.Kids(x)
	for c := lo; c < end; c++ {
		if w.sums.whole(0, w.sums.p.View.Tiers[i], c) >= groups && w.sums.rest(0, w.sums.p.View.Tiers[i], c) >= w.sums.ask.short {
			return true
		}
	}
	return false
}

// spanOfNodes is spanOf for groups in a domain of nodes. Nodes with more slots hold more whole groups, so one order serves
// all.
func (w spans) spanOfNodes(x layout.Vertex, sums *index.ChildSums) (int64, bool) {
	size := w.sums.ask.sizes[0]
	whole := w.sums.whole(0, 0, x)
	switch {
	case whole < w.sums.ask.full: // groups are split over the nodes, each keeps what it can hold whole
		return w.spanOfSplit(sums), true
	case w.sums.ask.short > 0 && whole == w.sums.ask.full:
		return w.spanBeside(sums)
	}
	left, n := w.sums.ask.full, int32(0)
	for left > 0 {
		n++
		left -= sums.Child(n) / size
	}
	if w.sums.ask.short == 0 || left < 0 {
		return int64(n), true
	}
	// The short group lies beside the groups of a node that takes no fewer than the last one does, or on one more.
	for i, last := int32(1), sums.Child(n)/size; n > 0 && i <= sums.Len && sums.Child(i)/size >= last; i++ {
		if sums.Child(i)%size >= w.sums.ask.short {
			return int64(n), true
		}
	}
	return int64(n) + 1, true
}

// spanBeside is spanOfNodes where the whole groups take every place that there is for such: the short one lies in what they leave
// over on a node, else on a node that has no such place. False if it must be split.
func (w spans) spanBeside(sums *index.ChildSums) (int64, bool) {
	n := sums.AtLeast(w.sums.ask.sizes[0])
	for i := int32(1); i <= n; i++ {
		if sums.Child(i)%w.sums.ask.sizes[0] >= w.sums.ask.short {
			return int64(n), true
		}
	}
	return int64(n) + 1, n < sums.Len && sums.Child(n+1) >= w.sums.ask.short
}

// nodesHold says whether so many nodes, the largest, hold all groups whole.
func (w spans) nodesHold(sums *index.ChildSums, span int64) bool {
	groups := int64(0)
	for i := int32(1); int64(i) <= span && groups < w.sums.ask.full; i++ {
		groups += sums.Child(i) / w.sums.ask.sizes[0]
	}
	return groups >= w.sums.ask.full
}

// isWider is true only if spanOf is above span: so many children do not have room, even the largest.
func (w spans) isWider(x layout.Vertex, span int64) bool {
	if w.sums.ask.slots.Flat != nil || len(w.sums.p.Siblings) > 0 || w.sums.p.View.IsNode(x) {
		return false
	}
	sums := w.sums.ask.slots.Ix.SumsOf(x)
	switch {
	case span <= 0:
		return true
	case int64(sums.Len) <= span:
		return false
	case sums.Of(int32(span)) < w.sums.ask.members:
		return true
	case w.sums.ask.indexed == nil || x == layout.Root:
		return false
	case sums.Nodes != nil:
		return w.sums.whole(0, 0, x) >= w.sums.ask.full && !w.nodesHold(&sums, span)
	}
	for i := range w.sums.p.View.TiersBelow(w.sums.p.View.TierOf(x)) {
		if int64(w.sums.ask.indexed.Whole[i].At(x)) >= w.sums.ask.full {
			sums := w.sums.ask.indexed.SumsOf(w.sums.p.View, i, x)
			return sums.Of(int32(span)) < w.sums.ask.full
		}
	}
	return false
}
