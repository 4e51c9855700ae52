package parts

import (
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// Engine is the engine for members of several shapes, unequal groups and groups of other topologies.
type Engine struct{ P *problem.Problem }

// Count finds how many new members must be placed.
func (e Engine) Count() error {
	p := e.P
	p.Parts.Doubt = new(bool)
	s := selectionsOf(p)
	all := s.everything()
	if all == nil { // not enough members are known
		p.Least = max(p.Request.MinMember-len(p.Running), len(p.Pending)+1)
		return nil
	}
	chain := s.chain(all)
	p.Parts.Minimal = chain[len(chain)-1]
	for _, in := range chain { // the last one that is a multiple, if there is any
		if len(p.Multiples) > 0 && s.keepsMultiples(in) {
			p.Parts.Minimal = in
		}
	}
	p.Parts.MustRun = p.Parts.Minimal.Size() + len(p.Running)
	if p.Request.MinMember == 0 {
		p.Least = p.Parts.Minimal.Size()
	}
	return nil
}

// Admit finds what refuses the least number of members. Which contents the quota admits is asked one by one.
func (e Engine) Admit(state *quota.State) error {
	p := e.P
	p.Parts.State = state
	if p.Parts.Minimal == nil {
		return nil
	}
	var err error
	p.RefusedBy, err = state.Admit(p.Only(p.Parts.Minimal).Asks(p.Parts.Minimal.Size()), p.Request.QuotaLimit)
	return err
}

// Search is the best plan for the best content that has room.
func (e Engine) Search() *problem.Outcome { return newSearch(e.P, nil).bestWithMost() }

// Outcomes iterates over the best plans for the best content that has room.
func (e Engine) Outcomes() iter.Seq[*problem.Outcome] {
	if s := newSearch(e.P, nil).forMostMembers(); s != nil {
		return s.outcomes()
	}
	return func(func(*problem.Outcome) bool) {}
}

// LeastAndMore plans the first content of which nothing can be left out that fits, and further members beside it.
func (e Engine) LeastAndMore() *problem.Outcome {
	p := e.P
	if p.Parts.Selection == nil {
		for _, in := range selectionsOf(p).least() {
			if o := (Engine{p.Only(in)}).LeastAndMore(); o != nil {
				return o
			}
		}
		return nil
	}
	if p.Admitted == 0 {
		return nil
	}
	o := newSearch(p, nil).best()
	if o == nil {
		return nil
	}
	o.Waits = p.WaitsFor(o.Positions)
	if next := e.further(o); next != nil {
		return e.joined(o, next)
	}
	return o
}

// joined is two plans as one: the further members are placed beside the first ones.
func (e Engine) joined(o, next *problem.Outcome) *problem.Outcome {
	all := e.P.Parts.All
	in, at := make(problem.Selection, len(all.Pending)), make([]int32, all.Ranks)
	place := all.Places()
	for _, one := range []*problem.Outcome{o, next} {
		for i, pos := range one.Positions {
			rank := one.Of.Pending[i].Rank
			at[rank], in[place[rank]] = pos, true
		}
	}
	both := all.Only(in)
	positions := make([]int32, len(both.Pending))
	for i, m := range both.Pending {
		positions[i] = at[m.Rank]
	}
	sortByRole(both, positions)
	return &problem.Outcome{Of: both, Domain: o.Domain, Tier: o.Tier, Positions: positions, Waits: o.Waits}
}

// further places further members, as if those ran that a plan places: inside its domain, on what is free now.
func (e Engine) further(o *problem.Outcome) *problem.Outcome {
	p := e.P
	all := p.Parts.All
	if len(o.Of.Pending) == len(all.Pending) || problem.SpansTrees(p) && p.Zones().Bind() {
		return nil // the zones of those that are placed are told by other roles
	}
	more := p.Unselected(o)
	reserved := map[int32]problem.Reserved{}
	for i, pos := range o.Positions {
		id := p.View.Node(pos)
		if reserved[id].Amounts == nil {
			reserved[id] = problem.Reserved{Amounts: make([]int64, len(p.Snapshot.Lineage.Resources))}
		}
		for _, n := range p.Needs {
			if n.ID >= 0 {
				reserved[id].Amounts[n.ID] += p.ShapeOf(i).Resources[n.Name]
			}
		}
	}
	p.Zones().TakeZones(reserved, o.Positions, o.Waits)
	return newSearch(more, reserved).bestWithMost()
}

// Possible says whether the first content of which nothing can be left out has room.
func (e Engine) Possible() bool {
	return e.P.Parts.Minimal != nil && newSearch(e.P.Only(e.P.Parts.Minimal), nil).possible()
}

// minimalTried bounds for how many contents of which nothing can be left out others leave.
const minimalTried = 8

// Minimal lists the first contents of which nothing can be left out.
func (e Engine) Minimal() (list []*problem.Problem, whole bool) {
	if e.P.Parts.Selection != nil {
		return []*problem.Problem{e.P}, true
	}
	least := selectionsOf(e.P).least()
	for _, in := range least[:min(minimalTried, len(least))] {
		list = append(list, e.P.Only(in))
	}
	return list, len(least) <= minimalTried
}

// Strategies enumerates what the groups' kinds allow.
func (e Engine) Strategies() iter.Seq[problem.Strategy] {
	s := &search{p: e.P}
	s.readGroups()
	return s.strategies(func(problem.Strategy) bool { return true })
}

// Allows says whether a strategy holds the gang, and how many members lie outside the tree then.
func (e Engine) Allows(_ int, st problem.Strategy) (outside int64, ok bool) {
	s := newSearch(e.P, nil)
	possible := s.possible()
	return s.outside, possible && s.firstCapacity(st) != nil
}

// Exact is false: slots of one shape do not decide.
func (e Engine) Exact() bool { return false }

// Room bounds the members that fit on a node: the most of them, whatever their roles. Nil where all have one.
func (e Engine) Room() func(id int32, extra []int64, zones *numa.Occupancy) int64 {
	p := e.P
	if !p.HasRoles() {
		return nil
	}
	s := &search{p: p, steps: new(int64)}
	s.readRoles()
	s.readGroups()
	s.sumTotals()
	c := &capacity{p: p, search: s, tables: &tables{space: front.NewSpace(s.totals, p.Steps(), s.steps)}}
	free, open := make([]int64, len(p.Needs)), make([]bool, len(s.roles))
	return func(id int32, extra []int64, zones *numa.Occupancy) int64 {
		for i, n := range p.Needs {
			free[i] = p.Counting().FreeOf(id, n, extra)
		}
		for r, one := range s.roles {
			open[r] = one.Counting().Refusal(id) == ""
		}
		f, forgot := c.onNode(free, open, e.zoneBounds(id, zones))
		if forgot {
			return int64(len(p.Pending))
		}
		return s.sizes.Most(f)
	}
}

// zoneBounds bounds what the zones of a node take of each role in a state; nil: they bind nobody.
func (e Engine) zoneBounds(id int32, state *numa.Occupancy) front.Front {
	if !e.P.Zones().BindsOn(e.P.Snapshot.FlagsOf(id)) {
		return nil
	}
	most := e.P.Zones().PendingByRole()
	for r, need := range e.P.Zones().NeedsOn(id) {
		most[r] = int32(min(int64(most[r]), need.Slots(state).Bound))
	}
	return front.Front{most}
}

// Evidence looks, of the members that must be placed, for the best domain of every tier. Where more members are known than
// that it looks at those of the lowest ranks that would do: that others fit does not help.
func (e Engine) Evidence() problem.Evidence {
	p := e.P
	s := newSearch(p, nil)
	minimal, out := s, problem.Evidence{Proven: s.proven}
	if p.Parts.Minimal != nil {
		minimal = s.forSelection(p.Parts.Minimal)
		minimal.p.Multiples = minimal.p.WithKept() // fewer members need not keep them in any case
		minimal.weighMultiples()
		if len(p.Request.Parts) > 0 {
			out.Wanted = p.Parts.Minimal.Size() // what parts need may be more than the minimum of the gang
		}
	}
	for _, t := range p.View.Tiers {
		if t > p.Gather.Must {
			break
		}
		if found, ok := minimal.bestAt(t); ok {
			out.Fits = append(out.Fits, found)
		}
	}
	return out
}

// bestAt finds the domain of a tier that could take the most new members; of equals that with the most slots of the first role, then the first in
// path order.
func (s *search) bestAt(t int32) (problem.Fit, bool) {
	best := problem.Fit{Tier: t, Domain: -1, Members: -1}
	for c := range s.roomiestCapacities(s.loosest(t)) {
		for _, d := range s.p.Candidates(t) {
			n := c.mostIn(d)
			if n.members > best.Members || n.members == best.Members && best.Domain >= 0 && s.slots.At(d) > s.slots.At(best.Domain) {
				best.Domain, best.Members, best.Groups = d, n.members, n.groups
			}
		}
	}
	return best, best.Domain >= 0
}

// MostAdmitted is how many new members the quota admits: whole groups, or those of the lowest ranks.
func (e Engine) MostAdmitted() int {
	p := e.P
	all := p.WithMultiples(p.WithKept()) // fewer members need not keep them in any case
	if len(p.Gang.Parts) == 0 {
		all = all.FromOneMember()
	}
	s := selectionsOf(all)
	return s.most(func(in problem.Selection) bool { return p.Only(in).Admitted > 0 }).Size()
}

// HoldsWithoutRules says whether the members of the lowest ranks that would do have room anywhere.
func (e Engine) HoldsWithoutRules() bool {
	unbound := e.P.WithoutRules().WithoutMultiples()
	return newSearch(unbound.Only(unbound.FirstOnes(e.P.Least)), nil).possible()
}

// BindingRule names a MustGather that really binds the members that must be placed: the first that refuses them by itself, else the first without
// which they would fit, else the first that refuses them with those before it. At most 2 * rulesTried searches, and as many as the
// number of rules has digits.
func (e Engine) BindingRule() string {
	rules := problem.HardRules(e.P)
	if len(rules) < 2 || e.P.Parts.Minimal == nil {
		if len(rules) == 0 {
			return ""
		}
		return rules[0].Said
	}
	fits := func(kept ...problem.HardRule) bool { return Engine{e.P.UnderRules(kept)}.Possible() }
	tried := rules[:min(len(rules), rulesTried)]
	for _, r := range tried {
		if !fits(r) {
			return r.Said
		}
	}
	for i, r := range tried {
		if fits(slices.Concat(rules[:i], rules[i+1:])...) {
			return r.Said
		}
	}
	low, high := 0, len(rules) // the first low of them fit, all of them do not
	for high-low > 1 {
		if middle := (low + high) / 2; fits(rules[:middle]...) {
			low = middle
		} else {
			high = middle
		}
	}
	return rules[low].Said
}

// BindingMultiple names a multiple that does not let the members be placed that must be: as BindingRule, of the gang and of each part those that
// bind.
func (e Engine) BindingMultiple() string {
	p := e.P
	with := func(rules []problem.MultipleRule) Engine { return Engine{p.WithMultiples(rules)} }
	tried := p.Multiples[:min(len(p.Multiples), rulesTried)]
	if len(tried) == 1 {
		return problem.NameOfRule(p, &tried[0])
	}
	for i := range tried {
		if !with(tried[i : i+1]).Possible() {
			return problem.NameOfRule(p, &tried[i])
		}
	}
	for i := range tried {
		if with(slices.Concat(p.Multiples[:i], p.Multiples[i+1:])).Possible() {
			return problem.NameOfRule(p, &tried[i])
		}
	}
	return problem.NameOfRule(p, &tried[0])
}
