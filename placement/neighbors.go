package placement

import "sort"

// gap are the positions from that of the running member before the only new one, in rank order, to that of the one behind: there it
// restores the order of ranks. None if there are several new members, or where the neighbours lie the wrong way round.
type gap struct {
	first, last int32
	open        bool
}

// findGap finds the gap of the ask.
func (a *ask) findGap() {
	if a.members != 1 || len(a.running) == 0 || a.mult != nil {
		return
	}
	g := gap{0, a.v.nodes - 1, true}
	behind := sort.Search(len(a.running), func(i int) bool { return a.running[i].rank > a.pending[0].rank })
	if behind > 0 {
		g.first = a.running[behind-1].pos
	}
	if behind < len(a.running) {
		g.last = a.running[behind].pos
	}
	if g.open = g.first <= g.last; g.open {
		a.gap = g
	}
}

// inGap are the children [first, end) of x that have room in the gap. Where they are equal to others otherwise, they come before these.
func (s *sums) inGap(x vertex) (first, end vertex) {
	lo, hi := s.v.kids(x)
	if !s.gap.open {
		return lo, lo
	}
	n := int(hi - lo)
	first = lo + vertex(sort.Search(n, func(i int) bool { return s.v.endOf(lo+vertex(i)) > s.gap.first }))
	end = lo + vertex(sort.Search(n, func(i int) bool { return s.v.first(lo+vertex(i)) > s.gap.last }))
	for first < end && !s.hasRoomInGap(first) {
		first++
	}
	for first < end && !s.hasRoomInGap(end-1) {
		end--
	}
	return first, max(first, end)
}

// hasRoomInGap says whether a member fits below x at one of the positions of the gap. O(children of the domains at its ends).
func (s *sums) hasRoomInGap(x vertex) bool {
	first, end := s.v.first(x), s.v.endOf(x)
	switch {
	case s.slots.at(x) <= 0 || end <= s.gap.first || first > s.gap.last:
		return false
	case first >= s.gap.first && end-1 <= s.gap.last:
		return true
	}
	lo, hi := s.v.kids(x)
	for c := lo; c < hi; c++ {
		if s.hasRoomInGap(c) {
			return true
		}
	}
	return false
}
