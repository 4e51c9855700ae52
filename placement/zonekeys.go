package placement

import (
	"cmp"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// The keys that compare the zones of nodes, for aligned gangs: docs/order.md.

// zonesOn is how many zones the next member gets on a node.
func (p *problem) zonesOn(x layout.Vertex) int64 {
	id := p.v.Node(p.v.Position(x))
	state := p.stateOf(id, p.alignment.gifts[id])
	return p.alignment.widths.of(p.zonesOf(id), state, 1, func() int64 { return int64(p.needsOn(id)[0].Fit(state).Mask.Width()) })
}

// zoneScore is what the zones of a node are worth to so many units.
func (p *problem) zoneScore(x layout.Vertex, units int64) int64 {
	if !p.alignment.aligned || units == 0 {
		return 0
	}
	id := p.v.Node(p.v.Position(x))
	if s := p.share(id, p.stateOf(id, p.alignment.gifts[id]), units); s != nil {
		return s.score
	}
	return 0
}

// compareZones prefers nodes on which the next member gets fewer zones.
func (p *problem) compareZones(a, b layout.Vertex) int {
	if !p.alignment.aligned || !p.v.IsNode(a) || !p.v.IsNode(b) {
		return 0
	}
	return cmp.Compare(p.zonesOn(a), p.zonesOn(b))
}

// leastZones is a bound for zonesOn.
func (p *problem) leastZones() int64 {
	for _, known := range []snapshot.NeedsByZones{p.alignment.indexNeeds, p.alignment.ownNeeds} {
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
		s.p.stateOf(ids[0], s.p.alignment.gifts[ids[0]]).Equal(s.p.stateOf(ids[1], s.p.alignment.gifts[ids[1]]))
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
