package placement

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/index"
)

// chooseRoles parts members of different shapes into roles: those of one shape, in the order of their first members.
func chooseRoles(p *problem, shapes []*gang.Shape) error {
	p.roleOf = make([]int32, len(shapes))
	for i, s := range shapes {
		role := slices.IndexFunc(p.shapes, func(known *gang.Shape) bool { return known == s || known.Equal(s) })
		if role < 0 {
			role, p.shapes = len(p.shapes), append(p.shapes, s)
		}
		p.roleOf[i] = int32(role)
	}
	if p.whole == nil {
		cutByLevels(p)
	}
	return p.sumNeeds()
}

// divideRoles parts the members of each role further, by a number that each pending member has; roles are in the order of their first members.
func divideRoles(p *problem, by []int32) {
	type key struct{ role, by int32 }
	at := map[key]int32{}
	roleOf, shapes := make([]int32, len(by)), []*gang.Shape(nil)
	for i := range by {
		k := key{p.role(i), by[i]}
		role, known := at[k]
		if !known {
			role = int32(len(shapes))
			at[k], shapes = role, append(shapes, p.shapes[k.role])
		}
		roleOf[i] = role
	}
	p.roleOf, p.shapes = roleOf, shapes
}

// byShape counts members by shape, those of roles of one shape in the first of them: zones do not tell these apart.
func (p *problem) byShape(a front.Vector) front.Vector {
	if p.twins == nil {
		return a
	}
	out := make(front.Vector, len(a))
	for r, n := range a {
		out[p.twin(r)] += n
	}
	return out
}

// twin is the first role of the shape of a role.
func (p *problem) twin(role int) int {
	if p.twins == nil {
		return role
	}
	return int(p.twins[role])
}

// findTwins finds the roles of one shape.
func findTwins(p *problem) {
	p.twins = make([]int32, len(p.shapes))
	for r, s := range p.shapes {
		p.twins[r] = int32(slices.IndexFunc(p.shapes, func(o *gang.Shape) bool { return o == s || o.Equal(s) }))
	}
}

// hasRoles says whether members are of several roles and placed one by one.
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
		one.shapes, one.roleOf, one.indexes, one.alignment = p.shapes[r:r+1], nil, [2]*index.Index{}, alignment{gifts: p.alignment.gifts}
		one.mult, one.forced, one.evens, one.twins = nil, nil, nil, nil // they are the gang's
		if p.parting.penOf != nil {
			one.parting.pen = p.parting.penOf[r]
		}
		align(&one)
		if err := one.sumNeeds(); err != nil {
			one.needs = nil // never: the sum over all roles does not overflow
		}
		out[r] = &one
	}
	return out
}

// countsOn counts the members on a node by role.
func (p *problem) countsOn(positions []int32, id int32) front.Vector {
	some := make(front.Vector, len(p.shapes))
	for i, pos := range positions {
		if p.v.Node(pos) == id {
			some[p.role(i)]++
		}
	}
	return some
}

// loadOf is the problem of all members at once that are placed on a node: one unit, which asks for their sum.
func loadOf(p *problem, positions []int32, id int32) *problem {
	load := *p
	load.roleOf, load.shapes, load.twins = nil, nil, nil
	for i, pos := range positions {
		if p.v.Node(pos) == id {
			load.shapes = append(load.shapes, p.shapeOf(i))
		}
	}
	if err := load.sumNeeds(); err != nil {
		load.needs = nil // never: they fit
	}
	return &load
}
