package problem

import (
	"cmp"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// TakeZones notes what members take of zones. Those that come later get shares together with them, when those that the plan waits for have left, and
// must fit now.
func (z Zones) TakeZones(held map[int32]Reserved, positions []int32, waits []*snapshot.Member) {
	if !z.Bind() {
		return
	}
	gone, on := z.zonesAfter(waits), map[int32]front.Vector{}
	for i, pos := range positions {
		id := z.p.View.Node(pos)
		if on[id] == nil {
			on[id] = make(front.Vector, len(z.p.Shapes))
		}
		on[id][z.p.Twin(int(z.p.Role(i)))]++
	}
	for id, some := range on {
		steps, state := zoneSteps, z.StateOf(id, Released{zones: gone[id]})
		fit := z.ZoneFit(id, state, &steps)
		if fit == nil {
			continue
		}
		t := held[id]
		t.Zones, t.Beside = z.StateOf(id, Released{}), fit.Most.Beside(some)
		for _, placed := range z.inZones(id, state, some) {
			if next, err := t.Zones.Add(placed...); err == nil {
				t.Zones = next
			} else {
				t.Beside = front.Front{make(front.Vector, len(z.p.Shapes))} // a sum overflows
			}
		}
		held[id] = t
	}
}

// The keys that compare the zones of nodes, for aligned gangs: docs/order.md.

// ZonesOn is how many zones the next member gets on a node.
func (z Zones) ZonesOn(x layout.Vertex) int64 {
	id := z.p.View.Node(z.p.View.Position(x))
	state := z.StateOf(id, z.p.ZoneState.Released[id])
	return z.p.ZoneState.widths.of(z.zonesOf(id), state, 1, func() int64 { return int64(z.NeedsOn(id)[0].Fit(state).Mask.Width()) })
}

// ZoneScore is what the zones of a node are worth to so many units.
func (z Zones) ZoneScore(x layout.Vertex, units int64) int64 {
	if !z.p.ZoneState.Aligned || units == 0 {
		return 0
	}
	id := z.p.View.Node(z.p.View.Position(x))
	if s := z.share(id, z.StateOf(id, z.p.ZoneState.Released[id]), units); s != nil {
		return s.score
	}
	return 0
}

// CompareZones prefers nodes on which the next member gets fewer zones.
func (z Zones) CompareZones(a, b layout.Vertex) int {
	if !z.p.ZoneState.Aligned || !z.p.View.IsNode(a) || !z.p.View.IsNode(b) {
		return 0
	}
	return cmp.Compare(z.ZonesOn(a), z.ZonesOn(b))
}

// LeastZones is a bound for zonesOn.
func (z Zones) LeastZones() int64 {
	for _, known := range []snapshot.NeedsByZones{z.p.ZoneState.indexNeeds, z.p.ZoneState.OwnNeeds} {
		for _, needs := range known {
			if !needs[0].Zoned() {
				return 0
			}
		}
	}
	return 1
}
