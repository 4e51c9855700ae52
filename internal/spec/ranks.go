// Which member goes to which place?

package spec

import (
	"cmp"
	"maps"
	"slices"
)

// seating is what lies below a vertex: for every level the places of its whole groups, one after the other, that are not part of a
// whole group of the level above, and last those of single members; of the short group; and of begun groups, those members that are
// placed.
type seating struct {
	open  [][]*vertex
	short []*vertex
	begun map[*begunGroup][]*vertex
}

// seat finds the groups below a vertex, depth first. Whole groups of a child come before those that are put together here, which
// take the children's remaining places in order: begun ones first.
func (p *search) seat(a *placed) seating {
	q := len(p.solver.m.Levels)
	out := seating{open: make([][]*vertex, q+1), begun: map[*begunGroup][]*vertex{}}
	if a.v.isNode {
		for range a.members {
			out.open[q] = append(out.open[q], a.v)
		}
	}
	inner := slices.Clone(a.inner)
	slices.SortStableFunc(inner, func(x, y *placed) int { return cmp.Compare(bit(x.state.short), bit(y.state.short)) })
	for _, c := range inner {
		below := p.seat(c)
		for i := range out.open {
			out.open[i] = append(out.open[i], below.open[i]...)
		}
		out.short = append(out.short, below.short...)
		maps.Copy(out.begun, below.begun)
	}
	p.join(a, 0, a.state.units[0], &out)
	if a.state.short && out.short == nil {
		out.short = out.take(q, p.rest)
	}
	return out
}

// join makes groups of level i of the units of the next level, until so many are whole, and completes the begun ones that are at home
// here. First it makes the units that they take.
func (p *search) join(a *placed, i, want int, s *seating) {
	if i == len(p.solver.m.Levels) {
		return
	}
	missing := want - len(s.open[i])/p.solver.size(i)
	var home []*begunGroup
	inner := missing * p.solver.size(i) / p.solver.size(i+1)
	for _, g := range p.begun {
		if a.state.begun && g.level == i && g.home == a.v {
			home = append(home, g)
			inner += g.need
		}
	}
	p.join(a, i+1, inner+a.state.units[i+1], s)
	for _, g := range home {
		s.begun[g] = s.take(i+1, p.solver.membersOf(g))
	}
	s.open[i] = append(s.open[i], s.take(i+1, missing*p.solver.size(i))...)
}

// take removes the first places of a level.
func (s *seating) take(level, n int) []*vertex {
	taken := slices.Clone(s.open[level][:n])
	s.open[level] = s.open[level][n:]
	return taken
}

// assign gives the places of a placement to the new members in rank order: to those of begun groups the places of their group, to the
// others the places of whole groups and then those of the short one.
func (p *search) assign(whole *placed) (positions []int32) {
	seated, at := p.seat(whole), map[int]*vertex{}
	for g, places := range seated.begun {
		for i, v := range places {
			size := p.solver.size(g.level + 1)
			at[g.ranks[i/size]+i%size] = v
		}
	}
	rest := append(seated.open[0], seated.short...)
	for _, rank := range p.solver.m.Pending[:p.n] {
		v, ok := at[rank]
		if !ok {
			v, rest = rest[0], rest[1:]
		}
		positions = append(positions, p.solver.m.View.Position(v.at))
	}
	return positions
}

// between holds if the only new member would have a place below v that lies, in the order of paths, between those of the running
// members before and behind it in rank order.
func (p *search) between(v *vertex) bool {
	m := p.solver.m
	if p.n != 1 || m.Running.Len() == 0 || m.Multiple != nil {
		return false
	}
	rank, first, last := m.Pending[0], int32(0), m.View.Nodes
	before, behind := -1, len(m.Pending)+m.Running.Len()
	for r := range m.Running.All() {
		switch {
		case before < r.Rank && r.Rank < rank:
			before, first = r.Rank, r.Pos
		case rank < r.Rank && r.Rank < behind:
			behind, last = r.Rank, r.Pos
		}
	}
	var hasRoom func(v *vertex) bool
	hasRoom = func(v *vertex) bool {
		if v.isNode {
			pos := m.View.Position(v.at)
			return v.high > 0 && first <= pos && pos <= last
		}
		return v.high > 0 && slices.ContainsFunc(v.children, hasRoom)
	}
	return hasRoom(v)
}
