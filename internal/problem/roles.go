// Which members can change places? Those of a role: members of one shape that may be on the same nodes, and count for
// the same multiples.

package problem

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/match"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/room"
)

// chooseRoles divides members of different shapes into roles, one a shape, in the order of their first members.
// shapes are those of the pending members. O(members) expected, and once what each shape lists.
//
// order: roles.1
func chooseRoles(p *Problem, shapes []*gang.Shape) error {
	p.Model.RoleOf = make([]int32, len(shapes))
	var known match.Shapes
	for i, s := range shapes {
		role, isNew := known.Number(s)
		if p.Model.RoleOf[i] = int32(role); isNew {
			p.Room.Shapes = append(p.Room.Shapes, s)
		}
	}
	if p.Model.Gang == nil {
		cutByLevels(p)
	}
	return p.Room.SumNeeds()
}

// divideRoles divides each role by a number that each pending member has: members stay in one role if they have the
// same number. Roles are in the order of their first members.
func divideRoles(p *Problem, by []int32) {
	type key struct{ role, by int32 }
	at := map[key]int32{}
	roleOf, shapes := make([]int32, len(by)), []*gang.Shape(nil)
	for i := range by {
		k := key{p.Model.Role(i), by[i]}
		role, known := at[k]
		if !known {
			role = int32(len(shapes))
			at[k], shapes = role, append(shapes, p.Room.Shapes[k.role])
		}
		roleOf[i] = role
	}
	p.Model.RoleOf, p.Room.Shapes = roleOf, shapes
}

// divideByMembers divides roles until each of some sets of pending members, given by their index, has all members of a role or none.
func divideByMembers(p *Problem, sets [][]int32) {
	// by is a number for each pending member. After each set two members have the same number if all sets so far have
	// both or neither: a set gives a fresh number to those that it has, one for each number before.
	by, last, divided := make([]int32, len(p.Model.Pending)), int32(0), false
	for _, members := range sets {
		some := map[int32]int32{}                                       // by number before: the fresh one; 0: none yet
		divided = divided || len(members) > 0 && len(members) < len(by) // else it tells nobody apart
		for _, i := range members {
			if some[by[i]] == 0 {
				last++
				some[by[i]] = last
			}
			by[i] = some[by[i]]
		}
	}
	if divided {
		divideRoles(p, by)
		findTwins(p)
	}
}

// divideByLimits divides roles until each limit speaks of all members of a role or none; those on numbers of groups speak of none.
func divideByLimits(p *Problem) {
	place, sets := p.Model.Places(), byGang(p)
	p.Model.Gang.Each(func(a *model.Part) {
		for _, l := range a.Limits {
			if !tellsMembers(l) {
				continue
			}
			var members []int32
			for _, rank := range a.LimitedBy(l) {
				if i := place[rank]; i >= 0 {
					members = append(members, i)
				}
			}
			sets = append(sets, members)
		}
	})
	divideByMembers(p, sets)
}

// findTwins finds, for each role, the first role of its shape.
func findTwins(p *Problem) {
	p.Model.Twins = make([]int32, len(p.Room.Shapes))
	var known match.Shapes
	var first []int32 // by the number of a shape
	for r, s := range p.Room.Shapes {
		n, isNew := known.Number(s)
		if isNew {
			first = append(first, int32(r))
		}
		p.Model.Twins[r] = first[n]
	}
}

// allowedIn lists the different allowedNodes of new members once parts lie in these domains, and has for each pending
// member the index in the list. The first of the list allows all nodes. O(parts * members).
func allowedIn(p *Problem, at map[*model.Part]layout.Vertex) (list []room.Allowed, of []int32) {
	list, of = []room.Allowed{nil}, make([]int32, len(p.Model.Pending))
	place := p.Model.Places()
	p.Model.Gang.Each(func(a *model.Part) { // inner parts come later: their domain replaces that of the same topology around it
		d, ok := at[a]
		if !ok || d == layout.Root {
			return
		}
		f, next := room.Interval{View: a.OtherTree, First: a.OtherTree.First(d), End: a.OtherTree.EndOf(d)}, map[int32]int32{}
		for _, rank := range a.All() {
			i := place[rank]
			if i < 0 {
				continue
			}
			to, known := next[of[i]]
			if !known {
				in := append(slices.DeleteFunc(slices.Clone(list[of[i]]), func(o room.Interval) bool { return o.View == f.View }), f)
				k := slices.IndexFunc(list, func(o room.Allowed) bool { return slices.Equal(o, in) })
				if k < 0 {
					k, list = len(list), append(list, in)
				}
				to = int32(k)
				next[of[i]] = to
			}
			of[i] = to
		}
	})
	return list, of
}

// divideByAllowed divides each role by the nodes that the domains of parts allow to its members, and notes for each
// new role these nodes and the role before.
func divideByAllowed(p *Problem, at map[*model.Part]layout.Vertex) {
	list, of := allowedIn(p, at)
	before := p.Model.RoleOf
	divideRoles(p, of)
	findTwins(p)
	p.Parts.AllowedOf, p.Parts.RoleBefore = make([]room.Allowed, len(p.Room.Shapes)), make([]int32, len(p.Room.Shapes))
	for i, role := range p.Model.RoleOf {
		p.Parts.AllowedOf[role] = list[of[i]]
		if before != nil {
			p.Parts.RoleBefore[role] = before[i]
		}
	}
}

// CauseForAll is the cause for which a node takes no member of the first role, empty if it takes one of any role.
func CauseForAll(roles []*Problem, cause func(one *Problem) string) string {
	first := cause(roles[0])
	if first == "" || slices.ContainsFunc(roles[1:], func(one *Problem) bool { return cause(one) == "" }) {
		return ""
	}
	return first
}
