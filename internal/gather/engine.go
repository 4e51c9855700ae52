// What the search asks of the engine for members of one shape, and how a plan comes about.

package gather

import (
	"fmt"
	"iter"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/invariant"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// Engine plans gangs whose members are of one shape, in equal groups. It holds nothing but the problem, and is not safe
// for concurrent use, as the problem is not.
type Engine struct{ P *problem.Problem }

// Count has nothing to find out: the problem knows how many members must be placed.
func (e Engine) Count() {}

// Admit finds how many units the quota admits, given that it refuses all together, and what refuses the least number
// that the rules allow. O(log members) questions to the quota.
func (e Engine) Admit(state *quota.State) error {
	p := e.P
	// The n found is the first such that n+1 units are refused: more units never ask for less.
	p.Admitted = sort.Search(len(p.Pending)-1, func(n int) bool {
		refusal, err := state.Admit(p.Asks(n+1), p.Request.QuotaLimit)
		return refusal != nil || err != nil // never the latter: it is a part of the whole
	})
	wholes := p.Wholes(max(1, p.Least), len(p.Pending))
	if len(wholes) == 0 || wholes[0] <= p.Admitted {
		return nil
	}
	var err error
	p.RefusedBy, err = state.Admit(p.Asks(wholes[0]), p.Request.QuotaLimit)
	return err
}

// Search is the best plan for as many new members as there is room for, nil if not even the least number fits.
func (e Engine) Search() *problem.Outcome {
	slots := slotsOf(e.P)
	if n, ok := e.most(slots); ok {
		return e.searchFor(slots, n, slotsOf)
	}
	return nil
}

// slotsOf are the slots of a problem as it is.
func slotsOf(p *problem.Problem) problem.SlotTable { return p.Slots().Table() }

// searchFor finds the best plan for the first n pending members, nil if there is none. tables counts slots as those here were.
func (e Engine) searchFor(slots problem.SlotTable, n int, tables func(*problem.Problem) problem.SlotTable) *problem.Outcome {
	spares := e.P.Slots().MaySpare()
	for f := range newAsk(e.P, slots, n).feasible(nil) { // the first strategy with a domain is the best
		if spares { // mostly possible, and then no domain of all nodes is compared
			if g := f.withoutOthers(tables); g != nil {
				if d := g.best(); d >= 0 {
					return g.decide(d)
				}
			}
		}
		if d := f.best(); d >= 0 {
			return f.decide(d)
		}
	}
	return nil
}

// withoutOthers is the same strategy for the same members without the nodes meant for others. Nil if the strategy is not possible
// at all, if that changes nothing, or leaves more members outside the tree.
func (f *found) withoutOthers(tables func(*problem.Problem) problem.SlotTable) *found {
	if !f.sums.holds(f.strategy, nil) {
		return nil
	}
	own := f.p.Slots().WithoutOthers(f.strategy)
	if own == nil {
		return nil
	}
	a := newAsk(own, tables(own), int(f.ask.members))
	if a.beyond != f.ask.beyond {
		return nil
	}
	s, fits := a.newSums(f.strategy.Groups)
	if !fits {
		return nil
	}
	return &found{p: own, ask: a, sums: s, strategy: f.strategy}
}

// most is the largest number of new members that the hard rules allow, ok unless it is below the least.
//
// order: howmany.1
func (e Engine) most(slots problem.SlotTable) (n int, ok bool) {
	counts := e.P.Counts()
	switch len(counts) {
	case 0:
		return 0, false
	case 1:
		return counts[0], true // whether they fit the search finds out
	}
	// Fewer members never need more room, so the counts that fit are the first ones.
	i := sort.Search(len(counts), func(i int) bool { return !e.fits(slots, counts[i]) })
	if i == 0 {
		return 0, false
	}
	return counts[i-1], true
}

// fits says whether the first n pending members can be placed at all.
func (e Engine) fits(slots problem.SlotTable, n int) bool {
	a := newAsk(e.P, slots, n)
	return a.holds(a.p.Loosest(a.p.Gather.Must))
}

// Outcomes iterates over the best plan in every domain that some strategy allows, best first. A domain comes once,
// under the best strategy that allows it.
func (e Engine) Outcomes() iter.Seq[*problem.Outcome] {
	return func(yield func(*problem.Outcome) bool) {
		slots := slotsOf(e.P)
		n, ok := e.most(slots)
		if !ok {
			return
		}
		tried, spares := map[layout.Vertex]bool{}, e.P.Slots().MaySpare()
		all := func(f *found) bool {
			for _, d := range f.rankDomains(tried) {
				tried[d] = true
				if !yield(f.decide(d)) {
					return false
				}
			}
			return true
		}
		for f := range newAsk(e.P, slots, n).feasible(tried) {
			if spares {
				if g := f.withoutOthers(slotsOf); g != nil && !all(g) {
					return
				}
			}
			if !all(&f) {
				return
			}
		}
	}
}

// LeastAndMore plans the least number of members, and further ones beside them on what is free now; nil if the least do
// not fit.
func (e Engine) LeastAndMore() *problem.Outcome {
	p := e.P
	counts := p.Counts()
	if len(counts) == 0 {
		return nil
	}
	o := e.searchFor(slotsOf(p), counts[0], slotsOf)
	if o == nil {
		return nil
	}
	waits := p.WaitsFor(o.Positions)
	positions := append(o.Positions, e.further(o, waits)...)
	if len(p.Levels) == 0 {
		slices.Sort(positions) // without groups ranks follow the tree, whichever members came first
	}
	return &problem.Outcome{Of: p, Domain: o.Domain, Tier: o.Tier, Positions: positions, Waits: waits}
}

// further places the members that a waiting plan leaves out, as if the members that it places ran: inside its domain,
// on what is free now. It returns the positions of as many as fit, nil if none do.
func (e Engine) further(o *problem.Outcome, waits []*snapshot.Member) []int32 {
	p, n := e.P, len(o.Positions)
	if n == len(p.Pending) || p.Multiple != nil || len(p.Levels) > 1 && p.Limits.CountGroups() {
		return nil
	}
	rest := Engine{p.Rest(o)} // leaving members count as staying, so only what is free now counts
	tables := func(more *problem.Problem) problem.SlotTable {
		slots := more.Slots().CountNodes() // limits count the plan's members by themselves: they run
		for _, pos := range o.Positions {
			x := more.View.NodeVertex(pos)
			slots[x] = max(0, slots[x]-1) // below 0 where the plan's member waits for what is not free yet
		}
		more.Zones().BoundFurther(slots, o.Positions, waits)
		more.Slots().SumSlots(slots)
		return problem.SlotTable{Flat: slots}
	}
	slots := tables(rest.P)
	if n, ok := rest.most(slots); ok {
		if next := rest.searchFor(slots, n, tables); next != nil {
			return next.Positions
		}
	}
	return nil
}

// Possible says whether the least number of members can be placed at all.
func (e Engine) Possible() bool {
	counts := e.P.Counts()
	return len(counts) > 0 && e.fits(e.P.Slots().Table(), counts[0])
}

// Minimal is the problem itself: the members of the lowest ranks are the fewest that may start.
func (e Engine) Minimal() (some []*problem.Problem, whole bool) { return []*problem.Problem{e.P}, true }

// Strategies enumerates the tiers of the gang and of its groups.
func (e Engine) Strategies() iter.Seq[problem.Strategy] { return e.P.Strategies(nil) }

// Allows says whether some domain holds so many units under a strategy, and how many members lie outside the tree then.
func (e Engine) Allows(units int, st problem.Strategy) (outside int64, ok bool) {
	a := newAsk(e.P, e.P.Slots().Table(), units)
	return a.beyond, a.holds(st)
}

// Exact says whether slots alone decide: no multiples, no begun groups.
func (e Engine) Exact() bool {
	return e.P.Multiple == nil && e.P.Limits == nil && !e.P.Snapshot.Closed.Any() && (len(e.P.Levels) == 0 || len(e.P.Running) == 0)
}

// Room is nil: the slots of the shape say what fits on a node.
func (e Engine) Room() func(id int32, extra []int64, zones *numa.Occupancy) int64 { return nil }

// Evidence finds, for every tier up to the gang's MustGather, the domain that could take the most members under the
// hard rules of the groups.
func (e Engine) Evidence() problem.Evidence {
	p := e.P
	out := problem.Evidence{
		Fits:   make([]problem.Fit, 0, len(p.View.Tiers)),
		Proven: func() bool { return p.Zones().ZonesProven(p.Slots().Excluded(), p.Slots().LeavingReleased()) },
	}
	slots := p.Slots().Table()
	a := newAsk(p, slots, len(p.Pending))
	s, _ := a.newSums(a.p.Loosest(p.Gather.Must).Groups)
	for _, t := range p.View.Tiers {
		if t > p.Gather.Must {
			break
		}
		if found, ok := s.bestAt(slots, t); ok {
			out.Fits = append(out.Fits, found)
		}
	}
	return out
}

// MostAdmitted is how many new members the quota admits in whole groups, 0 if not even one group.
func (e Engine) MostAdmitted() int {
	wholes := e.P.Wholes(1, e.P.Admitted)
	if len(wholes) == 0 {
		return 0
	}
	return wholes[len(wholes)-1]
}

// HoldsWithoutRules says whether the cluster has free slots for the least number of members, whatever the rules are.
func (e Engine) HoldsWithoutRules() bool {
	p := e.P
	open := p
	if p.Limits != nil {
		open = p.WithLimits(nil, nil)
	}
	if ix := open.Slots().OwnIndex(); ix != nil {
		return int64(ix.Domains.At(layout.Root)) >= int64(p.Least)
	}
	return open.WithoutRules().WithoutMultiples().Slots().Count()[layout.Root] >= int64(p.Least)
}

// BindingRule names the gang's own MustGather, or that of the outermost level of groups that has one; empty if there is
// none. With multiples the gang's own binds only if the least number of members would fit without any rule.
//
// order: refusals.4
func (e Engine) BindingRule() string {
	if e.P.Gather.Hard && (e.P.Multiple == nil || Engine{e.P.WithoutRules()}.Possible()) {
		return "MustGather " + e.P.Gather.Name
	}
	for _, l := range e.P.Levels {
		if l.Gather.Hard {
			return fmt.Sprintf("MustGather %s for groups of %d", l.Gather.Name, l.Size)
		}
	}
	return ""
}

// BindingMultiple names the first multiple that does not divide the gang's size, else the first one.
//
// order: refusals.4
func (e Engine) BindingMultiple() string {
	return problem.NameOfMultiple(e.P, e.P.MultiplesIn(e.P.Request.Gather), len(e.P.Pending)+len(e.P.Running))
}

// found is a strategy under which all begun groups can be completed, with the sums for it. Whether a domain holds the
// ask is still open.
type found struct {
	p        *problem.Problem
	ask      *ask
	sums     *sums
	strategy problem.Strategy
	known    known // proven of the children of one domain, while domains are compared
	better   int   // how often a domain became the best so far
}

// feasible enumerates the strategies that may hold the ask in a domain that was not tried, best first; tried may grow
// meanwhile, and is nil where none was. A value is good until the next one is asked for. With whole groups counted by
// the index a strategy costs no more than to see whether it is worth a look, so that this is left out.
func (a *ask) feasible(tried map[layout.Vertex]bool) iter.Seq[found] {
	var sums *sums // of the loosest groups: gang tiers follow each other with the same ones, and share the tables
	try := func(st problem.Strategy) bool {
		if sums == nil || !slices.Equal(sums.tiers, st.Groups) {
			sums, _ = a.newSums(slices.Clone(st.Groups))
		}
		return sums.fits && sums.holds(st, tried)
	}
	if a.indexed != nil && tried == nil {
		try = nil
	}
	return func(yield func(found) bool) {
		for st := range a.p.Strategies(try) {
			if s, fits := a.newSums(st.Groups); fits && !yield(found{p: s.p, ask: s.ask, sums: s, strategy: st}) {
				return
			}
		}
	}
}

// holds says whether some domain can hold the ask under a strategy. O(domains), beside the sums.
func (a *ask) holds(st problem.Strategy) bool {
	s, fits := a.newSums(st.Groups)
	return fits && s.holds(st, nil)
}

// holds says whether some domain that was not tried can hold the ask under the strategy of the sums.
func (s *sums) holds(st problem.Strategy, tried map[layout.Vertex]bool) bool {
	for d := range (&found{p: s.p, ask: s.ask, sums: s, strategy: st}).domains(nil) {
		if !tried[d] {
			return true
		}
	}
	return false
}

// decide places the ask below a domain that takes it, and gives the members their positions.
func (f *found) decide(d layout.Vertex) *problem.Outcome {
	sh := f.sums.placer().place(d, f.ask.everything())
	o := &problem.Outcome{Of: f.p, Domain: d, Tier: f.strategy.Gang, Positions: sh.run}
	if sh.run == nil || f.ask.bottom() > 0 { // a run without groups is in rank order already
		ar := arranger{f.p, f.ask}
		o.Positions = ar.assign(ar.arrange(&sh))
	}
	if invariant.On {
		f.checkPlan(o, &sh)
	}
	return o
}
