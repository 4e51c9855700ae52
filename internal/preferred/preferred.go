// Package preferred answers: which preferred limits does a plan keep, and how little does it exceed them?
//
// The excess over each preferred limit is a key of plans, after the members that are placed and the wait, before the strategy: first the
// excess over the first limit, then over the second one, and so on. No excess is a limit as it is written; an Apart may be exceeded by any
// number; without end, the limit is not kept. [Search] finds the smallest vector of excesses under which as good a plan exists, and that
// plan: under a given vector the limits are hard ones, and package search has the best strategy. The rule is limits.9 of
// docs/order/10-limits.md.
//
// A Search belongs to one plan and is not safe for concurrent use.
package preferred

import (
	"cmp"
	"errors"
	"slices"
	"sort"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/outcome"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
)

// Search is the search for the least excess over the preferred limits of a request.
type Search struct {
	Kept   *gang.Request // the request with kept limits hard, at their excess, and without the other preferred ones
	Doubt  bool          // a smaller excess may have been missed
	p      *problem.Problem
	limits []limit
	best   Plan
	found  *trial // the plan under the excesses so far; nil: no limit is kept yet
	failed error  // what a trial does not support
}

// Plan is what other plans have to equal.
type Plan struct {
	Ranks  []int // of the placed members, ascending
	Waits  bool
	Proven bool
}

// limit is a preferred limit, in the list at a place of listsOf.
type limit struct {
	gang.Limit
	place int
}

// trial is the answer under some excesses.
type trial struct {
	problem *problem.Problem
	outcome *outcome.Outcome
	plan    Plan
}

// Read reads the preferred limits of a problem's request. The error is that one is of an unknown layer, or not supported beside the others,
// whatever the cluster has free. O(limits) beside the cost of one problem.
func Read(p *problem.Problem) (*Search, error) {
	s := &Search{p: p}
	for place, list := range listsOf(p.Request) {
		for _, l := range *list {
			if l.Preferred {
				l.Preferred = false
				s.limits = append(s.limits, limit{l, place})
			}
		}
	}
	all := changed(p.Request, func(l gang.Limit) (gang.Limit, bool) {
		l.Preferred = false
		return l, true
	})
	if _, err := limits.Read(p.Model.View, all); err != nil {
		return nil, err
	}
	switch hard, err := problem.New(p.Snapshot, all, p.Team, p.Bounds); {
	case err == nil:
		hard.Done()
	case errors.Is(err, muster.ErrNotSupported):
		return nil, err
	}
	s.Kept = changed(p.Request, func(l gang.Limit) (gang.Limit, bool) { return l, !l.Preferred })
	return s, nil
}

// Keep finds the plan with the least excess that is as good as the best one without the limits: it places as many members, or more, none of
// higher ranks in the place of lower ones, and waits for nobody unless the other one does. Nil: no limit is kept. What the outcome refers to
// lives until Done. The error is that a limit is not supported. Where a limit cannot be kept at any excess a plan is made once, else an Apart
// costs O(log members) plans, or up to triedOneByOne more for a gang that waits.
//
// order: limits.9
func (s *Search) Keep(best Plan) (*outcome.Outcome, error) {
	s.best, s.Doubt = best, !best.Proven // of members that might be more nobody knows which limits cost one
	for _, l := range s.limits {
		if s.minimize(l); s.failed != nil {
			return nil, s.failed
		}
	}
	if s.found == nil {
		return nil, nil
	}
	return s.found.outcome, nil
}

// Done gives the memory of the plan back.
func (s *Search) Done() {
	if s.found != nil {
		s.found.problem.Done()
		s.found = nil
	}
}

// minimize finds the least excess over a limit, given the excesses over those before.
func (s *Search) minimize(l limit) {
	before, best, kept := s.Kept, s.best, false
	fits := func(excess int) bool {
		next := with(before, l, excess)
		t := s.solve(next)
		if t == nil {
			return false
		}
		s.Done()
		s.Kept, s.found, best, kept = next, t, t.plan, true
		return true
	}
	least := 0
	if _, exceeded := limits.IsKind(l.Kind); exceeded {
		least = leastExcess(max(0, s.members()-l.Most), s.best.Waits, fits)
	}
	if kept || fits(least) { // of the excesses that fit, the last one tried is the least
		s.best, s.failed = best, nil
	}
}

// solve is the best plan of a request, if it is as good as the one before this limit; else nil.
func (s *Search) solve(req *gang.Request) *trial {
	p, err := search.New(s.p.Snapshot, req, s.p.Team, s.p.Bounds)
	if err != nil {
		if errors.Is(err, muster.ErrNotSupported) {
			s.failed = err
		}
		return nil
	}
	o := s.outcomeOf(p)
	if rest := p.Bounds.Rest; rest != nil {
		*rest = *cmp.Or(p.Model.Left, p.NewBudget())
	}
	if o == nil {
		p.Done()
		return nil
	}
	plan := planOf(o)
	if leavesOut(plan.Ranks, s.best.Ranks) || plan.Waits && !s.best.Waits {
		s.Doubt = s.Doubt || !plan.Proven
		p.Done()
		return nil
	}
	return &trial{p, o, plan}
}

// outcomeOf is the plan of a problem, on what is free or once leaving members are gone. Without one there is doubt, unless that is proven.
func (s *Search) outcomeOf(p *problem.Problem) *outcome.Outcome {
	if stopped(p.Bounds.Stop) {
		s.Doubt = true
		return nil
	}
	if o := search.Best(p); o != nil {
		return o
	}
	if o := search.Wait(p); o != nil {
		return o
	}
	p.Room.LeavingGone = search.Awaits(p)
	if !s.Doubt || p.Bounds.Left != nil { // those who share the steps count on it
		s.Doubt = !search.For(p).Evidence().Proven() || s.Doubt
	}
	return nil
}

func stopped(stop <-chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

// members is the number of all members, those that run and stay included.
func (s *Search) members() int {
	p := cmp.Or(s.p.Unbundled, s.p)
	return len(p.Model.Pending) + p.Model.Running.Len()
}

// planOf is what counts of a plan.
func planOf(o *outcome.Outcome) Plan {
	p, n := o.Of, len(o.Positions)
	if p.Unbundled != nil { // whole groups are placed like members
		p, n = p.Unbundled, n*p.Room.Size()
	}
	out := Plan{Ranks: make([]int, n), Waits: len(o.WaitsFor()) > 0, Proven: p.ProvenBest()}
	for i := range out.Ranks {
		out.Ranks[i] = p.Model.Pending[i]
	}
	return out
}

// leavesOut says whether a plan places fewer members than another one, or some of higher ranks in the place of lower ones, however many
// there are beside these.
func leavesOut(ranks, were []int) bool {
	return len(ranks) < len(were) || slices.Compare(ranks[:len(were)], were) > 0
}

// triedOneByOne bounds the excesses that are tried one after the other.
const triedOneByOne = 32

// leastExcess is the least number below n that fits, else n. A looser limit is never harder to keep, but for gangs that wait: other members
// may come beside the waiting ones then, so that the first few numbers are tried one by one.
func leastExcess(n int, waits bool, fits func(excess int) bool) int {
	first := 0
	for ; waits && first < min(n, triedOneByOne); first++ {
		if fits(first) {
			return first
		}
	}
	return first + sort.Search(n-first, func(i int) bool { return fits(first + i) })
}
