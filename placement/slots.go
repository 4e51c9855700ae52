package placement

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

// countSlots fills the slots of every vertex: how many more members of the shape it can take. O(nodes * resources).
func (k counting) countSlots() []int64 {
	n := k.p.v.NumDomains()
	slots := make([]int64, n+int(k.p.v.Nodes))
	count := k.counter(k.p.excluded(), k.p.leavingGifts())
	for pos := range k.p.v.Nodes {
		slots[n+int(pos)] = int64(count(k.p.v.Node(pos)))
	}
	if k.p.hard() {
		lo, end := k.p.v.Kids(k.p.v.Outside)
		clear(slots[lo:end])
	}
	k.sumSlots(slots)
	return slots
}

// sumSlots adds the nodes' slots up the tree, floored to multiples on the way and without what running members
// force there.
func (k counting) sumSlots(slots []int64) {
	n := layout.Vertex(k.p.v.NumDomains())
	if k.p.mult != nil {
		for x := n; int(x) < len(slots); x++ {
			k.floorSlots(slots, x, k.p.forced[x])
		}
	}
	for x := n - 1; x >= 0; x-- {
		var sum, below int64
		lo, end := k.p.v.Kids(x)
		for c := lo; c < end; c++ {
			sum = max(noSlots, sum+slots[c])
			if k.p.forced != nil {
				below += k.p.forced[c]
			}
		}
		slots[x] = sum
		if k.p.mult != nil {
			k.floorSlots(slots, x, k.p.forced[x]-below)
		}
	}
}

// noSlots, at a vertex that cannot take what is forced there, outweighs the slots of all others.
const noSlots = math.MinInt64 / 4

// floorSlots takes forced members from a vertex and floors the rest to what its parent gives out at once.
func (k counting) floorSlots(slots []int64, x layout.Vertex, forced int64) {
	if slots[x] -= forced; slots[x] < 0 {
		slots[x] = noSlots
		return
	}
	if up := k.p.v.Above(x); up >= 0 {
		slots[x] -= slots[x] % k.p.unit(up)
	}
}

// forceMultiples finds how many new members every vertex must take because members that run there are no multiple. Gangs in parts know by themselves.
func forceMultiples(p *problem) {
	if p.mult == nil || len(p.siblings) == 0 || p.inParts() {
		return
	}
	p.forced = layout.Tally{}
	for x := range p.siblings {
		if p.v.IsNode(x) {
			force(p, x)
		}
	}
	// Parents come before their children, so the ids are gone through downwards.
	for _, x := range slices.Backward(slices.Sorted(maps.Keys(p.siblings))) {
		if !p.v.IsNode(x) && x != layout.Root {
			force(p, x)
		}
	}
}

// force completes the multiple of a vertex, and notes at all vertices above what that takes.
func force(p *problem, x layout.Vertex) {
	unit := p.unit(p.v.Above(x))
	if lack := (p.siblings[x] + p.forced[x]) % unit; lack > 0 {
		for up := x; up >= 0; up = p.v.Above(up) {
			p.forced[up] += unit - lack
		}
	}
}

// unit is what the number of members in each child of x is a multiple of.
func (p *problem) unit(x layout.Vertex) int64 {
	if p.mult == nil || p.v.IsNode(x) {
		return 1
	}
	return p.mult[p.v.Tier[x]-1]
}

// room is how many members fit into what is free on a node and extra. O(resources).
func (p *problem) room(id int32, extra []int64) int64 {
	room := int64(boundlessSlots)
	for i := range p.needs {
		free := p.freeOf(id, p.needs[i], extra)
		if free < p.needs[i].amount {
			return 0
		}
		room = min(room, free/p.needs[i].amount)
	}
	return room
}

// freeOf is what a node has left of a resource.
func (p *problem) freeOf(id int32, n need, extra []int64) int64 {
	if n.id < 0 {
		return 0
	}
	free := p.c.Free[n.id].At(id)
	if extra == nil || free == snapshot.Boundless {
		return free
	}
	return free + extra[n.id]
}

// refusal is the first cause, apart from resources, for which a node takes no member: cordoned, not-ready, taint,
// selector, eligible; empty if none. An absent node is not-ready.
func (p *problem) refusal(id int32) string {
	n := p.c.Static.At(id)
	name := p.c.Lineage.Names[id]
	switch {
	case n.Flags&snapshot.Cordoned != 0:
		return "cordoned"
	case n.Flags&snapshot.NotReady != 0 || n.Flags&snapshot.Present == 0:
		return "not-ready"
	case n.Flags&snapshot.Tainted != 0 && !p.tolerates(n.Class.Taints):
		return "taint"
	case !p.selects(name, n.Labels):
		return "selector"
	case p.req.Eligible != nil && !p.req.Eligible(name):
		return "eligible"
	case !p.parting.pen.holds(id):
		return "topology"
	}
	return ""
}

// opening says of positions whether nothing but what is free there keeps members away; refusal is asked where something may be wrong with a node.
func (p *problem) opening(refusal func(id int32) string) func(pos int32) bool {
	excluded, hard, end := p.excluded(), p.hard(), p.v.FirstPos[p.v.Outside]
	plain := !p.selective() && p.req.Eligible == nil
	return func(pos int32) bool {
		id := p.v.Node(pos)
		return !excluded[id] && !(hard && pos >= end) && (plain && p.c.FlagsOf(id)&^snapshot.Zoned == snapshot.Present || refusal(id) == "")
	}
}

// excluded marks the nodes that the request rules out.
func (p *problem) excluded() map[int32]bool {
	if len(p.req.Exclude) == 0 {
		return nil
	}
	out := make(map[int32]bool, len(p.req.Exclude))
	for _, name := range p.req.Exclude {
		if id, ok := p.c.Lineage.Id(name); ok {
			out[id] = true
		}
	}
	return out
}

// gift is what leaving members give back on a node.
type gift struct {
	amounts []int64         // by resource
	zones   *numa.Occupancy // the node's zones without them, nil where no zones are known
}

// leavingGifts is what leaving members give back on each node, nil while they count as staying.
func (p *problem) leavingGifts() map[int32]gift {
	if !p.leavingGone || len(p.c.Leaving) == 0 {
		return nil
	}
	if p.alignment.gifts != nil {
		return p.alignment.gifts
	}
	p.alignment.gifts = map[int32]gift{}
	for _, m := range p.c.Leaving {
		g, ok := p.alignment.gifts[m.Node]
		if !ok {
			g = gift{make([]int64, len(p.c.Lineage.Resources)), p.c.Zones.At(m.Node)}
		}
		for r, amount := range m.Class.Holds {
			g.amounts[r] += amount
		}
		g.zones = snapshot.Without(g.zones, m)
		p.alignment.gifts[m.Node] = g
	}
	return p.alignment.gifts
}
