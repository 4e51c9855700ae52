package problem

import (
	"cmp"

	"github.com/muster-sched/muster/internal/layout"
)

// unbound are no rules at all in a topology.
func unbound(v *layout.View) GatherRules {
	return GatherRules{Must: v.RootTop, own: -1, Worths: []int32{v.RootTop}}
}

// inherited are the rules of the nearest part of the same topology around one.
func inherited(p *Problem, a *Part) GatherRules {
	for outer := a.Outer; outer != nil; outer = outer.Outer {
		if outer.OtherTree == a.OtherTree {
			return outer.Gather
		}
	}
	return unbound(p.viewOf(a))
}

// viewOf is the topology of a part's rules.
func (p *Problem) viewOf(a *Part) *layout.View { return cmp.Or(a.OtherTree, p.View) }

// LowestAbroad is the lowest vertex of its topology above the members of a part, these being at positions of the gang's by rank; -1 if there are none.
// Nodes outside its topology satisfy no hard rule: members there reach the root.
func LowestAbroad(p *Problem, a *Part, at []int32) layout.Vertex {
	var there []int32
	for _, rank := range a.All() {
		if pos := at[rank]; pos >= 0 {
			there = append(there, a.OtherTree.At(p.View.Node(pos)))
		}
	}
	if len(there) == 0 {
		return -1
	}
	x := a.OtherTree.Lowest(there)
	if a.Gather.Hard && a.OtherTree.Contains(a.OtherTree.Outside, x) {
		return layout.Root
	}
	return x
}

// SpansTrees says whether the rules of any part are of another topology.
func SpansTrees(p *Problem) (is bool) {
	p.Gang.Each(func(a *Part) { is = is || a.OtherTree != nil && !a.Bundle })
	return is
}
