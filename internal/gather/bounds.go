package gather

import (
	"cmp"
	"math"
	"math/bits"
	"sort"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
)

// allWorse says whether no domain of the gang's tier below x, or x itself, comes before the best so far, by what the index knows: they
// keep fewer groups whole, or as few and have a wider span, or as wide a one and are packed worse.
//
// Same answer as order: domain.1 to domain.6, faster.
func (f *found) allWorse(best *candidate, x layout.Vertex) bool {
	if f.p.View.TierOf(x) <= f.strategy.Gang {
		narrowest := f.known.below(f.p.View.Above(x)).narrowest
		return narrowest > 0 && narrowest >= best.span && f.isBehind(f.comparePacking(x, best.domain), best.domain, x)
	}
	f.known = known{at: x}
	i := f.p.View.TierIndex(f.strategy.Gang)
	if c := f.compareMostIntact(best, x, i); c != 0 {
		return c < 0
	}
	if len(f.p.Friends) > 0 {
		return false
	}
	if i > 0 {
		f.knowSpan(best)
		if best.span < 1 || best.span > index.TopSize {
			return false
		}
		tops := func(n int64) int64 { return int64(f.ask.slots.Ix.Tops[i].At(x*index.TopSize + int32(n) - 1)) }
		least := f.leastForGroups(x, i)
		switch {
		case tops(best.span) < f.ask.members || least > best.span:
			return true
		case f.p.View.Gaps[i][x] != 1 || f.p.View.IsNode(f.p.View.FirstKid[x]),
			best.span > 1 && least < best.span && tops(best.span-1) >= f.ask.members:
			return false // one may have a narrower span
		}
		f.known.narrowest = best.span
		if f.p.Policy != gang.Spread {
			f.known.enough = f.ask.slots.At(best.domain)
		}
	}
	return f.packsWorse(best.domain, x, i)
}

// leastForGroups is how many children of a domain of the tier at place i below x the groups take at least, where each must
// lie in one child; above topSize if they are more than the index knows of.
func (f *found) leastForGroups(x layout.Vertex, i int) int64 {
	if f.ask.indexed == nil {
		return 0
	}
	t := f.p.View.TierIndex(f.strategy.Groups[0])
	if t >= i {
		return 0
	}
	groups := f.ask.full
	if f.ask.short > 0 && int64(f.ask.indexed.Rest[t].At(x)) < f.ask.short {
		groups++ // the short one takes the place of a whole one
	}
	if i > 1 {
		tops := f.ask.indexed.Tops[i][t].From(x * index.TopSize)[:index.TopSize]
		return int64(sort.Search(index.TopSize, func(n int) bool { return int64(tops[n]) >= groups })) + 1
	}
	each := max(1, int64(f.ask.slots.Ix.Most[0].At(x))/f.ask.sizes[0])
	return (groups + each - 1) / each
}

// compareMostIntact compares the most groups that one domain of the tier at place i below x may keep whole with those of
// the best so far; below 0 if they are fewer.
func (f *found) compareMostIntact(best *candidate, x layout.Vertex, i int) int {
	switch {
	case len(f.p.Levels) == 0:
		return 0
	case f.ask.indexed == nil:
		return 1 // not known
	}
	n := 0
	for t := f.p.View.TierIndex(f.strategy.Groups[0] - 1); t >= 0; t-- {
		most := f.ask.full
		if t < i {
			most = min(most, int64(f.ask.indexed.Most[i][t].At(x)))
		}
		if c := cmp.Compare(most, best.intact[n]); c != 0 {
			return c
		}
		n++
	}
	return 0
}

// packsWorse says whether comparePacking prefers the best so far to every domain of the tier at place i below x, or finds them
// equal where the order of paths decides: what comes later in a walk is behind.
func (f *found) packsWorse(best, x layout.Vertex, i int) bool {
	fewerZones := f.p.ZoneState.Aligned && i == 0 && f.p.Zones().ZonesOn(best) > f.p.Zones().LeastZones()
	if i == 0 && f.p.Policy == gang.ByScore && f.p.Scored() || fewerZones {
		return false
	}
	compare := func(slots int64, with layout.Vertex) int { return f.p.CompareFree(slots, f.ask.slots.At(with)) }
	gap := f.p.View.Gaps[i][x]
	slots := f.bestSlots(x, i, gap)
	if c := compare(slots, best); c != 0 || gap == 0 {
		return c > 0
	}
	up := f.p.View.Above(best)
	if gap == 2 {
		if c := compare(f.bestChild(x, slots), up); c != 0 {
			return c > 0
		}
		up = f.p.View.Above(up)
	}
	for x != up && x >= 0 && up >= 0 {
		if c := compare(f.ask.slots.At(x), up); c != 0 {
			return c > 0
		}
		x, up = f.p.View.Above(x), f.p.View.Above(up)
	}
	return f.isBehind(0, best, x)
}

// isBehind says what a comparison of x with an earlier domain means where only scores and the order of paths come after.
func (f *found) isBehind(order int, best, x layout.Vertex) bool {
	return order > 0 || order == 0 && !f.scoresTell(best, x)
}

// bestSlots is a bound for the slots of the domains of a tier below x that can hold the ask: the fewest, under Spread the most.
func (f *found) bestSlots(x layout.Vertex, i int, gap int8) int64 {
	ix := f.ask.slots.Ix
	switch {
	case f.p.Policy == gang.Spread:
		return int64(ix.Most[i].At(x))
	case i == 0 && f.ask.members < 63:
		if above := ix.Values.At(x) >> f.ask.members; above != 0 {
			return f.ask.members + int64(bits.TrailingZeros64(above))
		}
		return math.MaxInt64
	case gap == 1 && !f.p.View.IsNode(f.p.View.FirstKid[x]):
		return f.bestChild(x, f.ask.members)
	}
	return f.ask.members
}

// bestChild is the fewest slots, but no fewer than that, of a child of x, the children being domains; under Spread the most.
func (f *found) bestChild(x layout.Vertex, least int64) int64 {
	sums := f.ask.slots.Ix.SumsOf(x)
	if f.p.Policy == gang.Spread {
		return sums.Child(1)
	}
	switch last := sums.Child(sums.Len); {
	case last >= least:
		return last
	case sums.Child(1) < least:
		return math.MaxInt64
	}
	return sums.Child(sums.AtLeast(least))
}
