package problem

import (
	"slices"

	"github.com/muster-sched/muster/internal/layout"
)

// Allowed are the nodes that members must not leave; nil: all nodes.
type Allowed []interval

// interval is a domain of a topology, as an interval of positions.
type interval struct {
	V          *layout.View
	First, End int32
}

// Holds says whether a node is allowed.
func (p Allowed) Holds(id int32) bool {
	return !slices.ContainsFunc(p, func(f interval) bool {
		pos := f.V.At(id)
		return pos < f.First || pos >= f.End
	})
}

// fences lists the pens of new members, and the place of each one's among them.
func fences(p *Problem, at map[*Part]layout.Vertex) (pens []Allowed, of []int32) {
	pens, of = []Allowed{nil}, make([]int32, len(p.Pending))
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
				in := append(slices.DeleteFunc(slices.Clone(pens[of[i]]), func(o interval) bool { return o.V == f.V }), f)
				k := slices.IndexFunc(pens, func(o Allowed) bool { return slices.Equal(o, in) })
				if k < 0 {
					k, pens = len(pens), append(pens, in)
				}
				to = int32(k)
				next[of[i]] = to
			}
			of[i] = to
		}
	})
	return pens, of
}

// divideByPens makes roles of the members of each role in each pen.
func divideByPens(p *Problem, pens []Allowed, of []int32) {
	before := p.RoleOf
	divideRoles(p, of)
	findTwins(p)
	p.Parts.AllowedOf, p.Parts.RoleBefore = make([]Allowed, len(p.Shapes)), make([]int32, len(p.Shapes))
	for i, role := range p.RoleOf {
		p.Parts.AllowedOf[role] = pens[of[i]]
		if before != nil {
			p.Parts.RoleBefore[role] = before[i]
		}
	}
}
