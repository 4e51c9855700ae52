package problem

import "github.com/muster-sched/muster/internal/layout"

// InTree is the problem as the rules of a part see it, in their topology.
func (p *Problem) InTree(a *Part) *Problem {
	if a.OtherTree == nil {
		return p
	}
	other := *p
	other.View = a.OtherTree
	return &other
}

// Unbound is without any rules.
func (p *Problem) Unbound() GatherRules {
	return GatherRules{Must: p.View.RootTop, own: -1, Worths: []int32{p.View.RootTop}}
}

// inherited are the rules of the nearest part of the same topology around one.
func (p *Problem) inherited(a *Part) GatherRules {
	for outer := a.Outer; outer != nil; outer = outer.Outer {
		if outer.OtherTree == a.OtherTree {
			return outer.Gather
		}
	}
	return p.InTree(a).Unbound()
}

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
func (p *Problem) SpansTrees() (is bool) {
	p.Gang.Each(func(a *Part) { is = is || a.OtherTree != nil && !a.Bundle })
	return is
}
