package placement

import (
	"cmp"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// The keys that compare the zones of nodes, for aligned gangs: docs/order.md.

// zonesOn is how many zones the next member gets on a node.
func (z zones) zonesOn(x layout.Vertex) int64 {
	id := z.p.v.Node(z.p.v.Position(x))
	state := z.stateOf(id, z.p.alignment.gifts[id])
	return z.p.alignment.widths.of(z.zonesOf(id), state, 1, func() int64 { return int64(z.needsOn(id)[0].Fit(state).Mask.Width()) })
}

// zoneScore is what the zones of a node are worth to so many units.
func (z zones) zoneScore(x layout.Vertex, units int64) int64 {
	if !z.p.alignment.aligned || units == 0 {
		return 0
	}
	id := z.p.v.Node(z.p.v.Position(x))
	if s := z.share(id, z.stateOf(id, z.p.alignment.gifts[id]), units); s != nil {
		return s.score
	}
	return 0
}

// compareZones prefers nodes on which the next member gets fewer zones.
func (z zones) compareZones(a, b layout.Vertex) int {
	if !z.p.alignment.aligned || !z.p.v.IsNode(a) || !z.p.v.IsNode(b) {
		return 0
	}
	return cmp.Compare(z.zonesOn(a), z.zonesOn(b))
}

// leastZones is a bound for zonesOn.
func (z zones) leastZones() int64 {
	for _, known := range []snapshot.NeedsByZones{z.p.alignment.indexNeeds, z.p.alignment.ownNeeds} {
		for _, needs := range known {
			if !needs[0].Zoned() {
				return 0
			}
		}
	}
	return 1
}

// one is the position + 1 of a node that all nodes with slots below x are like; 0 if there is none.
func (s *sums) one(x layout.Vertex) int32 {
	switch {
	case s.ask.slots.flat != nil:
		return 0
	case s.p.v.IsNode(x):
		return s.p.v.Position(x) + 1
	}
	return max(0, s.ask.slots.ix.Alike.At(x))
}

// alike says whether all nodes with slots below two vertices have the same slots, and zones in the same state.
func (s *sums) alike(a, b layout.Vertex) bool {
	x, y := s.one(a), s.one(b)
	if x == y || x == 0 || y == 0 {
		return x == y && x > 0
	}
	ids := [2]int32{s.p.v.Node(x - 1), s.p.v.Node(y - 1)}
	return s.ask.slots.ix.Slots.At(x-1) == s.ask.slots.ix.Slots.At(y-1) &&
		s.p.zones().stateOf(ids[0], s.p.alignment.gifts[ids[0]]).Equal(s.p.zones().stateOf(ids[1], s.p.alignment.gifts[ids[1]]))
}

// zonesTell says whether the zones of the children of x may tell them apart.
func (s *sums) zonesTell(x layout.Vertex) bool {
	lo, _ := s.p.v.Kids(x)
	return s.p.alignment.aligned && s.p.v.IsNode(lo) && (s.ask.slots.flat != nil || s.ask.slots.ix.Alike.At(x) < 0)
}

// scoresTell says whether two vertices that are equal otherwise may differ in score, or domains of the gang's tier below x and
// the best so far.
func (f *found) scoresTell(best, x layout.Vertex) bool {
	return f.p.scored() || f.p.alignment.aligned && f.p.v.IsNode(best) && !f.sums.alike(best, x)
}
