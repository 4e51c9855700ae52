package problem

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
)

// UnderRules is the gang with no other MustGathers than these.
func (p *Problem) UnderRules(kept []HardRule) *Problem {
	bound := map[*Part]bool{}
	for _, r := range kept {
		for _, a := range r.of {
			bound[a] = true
		}
	}
	loose := *p
	var copied func(a *Part) *Part
	copied = func(a *Part) *Part {
		b := *a
		b.Gather = p.InTree(a).Unbound()
		if bound[a] {
			b.Gather = GatherRules{Must: a.Gather.own, Hard: true, Worths: []int32{a.Gather.own}}
		}
		b.Parts = nil
		for _, inner := range a.Parts {
			in := copied(inner)
			in.Outer = &b
			b.Parts = append(b.Parts, in)
		}
		return &b
	}
	loose.Gang = copied(p.Gang)
	loose.Gather = loose.Gang.Gather
	if bindMultiples(&loose); len(loose.Multiples) > 0 { // without some rule groups need not keep them in any case
		loose.ZoneState = ZoneState{Released: p.ZoneState.Released}
		align(&loose)
	}
	return &loose
}

// WithKept are the rules that bind, and those of the gang that its groups keep in any case.
func (p *Problem) WithKept() []MultipleRule {
	if len(p.Gang.Multiples) == 0 {
		return p.Multiples
	}
	all := ruleOf(p, p.Gang, p.Gang.Multiples)
	all.Roles = slices.Repeat(front.Weights{1}, len(p.Shapes))
	some := *p
	some.Multiples = []MultipleRule{all}
	countEvens(&some)
	return append(some.Multiples, slices.DeleteFunc(slices.Clone(p.Multiples), func(r MultipleRule) bool { return r.ofGang() })...)
}

// Only is the problem of placing just a content; none is admitted if the quota refuses it.
func (p *Problem) Only(in Selection) *Problem {
	some := *p
	some.Parts.Selection, some.Parts.All = in, p
	if in.Size() < len(p.Pending) {
		some.Pending, some.RoleOf = nil, nil
		for i, is := range in {
			if is {
				some.Pending = append(some.Pending, p.Pending[i])
				if p.RoleOf != nil {
					some.RoleOf = append(some.RoleOf, p.RoleOf[i])
				}
			}
		}
	}
	some.Least = len(some.Pending)
	some.Admitted = some.Least
	if p.Parts.State != nil {
		ask := some.Asks(some.Least)
		ask.Request.Add(p.Parts.Already.Request)
		ask.Pinned.Add(p.Parts.Already.Pinned)
		if refusal, err := p.Parts.State.Admit(ask, p.Request.QuotaLimit); refusal != nil || err != nil {
			some.Admitted = 0
		}
	}
	return &some
}

// WithDomains is the problem with members in these domains: such as are in different ones are of different roles.
func (p *Problem) WithDomains(at map[*Part]layout.Vertex) *Problem {
	some := *p
	if p.Parts.All != nil {
		same := *p.Parts.All
		same.Gang = p.Gang // some rules may be left out
		all := same.WithDomains(at)
		some.Parts.All, some.Shapes, some.twins, some.Parts.AllowedOf, some.Parts.RoleBefore, some.RoleOf = all, all.Shapes, all.twins, all.Parts.AllowedOf, all.Parts.RoleBefore, nil
		for i, is := range p.Parts.Selection {
			if is {
				some.RoleOf = append(some.RoleOf, all.RoleOf[i])
			}
		}
	} else {
		pens, of := fences(p, at)
		divideByPens(&some, pens, of)
	}
	some.Multiples = slices.Clone(p.Multiples)
	for i := range some.Multiples {
		before := some.Multiples[i].Roles
		some.Multiples[i].Roles = make(front.Weights, len(some.Shapes))
		for r, from := range some.Parts.RoleBefore {
			some.Multiples[i].Roles[r] = before[from]
		}
	}
	some.ZoneState = ZoneState{Released: p.ZoneState.Released}
	align(&some)
	return &some
}

// WithoutMultiples is the gang without any multiple.
func (p *Problem) WithoutMultiples() *Problem {
	plain := *p
	plain.Multiple, plain.Forced, plain.Multiples = nil, nil, nil
	return &plain
}

// WithoutRules is the gang without groups, free to lie anywhere.
func (p *Problem) WithoutRules() *Problem {
	loose := *p
	loose.together = false
	loose.Gather, loose.Levels = p.Unbound(), nil
	if p.InParts() {
		loose.Gang = &Part{Gather: loose.Gather, Ranks: p.Gang.All()}
		slices.Sort(loose.Gang.Ranks)
	}
	return &loose
}

// loadOf is the problem of all members at once that are placed on a node: one unit, which asks for their sum.
func loadOf(p *Problem, positions []int32, id int32) *Problem {
	load := *p
	load.RoleOf, load.Shapes, load.twins = nil, nil, nil
	for i, pos := range positions {
		if p.View.Node(pos) == id {
			load.Shapes = append(load.Shapes, p.ShapeOf(i))
		}
	}
	if err := sumNeeds(&load); err != nil {
		load.Needs = nil // never: they fit
	}
	return &load
}

// Beside is the problem with the members that a plan places counted as running, all in its domain.
func (p *Problem) Beside(o *Outcome) *Problem {
	more := *p
	more.LeavingGone = false
	more.Running = slices.Clone(p.Running)
	for i, pos := range o.Positions {
		m := &o.Of.Pending[i]
		more.Running = append(more.Running, Sibling{pos, m.Rank, m.Name})
	}
	slices.SortFunc(more.Running, func(a, b Sibling) int { return cmp.Compare(a.Rank, b.Rank) })
	more.Gather.Must, more.Gather.Worths = o.Tier, []int32{o.Tier}
	more.Siblings, more.Friends, more.LCA = nil, nil, runningLCA(&more)
	findAnchors(&more)
	countEvens(&more)
	return &more
}
