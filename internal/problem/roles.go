package problem

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/front"
)

// Role is that of the i-th pending member.
func (p *Problem) Role(i int) int32 {
	if p.RoleOf == nil {
		return 0
	}
	return p.RoleOf[i]
}

// CauseForAll is why a node takes no member of any role: the cause for the first one.
func CauseForAll(roles []*Problem, cause func(one *Problem) string) string {
	first := cause(roles[0])
	if first == "" || slices.ContainsFunc(roles[1:], func(one *Problem) bool { return cause(one) == "" }) {
		return ""
	}
	return first
}

// chooseRoles parts members of different shapes into roles: those of one shape, in the order of their first members.
func chooseRoles(p *Problem, shapes []*gang.Shape) error {
	p.RoleOf = make([]int32, len(shapes))
	for i, s := range shapes {
		role := slices.IndexFunc(p.Shapes, func(known *gang.Shape) bool { return known == s || known.Equal(s) })
		if role < 0 {
			role, p.Shapes = len(p.Shapes), append(p.Shapes, s)
		}
		p.RoleOf[i] = int32(role)
	}
	if p.Gang == nil {
		cutByLevels(p)
	}
	return sumNeeds(p)
}

// divideRoles parts the members of each role further, by a number that each pending member has; roles are in the order of their first members.
func divideRoles(p *Problem, by []int32) {
	type key struct{ role, by int32 }
	at := map[key]int32{}
	roleOf, shapes := make([]int32, len(by)), []*gang.Shape(nil)
	for i := range by {
		k := key{p.Role(i), by[i]}
		role, known := at[k]
		if !known {
			role = int32(len(shapes))
			at[k], shapes = role, append(shapes, p.Shapes[k.role])
		}
		roleOf[i] = role
	}
	p.RoleOf, p.Shapes = roleOf, shapes
}

// ByShape counts members by shape, those of roles of one shape in the first of them: zones do not tell these apart.
func ByShape(p *Problem, a front.Vector) front.Vector {
	if p.twins == nil {
		return a
	}
	out := make(front.Vector, len(a))
	for r, n := range a {
		out[p.Twin(r)] += n
	}
	return out
}

// Twin is the first role of the shape of a role.
func (p *Problem) Twin(role int) int {
	if p.twins == nil {
		return role
	}
	return int(p.twins[role])
}

// findTwins finds the roles of one shape.
func findTwins(p *Problem) {
	p.twins = make([]int32, len(p.Shapes))
	for r, s := range p.Shapes {
		p.twins[r] = int32(slices.IndexFunc(p.Shapes, func(o *gang.Shape) bool { return o == s || o.Equal(s) }))
	}
}

// HasRoles says whether members are of several roles and placed one by one.
func (p *Problem) HasRoles() bool { return p.RoleOf != nil }

// ShapeOf is the shape of the i-th pending member; i counts the members of units where these are placed.
func (p *Problem) ShapeOf(i int) *gang.Shape {
	if p.HasRoles() {
		return p.Shapes[p.RoleOf[i]]
	}
	return p.Shapes[i%len(p.Shapes)]
}

// countsOn counts the members on a node by role.
func countsOn(p *Problem, positions []int32, id int32) front.Vector {
	some := make(front.Vector, len(p.Shapes))
	for i, pos := range positions {
		if p.View.Node(pos) == id {
			some[p.Role(i)]++
		}
	}
	return some
}
