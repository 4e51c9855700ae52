package placement

import (
	"iter"

	"github.com/muster-sched/muster/internal/layout"
)

// strategy bounds the tiers of the gang and of each group level by what they are worth.
type strategy struct {
	gang   int32
	groups []int32
}

// strategies enumerates every strategy the rules allow, best first: the gang's tier, then the groups', outermost
// first. For k tiers and one level of groups these are the k(k+1)/2 strategies of the gather search. The slice of groups is
// the iterator's.
func (p *problem) strategies() iter.Seq[strategy] {
	return func(yield func(strategy) bool) {
		groups := make([]int32, len(p.levels))
		for _, t := range p.gather.worths {
			if !p.groupTiers(0, t, groups, func() bool { return yield(strategy{gang: t, groups: groups}) }) {
				return
			}
		}
	}
}

// groupTiers enumerates the tiers of group level i and inwards; outer is the tier of what surrounds them. A tier at or
// above outer binds nothing more, so the first of these is the last.
func (p *problem) groupTiers(i int, outer int32, groups []int32, yield func() bool) bool {
	if i == len(groups) {
		return yield()
	}
	for _, t := range p.levels[i].gather.worths {
		groups[i] = t
		if !p.groupTiers(i+1, min(t, outer), groups, yield) {
			return false
		}
		if t >= outer {
			break
		}
	}
	return true
}

// loosest is the strategy for a gang tier that binds groups by nothing but the hard rules.
func (p *problem) loosest(gang int32) strategy {
	s := strategy{gang: gang}
	for _, l := range p.levels {
		s.groups = append(s.groups, l.gather.must)
	}
	return s
}

// found is a strategy under which the groups that are begun can be completed, with the sums for it.
type found struct {
	p        *problem
	ask      *ask
	sums     *sums
	strategy strategy
	known    known // while domains are compared, of those right below the one that is looked into
	better   int   // how often a domain was the best so far
}

// known is that no domain has a narrower span or keeps more groups whole than the best so far, and that none with more than
// enough slots is better; 0 where it is not known.
type known struct{ narrowest, enough int64 }

// feasible enumerates the strategies that may hold the ask, best first. Each is good until the next is asked for.
func (a *ask) feasible() iter.Seq[found] {
	return func(yield func(found) bool) {
		tier, possible := int32(-1), false
		for st := range a.p.strategies() {
			if st.gang != tier {
				tier, possible = st.gang, a.possibleAt(st.gang)
			}
			if !possible {
				continue
			}
			if s, fits := a.newSums(st.groups); fits && !yield(found{p: s.p, ask: s.ask, sums: s, strategy: st}) {
				return
			}
		}
	}
}

// possibleAt says whether it is worth looking at a gang tier: not if no domain holds the ask while groups are bound by
// nothing but the hard rules. One look at the index tells as much for every strategy.
func (a *ask) possibleAt(t int32) bool {
	if len(a.p.levels) == 0 || a.indexed != nil {
		return true
	}
	return a.holds(a.p.loosest(t))
}

// holds says whether any domain can hold the ask under a strategy.
func (a *ask) holds(st strategy) bool {
	s, fits := a.newSums(st.groups)
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
		if f.p.lca < 0 {
			f.walk(layout.Root, f.p.v.TierIndex(f.strategy.gang), skip, yield)
			return
		}
		if d := f.p.aboveRunning(f.strategy.gang); d >= 0 && f.sums.takes(d) {
			yield(d)
		}
	}
}

// walk is domains below x; i is the place of the gang's tier.
func (f *found) walk(x layout.Vertex, i int, skip func(x layout.Vertex) bool, yield func(layout.Vertex) bool) bool {
	switch {
	case f.ask.slots.at(x)+f.p.forced.At(x) < f.ask.members:
		return true
	case f.p.v.TierOf(x) > f.strategy.gang && f.ask.slots.flat == nil && !f.mayHold(x, i), skip != nil && skip(x):
		return true
	case f.p.v.TierOf(x) <= f.strategy.gang:
		return !f.sums.takes(x) || yield(x)
	}
	lo, end := f.p.v.Kids(x)
	known, better := f.known, f.better
	for c := lo; c < end; c++ {
		if known.enough > 0 && int64(f.ask.slots.ix.Domains.At(c)) > known.enough {
			continue
		}
		f.known = known
		if !f.walk(c, i, skip, yield) {
			return false
		}
		if skip != nil && f.better != better { // what is known of the rest was told of another one
			if skip(x) {
				return true
			}
			known, better = f.known, f.better
		}
	}
	return true
}

// mayHold is false if no domain of the tier at place i below x can hold the ask, by the index.
func (f *found) mayHold(x layout.Vertex, i int) bool {
	if int64(f.ask.slots.ix.Most[i].At(x)) < f.ask.members {
		return false
	}
	if f.ask.indexed == nil {
		return true
	}
	if t := f.p.v.TierIndex(f.strategy.groups[0]); t < i {
		return int64(f.ask.indexed.Most[i][t].At(x)) >= f.ask.full
	}
	return true
}

// candidates lists the domains of a gang tier. While members run there is at most one: it is above them all.
func (p *problem) candidates(t int32) []layout.Vertex {
	if p.lca < 0 {
		return p.v.DomainsOf(t)
	}
	if d := p.aboveRunning(t); d >= 0 {
		return []layout.Vertex{d}
	}
	return nil
}

// aboveRunning is the domain of a tier that holds all running members of the gang, -1 if there is none.
func (p *problem) aboveRunning(t int32) layout.Vertex {
	if p.v.TierOf(p.lca) > t {
		return -1
	}
	return p.v.Named(p.v.Highest(p.lca, t))
}
