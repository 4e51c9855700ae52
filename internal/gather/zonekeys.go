package gather

import "github.com/muster-sched/muster/internal/layout"

// one is the position + 1 of a node that all nodes with slots below x are like; 0 if there is none.
func (s *sums) one(x layout.Vertex) int32 {
	switch {
	case s.ask.slots.Flat != nil:
		return 0
	case s.p.View.IsNode(x):
		return s.p.View.Position(x) + 1
	}
	return max(0, s.ask.slots.Ix.Alike.At(x))
}

// alike says whether all nodes with slots below two vertices have the same slots, and zones in the same state.
func (s *sums) alike(a, b layout.Vertex) bool {
	x, y := s.one(a), s.one(b)
	if x == y || x == 0 || y == 0 {
		return x == y && x > 0
	}
	ids := [2]int32{s.p.View.Node(x - 1), s.p.View.Node(y - 1)}
	return s.ask.slots.Ix.Slots.At(x-1) == s.ask.slots.Ix.Slots.At(y-1) &&
		s.p.Zones().StateOf(ids[0], s.p.ZoneState.Released[ids[0]]).Equal(s.p.Zones().StateOf(ids[1], s.p.ZoneState.Released[ids[1]]))
}

// zonesTell says whether the zones of the children of x may tell them apart.
func (s *sums) zonesTell(x layout.Vertex) bool {
	lo, _ := s.p.View.Kids(x)
	return s.p.ZoneState.Aligned && s.p.View.IsNode(lo) && (s.ask.slots.Flat != nil || s.ask.slots.Ix.Alike.At(x) < 0)
}

// scoresTell says whether two vertices that are equal otherwise may differ in score, or domains of the gang's tier below x and
// the best so far.
func (f *found) scoresTell(best, x layout.Vertex) bool {
	return f.p.Scored() || f.p.ZoneState.Aligned && f.p.View.IsNode(best) && !f.sums.alike(best, x)
}
