package problem

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: what does one problem keep of another? Each constructor starts with derive, which keeps all
// fields, and then says which fields it resets or derives. TestDerivedProblemsSayEveryField has the fate of every
// field in each constructor. O(1) where no cost is stated. Slices are shared, so that a constructor replaces a slice
// and never writes to one.

// derive is a copy with all fields kept. Nothing else copies a problem.
func (p *Problem) derive() *Problem {
	next := *p
	next.Model.Room = room{&next}
	next.Parts.First = nil // of the problem as it was made
	return &next
}

// Kept is the problem for answers that are computed after the plan, such as the causes of a refusal. It leaves out all
// memory that other plans reuse by then, and has caches of its own. Each answer takes one, so that several may be
// computed at the same time.
func (p *Problem) Kept() *Problem {
	next := p.derive()
	// Pending may lie in the scratch, and Levels in oneLevel of the problem there: the next plan overwrites both.
	next.Scratch, next.Model.Memory, next.Model.Pending, next.Names, next.Model.Levels, next.Bounds, next.whole = nil, nil, nil, nil, nil, Bounds{}, nil
	next.indexes, next.Company, next.Judges = [2]*index.Index{}, p.Company.Fresh(next.IsOwn), p.Judges.Fresh()
	z := &next.ZoneState // these maps are filled while questions are answered
	z.OwnNeeds, z.shares, z.widths, z.zoneFits = nil, nil, nil, nil
	return next
}

// WithLeavingGone is the problem with leaving members counted as gone.
func (p *Problem) WithLeavingGone() *Problem {
	next := p.derive()
	next.LeavingGone = true
	return next
}

// WithoutOthers is the problem under a strategy that was found over all nodes, without the nodes meant for others than the members:
// each role is kept from its own, a unit from those of its members together. A plan of as many members, with as few outside the
// tree, comes in place of every plan over all nodes. Nil if there cannot be another plan than these: the request takes any node,
// or no node or every node is meant for others. To tell that is O(kinds of nodes); for shapes with preferences O(touched nodes),
// and O(nodes) the first time.
//
// order: strategy.7
func (k Slots) WithoutOthers(st model.Strategy) *Problem {
	if !k.maySpare() {
		return nil
	}
	next, together := withoutOthers(k.p, st), placedTogether(k.p.Shapes, k.p.RoleOf)
	roles, differs := EachAlone(next), false
	for i, shapes := range together {
		of := othersByKind(next.Snapshot, next.Judges, shapes)
		if of == untold {
			of = roles[i].Slots().shareOfOthers()
		}
		if of == all {
			return nil
		}
		differs = differs || of == some
	}
	if !differs {
		return nil
	}
	return next
}

// maySpare says whether nodes meant for others are to be left out, as far as the kinds of nodes tell. O(kinds).
func (k Slots) maySpare() bool {
	return !k.p.Request.TakesAnyNode && k.p.whole == nil && othersMayBeLeftOut(k.p.Snapshot, k.p.Judges, k.p.Shapes, k.p.RoleOf)
}

// withoutOthers is the problem of the same members under a strategy, without the nodes meant for others. Its searches spend steps
// of their own, and their doubts are nobody's: what may be missed has a strategy that is found already. O(levels).
func withoutOthers(p *Problem, st model.Strategy) *Problem {
	next := p.derive()
	next.whole, next.indexes = p, [2]*index.Index{}
	next.Model.Gather.Worths = []int32{st.Gang}
	if p.InParts() {
		next.Parts.Doubt, next.Parts.Left = new(bool), p.NewBudget()
	}
	// Of a gang in parts there are none.
	next.Model.Levels = slices.Clone(p.Model.Levels)
	for i := range next.Model.Levels {
		next.Model.Levels[i].Gather.Worths = []int32{st.Groups[i]}
	}
	return next
}

// Again is the problem for one more search, which has steps and doubts of its own.
func (p *Problem) Again(b Bounds) *Problem {
	next := p.derive()
	next.Bounds, next.Parts.Left, next.Parts.Doubt = b, b.Left, new(bool)
	return next
}

// WithoutMultiples is the problem with no multiple to keep.
func (p *Problem) WithoutMultiples() *Problem {
	next := p.derive()
	next.Model.Multiple, next.Model.Forced, next.Multiples = nil, nil, nil
	return next
}

// WithLimits is the problem with other limits to keep; nil: none. Of those of parts it keeps some; nil: none.
func (p *Problem) WithLimits(l *limits.Limits, kept func(limits.OnPart) bool) *Problem {
	next := p.derive()
	if p.InParts() {
		next.Gang = p.Gang.changed(func(_, to *Part) {
			to.Limits = slices.DeleteFunc(slices.Clone(to.Limits), func(l limits.OnPart) bool { return kept == nil || !kept(l) })
		})
	}
	next.Model.Limits, next.indexes = l, [2]*index.Index{}
	next.Company = nearby(next)
	return next
}

// WithMultiples is a gang in parts that keeps these multiples and no others.
func (p *Problem) WithMultiples(rules []MultipleRule) *Problem {
	next := p.derive()
	next.Multiples = rules
	return next
}

// WithoutRules is the gang without groups, free to lie anywhere. Units stay units: a group that is placed like a member
// still lies on one node, but perhaps on one outside the tree. O(members * log).
func (p *Problem) WithoutRules() *Problem {
	next := p.derive()
	next.together = false
	next.Model.Gather, next.Model.Levels = unbound(p.Model.View), nil
	if p.InParts() {
		next.Gang = &Part{Gather: next.Model.Gather, Ranks: p.Gang.All()}
		slices.Sort(next.Gang.Ranks)
	}
	return next
}

// UnderRules is the gang with no other MustGathers than these, and without PreferGathers: the question is whether the
// gang fits at all. A MustGather counts with the tier that it names itself: a tighter one around it may be left out.
// O(parts + members).
func (p *Problem) UnderRules(kept []HardRule) *Problem {
	bound := map[*Part]bool{}
	for _, r := range kept {
		for _, a := range r.parts {
			bound[a] = true
		}
	}
	next := p.derive()
	next.Gang = p.Gang.changed(func(from, to *Part) {
		to.under(bound[from], p.Model.View)
		// A limit on groups counts each of them in one domain, which their own MustGather sees to.
		to.Limits = slices.DeleteFunc(slices.Clone(to.Limits), func(l limits.OnPart) bool {
			return (l.Depth > 0 || l.Of != nil) && slices.ContainsFunc(from.Counted(l), func(a *Part) bool { return !bound[a] })
		})
	})
	next.Model.Gather = next.Gang.Gather
	// A multiple that a MustGather left out here kept in any case may bind now, and may divide roles. Zones are
	// prepared by role.
	if bindMultiples(next); len(next.Multiples) > 0 {
		renewZones(next)
	}
	return next
}

// under binds a part to its own MustGather, or to none.
func (a *Part) under(bound bool, v *layout.View) {
	must := a.Gather.Own
	a.Gather = unbound(cmp.Or(a.OtherTree, v))
	if bound {
		a.Gather = model.Gather{Must: must, Hard: true, Worths: []int32{must}}
	}
}

// FromOneMember is a gang without parts that may run with a single member.
func (p *Problem) FromOneMember() *Problem {
	gang := *p.Gang
	gang.Least = 1
	return p.withGang(&gang)
}

// withGang is the problem with another tree of parts over the same ranks.
func (p *Problem) withGang(gang *Part) *Problem {
	next := p.derive()
	next.Gang = gang
	return next
}

// unbundled is the gang itself, before its groups are placed like members.
func (p *Problem) unbundled() *Problem { return p.derive() }

// Only is the problem of a selection alone, of a problem with all members. All of the selection must be placed, and the
// quota admits all or none of it. O(members).
//
// order: howmany.3
func (p *Problem) Only(in Selection) *Problem {
	next := p.derive()
	next.Parts.Selection, next.Parts.All = in, p
	if in.Size() < len(p.Model.Pending) {
		keepMembers(next, p, func(i int) bool { return in[i] })
	}
	next.Model.Least = len(next.Model.Pending)
	next.Model.Admitted = next.Model.Least
	if p.Parts.State != nil {
		// Members placed before count in the quota's answer, though not as pending.
		ask := next.Asks(next.Model.Least)
		ask.Request.Add(p.Parts.Already.Request)
		ask.Pinned.Add(p.Parts.Already.Pinned)
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
	p.Model.Pending, p.RoleOf = make([]int, 0, n), nil
	if from.RoleOf != nil {
		p.RoleOf = make([]int32, 0, n)
	}
	for i := range from.Model.Pending {
		if !kept(i) {
			continue
		}
		p.Model.Pending = append(p.Model.Pending, from.Model.Pending[i])
		if from.RoleOf != nil {
			p.RoleOf = append(p.RoleOf, from.RoleOf[i])
		}
	}
}

// beside is the problem of further members once those that a plan places count as running. They go on what is free
// now, so that leaving members stay. The gang is bound to the strategy's tier: above the members that run then, that
// tier has at most one domain. Pending members are the caller's to choose. Multiples of a gang in no parts stay as
// they are, for such a gang has no further members. O(members * tiers).
func (p *Problem) beside(o *Outcome) *Problem {
	next := p.derive()
	next.LeavingGone = false
	next.Model.Running = slices.Clone(p.Model.Running)
	for i, pos := range o.Positions {
		next.Model.Running = append(next.Model.Running, model.Member{Pos: pos, Rank: o.Of.Model.Pending[i]})
	}
	slices.SortFunc(next.Model.Running, func(a, b model.Member) int { return cmp.Compare(a.Rank, b.Rank) })
	next.Model.Gather.Must, next.Model.Gather.Worths = o.Tier, []int32{o.Tier}
	// New maps: findAnchors fills them, and those of p are shared with other problems.
	next.Model.Siblings, next.Model.Friends, next.Model.LCA = nil, nil, runningLCA(next)
	findAnchors(next)
	next.Multiples = countRunning(next, next.Multiples)
	return next
}

// Rest is the problem of the members that a plan leaves out, beside those that it places: the plan has the first of the
// pending ones. At least one more is asked for, since none is no plan. Leaving members count as staying, so only what is free now counts.
// O(members * tiers).
//
// order: waiting.2
func (p *Problem) Rest(o *Outcome) *Problem {
	n := len(o.Positions)
	next := p.beside(o)
	next.before = o
	next.Model.Pending, next.Model.Least, next.Model.Admitted = p.Model.Pending[n:], 1, p.Model.Admitted-n
	return next
}

// Unselected is, for a problem of a selection, that of the members outside it, beside a plan for it.
// O(members * tiers).
//
// order: waiting.2
func (p *Problem) Unselected(o *Outcome) *Problem {
	next := p.Parts.All.beside(o)
	keepMembers(next, p.Parts.All, func(i int) bool { return !p.Parts.Selection[i] })
	next.ZoneState.zoneFits = nil // they are capped at the pending members, which are others now
	next.Parts.Already = p.Asks(len(p.Model.Pending))
	return next
}

// OfRoles are the problems of the members of each role alone: for their slots, their needs, the nodes that refuse
// them. The pending members stay those of the gang.
func (p *Problem) OfRoles() []*Problem {
	out, own := make([]*Problem, len(p.Shapes)), companyByRole(p)
	for r := range out {
		if out[r] = ofRole(p, r); own != nil {
			out[r].Model.Limits, out[r].Company = own[r].limits, p.Company.Of(own[r].limits, own[r].gang)
		}
	}
	return out
}

// EachAlone are the problems of the members of each shape alone: OfRoles if there are several, else p itself.
func EachAlone(p *Problem) []*Problem {
	if p.HasRoles() {
		return p.OfRoles()
	}
	return []*Problem{p}
}

// ofRole is the problem of one role. Its slots are not floored: multiples count the members of all roles.
func ofRole(p *Problem, r int) *Problem {
	next := p.derive()
	next.Shapes, next.RoleOf, next.twins = p.Shapes[r:r+1], nil, nil
	next.indexes = [2]*index.Index{} // they are of a shape
	next.Model.Multiple, next.Model.Forced, next.Multiples = nil, nil, nil
	if p.Parts.AllowedOf != nil {
		next.Parts.Allowed = p.Parts.AllowedOf[r]
	}
	renewZones(next)
	if err := sumNeeds(next); err != nil {
		next.Needs = nil // never: the sum over all roles does not overflow
	}
	return next
}

// onNode is the problem of all members that are placed on a node: one unit, which asks for their sum. Its zones stay
// prepared for the roles of p, so that questions about zones are for p. positions are those of the pending members.
// O(members).
func onNode(p *Problem, positions []int32, id int32) *Problem {
	next := p.derive()
	next.RoleOf, next.Shapes, next.twins = nil, nil, nil
	for i, pos := range positions {
		if p.Model.View.Node(pos) == id {
			next.Shapes = append(next.Shapes, p.ShapeOf(i))
		}
	}
	if err := sumNeeds(next); err != nil {
		next.Needs = nil // never: they fit on a node together, so their sum does not overflow
	}
	return next
}

// WithDomains is the problem whose parts of other topologies lie in these domains; the root confines nothing. Members
// in different domains are of different roles. O(members * parts).
func (p *Problem) WithDomains(at map[*Part]layout.Vertex) *Problem {
	next := p.derive()
	if p.Parts.All != nil {
		// The roles are those of the whole gang, divided by the same domains, so that roles of a selection have the
		// same numbers. The parts are p's, in case p has other rules than the whole gang.
		all := p.Parts.All.withGang(p.Gang).WithDomains(at)
		next.Parts.All, next.Shapes, next.twins = all, all.Shapes, all.twins
		next.Parts.AllowedOf, next.Parts.RoleBefore = all.Parts.AllowedOf, all.Parts.RoleBefore
		next.RoleOf = nil
		for i, is := range p.Parts.Selection {
			if is {
				next.RoleOf = append(next.RoleOf, all.RoleOf[i])
			}
		}
	} else {
		divideByAllowed(next, at)
	}
	// A role counts for the same multiples as the role that it was divided from.
	next.Multiples = slices.Clone(p.Multiples)
	for i := range next.Multiples {
		before := next.Multiples[i].Roles
		next.Multiples[i].Roles = make(front.Weights, len(next.Shapes))
		for r, from := range next.Parts.RoleBefore {
			next.Multiples[i].Roles[r] = before[from]
		}
	}
	renewZones(next)
	return next
}

// renewZones forgets what zones take of the shapes before, and reads the policies of the new ones. What leaving
// members give back is by node and resource, whatever the shapes, and stays known.
func renewZones(p *Problem) {
	p.ZoneState = zoneState{Released: p.ZoneState.Released}
	align(p)
}
