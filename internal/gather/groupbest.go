package gather

import (
	"math"

	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
)

// groupSearch looks for the best domain of a tier for whole groups, where slots alone tell domains apart and none keeps a group
// whole below the tier of the groups: the narrowest span, then the fewest slots, then those of the parents.
type groupSearch struct {
	found             *found
	place, groupPlace int           // of the gang's tier, and of the groups'
	span              int64         // no domain of the tier has a narrower one
	best              layout.Vertex // so far, -1 if there is none
	free              int64         // its slots
}

// groupBest is best for such groups; false if this takes more than the index knows. How many groups the best domains hold in
// so many children stands at the root, so only what may hold domains of the narrowest span is looked into.
func (f *found) groupBest() (d layout.Vertex, ok bool) {
	if f.ask.indexed == nil || !f.sums.filler().isOrdinary() || f.strategy.Gang >= f.p.View.RootTop || f.ask.slots.Ix.Domains.At(f.p.View.Outside) > 0 {
		return -1, false
	}
	i, t := f.p.View.TierIndex(f.strategy.Gang), f.p.View.TierIndex(f.strategy.Groups[0])
	switch {
	case !f.mayHold(layout.Root, i):
		return -1, true
	case i < 2 || t >= i || t > 0 && f.ask.indexed.Most[i][t-1].At(layout.Root) > 0:
		return -1, false
	}
	g := groupSearch{found: f, place: i, groupPlace: t, best: -1, free: math.MaxInt64}
	for g.span = f.leastForGroups(layout.Root, i); g.span <= index.TopSize; g.span++ {
		if !g.walk(layout.Root) {
			return -1, false
		}
		if g.best >= 0 {
			return g.best, true
		}
	}
	return -1, false
}

// walk looks at the domains of the tier below x; false if there are nodes among them.
func (g *groupSearch) walk(x layout.Vertex) bool {
	lo, end := g.found.p.View.Kids(x)
	if g.found.p.View.IsNode(lo) {
		return lo == end
	}
	for c := lo; c < end; c++ {
		switch slots := int64(g.found.ask.slots.Ix.Domains.At(c)); {
		case slots < g.found.ask.members:
		case g.found.p.View.Tier[c] <= g.found.strategy.Gang:
			g.look(c, slots)
		case g.mayHoldIn(c) && !g.walk(c):
			return false
		}
	}
	return true
}

// mayHoldIn says whether a domain of the tier below x may hold all groups in the span.
func (g *groupSearch) mayHoldIn(x layout.Vertex) bool {
	return int64(g.found.ask.indexed.Tops[g.place][g.groupPlace].At(x*index.TopSize+int32(g.span)-1)) >= g.found.ask.full
}

// look compares a domain of the tier with the best so far.
func (g *groupSearch) look(x layout.Vertex, slots int64) {
	if slots > g.free || !g.mayLieIn(x) || !g.found.sums.takes(x) || g.found.sums.spans().spanOf(x) > g.span {
		return
	}
	if slots < g.free || g.found.comparePacking(x, g.best) < 0 {
		g.best, g.free = x, slots
	}
}

// mayLieIn says whether the best children of a domain hold all groups in the span.
func (g *groupSearch) mayLieIn(x layout.Vertex) bool {
	lo, end := g.found.p.View.Kids(x)
	if g.found.p.View.IsNode(lo) || int64(end-lo) <= g.span || g.found.p.View.Tier[x] <= g.found.p.View.Tiers[g.groupPlace] {
		return true
	}
	return int64(g.found.ask.indexed.Sums[g.groupPlace].At(lo+layout.Vertex(g.span)-1)) >= g.found.ask.full
}
