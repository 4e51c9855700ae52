package fronts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
)

// This file answers: which vectors fit where multiples bind? Every vector that fits is listed, not only the largest,
// for fewer members may not fit where more do.

// listAll lists every vector that fits on the node, in ascending order. The widest dimension is halved until the list
// fits into a table; forgot says so. A vector that breaks a multiple on the node is dropped when groups are made
// there.
//
// order: roles.2
func (e *nodeEnumerator) listAll(free []int64) (f front.Front, forgot bool) {
	for !e.capacity.tables.space.RoomFor(e.sides) {
		widest := slices.Index(e.sides, slices.Max(e.sides))
		e.sides[widest], forgot = e.sides[widest]/2, true
	}
	if e.list(0, slices.Clone(free), &f); e.capacity.tables.space.Spent() {
		return e.capacity.tables.space.Zero, true
	}
	return f, forgot
}

// list enumerates the numbers of each role from one on, within the free amounts that the roles before leave, smallest
// first. It leaves these as they were.
func (e *nodeEnumerator) list(role int, free []int64, out *front.Front) {
	space := e.capacity.tables.space
	if space.Spent() {
		return
	}
	for role < e.capacity.search.roles && e.sides[role] == 0 {
		role++
	}
	if role == e.capacity.search.roles {
		space.Spend(8 + int64(role)/2)
		if e.zones != nil && e.at.Total() > 0 {
			space.Spend(int64(len(e.zones)) / 4)
			if !e.zones.Holds(e.capacity.m.ByShape(e.at[:role])) {
				return
			}
		}
		*out = append(*out, e.memory.copyOf(e.at))
		return
	}
	asks, most := e.capacity.search.asks[role], e.sides[role] // which zones bound already
	for i, ask := range asks {
		if ask > 0 {
			most = int32(min(int64(most), max(0, free[i])/ask))
		}
	}
	for n := range most + 1 {
		e.at[role] = n
		e.list(role+1, free, out)
		for i, ask := range asks {
			free[i] -= ask
		}
	}
	for i, ask := range asks {
		free[i] += int64(most+1) * ask
	}
	e.at[role] = 0
}

// listAll lists every vector after groups are made at x for which all multiples are kept there, in ascending order.
// Members that nothing above asks for must all be in groups: an exact vector is used up. Where the table is too large
// it samples the front below and keeps at most front.KeptPoints vectors of each; forgot says so.
func (m *groupMaker) listAll(x layout.Vertex, below front.Front) (f front.Front, forgot bool) {
	for i, most := range m.useful {
		m.sides[i] = max(m.sides[i], min(most, below.Most(i)))
	}
	if forgot = !m.capacity.tables.space.RoomFor(m.sides); forgot {
		below = below.Sample()
	}
	out := front.Front{}
	for _, p := range below {
		limit := -1 // no vector may be lost while the table has room
		if forgot {
			limit = len(out) + front.KeptPoints
		}
		n := len(out)
		if m.list(0, slices.Clone(p), limit, &out); !m.capacity.tables.space.Spend(int64(len(out) - n + 1)) {
			return front.Front{}, true
		}
	}
	return m.capacity.search.dropBroken(x, m.capacity.tables.space.InFewest(out)), forgot
}

// list enumerates the numbers of groups from class i on, most first, until out has limit vectors (-1: no limit).
// Members left over must be of use above. It leaves them as they were.
func (m *groupMaker) list(i int, left front.Vector, limit int, out *front.Front) {
	if len(*out) == limit || m.capacity.tables.space.Spent() {
		return
	}
	if i == len(m.classes) {
		m.capacity.tables.space.Spend(4 + int64(len(left))/2)
		if left.Within(m.useful) {
			sum := m.memory.copyOf(left)
			for dim, n := range m.at {
				sum[dim] += n
			}
			if keepsCaps(m.caps, sum) { // what keeps them and is smaller is listed by itself
				*out = append(*out, sum)
			}
		}
		return
	}
	k := &m.classes[i]
	least, most := m.numbersOf(k, left)
	k.take(most, left)
	for n := most; n >= least; n-- {
		m.at[k.dim] = n
		m.list(i+1, left, limit, out)
		k.take(-1, left)
	}
	k.take(1-least, left)
	m.at[k.dim] = 0
}

// vectors is memory for many short vectors, each time for twice as many.
type vectors struct {
	spare front.Vector
	next  int
}

// copyOf is a copy, the caller's.
func (v *vectors) copyOf(a front.Vector) front.Vector {
	if len(v.spare) < len(a) {
		v.next = min(max(2, 2*v.next), 256)
		v.spare = make(front.Vector, v.next*len(a))
	}
	out := v.spare[:len(a):len(a)]
	v.spare = v.spare[len(a):]
	copy(out, a)
	return out
}
