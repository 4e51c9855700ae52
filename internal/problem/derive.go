package problem

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/roll"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/snapshot"
)

// This file answers: what does one problem keep of another? Each constructor starts with derive, which keeps all
// fields, and then says which fields it resets or derives. TestDerivedProblemsSayEveryField has the fate of every
// field in each constructor. O(1) where no cost is stated. Slices are shared, so that a constructor replaces a slice
// and never writes to one.

// derive is a copy with all fields kept. Nothing else copies a problem.
func (p *Problem) derive() *Problem {
	next := *p
	next.Room.Model, next.Room.Owner, next.Model.Room = &next.Model, &next, next.Room.Nodes()
	next.Parts.First, next.Parts.Groups = nil, nil // of the problem as it was made
	return &next
}

// Kept is the problem for answers that are computed after the plan, such as the causes of a refusal. It leaves out all
// memory that other plans reuse by then, and has caches of its own. Each answer takes one, so that several may be
// computed at the same time.
func (p *Problem) Kept() *Problem {
	next := p.derive()
	// Pending may lie in the scratch, and Levels in oneLevel of the problem there: the next plan overwrites both.
	next.scratch, next.Model.Memory, next.Model.Pending, next.names, next.Model.Levels, next.Bounds, next.whole = nil, nil, nil, nil, nil, bounds.Search{}, nil
	next.Room = next.Room.Fresh(next.IsOwn)
	readSteps(next)
	next.Room.Spared, next.Room.Before = false, nil // refusals are told over all nodes
	return next
}

// WithLeavingGone is the problem with leaving members counted as gone.
func (p *Problem) WithLeavingGone() *Problem {
	next := p.derive()
	next.Room.LeavingGone = true
	return next
}

// WithoutOthers is the model of the problem under a strategy that was found over all nodes, without the nodes reserved for others. For each role its
// own reserved nodes are removed; for a unit, those of its members together. If a plan of equal size exists here, with as few members
// outside the tree, it replaces the one over all nodes. Nil: no node is removed, or all are, so that the plan stays. To tell
// that is O(kinds of nodes); for shapes with preferences O(touched nodes), and O(nodes) the first time.
//
// order: strategy.7
func (p *Problem) WithoutOthers(st model.Strategy) *model.Model {
	if !p.Room.MaySpare() {
		return nil
	}
	next := withoutOthers(p, st)
	var roles []*Problem
	alone := func(role int) *room.Room {
		if roles == nil {
			roles = EachAlone(next)
		}
		return &roles[role].Room
	}
	if !next.Room.SparesSome(alone) {
		return nil
	}
	return &next.Model
}

// withoutOthers is the problem of the same members under a strategy, without the nodes meant for others. Its searches spend steps
// of their own, and their doubts are nobody's: what may be missed has a strategy that is found already. O(levels).
func withoutOthers(p *Problem, st model.Strategy) *Problem {
	next := p.derive()
	next.whole, next.Room.Spared = p, true
	next.Room.Forget()
	next.Model.Gather.Worths = []int32{st.Gang}
	if p.InParts() {
		next.Model.Doubt, next.Model.Left = new(bool), p.NewBudget()
	}
	// Of a gang in parts there are none.
	next.Model.Levels = slices.Clone(p.Model.Levels)
	for i := range next.Model.Levels {
		next.Model.Levels[i].Gather.Worths = []int32{st.Groups[i]}
	}
	return next
}

// Again is the problem for one more search, which has steps and doubts of its own.
func (p *Problem) Again(b bounds.Search) *Problem {
	next := p.derive()
	next.Bounds, next.Model.Left, next.Model.Doubt = b, b.Left, new(bool)
	readSteps(next)
	return next
}

// WithoutMultiples is the problem with no multiple to keep.
func (p *Problem) WithoutMultiples() *Problem {
	next := p.derive()
	next.Model.Multiple, next.Model.Forced, next.Model.Multiples = nil, nil, nil
	return next
}

// WithLimits is the problem with other limits to keep; nil: none. Of those of parts it keeps some; nil: none.
func (p *Problem) WithLimits(l *limits.Limits, kept func(limits.OnPart) bool) *Problem {
	next := p.derive()
	if p.InParts() {
		next.Model.Gang = changed(p.Model.Gang, func(_, to *model.Part) {
			to.Limits = slices.DeleteFunc(slices.Clone(to.Limits), func(l limits.OnPart) bool { return kept == nil || !kept(l) })
		})
	}
	next.Model.Limits = l
	next.Room.Forget()
	next.Room.Company, next.Model.Hard = nearby(next), isHard(next)
	return next
}

// WithMultiples is a gang in parts that keeps these multiples and no others.
func (p *Problem) WithMultiples(rules []model.MultipleRule) *Problem {
	next := p.derive()
	next.Model.Multiples = rules
	return next
}

// WithoutRules is the gang without groups, free to lie anywhere. Units stay units: a group that is placed like a member
// still lies on one node, but perhaps on one outside the tree. O(members * log).
func (p *Problem) WithoutRules() *Problem {
	next := p.derive()
	next.together = false
	next.Model.Gather, next.Model.Levels = unbound(p.Model.View), nil
	if p.InParts() {
		next.Model.Gang = &model.Part{Gather: next.Model.Gather, Ranks: p.Model.Gang.All()}
		slices.Sort(next.Model.Gang.Ranks)
	}
	next.Model.Hard = isHard(next)
	return next
}

// UnderRules is the gang with no other MustGathers than those of these parts, and without PreferGathers: the question is whether the
// gang fits at all. A MustGather counts with the tier that it names itself: a tighter one around it may be left out.
// O(parts + members).
func (p *Problem) UnderRules(bound map[*model.Part]bool) *Problem {
	next := p.derive()
	next.Model.Gang = changed(p.Model.Gang, func(from, to *model.Part) {
		under(to, bound[from], p.Model.View)
		// A limit on groups counts each of them in one domain, which their own MustGather sees to.
		to.Limits = slices.DeleteFunc(slices.Clone(to.Limits), func(l limits.OnPart) bool {
			return (l.Depth > 0 || l.Of != nil) && slices.ContainsFunc(from.Counted(l), func(a *model.Part) bool { return !bound[a] })
		})
	})
	next.Model.Gather = next.Model.Gang.Gather
	next.Model.Hard = isHard(next)
	// A multiple that a MustGather left out here kept in any case may bind now, and may divide roles. Zones are
	// prepared by role.
	if bindMultiples(next); len(next.Model.Multiples) > 0 {
		next.Room.AlignAnew()
	}
	return next
}

// changed is a copy of a part and all in it; change alters each copy, which is of the part from.
func changed(a *model.Part, change func(from, to *model.Part)) *model.Part {
	b := *a
	change(a, &b)
	b.Parts = nil
	for _, inner := range a.Parts {
		in := changed(inner, change)
		in.Outer = &b
		b.Parts = append(b.Parts, in)
	}
	return &b
}

// under binds a part to its own MustGather, or to none.
func under(a *model.Part, bound bool, v *layout.View) {
	must := a.Gather.Own
	a.Gather = unbound(cmp.Or(a.OtherTree, v))
	if bound {
		a.Gather = model.Gather{Must: must, Hard: true, Worths: []int32{must}}
	}
}

// FromOneMember is a gang without parts that may run with a single member.
func (p *Problem) FromOneMember() *Problem {
	gang := *p.Model.Gang
	gang.Least = 1
	return p.withGang(&gang)
}

// withGang is the problem with another tree of parts over the same ranks.
func (p *Problem) withGang(gang *model.Part) *Problem {
	next := p.derive()
	next.Model.Gang = gang
	return next
}

// unbundled is the gang itself, before its groups are placed like members.
func (p *Problem) unbundled() *Problem { return p.derive() }

// Only is the problem of a selection alone, of a problem with all members. All of the selection must be placed, and the
// quota admits all or none of it. O(members).
//
// order: howmany.3
func (p *Problem) Only(in model.Selection) *Problem {
	next := p.derive()
	next.Parts.Selection, next.Parts.All, next.Room.All = in, p, &p.Room
	if in.Size() < len(p.Model.Pending) {
		keepMembers(next, p, func(i int) bool { return in[i] })
	}
	next.Model.Least = len(next.Model.Pending)
	next.Model.Admitted = next.Model.Least
	if p.Parts.State != nil {
		// Members placed before count in the quota's answer, though not as pending.
		ask := next.Asks(next.Model.Least)
		ask.Request.Add(p.Parts.already.Request)
		ask.Pinned.Add(p.Parts.already.Pinned)
		if refusal, err := p.Parts.State.Admit(ask, p.Request.QuotaLimit); refusal != nil || err != nil {
			next.Model.Admitted = 0
		}
	}
	return next
}

// keepMembers gives p the pending members of another problem that are kept, by their index there, with their roles. The
// order of ranks stays.
func keepMembers(p, from *Problem, kept func(i int) bool) {
	n := 0
	for i := range from.Model.Pending {
		if kept(i) {
			n++
		}
	}
	p.Model.Pending, p.Model.RoleOf = make([]int, 0, n), nil
	if from.Model.RoleOf != nil {
		p.Model.RoleOf = make([]int32, 0, n)
	}
	for i := range from.Model.Pending {
		if !kept(i) {
			continue
		}
		p.Model.Pending = append(p.Model.Pending, from.Model.Pending[i])
		if from.Model.RoleOf != nil {
			p.Model.RoleOf = append(p.Model.RoleOf, from.Model.RoleOf[i])
		}
	}
}

// beside is the problem of further members once those that a plan places count as running. They go on what is free
// now, so that leaving members stay. The gang is bound to the strategy's tier: above the members that run then, that
// tier has at most one domain. Pending members are the caller's to choose. Multiples of a gang in no parts stay as
// they are, for such a gang has no further members. O(members * tiers).
func (p *Problem) beside(a *model.Answer) *Problem {
	next := p.derive()
	next.Room.LeavingGone = false
	running := slices.Collect(p.Model.Running.All())
	for i, pos := range a.Positions {
		running = append(running, roll.Member{Pos: pos, Rank: a.Of.Pending[i]})
	}
	slices.SortFunc(running, func(a, b roll.Member) int { return cmp.Compare(a.Rank, b.Rank) })
	next.Model.Running = roll.Of(running...)
	next.Model.Gather.Must, next.Model.Gather.Worths = a.Tier, []int32{a.Tier}
	// New ones: findAnchors fills them, and those of p are shared with other problems.
	next.below, next.Model.Siblings, next.Model.Friends = nil, nil, nil
	next.Model.LCA = runningLCA(next)
	findAnchors(next)
	next.Model.Multiples = countRunning(next, next.Model.Multiples)
	return next
}

// Rest is the problem of the members that a plan leaves out, beside those that it places, which wait for leaving members: the plan has the
// first of the pending ones. At least one more is asked for, since none is no plan. Leaving members count as staying, so only what is free now counts.
// O(members * tiers).
//
// order: waiting.2
func (p *Problem) Rest(a *model.Answer, waits []*snapshot.Member) *Problem {
	n := len(a.Positions)
	next := p.beside(a)
	next.Room.Before = &room.Placed{Positions: a.Positions, Waits: waits}
	next.Model.Pending, next.Model.Least, next.Model.Admitted = p.Model.Pending[n:], 1, p.Model.Admitted-n
	return next
}

// Unselected is, for a problem of a selection, that of the members outside it, beside a plan for it.
// O(members * tiers).
//
// order: waiting.2
func (p *Problem) Unselected(a *model.Answer) *Problem {
	next := p.Parts.All.beside(a)
	keepMembers(next, p.Parts.All, func(i int) bool { return !p.Parts.Selection[i] })
	next.Room.ForgetFits() // they are capped at the pending members, which are others now
	next.Parts.already = p.Asks(len(p.Model.Pending))
	return next
}

// OfRoles are the problems of the members of each role alone: for their slots, their needs, the nodes that refuse
// them. The pending members stay those of the gang.
func (p *Problem) OfRoles() []*Problem {
	out, own := make([]*Problem, len(p.Room.Shapes)), companyByRole(p)
	for r := range out {
		if out[r] = ofRole(p, r); own != nil {
			out[r].Model.Limits, out[r].Room.Company = own[r].limits, p.Room.Company.Of(own[r].limits, own[r].gang)
		}
	}
	return out
}

// EachAlone are the problems of the members of each shape alone: OfRoles if there are several, else p itself.
func EachAlone(p *Problem) []*Problem {
	if p.Model.RoleOf != nil {
		return p.OfRoles()
	}
	return []*Problem{p}
}

// ofRole is the problem of one role. Its slots are not floored: multiples count the members of all roles.
func ofRole(p *Problem, r int) *Problem {
	next := p.derive()
	next.Room.Shapes, next.Model.RoleOf, next.Model.Twins = p.Room.Shapes[r:r+1], nil, nil
	next.Room.Forget() // they are of a shape
	next.Model.Multiple, next.Model.Forced, next.Model.Multiples = nil, nil, nil
	if p.Parts.AllowedOf != nil {
		next.Room.Allowed = p.Parts.AllowedOf[r]
	}
	next.Room.AlignAnew()
	if err := next.Room.SumNeeds(); err != nil {
		next.Room.Needs = nil // never: the sum over all roles does not overflow
	}
	return next
}

// WithDomains is the problem whose parts of other topologies lie in these domains; the root confines nothing. Members
// in different domains are of different roles. O(members * parts).
func (p *Problem) WithDomains(at map[*model.Part]layout.Vertex) *Problem {
	next := p.derive()
	if p.Parts.All != nil {
		// The roles are those of the whole gang, divided by the same domains, so that roles of a selection have the
		// same numbers. The parts are p's, in case p has other rules than the whole gang.
		all := p.Parts.All.withGang(p.Model.Gang).WithDomains(at)
		next.Parts.All, next.Room.All, next.Room.Shapes, next.Model.Twins = all, &all.Room, all.Room.Shapes, all.Model.Twins
		next.Parts.AllowedOf, next.Parts.RoleBefore = all.Parts.AllowedOf, all.Parts.RoleBefore
		next.Model.RoleOf = nil
		for i, is := range p.Parts.Selection {
			if is {
				next.Model.RoleOf = append(next.Model.RoleOf, all.Model.RoleOf[i])
			}
		}
	} else {
		divideByAllowed(next, at)
	}
	// A role counts for the same multiples as the role that it was divided from.
	next.Model.Multiples = slices.Clone(p.Model.Multiples)
	for i := range next.Model.Multiples {
		before := next.Model.Multiples[i].Roles
		next.Model.Multiples[i].Roles = make(front.Weights, len(next.Room.Shapes))
		for r, from := range next.Parts.RoleBefore {
			next.Model.Multiples[i].Roles[r] = before[from]
		}
	}
	next.Room.AlignAnew()
	return next
}
