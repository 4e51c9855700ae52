package gather

import (
	"sort"

	"github.com/muster-sched/muster/internal/layout"
)

// gap are the positions from that of the running member before the only new one, in rank order, to that of the one behind: there it
// restores the order of ranks. None if there are several new members, or where the neighbours lie the wrong way round.
type gap struct {
	first, last int32
	open        bool
}

// findGap finds the gap of the ask.
func (a *ask) findGap() {
	if a.members != 1 || len(a.p.Running) == 0 || a.p.Multiple != nil {
		return
	}
	g := gap{0, a.p.View.Nodes - 1, true}
	behind := sort.Search(len(a.p.Running), func(i int) bool { return a.p.Running[i].Rank > a.p.Pending[0].Rank })
	if behind > 0 {
		g.first = a.p.Running[behind-1].Pos
	}
	if behind < len(a.p.Running) {
		g.last = a.p.Running[behind].Pos
	}
	if g.open = g.first <= g.last; g.open {
		a.gap = g
	}
}

// inGap are the children [first, end) of x that have room in the gap. Where they are equal to others otherwise, they come before these.
func (a *ask) inGap(x layout.Vertex) (first, end layout.Vertex) {
	lo, hi := a.p.View.Kids(x)
	if !a.gap.open {
		return lo, lo
	}
	n := int(hi - lo)
	first = lo + layout.Vertex(sort.Search(n, func(i int) bool { return a.p.View.EndOf(lo+layout.Vertex(i)) > a.gap.first }))
	end = lo + layout.Vertex(sort.Search(n, func(i int) bool { return a.p.View.First(lo+layout.Vertex(i)) > a.gap.last }))
	for first < end && !a.hasRoomInGap(first) {
		first++
	}
	for first < end && !a.hasRoomInGap(end-1) {
		end--
	}
	return first, max(first, end)
}

// hasRoomInGap says whether a member fits below x at one of the positions of the gap. O(children of the domains at its ends).
func (a *ask) hasRoomInGap(x layout.Vertex) bool {
	first, end := a.p.View.First(x), a.p.View.EndOf(x)
	switch {
	case a.slots.At(x) <= 0 || end <= a.gap.first || first > a.gap.last:
		return false
	case first >= a.gap.first && end-1 <= a.gap.last:
		return true
	}
	lo, hi := a.p.View.Kids(x)
	for c := lo; c < hi; c++ {
		if a.hasRoomInGap(c) {
			return true
		}
	}
	return false
}
