package gather

import "github.com/muster-sched/muster/internal/layout"

// nodeLike is the position + 1 of a node that all nodes with slots below x are like; 0 if there is none.
func (a *ask) nodeLike(x layout.Vertex) int32 {
	switch {
	case a.slots.Flat != nil:
		return 0
	case a.p.View.IsNode(x):
		return a.p.View.Position(x) + 1
	}
	return max(0, a.slots.Ix.Alike.At(x))
}

// alike says whether all nodes with slots below two vertices have the same slots, and zones in the same state.
func (a *ask) alike(v, w layout.Vertex) bool {
	x, y := a.nodeLike(v), a.nodeLike(w)
	if x == y || x == 0 || y == 0 {
		return x == y && x > 0
	}
	ids := [2]int32{a.p.View.Node(x - 1), a.p.View.Node(y - 1)}
	return a.slots.Ix.Slots.At(x-1) == a.slots.Ix.Slots.At(y-1) &&
		a.p.Zones().StateOf(ids[0], a.p.ZoneState.Released[ids[0]]).Equal(a.p.Zones().StateOf(ids[1], a.p.ZoneState.Released[ids[1]]))
}

// zonesTell says whether the zones of the children of x may tell them apart.
func (a *ask) zonesTell(x layout.Vertex) bool {
	lo, _ := a.p.View.Kids(x)
	return a.p.ZoneState.Aligned && a.p.View.IsNode(lo) && (a.slots.Flat != nil || a.slots.Ix.Alike.At(x) < 0)
}

// scoresTell says whether two vertices that are equal otherwise may differ in score, or domains of the gang's tier below x and
// the best so far.
func (f *found) scoresTell(best, x layout.Vertex) bool {
	return f.p.Scored() || f.p.ZoneState.Aligned && f.p.View.IsNode(best) && !f.ask.alike(best, x)
}
