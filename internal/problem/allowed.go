package problem

import (
	"slices"

	"github.com/muster-sched/muster/internal/layout"
)

// allowedNodes are the nodes that members must not leave; nil: all nodes.
type allowedNodes []interval

// interval is a domain of a topology, as an interval of positions.
type interval struct {
	V          *layout.View
	First, End int32
}

// Holds says whether a node is allowed.
func (p allowedNodes) Holds(id int32) bool {
	return !slices.ContainsFunc(p, func(f interval) bool {
		pos := f.V.At(id)
		return pos < f.First || pos >= f.End
	})
}

// allowedIn lists what domains of parts allow to new members, and the place of each member's in the list.
func allowedIn(p *Problem, at map[*Part]layout.Vertex) (list []allowedNodes, of []int32) {
	list, of = []allowedNodes{nil}, make([]int32, len(p.Pending))
	place := p.Places()
	p.Gang.Each(func(a *Part) { // inner ones come later, and bind more
		d, ok := at[a]
		if !ok || d == layout.Root {
			return
		}
		f, next := interval{a.OtherTree, a.OtherTree.First(d), a.OtherTree.EndOf(d)}, map[int32]int32{}
		for _, rank := range a.All() {
			i := place[rank]
			if i < 0 {
				continue
			}
			to, known := next[of[i]]
			if !known {
				in := append(slices.DeleteFunc(slices.Clone(list[of[i]]), func(o interval) bool { return o.V == f.V }), f)
				k := slices.IndexFunc(list, func(o allowedNodes) bool { return slices.Equal(o, in) })
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

// divideByAllowed makes roles of the members of each role that may be on the same nodes, as the domains of parts allow them.
func divideByAllowed(p *Problem, at map[*Part]layout.Vertex) {
	list, of := allowedIn(p, at)
	before := p.RoleOf
	divideRoles(p, of)
	findTwins(p)
	p.Parts.AllowedOf, p.Parts.RoleBefore = make([]allowedNodes, len(p.Shapes)), make([]int32, len(p.Shapes))
	for i, role := range p.RoleOf {
		p.Parts.AllowedOf[role] = list[of[i]]
		if before != nil {
			p.Parts.RoleBefore[role] = before[i]
		}
	}
}
