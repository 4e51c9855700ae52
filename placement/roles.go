package placement

import (
	"slices"

	"github.com/muster-sched/muster/gang"
)

// chooseRoles parts members of different shapes into roles: those of one shape, in the order of their first members.
func (p *problem) chooseRoles(shapes []*gang.Shape) error {
	p.roleOf = make([]int32, len(shapes))
	for i, s := range shapes {
		role := slices.IndexFunc(p.shapes, func(known *gang.Shape) bool { return known == s || known.Equal(s) })
		if role < 0 {
			role, p.shapes = len(p.shapes), append(p.shapes, s)
		}
		p.roleOf[i] = int32(role)
	}
	if p.whole == nil {
		p.cutByLevels()
	}
	return p.sumNeeds()
}

// hasRoles says whether members are of several shapes and placed one by one.
func (p *problem) hasRoles() bool { return p.roleOf != nil }

// shapeOf is the shape of the i-th pending member; i counts the members of units where these are placed.
func (p *problem) shapeOf(i int) *gang.Shape {
	if p.hasRoles() {
		return p.shapes[p.roleOf[i]]
	}
	return p.shapes[i%len(p.shapes)]
}

// ofRoles are the problem with the members of each role alone in mind: their slots, their needs, whom they refuse.
func (p *problem) ofRoles() []*problem {
	out := make([]*problem, len(p.shapes))
	for r := range out {
		one := *p
		one.shapes, one.roleOf, one.indexes, one.alignment = p.shapes[r:r+1], nil, [2]*index{}, alignment{gifts: p.gifts}
		one.mult, one.forced = nil, nil // they are the gang's
		if p.penOf != nil {
			one.pen = p.penOf[r]
		}
		one.align()
		if err := one.sumNeeds(); err != nil {
			one.needs = nil // never: the sum over all roles does not overflow
		}
		out[r] = &one
	}
	return out
}

// countsOn counts the members on a node by role.
func (p *problem) countsOn(positions []int32, id int32) counts {
	some := make(counts, len(p.shapes))
	for i, pos := range positions {
		if p.v.node(pos) == id {
			some[p.role(i)]++
		}
	}
	return some
}

// loadOf is the problem of all members at once that are placed on a node: one unit, which asks for their sum.
func (p *problem) loadOf(positions []int32, id int32) *problem {
	load := *p
	load.roleOf, load.shapes = nil, nil
	for i, pos := range positions {
		if p.v.node(pos) == id {
			load.shapes = append(load.shapes, p.shapeOf(i))
		}
	}
	if err := load.sumNeeds(); err != nil {
		load.needs = nil // never: they fit
	}
	return &load
}
