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

// Engine is the engine for members of one shape in equal groups.
type Engine struct{ P *problem.Problem }

// Count has nothing to find out: the problem knows.
func (e Engine) Count() error { return nil }

// Admit finds how many units the quota admits, which refuses all together, and what refuses the least that the rules allow.
func (e Engine) Admit(state *quota.State) error {
	p := e.P
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

// Search is the best plan for as many new members as there is room for, nil if not even the least fit.
func (e Engine) Search() *problem.Outcome {
	slots := e.P.Slots().Table()
	if n, ok := e.most(slots); ok {
		return e.searchFor(slots, n)
	}
	return nil
}

// searchFor finds the best plan for the first n pending members, nil if there is none.
func (e Engine) searchFor(slots problem.SlotTable, n int) *problem.Outcome {
	for f := range newAsk(e.P, slots, n).feasible() {
		if d := f.best(); d >= 0 {
			return f.decide(d)
		}
	}
	return nil
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
		return counts[0], true // the search itself finds out
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

// Outcomes iterates over the best plans in every domain that some strategy allows, best first.
func (e Engine) Outcomes() iter.Seq[*problem.Outcome] {
	return func(yield func(*problem.Outcome) bool) {
		slots := e.P.Slots().Table()
		n, ok := e.most(slots)
		if !ok {
			return
		}
		tried := map[layout.Vertex]bool{}
		for f := range newAsk(e.P, slots, n).feasible() {
			for _, d := range f.rankDomains() {
				if tried[d] {
					continue
				}
				tried[d] = true
				if !yield(f.decide(d)) {
					return
				}
			}
		}
	}
}

// LeastAndMore plans the least number of members, and further ones beside them.
func (e Engine) LeastAndMore() *problem.Outcome {
	p := e.P
	counts := p.Counts()
	if len(counts) == 0 {
		return nil
	}
	o := e.searchFor(p.Slots().Table(), counts[0])
	if o == nil {
		return nil
	}
	waits := p.WaitsFor(o.Positions)
	positions := append(o.Positions, e.further(o, waits)...)
	if len(p.Levels) == 0 {
		slices.Sort(positions) // ranks follow the tree, whoever came first
	}
	return &problem.Outcome{Of: p, Domain: o.Domain, Tier: o.Tier, Positions: positions, Waits: waits}
}

// further places the members that a waiting plan leaves out, as if its members ran: inside its domain, on what is free
// now.
func (e Engine) further(o *problem.Outcome, waits []*snapshot.Member) []int32 {
	p, n := e.P, len(o.Positions)
	if n == len(p.Pending) || p.Multiple != nil {
		return nil
	}
	more := p.Rest(o)
	slots := more.Slots().Count()
	for _, pos := range o.Positions {
		x := more.View.NodeVertex(pos)
		slots[x] = max(0, slots[x]-1)
	}
	more.Zones().BoundFurther(slots, o.Positions, waits)
	more.Slots().SumSlots(slots)
	rest, table := Engine{more}, problem.SlotTable{Flat: slots}
	if n, ok := rest.most(table); ok {
		if next := rest.searchFor(table, n); next != nil {
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

// Minimal is the problem itself: the members of the lowest ranks are the least.
func (e Engine) Minimal() (some []*problem.Problem, whole bool) { return []*problem.Problem{e.P}, true }

// Strategies enumerates the tiers of the gang and of its groups.
func (e Engine) Strategies() iter.Seq[problem.Strategy] { return e.P.Strategies() }

// Allows says whether a strategy holds so many units, and how many lie outside the tree then.
func (e Engine) Allows(units int, st problem.Strategy) (outside int64, ok bool) {
	a := newAsk(e.P, e.P.Slots().Table(), units)
	return a.beyond, a.holds(st)
}

// Exact says whether slots alone decide: no multiples, no begun groups.
func (e Engine) Exact() bool {
	return e.P.Multiple == nil && (len(e.P.Levels) == 0 || len(e.P.Running) == 0)
}

// Room is nil: the slots of the shape say what fits on a node.
func (e Engine) Room() func(id int32, extra []int64, zones *numa.Occupancy) int64 { return nil }

// Evidence looks for the best domain of every tier under the groups' rules alone.
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

// MostAdmitted is how many new members the quota admits in whole groups.
func (e Engine) MostAdmitted() int {
	wholes := e.P.Wholes(1, e.P.Admitted)
	if len(wholes) == 0 {
		return 0
	}
	return wholes[len(wholes)-1]
}

// HoldsWithoutRules says whether the free slots suffice.
func (e Engine) HoldsWithoutRules() bool {
	p := e.P
	if ix := p.Slots().OwnIndex(); ix != nil {
		return int64(ix.Domains.At(layout.Root)) >= int64(p.Least)
	}
	free := p.WithoutRules().WithoutMultiples()
	return free.Slots().Count()[layout.Root] >= int64(p.Least)
}

// BindingRule is the gang's own MustGather, unless the members would not fit without it either.
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

// BindingMultiple is the first multiple that does not divide the gang, else the first.
//
// order: refusals.4
func (e Engine) BindingMultiple() string {
	return problem.NameOfMultiple(e.P, e.P.MultiplesIn(e.P.Request.Gather), len(e.P.Pending)+len(e.P.Running))
}

// found is a strategy under which the groups that are begun can be completed, with the sums for it.
type found struct {
	p        *problem.Problem
	ask      *ask
	sums     *sums
	strategy problem.Strategy
	known    known // while domains are compared
	better   int   // how often a domain was the best so far
}

// feasible enumerates the strategies that may hold the ask, best first. Each is good until the next is asked for.
func (a *ask) feasible() iter.Seq[found] {
	return func(yield func(found) bool) {
		tier, possible := int32(-1), false
		for st := range a.p.Strategies() {
			if st.Gang != tier {
				tier, possible = st.Gang, a.possibleAt(st.Gang)
			}
			if !possible {
				continue
			}
			if s, fits := a.newSums(st.Groups); fits && !yield(found{p: s.p, ask: s.ask, sums: s, strategy: st}) {
				return
			}
		}
	}
}

// possibleAt says whether it is worth looking at a gang tier: not if no domain holds the ask while groups are bound by
// nothing but the hard rules. One look at the index tells as much for every strategy.
func (a *ask) possibleAt(t int32) bool {
	if len(a.p.Levels) == 0 || a.indexed != nil {
		return true
	}
	return a.holds(a.p.Loosest(t))
}

// holds says whether any domain can hold the ask under a strategy.
func (a *ask) holds(st problem.Strategy) bool {
	s, fits := a.newSums(st.Groups)
	if !fits {
		return false
	}
	for range (&found{p: s.p, ask: s.ask, sums: s, strategy: st}).domains(nil) {
		return true
	}
	return false
}

// decide places the ask below a domain.
func (f *found) decide(d layout.Vertex) *problem.Outcome {
	sh := f.sums.placer().place(d, f.ask.everything())
	o := &problem.Outcome{Of: f.p, Domain: d, Tier: f.strategy.Gang, Positions: sh.run}
	if sh.run == nil || f.ask.bottom() > 0 {
		ar := arranger{f.p, f.ask}
		o.Positions = ar.assign(ar.arrange(&sh))
	}
	if invariant.On {
		f.checkPlan(o, &sh)
	}
	return o
}
