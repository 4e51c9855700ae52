package problem

import (
	"maps"
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// boundlessSlots is what a node has for members that ask for nothing it bounds, and the most it can have: far above
// every gang, and its sum over all nodes far below overflow.
const boundlessSlots = 1 << 24

// CountSlots fills the slots of every vertex: how many more members of the shape it can take. O(nodes * resources).
func (k Counting) CountSlots() []int64 {
	n := k.p.View.NumDomains()
	slots := make([]int64, n+int(k.p.View.Nodes))
	count := k.Counter(k.Excluded(), k.LeavingReleased())
	for pos := range k.p.View.Nodes {
		slots[n+int(pos)] = int64(count(k.p.View.Node(pos)))
	}
	if k.p.Hard() {
		lo, end := k.p.View.Kids(k.p.View.Outside)
		clear(slots[lo:end])
	}
	k.SumSlots(slots)
	return slots
}

// SumSlots adds the nodes' slots up the tree, floored to multiples on the way and without what running members
// force there.
func (k Counting) SumSlots(slots []int64) {
	n := layout.Vertex(k.p.View.NumDomains())
	if k.p.Multiple != nil {
		for x := n; int(x) < len(slots); x++ {
			k.floorSlots(slots, x, k.p.Forced[x])
		}
	}
	for x := n - 1; x >= 0; x-- {
		var sum, below int64
		lo, end := k.p.View.Kids(x)
		for c := lo; c < end; c++ {
			sum = max(noSlots, sum+slots[c])
			if k.p.Forced != nil {
				below += k.p.Forced[c]
			}
		}
		slots[x] = sum
		if k.p.Multiple != nil {
			k.floorSlots(slots, x, k.p.Forced[x]-below)
		}
	}
}

// noSlots, at a vertex that cannot take what is forced there, outweighs the slots of all others.
const noSlots = math.MinInt64 / 4

// floorSlots takes forced members from a vertex and floors the rest to what its parent gives out at once.
func (k Counting) floorSlots(slots []int64, x layout.Vertex, forced int64) {
	if slots[x] -= forced; slots[x] < 0 {
		slots[x] = noSlots
		return
	}
	if up := k.p.View.Above(x); up >= 0 {
		slots[x] -= slots[x] % k.p.Unit(up)
	}
}

// forceMultiples finds how many new members every vertex must take because members that run there are no multiple. Gangs in parts know by themselves.
func forceMultiples(p *Problem) {
	if p.Multiple == nil || len(p.Siblings) == 0 || p.InParts() {
		return
	}
	p.Forced = layout.Tally{}
	for x := range p.Siblings {
		if p.View.IsNode(x) {
			force(p, x)
		}
	}
	// Parents come before their children, so the ids are gone through downwards.
	for _, x := range slices.Backward(slices.Sorted(maps.Keys(p.Siblings))) {
		if !p.View.IsNode(x) && x != layout.Root {
			force(p, x)
		}
	}
}

// force completes the multiple of a vertex, and notes at all vertices above what that takes.
func force(p *Problem, x layout.Vertex) {
	unit := p.Unit(p.View.Above(x))
	if lack := (p.Siblings[x] + p.Forced[x]) % unit; lack > 0 {
		for up := x; up >= 0; up = p.View.Above(up) {
			p.Forced[up] += unit - lack
		}
	}
}

// Unit is what the number of members in each child of x is a multiple of.
func (p *Problem) Unit(x layout.Vertex) int64 {
	if p.Multiple == nil || p.View.IsNode(x) {
		return 1
	}
	return p.Multiple[p.View.Tier[x]-1]
}

// Room is how many members fit into what is free on a node and extra. O(resources).
func (k Counting) Room(id int32, extra []int64) int64 {
	room := int64(boundlessSlots)
	for i := range k.p.Needs {
		free := k.FreeOf(id, k.p.Needs[i], extra)
		if free < k.p.Needs[i].Amount {
			return 0
		}
		room = min(room, free/k.p.Needs[i].Amount)
	}
	return room
}

// FreeOf is what a node has left of a resource.
func (k Counting) FreeOf(id int32, n Need, extra []int64) int64 {
	if n.ID < 0 {
		return 0
	}
	free := k.p.Snapshot.Free[n.ID].At(id)
	if extra == nil || free == snapshot.Boundless {
		return free
	}
	return free + extra[n.ID]
}

// Refusal is the first cause, apart from resources, for which a node takes no member: cordoned, not-ready, taint,
// selector, eligible; empty if none. An absent node is not-ready.
func (k Counting) Refusal(id int32) string {
	n := k.p.Snapshot.Static.At(id)
	name := k.p.Snapshot.Lineage.Names[id]
	switch {
	case n.Flags&snapshot.Cordoned != 0:
		return "cordoned"
	case n.Flags&snapshot.NotReady != 0 || n.Flags&snapshot.Present == 0:
		return "not-ready"
	case n.Flags&snapshot.Tainted != 0 && !k.tolerates(n.Class.Taints):
		return "taint"
	case !k.selects(name, n.Labels):
		return "selector"
	case k.p.Request.Eligible != nil && !k.p.Request.Eligible(name):
		return "eligible"
	case !k.p.Parts.Allowed.Holds(id):
		return "topology"
	}
	return ""
}

// Opening says of positions whether nothing but what is free there keeps members away; refusal is asked where something may be wrong with a node.
func (k Counting) Opening(refusal func(id int32) string) func(pos int32) bool {
	excluded, hard, end := k.Excluded(), k.p.Hard(), k.p.View.FirstPos[k.p.View.Outside]
	plain := !k.Selective() && k.p.Request.Eligible == nil
	return func(pos int32) bool {
		id := k.p.View.Node(pos)
		return !excluded[id] && !(hard && pos >= end) && (plain && k.p.Snapshot.FlagsOf(id)&^snapshot.Zoned == snapshot.Present || refusal(id) == "")
	}
}

// Excluded marks the nodes that the request rules out.
func (k Counting) Excluded() map[int32]bool {
	if len(k.p.Request.Exclude) == 0 {
		return nil
	}
	out := make(map[int32]bool, len(k.p.Request.Exclude))
	for _, name := range k.p.Request.Exclude {
		if id, ok := k.p.Snapshot.Lineage.ID(name); ok {
			out[id] = true
		}
	}
	return out
}

// Released is what leaving members give back on a node.
type Released struct {
	Amounts []int64         // by resource
	zones   *numa.Occupancy // the node's zones without them, nil where no zones are known
}

// LeavingReleased is what leaving members give back on each node, nil while they count as staying.
func (k Counting) LeavingReleased() map[int32]Released {
	if !k.p.LeavingGone || len(k.p.Snapshot.Leaving) == 0 {
		return nil
	}
	if k.p.ZoneState.Released != nil {
		return k.p.ZoneState.Released
	}
	k.p.ZoneState.Released = map[int32]Released{}
	for _, m := range k.p.Snapshot.Leaving {
		g, ok := k.p.ZoneState.Released[m.Node]
		if !ok {
			g = Released{make([]int64, len(k.p.Snapshot.Lineage.Resources)), k.p.Snapshot.Zones.At(m.Node)}
		}
		for r, amount := range m.Class.Holds {
			g.Amounts[r] += amount
		}
		g.zones = snapshot.Without(g.zones, m)
		k.p.ZoneState.Released[m.Node] = g
	}
	return k.p.ZoneState.Released
}
