package parts

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// frontOf is what fits below a vertex, of what is of use above it.
func (c *capacity) frontOf(x layout.Vertex) front.Front { return c.classFront(c.search.classes.of[x]) }

// frontBelow is what fits below a vertex before groups are made there; nodes outside the tree do not count at the root.
func (c *capacity) frontBelow(x layout.Vertex) front.Front {
	return c.classFrontBelow(c.search.classes.of[x])
}

// forgets says whether some counts are not known of a vertex.
func (c *capacity) forgets(x layout.Vertex) bool { return c.tables.forgot[c.search.classes.of[x]] }

func (c *capacity) classFront(i int32) front.Front {
	if c.tables.above[i] == nil {
		below := c.classFrontBelow(i)
		f, forgot := c.makeGroups(c.search.classes.first[i], below)
		c.tables.above[i], c.tables.forgot[i] = f, c.tables.forgot[i] || forgot
	}
	return c.tables.above[i]
}

func (c *capacity) classFrontBelow(i int32) front.Front {
	if c.tables.below[i] == nil {
		if int(i) < len(c.search.classes.nodes) {
			a := &c.search.classes.nodes[i]
			c.tables.below[i], c.tables.forgot[i] = c.onNode(a.free, a.open, a.zones)
		} else {
			c.tables.below[i] = c.sumChildren(i, c.search.classes.childrenOf(i))
		}
	}
	return c.tables.below[i]
}

// sumChildren adds up what fits below children. Where there are too many counts they are added one by one, the last ones first: so does fill.
func (c *capacity) sumChildren(i int32, children []int64) front.Front {
	sum := c.tables.space.None
	for _, child := range slices.Backward(children) {
		f, forgot := c.repeatFront(child)
		sum = c.tables.space.Sum(f, sum)
		c.tables.forgot[i] = c.tables.forgot[i] || forgot || c.tables.space.Forgot
	}
	if !c.tables.forgot[i] {
		return sum
	}
	sum = c.tables.space.None
	for _, child := range slices.Backward(children) {
		for range int32(child) {
			sum = c.tables.space.Sum(c.classFront(int32(child>>32)), sum)
		}
	}
	return sum
}

// repeatFront is what fits below so many children of a class, which is in the upper half. Forgot says that some counts are missing.
func (c *capacity) repeatFront(children int64) (f front.Front, forgot bool) {
	class, n := int32(children>>32), children&math.MaxInt32
	if n == 1 {
		return c.classFront(class), c.tables.forgot[class]
	}
	if f, ok := c.tables.repeated[children]; ok {
		return f.front, f.forgot
	}
	half, forgot := c.repeatFront(children - n + n/2)
	rest, more := c.repeatFront(children - n/2)
	f = c.tables.space.Sum(rest, half)
	forgot = forgot || more || c.tables.space.Forgot
	c.tables.repeated[children] = repeatedFront{f, forgot}
	return f, forgot
}

// onNode finds what fits into what is free on a node for the roles that it is open to. Where the table has no room for all combinations, the larger
// numbers are forgotten.
func (c *capacity) onNode(free []int64, open []bool, zones front.Front) (f front.Front, forgot bool) {
	e := nodeEnumerator{capacity: c, open: open, zones: zones, at: make(front.Vector, len(c.search.totals)), sides: make(front.Vector, len(c.search.totals))}
	for r := range c.search.roles {
		e.sides[r] = e.room(r, free)
	}
	if c.tables.space.Exact {
		return e.listAll(free)
	}
	forgot = c.tables.space.BeginWithin(e.sides)
	e.extend(0, slices.Clone(free))
	return c.tables.space.End(), forgot
}

// nodeEnumerator enumerates what fits on a node.
type nodeEnumerator struct {
	capacity *capacity
	open     []bool
	zones    front.Front  // of all roles of a shape in the first of them; nil: they bind nobody
	sides    front.Vector // no more of a role
	at       front.Vector
}

// room is how many members of a role fit into what is free, at most the gang's.
func (e *nodeEnumerator) room(role int, free []int64) int32 {
	room := int64(e.capacity.search.totals[role])
	for i, ask := range e.capacity.search.asks[role] {
		if ask > 0 {
			room = min(room, max(0, free[i])/ask)
		}
	}
	if !e.open[role] {
		return 0
	}
	if e.zones != nil {
		room = min(room, int64(e.zones.Most(e.capacity.p.Twin(role))))
	}
	return int32(room)
}

// zoneRoom is how many members of the main role the zones take beside those of the others; -1: they do not even take these.
func (e *nodeEnumerator) zoneRoom() int32 {
	n, main := int32(-1), e.capacity.tables.space.Main
	if main < len(e.capacity.search.roles) {
		e.at[main] = 0
	}
	others := problem.ByShape(e.capacity.p, e.at[:len(e.capacity.search.roles)])
	for _, p := range e.zones {
		switch {
		case !others.Within(p):
		case main < len(p):
			n = max(n, p[e.capacity.p.Twin(main)]-others[e.capacity.p.Twin(main)])
		default:
			n = 0
		}
	}
	return n
}

// extend puts every number of members of the roles from one on into what is free; of the main role, last, as many as fit.
func (e *nodeEnumerator) extend(role int, free []int64) {
	main := e.capacity.tables.space.Main
	if role == len(e.capacity.search.roles) {
		most := int32(math.MaxInt32)
		if e.zones != nil {
			if most = e.zoneRoom(); most < 0 {
				return
			}
		}
		if main < len(e.capacity.search.roles) {
			e.at[main] = min(most, e.room(main, free))
		}
		e.capacity.tables.space.Put(e.at, e.capacity.tables.space.None[0])
		return
	}
	if role == main {
		e.extend(role+1, free)
		return
	}
	left := slices.Clone(free)
	for n := range min(e.sides[role], e.room(role, free)) + 1 {
		e.at[role] = n
		e.extend(role+1, left)
		for i, ask := range e.capacity.search.asks[role] {
			left[i] -= ask
		}
	}
	e.at[role] = 0
}

// makeGroups is what fits below a vertex once groups are made there of what is below, without what is of no use above. Forgot says that some counts are missing.
func (c *capacity) makeGroups(x layout.Vertex, below front.Front) (f front.Front, forgot bool) {
	if len(c.search.groups) == 0 && !c.tables.space.Exact {
		return below, false
	}
	m := c.newGroupMaker(x)
	if c.tables.space.Exact {
		return m.listAll(x, below)
	}
	if len(m.classes) == 0 && slices.Equal(m.useful, c.search.totals) {
		return below, false
	}
	for i, most := range m.useful {
		m.sides[i] = max(m.sides[i], min(most, below.Most(i)))
	}
	forgot = c.tables.space.BeginWithin(m.sides)
	for _, p := range below {
		m.extend(0, slices.Clone(p))
	}
	return c.tables.space.End(), forgot
}

// groupMaker makes groups at a vertex.
type groupMaker struct {
	capacity *capacity
	classes  []madeClass  // that are of use above, outer ones first
	useful   front.Vector // that are of use above
	sides    front.Vector
	at       front.Vector
}

type madeClass struct {
	dim   int
	needs front.Vector // of what is not made at the vertex itself
	// free: nothing that a group is made of is of use to others.
	free bool
}

// newGroupMaker finds which kinds are made at a vertex, and what is of use above.
func (c *capacity) newGroupMaker(x layout.Vertex) *groupMaker {
	r := len(c.search.roles)
	m := &groupMaker{capacity: c, useful: make(front.Vector, len(c.search.totals)), sides: make(front.Vector, len(c.search.totals)), at: make(front.Vector, len(c.search.totals))}
	keep := func(needs front.Vector) {
		for i, n := range needs {
			if n > 0 {
				m.useful[i] = c.search.totals[i]
			}
		}
	}
	keep(c.search.want)
	above := c.p.View.TierOf(c.p.View.Above(x))
	for k := range c.search.groups {
		if c.tables.bounds[k] >= above && c.tables.homes[k] != x {
			keep(c.search.groups[k].needs)
		}
	}
	for k := range c.search.groups {
		if c.made(k, x) && m.useful[r+k] > 0 {
			one := make(front.Vector, len(c.search.totals))
			one[r+k] = 1
			m.classes = append(m.classes, madeClass{dim: r + k, needs: c.expand(x, one)})
			m.sides[r+k] = c.search.totals[r+k]
		}
	}
	for i := range m.classes {
		m.classes[i].free = m.isFree(i)
	}
	return m
}

func (m *groupMaker) isFree(i int) bool {
	for dim, n := range m.classes[i].needs {
		if n == 0 {
			continue
		}
		if m.useful[dim] > 0 {
			return false
		}
		for j := range m.classes {
			if j != i && m.classes[j].needs[dim] > 0 {
				return false
			}
		}
	}
	return true
}

// extend makes every number of groups of the kinds from one on; what is left goes up.
func (m *groupMaker) extend(i int, left front.Vector) {
	if i == len(m.classes) {
		m.capacity.tables.space.Put(m.at, left.Least(m.useful))
		return
	}
	k := &m.classes[i]
	least, most := m.numbers(k, left)
	for n := least; n <= most; n++ {
		m.at[k.dim] = n
		m.extend(i+1, k.without(n, left))
	}
	m.at[k.dim] = 0
}

// numbers is how many groups of a kind are to be made at least and at most.
func (m *groupMaker) numbers(k *madeClass, left front.Vector) (least, most int32) {
	most = m.capacity.search.totals[k.dim] - left[k.dim]
	for dim, n := range k.needs {
		if n > 0 {
			most = min(most, left[dim]/n)
		}
	}
	if k.free {
		return most, most
	}
	return 0, most
}

// without is what so many groups leave.
func (k *madeClass) without(n int32, left front.Vector) front.Vector {
	rest := slices.Clone(left)
	for dim, need := range k.needs {
		rest[dim] -= n * need
	}
	return rest
}
