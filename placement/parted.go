package placement

import (
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// parted is the engine for members of several shapes, unequal groups and groups of other topologies.
type parted struct{ p *problem }

// Count finds how many new members must be placed.
func (e parted) Count() error {
	p := e.p
	p.parting.doubt = new(bool)
	c := contentsOf(p)
	all := c.everything()
	if all == nil { // not enough members are known
		p.least = max(p.req.MinMember-len(p.running), len(p.pending)+1)
		return nil
	}
	chain := c.chain(all)
	p.parting.few = chain[len(chain)-1]
	for _, in := range chain { // the last one that is a multiple, if there is any
		if len(p.evens) > 0 && c.even(in) {
			p.parting.few = in
		}
	}
	p.parting.mustRun = p.parting.few.size() + len(p.running)
	if p.req.MinMember == 0 {
		p.least = p.parting.few.size()
	}
	return nil
}

// Admit finds what refuses the least number of members. Which contents the quota admits is asked one by one.
func (e parted) Admit(state *quota.State) error {
	p := e.p
	p.parting.state = state
	if p.parting.few == nil {
		return nil
	}
	var err error
	p.refusedBy, err = state.Admit(p.with(p.parting.few).asks(p.parting.few.size()), p.req.QuotaLimit)
	return err
}

// Search is the best plan for the best content that has room.
func (e parted) Search() *outcome { return newCast(e.p, nil).search() }

// Outcomes iterates over the best plans for the best content that has room.
func (e parted) Outcomes() iter.Seq[*outcome] {
	if c := newCast(e.p, nil).ofMost(); c != nil {
		return c.outcomes()
	}
	return func(func(*outcome) bool) {}
}

// LeastAndMore plans the first content of which nothing can be left out that fits, and further members beside it.
func (e parted) LeastAndMore() *outcome {
	p := e.p
	if p.parting.content == nil {
		for _, in := range contentsOf(p).least() {
			if o := (parted{p.with(in)}).LeastAndMore(); o != nil {
				return o
			}
		}
		return nil
	}
	if p.admitted == 0 {
		return nil
	}
	o := newCast(p, nil).best()
	if o == nil {
		return nil
	}
	o.waits = p.waitsFor(o.positions)
	if next := e.further(o); next != nil {
		return e.joined(o, next)
	}
	return o
}

// joined is two plans as one: the further members are placed beside the first ones.
func (e parted) joined(o, next *outcome) *outcome {
	all := e.p.parting.everyone
	in, at := make(content, len(all.pending)), make([]int32, all.ranks)
	place := all.places()
	for _, one := range []*outcome{o, next} {
		for i, pos := range one.positions {
			rank := one.of.pending[i].rank
			at[rank], in[place[rank]] = pos, true
		}
	}
	both := all.with(in)
	positions := make([]int32, len(both.pending))
	for i, m := range both.pending {
		positions[i] = at[m.rank]
	}
	sortByRole(both, positions)
	return &outcome{of: both, domain: o.domain, tier: o.tier, positions: positions, waits: o.waits}
}

// further places further members, as if those ran that a plan places: inside its domain, on what is free now.
func (e parted) further(o *outcome) *outcome {
	p := e.p
	all := p.parting.everyone
	if len(o.of.pending) == len(all.pending) || p.travels() && p.zones().zonesBind() {
		return nil // the zones of those that are placed are told by other roles
	}
	more := all.beside(o)
	more.pending, more.roleOf, more.alignment.zoneFits = nil, nil, nil
	held := map[int32]claim{}
	for i, is := range p.parting.content {
		if !is {
			more.pending = append(more.pending, all.pending[i])
			if all.roleOf != nil {
				more.roleOf = append(more.roleOf, all.roleOf[i])
			}
		}
	}
	for i, pos := range o.positions {
		id := p.v.Node(pos)
		if held[id].amounts == nil {
			held[id] = claim{amounts: make([]int64, len(p.c.Lineage.Resources))}
		}
		for _, n := range p.needs {
			if n.id >= 0 {
				held[id].amounts[n.id] += p.shapeOf(i).Resources[n.name]
			}
		}
	}
	p.zones().takeZones(held, o.positions, o.waits)
	more.parting.already = p.asks(len(p.pending))
	return newCast(more, held).search()
}

// Possible says whether the first content of which nothing can be left out has room.
func (e parted) Possible() bool {
	return e.p.parting.few != nil && newCast(e.p.with(e.p.parting.few), nil).possible()
}

// minimalTried bounds for how many contents of which nothing can be left out others leave.
const minimalTried = 8

// Minimal lists the first contents of which nothing can be left out.
func (e parted) Minimal() (some []*problem, whole bool) {
	if e.p.parting.content != nil {
		return []*problem{e.p}, true
	}
	few := contentsOf(e.p).least()
	for _, in := range few[:min(minimalTried, len(few))] {
		some = append(some, e.p.with(in))
	}
	return some, len(few) <= minimalTried
}

// Strategies enumerates what the groups' kinds allow.
func (e parted) Strategies() iter.Seq[strategy] {
	c := &cast{p: e.p}
	c.list()
	return c.strategies(func(strategy) bool { return true })
}

// Allows says whether a strategy holds the gang, and how many members lie outside the tree then.
func (e parted) Allows(_ int, st strategy) (outside int64, ok bool) {
	c := newCast(e.p, nil)
	possible := c.possible()
	return c.beyond, possible && c.first(st) != nil
}

// Exact is false: slots of one shape do not decide.
func (e parted) Exact() bool { return false }

// Room bounds the members that fit on a node: the most of them, whatever their roles. Nil where all have one.
func (e parted) Room() func(id int32, extra []int64, zones *numa.Occupancy) int64 {
	p := e.p
	if !p.hasRoles() {
		return nil
	}
	c := &cast{p: p, steps: new(int64)}
	c.readRoles()
	c.list()
	c.sumUp()
	g := &scheme{p: p, cast: c, fitting: &fitting{folder: front.NewSpace(c.most, p.steps(), c.steps)}}
	free, open := make([]int64, len(p.needs)), make([]bool, len(c.roles))
	return func(id int32, extra []int64, zones *numa.Occupancy) int64 {
		for i, n := range p.needs {
			free[i] = p.freeOf(id, n, extra)
		}
		for r, one := range c.roles {
			open[r] = one.refusal(id) == ""
		}
		f, forgot := g.onNode(free, open, e.zoneBounds(id, zones))
		if forgot {
			return int64(len(p.pending))
		}
		return c.sizes.Most(f)
	}
}

// zoneBounds bounds what the zones of a node take of each role in a state; nil: they bind nobody.
func (e parted) zoneBounds(id int32, state *numa.Occupancy) front.Front {
	if !e.p.zones().bound(e.p.c.FlagsOf(id)) {
		return nil
	}
	most := e.p.zones().pendingByRole()
	for r, need := range e.p.zones().needsOn(id) {
		most[r] = int32(min(int64(most[r]), need.Slots(state).Bound))
	}
	return front.Front{most}
}

// Evidence looks, of the members that must be placed, for the best domain of every tier. Where more members are known than
// that it looks at those of the lowest ranks that would do: that others fit does not help.
func (e parted) Evidence() evidence {
	p := e.p
	c := newCast(p, nil)
	of, out := c, evidence{proven: c.proven}
	if p.parting.few != nil {
		of = c.recast(p.parting.few)
		of.p.evens = of.p.withKept() // fewer members need not keep them in any case
		of.weighEvens()
		if len(p.req.Parts) > 0 {
			out.wanted = p.parting.few.size() // what parts need may be more than the minimum of the gang
		}
	}
	for _, t := range p.v.Tiers {
		if t > p.gather.must {
			break
		}
		if found, ok := of.bestAt(t); ok {
			out.fits = append(out.fits, found)
		}
	}
	return out
}

// bestAt finds the domain of a tier that could take the most new members; of equals that with the most slots of the first role, then the first in
// path order.
func (c *cast) bestAt(t int32) (fit, bool) {
	best := fit{tier: t, domain: -1, members: -1}
	for g := range c.anySchemes(c.loosest(t)) {
		for _, d := range c.p.candidates(t) {
			n := g.capacity(d)
			if n.members > best.members || n.members == best.members && best.domain >= 0 && c.slots.at(d) > c.slots.at(best.domain) {
				best.domain, best.members, best.groups = d, n.members, n.groups
			}
		}
	}
	return best, best.domain >= 0
}

// MostAdmitted is how many new members the quota admits: whole groups, or those of the lowest ranks.
func (e parted) MostAdmitted() int {
	p := e.p
	all := *p
	all.evens = p.withKept() // fewer members need not keep them in any case
	c := contentsOf(&all)
	if len(p.whole.parts) == 0 {
		some := *c.p.whole
		some.least, c.p.whole = 1, &some
	}
	return c.most(func(in content) bool { return p.with(in).admitted > 0 }).size()
}

// HoldsWithoutRules says whether the members of the lowest ranks that would do have room anywhere.
func (e parted) HoldsWithoutRules() bool {
	loose := e.p.withoutRules().withoutMultiples()
	return newCast(loose.with(loose.firstOnes(e.p.least)), nil).possible()
}

// BindingRule names a MustGather that really binds the members that must be placed: the first that refuses them by itself, else the first without
// which they would fit, else the first that refuses them with those before it. At most 2 * rulesTried searches, and as many as the
// number of rules has digits.
func (e parted) BindingRule() string {
	rules := hardRules(e.p)
	if len(rules) < 2 || e.p.parting.few == nil {
		if len(rules) == 0 {
			return ""
		}
		return rules[0].said
	}
	fits := func(kept ...hardRule) bool { return parted{e.p.underRules(kept)}.Possible() }
	tried := rules[:min(len(rules), rulesTried)]
	for _, r := range tried {
		if !fits(r) {
			return r.said
		}
	}
	for i, r := range tried {
		if fits(slices.Concat(rules[:i], rules[i+1:])...) {
			return r.said
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
	return rules[low].said
}

// BindingMultiple names a multiple that does not let the members be placed that must be: as BindingRule, of the gang and of each part those that
// bind.
func (e parted) BindingMultiple() string {
	p := e.p
	with := func(rules []evenRule) parted {
		some := *p
		some.evens = rules
		return parted{&some}
	}
	tried := p.evens[:min(len(p.evens), rulesTried)]
	if len(tried) == 1 {
		return nameOfRule(p, &tried[0])
	}
	for i := range tried {
		if !with(tried[i : i+1]).Possible() {
			return nameOfRule(p, &tried[i])
		}
	}
	for i := range tried {
		if with(slices.Concat(p.evens[:i], p.evens[i+1:])).Possible() {
			return nameOfRule(p, &tried[i])
		}
	}
	return nameOfRule(p, &tried[0])
}
