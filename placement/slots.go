package placement

import (
	"maps"
	"math"
	"slices"

	"github.com/muster-sched/muster/numa"
)

// boundlessSlots is what a node has for members that ask for nothing it bounds, and the most it can have: far above
// every gang, and its sum over all nodes far below overflow.
const boundlessSlots = 1 << 24

// countSlots fills the slots of every vertex: how many more members of the shape it can take. O(nodes * resources).
func (p *problem) countSlots() []int64 {
	n := p.v.numDomains()
	slots := make([]int64, n+int(p.v.nodes))
	count := p.counter(p.excluded(), p.leavingGifts())
	for pos := range p.v.nodes {
		slots[n+int(pos)] = int64(count(p.v.node(pos)))
	}
	if p.hard() {
		lo, end := p.v.kids(p.v.outside)
		clear(slots[lo:end])
	}
	p.sumSlots(slots)
	return slots
}

// sumSlots adds the nodes' slots up the tree, floored to multiples on the way and without what running members
// force there.
func (p *problem) sumSlots(slots []int64) {
	n := vertex(p.v.numDomains())
	if p.mult != nil {
		for x := n; int(x) < len(slots); x++ {
			p.floorSlots(slots, x, p.forced[x])
		}
	}
	for x := n - 1; x >= 0; x-- {
		var sum, below int64
		lo, end := p.v.kids(x)
		for c := lo; c < end; c++ {
			sum = max(noSlots, sum+slots[c])
			if p.forced != nil {
				below += p.forced[c]
			}
		}
		slots[x] = sum
		if p.mult != nil {
			p.floorSlots(slots, x, p.forced[x]-below)
		}
	}
}

// noSlots, at a vertex that cannot take what is forced there, outweighs the slots of all others.
const noSlots = math.MinInt64 / 4

// floorSlots takes forced members from a vertex and floors the rest to what its parent gives out at once.
func (p *problem) floorSlots(slots []int64, x vertex, forced int64) {
	if slots[x] -= forced; slots[x] < 0 {
		slots[x] = noSlots
		return
	}
	if up := p.v.above(x); up >= 0 {
		slots[x] -= slots[x] % p.unit(up)
	}
}

// forceMultiples finds how many new members every vertex must take because members that run there are no multiple. Gangs in parts know by themselves.
func (p *problem) forceMultiples() {
	if p.mult == nil || len(p.siblings) == 0 || p.inParts() {
		return
	}
	p.forced = tally{}
	for x := range p.siblings {
		if p.v.isNode(x) {
			p.force(x)
		}
	}
	// Parents come before their children, so the ids are gone through downwards.
	for _, x := range slices.Backward(slices.Sorted(maps.Keys(p.siblings))) {
		if !p.v.isNode(x) && x != rootVertex {
			p.force(x)
		}
	}
}

// force completes the multiple of a vertex, and notes at all vertices above what that takes.
func (p *problem) force(x vertex) {
	unit := p.unit(p.v.above(x))
	if lack := (p.siblings[x] + p.forced[x]) % unit; lack > 0 {
		for up := x; up >= 0; up = p.v.above(up) {
			p.forced[up] += unit - lack
		}
	}
}

// unit is what the number of members in each child of x is a multiple of.
func (p *problem) unit(x vertex) int64 {
	if p.mult == nil || p.v.isNode(x) {
		return 1
	}
	return p.mult[p.v.tier[x]-1]
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
	free := p.c.free[n.id].at(id)
	if extra == nil || free == boundless {
		return free
	}
	return free + extra[n.id]
}

// refusal is the first cause, apart from resources, for which a node takes no member: cordoned, not-ready, taint,
// selector, eligible; empty if none. An absent node is not-ready.
func (p *problem) refusal(id int32) string {
	n := p.c.static.at(id)
	name := p.c.names[id]
	switch {
	case n.flags&cordoned != 0:
		return "cordoned"
	case n.flags&notReady != 0 || n.flags&present == 0:
		return "not-ready"
	case n.flags&tainted != 0 && !p.tolerates(n.taints):
		return "taint"
	case !p.selects(name, n.labels):
		return "selector"
	case p.req.Eligible != nil && !p.req.Eligible(name):
		return "eligible"
	case !p.pen.holds(id):
		return "topology"
	}
	return ""
}

// opening says of positions whether nothing but what is free there keeps members away; refusal is asked where something may be wrong with a node.
func (p *problem) opening(refusal func(id int32) string) func(pos int32) bool {
	excluded, hard, end := p.excluded(), p.hard(), p.v.firstPos[p.v.outside]
	plain := !p.selective() && p.req.Eligible == nil
	return func(pos int32) bool {
		id := p.v.node(pos)
		return !excluded[id] && !(hard && pos >= end) && (plain && p.c.flagsOf(id)&^zoned == present || refusal(id) == "")
	}
}

// excluded marks the nodes that the request rules out.
func (p *problem) excluded() map[int32]bool {
	if len(p.req.Exclude) == 0 {
		return nil
	}
	out := make(map[int32]bool, len(p.req.Exclude))
	for _, name := range p.req.Exclude {
		if id, ok := p.c.id(name); ok {
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
	if !p.leavingGone || len(p.c.leaving) == 0 {
		return nil
	}
	if p.gifts != nil {
		return p.gifts
	}
	p.gifts = map[int32]gift{}
	for _, m := range p.c.leaving {
		g, ok := p.gifts[m.node]
		if !ok {
			g = gift{make([]int64, len(p.c.resources)), p.c.zones.at(m.node)}
		}
		for r, amount := range m.holds {
			g.amounts[r] += amount
		}
		g.zones = without(g.zones, m)
		p.gifts[m.node] = g
	}
	return p.gifts
}
