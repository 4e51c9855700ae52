package fronts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
)

// makeGroups answers: which vectors count above x? It turns members and inner groups below x into whole groups of the
// classes that are made at x, and drops counts that nothing above x asks for. x is not the root. forgot says that the
// table was too large, and that vectors are missing.
//
// order: parts.5
func (c *capacity) makeGroups(x layout.Vertex, below front.Front) (f front.Front, forgot bool) {
	caps := c.search.caps.at(c.m.View, x)
	if len(c.search.groups)+len(caps) == 0 && !c.tables.space.Exact {
		return c.search.counted.above(x, below, c.tables.space)
	}
	m := c.newGroupMaker(x)
	m.caps = caps
	if c.tables.space.Exact {
		f, forgot = m.listAll(x, below)
	} else {
		f, forgot = m.front(below)
	}
	f, more := c.search.counted.above(x, f, c.tables.space)
	return f, forgot || more
}

// groupMaker makes groups at one vertex.
type groupMaker struct {
	capacity *capacity
	classes  []madeClass  // the classes made here that are of use above, outer ones first
	useful   front.Vector // by dimension: the gang's number if it counts above, else 0
	sides    front.Vector // by dimension: the largest number that may come out
	at       front.Vector // groups made so far
	caps     []capAt      // the limits that bind here
	memory   vectors
}

// madeClass is a class whose groups are made at the vertex.
type madeClass struct {
	dim   int          // of its groups in vectors
	needs front.Vector // of one group, in members and groups that come from below the vertex
	// free: no other class and nothing above competes for the members, see isFree.
	free bool
}

// newGroupMaker finds the classes made at x and the dimensions of use above x: those of the gang itself, and of
// groups whose bound reaches above x, if x is not their home. Needs are expanded at x: inner groups that are made
// here too count as their members. So a class is made directly of vectors from below, and one whose groups serve only
// others made here is left out.
func (c *capacity) newGroupMaker(x layout.Vertex) *groupMaker {
	r, dims := c.search.roles, len(c.search.totals)
	m := &groupMaker{capacity: c, useful: make(front.Vector, dims), sides: make(front.Vector, dims), at: make(front.Vector, dims)}
	keep := func(needs front.Vector) {
		for i, n := range needs {
			if n > 0 {
				m.useful[i] = c.search.totals[i]
			}
		}
	}
	// A dimension that counts above is kept up to the gang's number, all others are dropped.
	keep(c.search.want)
	above := c.m.View.TierOf(c.m.View.Above(x))
	for k := range c.search.groups {
		if c.tables.bounds[k] >= above && c.tables.homes[k] != x {
			keep(c.search.groups[k].needs)
		}
	}
	for k := range c.search.groups {
		if c.made(k, x) && m.useful[r+k] > 0 { // groups that only serve others made here are part of their needs
			one := make(front.Vector, len(c.search.totals))
			one[r+k] = 1
			m.classes = append(m.classes, madeClass{dim: r + k, needs: c.expand(x, one)})
			m.sides[r+k] = c.search.totals[r+k]
		}
	}
	for i := range m.classes { // once all classes are known
		m.classes[i].free = m.isFree(i)
	}
	return m
}

// front is the front after groups are made of the vectors below.
// O(vectors below * product of the numbers of groups that are not free + table).
func (m *groupMaker) front(below front.Front) (f front.Front, forgot bool) {
	// No group is made here, and every dimension counts above.
	if len(m.classes)+len(m.caps) == 0 && slices.Equal(m.useful, m.capacity.search.totals) {
		return below, false
	}
	if m.capacity.tables.space.Spent() {
		return m.capacity.tables.space.Zero, true
	}
	for i, most := range m.useful {
		m.sides[i] = max(m.sides[i], min(most, below.Most(i)))
	}
	// It is enough to start from the largest vectors: whatever can be made of a smaller one, can be made of these. A
	// front is shared, so that each is copied.
	forgot = m.capacity.tables.space.Begin(m.sides)
	for _, p := range below {
		m.extend(0, slices.Clone(p))
	}
	return m.capacity.tables.space.End(), forgot || m.capacity.tables.space.Spent()
}

// isFree says whether the members of class i serve nothing else, neither above nor at this vertex. Then only the
// largest number of groups is tried: with fewer nothing else would get more.
func (m *groupMaker) isFree(i int) bool {
	for dim, n := range m.classes[i].needs {
		if n == 0 {
			continue
		}
		if m.useful[dim] > 0 {
			return false
		}
		for j := range m.classes { // two classes may compete for members of one role
			if j != i && m.classes[j].needs[dim] > 0 {
				return false
			}
		}
	}
	return true
}

// extend tries every number of groups of the classes from i on, and puts each result, capped to the counts of use
// above. End drops the vectors within others.
func (m *groupMaker) extend(i int, left front.Vector) {
	if i == len(m.classes) {
		if len(m.caps) > 0 {
			putWithin(m.capacity.tables.space, m.caps, left.Least(m.useful).Plus(m.at))
			return
		}
		m.capacity.tables.space.Spend(1)
		m.capacity.tables.space.Put(m.at, left.Least(m.useful))
		return
	}
	k := &m.classes[i]
	least, most := m.numbersOf(k, left)
	for n := least; n <= most; n++ {
		if m.capacity.tables.space.Spent() && n > least {
			break
		}
		m.at[k.dim] = n
		m.extend(i+1, k.without(n, left))
	}
	m.at[k.dim] = 0
}

// numbersOf is the range of group counts to try for a class: no more than the gang has, nor than left allows.
func (m *groupMaker) numbersOf(k *madeClass, left front.Vector) (least, most int32) {
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

// without is the rest of a vector after n groups are made of it, as a copy.
func (k *madeClass) without(n int32, left front.Vector) front.Vector {
	rest := slices.Clone(left)
	for dim, need := range k.needs {
		rest[dim] -= n * need
	}
	return rest
}

// take makes n groups of a vector, which it changes; below 0: it takes groups apart.
func (k *madeClass) take(n int32, left front.Vector) {
	for dim, need := range k.needs {
		left[dim] -= n * need
	}
}
