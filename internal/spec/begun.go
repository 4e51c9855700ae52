// Which groups are placed whole, which is short, and where are those completed of which members run?

package spec

import (
	"cmp"
	"slices"
)

// begunGroup is a group of which members run and others are placed, apart from those in groups of the next level that are begun
// themselves.
type begunGroup struct {
	level int
	at    []*vertex // nodes of its running members
	need  int       // units of the next level that are placed
	ranks []int     // the first rank of each
	home  *vertex   // where it is completed; nil if nowhere
}

// membersOf is how many new members the group needs.
func (s *solver) membersOf(g *begunGroup) int { return g.need * s.size(g.level+1) }

// cut sorts the groups of every level: those placed whole, a short one, and those of which members run, begun or not.
func (p *search) cut() {
	m := p.solver.m
	fresh, running := map[int]bool{}, map[int]*vertex{}
	for _, rank := range m.Pending[:p.n] {
		fresh[rank] = true
	}
	for r := range m.Running.All() {
		running[r.Rank] = p.solver.byNode[r.Pos]
	}
	p.running = make([][][]*vertex, len(m.Levels))
	for i := len(m.Levels) - 1; i >= 0; i-- {
		for first := 0; first < len(m.Pending)+m.Running.Len(); first += p.solver.size(i) {
			p.cutGroup(i, first, fresh, running)
		}
	}
	slices.SortStableFunc(p.begun, func(a, b *begunGroup) int {
		return cmp.Or(cmp.Compare(b.level, a.level), cmp.Compare(a.need, b.need), cmp.Compare(a.ranks[0], b.ranks[0]))
	})
}

// cutGroup sorts the group of a level that begins at this rank.
func (p *search) cutGroup(i, first int, fresh map[int]bool, running map[int]*vertex) {
	placed, nodes := inGroup(first, p.solver.size(i), fresh, running)
	switch {
	case len(nodes) > 0:
		p.running[i] = append(p.running[i], nodes)
		g := &begunGroup{level: i, at: nodes}
		for unit := first; unit < first+p.solver.size(i); unit += p.solver.size(i + 1) {
			if n, _ := inGroup(unit, p.solver.size(i+1), fresh, running); n == p.solver.size(i+1) {
				g.ranks = append(g.ranks, unit)
			}
		}
		if g.need = len(g.ranks); g.need > 0 {
			p.begun = append(p.begun, g)
		}
	case i == 0 && placed == p.solver.size(0):
		p.full++
	case i == 0:
		p.rest += placed
	}
}

// inGroup counts the ranks from first on that are placed, and lists the nodes of those that run.
func inGroup(first, size int, fresh map[int]bool, running map[int]*vertex) (placed int, nodes []*vertex) {
	for rank := first; rank < first+size; rank++ {
		placed += bit(fresh[rank])
		if node, ok := running[rank]; ok {
			nodes = append(nodes, node)
		}
	}
	return placed, nodes
}

// reservedKey is a level and a vertex: what begun groups of the level take below the vertex.
type reservedKey struct {
	level int
	v     *vertex
}

// settle finds the homes of the begun groups: from the root on, a group goes down to the child that holds all its running members
// as long as that has room beside the begun groups that went there before.
func (p *search) settle() {
	p.reserved = map[reservedKey]int{}
	for _, g := range p.begun {
		g.home = nil
		for v := p.solver.root; v != nil && p.roomFor(g, v) >= g.need; v = childWith(v, g.at) {
			g.home = v
		}
		for v := g.home; v != nil; v = v.parent {
			p.reserved[reservedKey{g.level, v}] += g.need
		}
		clear(p.tallies) // what fits beside the group is another number now
	}
}

// roomFor is how many of the units that a begun group needs fit below v, beside the begun groups before it.
func (p *search) roomFor(g *begunGroup, v *vertex) int {
	inner, t := g.level+1, 0
	if inner < len(p.solver.m.Levels) {
		t = p.tiers[inner+1]
	}
	return p.roomOf(inner, t, v)
}

// childWith is the child of v that holds all the nodes, nil if there is none.
func childWith(v *vertex, nodes []*vertex) *vertex {
	for _, c := range v.children {
		if !slices.ContainsFunc(nodes, func(n *vertex) bool { return !above(c, n) }) {
			return c
		}
	}
	return nil
}

// settled holds if every begun group is completed below d, within the tiers of its level and of those around it, and no group
// reaches too high already.
func (p *search) settled(d *vertex) bool {
	for _, g := range p.begun {
		if g.home == nil || !above(d, g.home) || g.home.tier > slices.Min(p.tiers[1:g.level+2]) {
			return false
		}
	}
	for i, groups := range p.running {
		for _, nodes := range groups {
			if p.solver.reached(nodes) > p.tiers[i+1] {
				return false
			}
		}
	}
	return true
}

// reached is the tier of the lowest vertex above all these nodes; under a hard rule nodes outside the tree reach the root.
func (s *solver) reached(nodes []*vertex) int {
	if s.m.Hard && slices.ContainsFunc(nodes, func(v *vertex) bool { return v.outside }) {
		return s.root.tier
	}
	v := s.root
	for c := v; c != nil; c = childWith(c, nodes) {
		v = c
	}
	return v.tier
}

// beside is how many new members the begun groups of level i and further in take below v.
func (p *search) beside(i int, v *vertex) int {
	n := 0
	for j := i; j < len(p.solver.m.Levels); j++ {
		n += p.reserved[reservedKey{j, v}] * p.solver.size(j+1)
	}
	return n
}

// before is what the begun groups of the levels around level i take below v, in units of level i.
func (p *search) before(i int, v *vertex) int {
	n := 0
	for j := range i {
		n += p.reserved[reservedKey{j, v}] * p.solver.size(j+1) / p.solver.size(i)
	}
	return n
}
