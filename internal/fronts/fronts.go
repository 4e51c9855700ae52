package fronts

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
)

// This file answers: which vectors fit below a vertex? Bottom-up: vectors that fit on nodes, sums over children, then
// groups made at the vertex.

// frontOf is the front of x after groups are made at x: the vectors that count above x. x is not the root, above
// which nothing counts.
func (c *capacity) frontOf(x layout.Vertex) front.Front { return c.classFront(c.search.classes.Of(x)) }

// frontBelow is the front of x before groups are made at x. At the root it leaves out the nodes outside the tree.
func (c *capacity) frontBelow(x layout.Vertex) front.Front {
	return c.classFrontBelow(c.search.classes.Of(x))
}

// forgets says whether the front of x, or one below it, lacks vectors. It knows of fronts that were found.
//
// order: roles.4
func (c *capacity) forgets(x layout.Vertex) bool { return c.tables.at(c.search.classes.Of(x)).forgot }

// classFront is frontOf for a class of vertices, found once. The first vertex of the class stands for all: its tier
// and its parent's, which decide the groups made there, are in the key of the class.
func (c *capacity) classFront(i int32) front.Front {
	if above := c.tables.at(i).above; above != nil {
		return above
	}
	below := c.classFrontBelow(i)
	f, forgot := c.makeGroups(c.search.classes.list[i].first, below)
	c.tables.at(i).above = f
	c.tables.forget(i, forgot)
	return f
}

// classFrontBelow is frontBelow for a class of vertices, found once, by recursion into the classes of the children.
//
// order: roles.3
func (c *capacity) classFrontBelow(i int32) front.Front {
	if below := c.tables.at(i).below; below != nil {
		return below
	}
	var f front.Front
	if a := c.search.classes.list[i].node; a != nil {
		var forgot bool
		f, forgot = c.onNode(a.Free, a.Open, a.Zones)
		c.tables.forget(i, forgot)
	} else {
		f = c.sumChildren(i, c.search.classes.list[i].kids)
	}
	c.tables.at(i).below = f
	return f
}

// sumChildren sums the fronts of the children of class i, equal ones by doubling. Sums of complete fronts are the
// same in any sequence. Once vectors are forgotten the sequence matters: then children are added one by one from the
// last, in the order of classes in which distribute lists them, as the fill sums what is left to the children after
// each. So a vector of the front is found again by the fill.
func (c *capacity) sumChildren(i int32, children []int64) front.Front {
	sum := c.tables.space.Zero
	for _, child := range slices.Backward(children) {
		f, forgot := c.repeatFront(child)
		sum = c.tables.space.Sum(f, sum)
		c.tables.forget(i, forgot || c.tables.space.Forgot)
	}
	if !c.tables.at(i).forgot {
		return sum
	}
	sum = c.tables.space.Zero
	for _, child := range slices.Backward(children) {
		for range int32(child) {
			sum = c.tables.space.Sum(c.classFront(int32(child>>32)), sum)
		}
	}
	return sum
}

// repeatFront is the front of n children of one class together, in O(log n) sums: that of n/2 and that of the rest,
// which differ by one child at most. children encodes class and number as in vertexClass; each such front is found
// once.
//
// Same answer as order: roles.3, faster.
func (c *capacity) repeatFront(children int64) (f front.Front, forgot bool) {
	class, n := int32(children>>32), children&math.MaxInt32
	if n == 1 {
		f = c.classFront(class)
		return f, c.tables.at(class).forgot
	}
	if !features.RepeatFront.Takes(c.tables.space.Features) {
		return c.sumOneByOne(class, n)
	}
	if f, ok := c.tables.repeated[children]; ok {
		return f.front, f.forgot
	}
	// The number is in the low half: n/2 of the class, then n - n/2.
	half, forgot := c.repeatFront(children - n + n/2)
	rest, more := c.repeatFront(children - n/2)
	f = c.tables.space.Sum(rest, half)
	forgot = forgot || more || c.tables.space.Forgot
	c.tables.repeated[children] = repeatedFront{f, forgot}
	return f, forgot
}

// sumOneByOne is the front of n children of one class together.
func (c *capacity) sumOneByOne(class int32, n int64) (f front.Front, forgot bool) {
	one := c.classFront(class)
	f, forgot = one, c.tables.at(class).forgot
	for range n - 1 {
		f = c.tables.space.Sum(one, f)
		forgot = forgot || c.tables.space.Forgot
	}
	return f, forgot
}

// onNode is the front of a node with these free amounts for the roles that it is open to. Where the table is too
// large, larger numbers are forgotten, and forgot is true. The main dimension, in which the gang has its largest
// number, is not enumerated: beside each choice of the others only the most of it counts.
// O(product of all roles' numbers but the largest).
//
// order: roles.2
func (c *capacity) onNode(free []int64, open []bool, zones front.Front) (f front.Front, forgot bool) {
	dims := len(c.search.totals)
	e := nodeEnumerator{capacity: c, open: open, zones: zones, at: make(front.Vector, dims), sides: make(front.Vector, dims)}
	for r := range c.search.roles {
		e.sides[r] = e.room(r, free)
	}
	if c.tables.space.Exact {
		return e.listAll(free)
	}
	if c.tables.space.Spent() {
		return c.tables.space.Zero, true
	}
	forgot = c.tables.space.Begin(e.sides)
	e.extend(0, slices.Clone(free))
	return c.tables.space.End(), forgot || c.tables.space.Spent()
}

// nodeEnumerator enumerates the vectors that fit on one node.
type nodeEnumerator struct {
	capacity *capacity
	open     []bool       // by role: whether the node takes its members
	zones    front.Front  // roles of one shape count in the first of them; nil: zones do not bind
	sides    front.Vector // by role: no more than these are tried
	at       front.Vector // the vector so far
	memory   vectors
}

// room is the number of members of a role that fit into free amounts and, by themselves, into the zones; at most the
// gang's. Free amounts may be negative.
func (e *nodeEnumerator) room(role int, free []int64) int32 {
	if !e.open[role] {
		return 0
	}
	room := int64(e.capacity.search.totals[role])
	for i, ask := range e.capacity.search.asks[role] {
		if ask > 0 {
			room = min(room, max(0, free[i])/ask)
		}
	}
	if room > 0 && e.zones != nil {
		room = min(room, int64(e.zones.Most(e.capacity.m.Twin(role))))
	}
	return int32(room)
}

// zoneRoom is the number of members of the main role that the zones take beside the others in e.at; -1 if they do not
// even take the others. The main dimension may be a class of groups, of which a node has none: then it is 0 or -1.
// O(vectors * roles).
func (e *nodeEnumerator) zoneRoom() int32 {
	n, main := int32(-1), e.capacity.tables.space.Main
	if main < e.capacity.search.roles {
		e.at[main] = 0
	}
	// Other roles of the main one's shape find zones as it does, and count in the same place.
	others := e.capacity.m.ByShape(e.at[:e.capacity.search.roles])
	for _, p := range e.zones {
		switch {
		case !others.Within(p):
		case main < len(p):
			n = max(n, p[e.capacity.m.Twin(main)]-others[e.capacity.m.Twin(main)])
		default:
			n = 0
		}
	}
	return n
}

// extend enumerates the numbers of every role from one on but the main one, within the free amounts that the roles
// before leave, and puts each vector with the most of the main one beside it. End drops the vectors within others.
func (e *nodeEnumerator) extend(role int, free []int64) {
	main := e.capacity.tables.space.Main
	if role == e.capacity.search.roles {
		most := int32(math.MaxInt32)
		if e.zones != nil {
			if most = e.zoneRoom(); most < 0 {
				return
			}
		}
		if main < e.capacity.search.roles {
			e.at[main] = min(most, e.room(main, free))
		}
		e.capacity.tables.space.Spend(1)
		e.capacity.tables.space.Put(e.at, e.capacity.tables.space.Zero[0])
		return
	}
	if role == main {
		e.extend(role+1, free)
		return
	}
	left := slices.Clone(free)
	for n := range min(e.sides[role], e.room(role, free)) + 1 {
		if c := e.capacity; c.tables.space.Spent() && n > 0 {
			break
		}
		e.at[role] = n
		e.extend(role+1, left)
		for i, ask := range e.capacity.search.asks[role] {
			left[i] -= ask
		}
	}
	e.at[role] = 0
}
