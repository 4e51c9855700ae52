package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
)

// makeGroups turns what fits below x into whole groups where their bound lies at x, and drops counts that nothing above
// x asks for.
//
// order: parts.5
func (c *capacity) makeGroups(x layout.Vertex, below front.Front) (f front.Front, forgot bool) {
	if len(c.search.groups) == 0 && !c.tables.space.Exact {
		return below, false
	}
	m := c.newGroupMaker(x)
	if c.tables.space.Exact {
		return m.listAll(x, below)
	}
	return m.front(below)
}

// groupMaker makes groups at one vertex.
type groupMaker struct {
	capacity *capacity
	classes  []madeClass  // the classes made here that are of use above, outer ones first
	useful   front.Vector // caps of the dimensions that count above
	sides    front.Vector
	at       front.Vector
}

// madeClass is a class whose groups are made at the vertex.
type madeClass struct {
	dim   int
	needs front.Vector // of one group, expanded at the vertex
	// free: no other class and nothing above competes for the members, see isFree.
	free bool
}

// newGroupMaker finds the classes made at x and the dimensions of use above x: those of the gang itself, and of groups
// made higher up or at a home elsewhere.
func (c *capacity) newGroupMaker(x layout.Vertex) *groupMaker {
	r, dims := len(c.search.roles), len(c.search.totals)
	m := &groupMaker{capacity: c, useful: make(front.Vector, dims), sides: make(front.Vector, dims), at: make(front.Vector, dims)}
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

// front is the front after groups are made of the vectors below.
func (m *groupMaker) front(below front.Front) (f front.Front, forgot bool) {
	if len(m.classes) == 0 && slices.Equal(m.useful, m.capacity.search.totals) {
		return below, false
	}
	for i, most := range m.useful {
		m.sides[i] = max(m.sides[i], min(most, below.Most(i)))
	}
	forgot = m.capacity.tables.space.Begin(m.sides)
	for _, p := range below {
		m.extend(0, slices.Clone(p))
	}
	return m.capacity.tables.space.End(), forgot
}

// isFree says whether the members of class i serve nothing else, above or at this vertex. Then as many groups as fit are
// made, and no smaller number.
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

// extend tries every number of groups from class i on, and puts each result capped to what is of use above.
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

// numbers is the range of group counts to try.
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

// without is what n groups leave of a vector.
func (k *madeClass) without(n int32, left front.Vector) front.Vector {
	rest := slices.Clone(left)
	for dim, need := range k.needs {
		rest[dim] -= n * need
	}
	return rest
}
