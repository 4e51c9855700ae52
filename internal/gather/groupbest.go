package gather

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// Which domain is the best for whole groups that no domain below the groups' tier keeps: the search that the index answers. And where no domain holds a group
// whole, how do the members lie? As those of a gang without groups.

// groupSearch looks for the best domain of a tier for whole groups, where slots alone tell domains apart and none keeps a
// group whole, the short one included, below the tier of the groups: the narrowest span, then the fewest slots, then those of the parents.
type groupSearch struct {
	found             *found
	place, groupPlace int             // of the gang's tier, and of the groups'
	span              int64           // no domain of the tier has a narrower one
	best              layout.Vertex   // so far, -1 if there is none
	free              int64           // its slots
	mixed             bool            // there are nodes among the domains of the tier
	counts            bool            // grandchildren count
	hold              []layout.Vertex // then: domains of that span, those packed best: the best first
}

// groupBest is best for such groups; false if this takes more than the index knows. How many groups the best domains hold
// in so many children stands at the root, or at the domain in which they must be, so only what may hold domains of the narrowest span is looked into.
//
// Same answer as order: domain.3, domain.5, faster.
func (f *found) groupBest() (d layout.Vertex, ok bool) {
	if f.ask.indexed == nil || !f.slotsTell(features.GroupBest) {
		return -1, false
	}
	i, t, top := f.m.View.TierIndex(f.strategy.Gang), f.m.View.TierIndex(f.strategy.Groups[0]), topOf(&f.ask.slots)
	switch {
	case !f.mayHold(top, i):
		return -1, true
	case i < 2 || t >= i || f.ask.indexed.Tops == nil || t > 0 && f.ask.indexed.Most(i, t-1, top) > 0:
		return -1, false
	case t > 0 && f.ask.short > 0 && int64(f.ask.indexed.Rest[t-1].At(top)) >= f.ask.short:
		return -1, false // the short group may stay whole below the groups' tier
	}
	g := groupSearch{found: f, place: i, groupPlace: t, best: -1, free: math.MaxInt64, counts: countsBelow(f.ask, i, t)}
	for g.span = f.leastForGroups(top, i); g.span <= index.TopSize; g.span++ {
		walk(f.m.View, f.strategy.Gang, top, g.enter, g.visit)
		if g.leastBelow(); g.mixed || g.best >= 0 {
			return g.best, !g.mixed
		}
	}
	return -1, false
}

// enter says whether a domain of the tier below x may hold all groups in the span, and be packed better than the best.
func (g *groupSearch) enter(x layout.Vertex) verdict {
	f := g.found
	if g.mixed || int64(f.ask.slots.Ix.Domains.At(x)) < f.ask.members ||
		int64(f.ask.indexed.Tops[g.place][g.groupPlace].At(x*index.TopSize+int32(g.span)-1)) < f.ask.full {
		return pass
	}
	if lo, end := f.m.View.Kids(x); f.m.View.IsNode(lo) {
		g.mixed = lo != end
		return pass
	}
	if g.best >= 0 && f.packsWorse(g.best, x, g.place) {
		return pass
	}
	return goOn
}

// visit compares a domain of the tier with the best so far.
func (g *groupSearch) visit(d layout.Vertex) verdict {
	f := g.found
	slots := int64(f.ask.slots.Ix.Domains.At(d))
	if slots < f.ask.members || slots > g.free || !g.mayLieIn(d) || !f.sums.takes(d) || f.sums.placer().spanOf(d) > g.span {
		return goOn
	}
	if g.counts {
		g.hold = keepFirst(g.hold, d, mostPriced, f.comparePacking)
		return goOn
	}
	if slots < g.free || f.comparePacking(d, g.best) < 0 {
		g.best, g.free = d, slots
	}
	return goOn
}

// mayLieIn says whether the best children of a domain hold all groups in the span.
func (g *groupSearch) mayLieIn(x layout.Vertex) bool {
	v := g.found.m.View
	lo, end := v.Kids(x)
	if v.IsNode(lo) || int64(end-lo) <= g.span || v.Tier[x] <= v.Tiers[g.groupPlace] {
		return true
	}
	return int64(g.found.ask.indexed.Sums[g.groupPlace].At(lo+layout.Vertex(g.span)-1)) >= g.found.ask.full
}

// countsBelow says whether the grandchildren of domains of the tier at place i count for groups that are whole at that at place t.
func countsBelow(a *ask, i, t int) bool {
	return a.groupsFrom > 0 && t > 0 && max(t, a.groupsFrom-1) <= i-2
}

// groupsBelow are the groups that stay whole at the tier at a place, if the index counts them in the grandchildren of x.
func groupsBelow(a *ask, x layout.Vertex, place int) (of counted, ok bool) {
	v := a.m.View
	top := v.TierIndex(v.TierOf(x))
	if a.indexed == nil || !countsBelow(a, top, place) || !isEven(v, x, top) || x == layout.Root && a.slots.Ix.Domains.At(v.Outside) > 0 {
		return of, false
	}
	return counted{a, a.indexed, place}, true
}

// isEven says whether all children of x, whose tier is at a place, are of the next tier, and their children of the one below that. O(1) where that is
// so everywhere, else O(grandchildren).
func isEven(v *layout.View, x layout.Vertex, place int) bool {
	if v.Even[place-1] && v.Even[place-2] {
		return true
	}
	if !areOf(v, x, place-1) {
		return false
	}
	lo, end := v.Kids(x)
	for c := lo; c < end; c++ {
		if c != v.Outside && !areOf(v, c, place-2) {
			return false
		}
	}
	return true
}

// leastBelow makes the domain with the fewest grandchildren in use, the first of equal ones of the list, the best.
func (g *groupSearch) leastBelow() {
	a, least := g.found.ask, leanest{at: -1}
	for _, d := range g.hold {
		of, ok := groupsBelow(a, d, g.groupPlace)
		if !ok {
			g.best = g.hold[0]
			return
		}
		least.count(of, d, a.full, g.span)
	}
	if least.at >= 0 {
		g.best = least.at
	}
}

// withoutGroups is the ask for the same members without groups, of which the same layers count.
func withoutGroups(a *ask) *ask {
	if a.alone == nil {
		m := *a.m
		m.Gather.Finest, m.Levels = finest(a.m), nil
		a.alone = newAsk(&m, a.slots, int(a.members))
	}
	return a.alone
}

// areSplit says whether no domain below x of a tier below this one holds a group of the innermost level whole, nor one of another level therefore.
// O(tiers), for the root O(tiers * children).
func areSplit(s *sums, x layout.Vertex, tier int32) bool {
	for _, t := range s.m.View.TiersBelow(tier) {
		if s.whole(s.ask.bottom()-1, t, x) > 0 {
			return false
		}
	}
	return true
}

// asMembers is the same strategy for the members without groups, where whole groups are tried on the largest domains and no domain below the gang's tier
// holds one: then domains compare as they do for members. Else nil.
//
// order: domain.3
func (f *found) asMembers() *found {
	if slices.Min(f.strategy.Groups) < f.strategy.Gang || !areSplit(f.sums, layout.Root, f.strategy.Gang) {
		return nil
	}
	a := withoutGroups(f.ask)
	s, _ := a.newSums(nil)
	return &found{m: a.m, ask: a, sums: s, strategy: model.Strategy{Gang: f.strategy.Gang}}
}
