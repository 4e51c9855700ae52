package gather

import (
	"iter"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// found is a strategy under which the groups that are begun can be completed, with the sums for it.
type found struct {
	p        *problem.Problem
	ask      *ask
	sums     *sums
	strategy problem.Strategy
	known    known // while domains are compared
	better   int   // how often a domain was the best so far
}

// known is what a search knows of the domains right below one: none has a narrower span or keeps more groups whole than the
// best so far, and none with more than enough slots is better; 0 where it is not known.
type known struct {
	at                layout.Vertex
	narrowest, enough int64
}

// below is what is known of the children of x.
func (k known) below(x layout.Vertex) known {
	if k.at != x {
		return known{}
	}
	return k
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

// domains iterates over the domains that can hold the ask under the strategy, in the order of paths. Where skip says so, a
// domain is passed over with everything below it. While members run there is at most one: it is above them all.
func (f *found) domains(skip func(x layout.Vertex) bool) iter.Seq[layout.Vertex] {
	return func(yield func(layout.Vertex) bool) {
		if f.p.LCA < 0 {
			l := lister{f, f.p.View.TierIndex(f.strategy.Gang), skip, yield}
			walk(f.p.View, f.strategy.Gang, layout.Root, l.enter, l.visit)
			return
		}
		if d := f.p.AboveRunning(f.strategy.Gang); d >= 0 && f.sums.takes(d) {
			yield(d)
		}
	}
}

// lister is the walk of domains.
type lister struct {
	found *found
	place int // of the gang's tier
	skip  func(x layout.Vertex) bool
	yield func(layout.Vertex) bool
}

func (l *lister) enter(x layout.Vertex) bool {
	return l.mayHold(x) && (l.found.ask.slots.Flat != nil || l.found.mayHold(x, l.place)) && (l.skip == nil || !l.skip(x))
}

func (l *lister) visit(d layout.Vertex) verdict {
	f := l.found
	up := f.p.View.Above(d)
	if enough := f.known.below(up).enough; enough > 0 && int64(f.ask.slots.Ix.Domains.At(d)) > enough {
		return goOn
	}
	if !l.mayHold(d) || l.skip != nil && l.skip(d) || !f.sums.takes(d) {
		return goOn
	}
	better := f.better
	switch {
	case !l.yield(d):
		return stop
	case f.better != better && up >= 0 && l.skip != nil && l.skip(up): // what was known below it was told of another one
		return leave
	}
	return goOn
}

// mayHold says whether the slots below x suffice.
func (l *lister) mayHold(x layout.Vertex) bool {
	return l.found.ask.slots.At(x)+l.found.p.Forced.At(x) >= l.found.ask.members
}

// mayHold is false if no domain of the tier at place i below x can hold the ask, by the index.
func (f *found) mayHold(x layout.Vertex, i int) bool {
	if int64(f.ask.slots.Ix.Most[i].At(x)) < f.ask.members {
		return false
	}
	if f.ask.indexed == nil {
		return true
	}
	if t := f.p.View.TierIndex(f.strategy.Groups[0]); t < i {
		return int64(f.ask.indexed.Most[i][t].At(x)) >= f.ask.full
	}
	return true
}

// decide places the ask below a domain.
func (f *found) decide(d layout.Vertex) *problem.Outcome {
	sh := f.sums.placer().place(d, f.ask.everything())
	o := &problem.Outcome{Of: f.p, Domain: d, Tier: f.strategy.Gang, Positions: sh.run}
	if sh.run == nil || f.ask.bottom() > 0 {
		ar := arranger{f.p, f.ask}
		o.Positions = ar.assign(ar.arrange(&sh))
	}
	f.checkPlan(o, &sh)
	return o
}
