package placement

import (
	"cmp"
	"math"
	"math/bits"
	"sort"

	"github.com/muster-sched/muster/gang"
)

// allWorse says whether no domain of the gang's tier below x, or x itself, comes before the best so far, by what the index knows: they
// keep fewer groups whole, or as few and have a wider span, or as wide a one and are packed worse.
func (f *found) allWorse(best *candidate, x vertex) bool {
	if f.sums.ask.p.v.tierOf(x) <= f.strategy.gang {
		return f.known.narrowest > 0 && f.known.narrowest >= best.span && f.isBehind(f.comparePacking(x, best.domain), best.domain, x)
	}
	f.known = known{}
	i := f.sums.ask.p.v.tierIndex(f.strategy.gang)
	if c := f.compareMostIntact(best, x, i); c != 0 {
		return c < 0
	}
	if len(f.sums.ask.p.friends) > 0 {
		return false
	}
	if i > 0 {
		f.knowSpan(best)
		if best.span < 1 || best.span > topSize {
			return false
		}
		tops := func(n int64) int64 { return int64(f.sums.ask.slots.ix.tops[i].at(x*topSize + int32(n) - 1)) }
		least := f.leastForGroups(x, i)
		switch {
		case tops(best.span) < f.sums.ask.members || least > best.span:
			return true
		case f.sums.ask.p.v.gaps[i][x] != 1 || f.sums.ask.p.v.isNode(f.sums.ask.p.v.firstKid[x]),
			best.span > 1 && least < best.span && tops(best.span-1) >= f.sums.ask.members:
			return false // one may have a narrower span
		}
		f.known.narrowest = best.span
		if f.sums.ask.p.policy != gang.Spread {
			f.known.enough = f.sums.ask.slots.at(best.domain)
		}
	}
	return f.packsWorse(best.domain, x, i)
}

// leastForGroups is how many children of a domain of the tier at place i below x the groups take at least, where each must
// lie in one child; above topSize if they are more than the index knows of.
func (f *found) leastForGroups(x vertex, i int) int64 {
	if f.sums.ask.indexed == nil {
		return 0
	}
	t := f.sums.ask.p.v.tierIndex(f.strategy.groups[0])
	if t >= i {
		return 0
	}
	groups := f.sums.ask.full
	if f.sums.ask.short > 0 && int64(f.sums.ask.indexed.rest[t].at(x)) < f.sums.ask.short {
		groups++ // the short one takes the place of a whole one
	}
	if i > 1 {
		tops := f.sums.ask.indexed.tops[i][t].from(x * topSize)[:topSize]
		return int64(sort.Search(topSize, func(n int) bool { return int64(tops[n]) >= groups })) + 1
	}
	each := max(1, int64(f.sums.ask.slots.ix.most[0].at(x))/f.sums.ask.sizes[0])
	return (groups + each - 1) / each
}

// compareMostIntact compares the most groups that one domain of the tier at place i below x may keep whole with those of
// the best so far; below 0 if they are fewer.
func (f *found) compareMostIntact(best *candidate, x vertex, i int) int {
	switch {
	case len(f.sums.ask.p.levels) == 0:
		return 0
	case f.sums.ask.indexed == nil:
		return 1 // not known
	}
	n := 0
	for t := f.sums.ask.p.v.tierIndex(f.strategy.groups[0] - 1); t >= 0; t-- {
		most := f.sums.ask.full
		if t < i {
			most = min(most, int64(f.sums.ask.indexed.most[i][t].at(x)))
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
func (f *found) packsWorse(best, x vertex, i int) bool {
	if i == 0 && (f.sums.ask.p.policy == gang.ByScore && f.sums.ask.p.scored() || f.sums.ask.p.alignment.aligned && f.sums.ask.p.zonesOn(best) > f.sums.ask.p.leastZones()) {
		return false
	}
	compare := func(slots int64, with vertex) int { return f.sums.ask.p.compareFree(slots, f.sums.ask.slots.at(with)) }
	gap := f.sums.ask.p.v.gaps[i][x]
	slots := f.bestSlots(x, i, gap)
	if c := compare(slots, best); c != 0 || gap == 0 {
		return c > 0
	}
	up := f.sums.ask.p.v.above(best)
	if gap == 2 {
		if c := compare(f.bestChild(x, slots), up); c != 0 {
			return c > 0
		}
		up = f.sums.ask.p.v.above(up)
	}
	for x != up && x >= 0 && up >= 0 {
		if c := compare(f.sums.ask.slots.at(x), up); c != 0 {
			return c > 0
		}
		x, up = f.sums.ask.p.v.above(x), f.sums.ask.p.v.above(up)
	}
	return f.isBehind(0, best, x)
}

// isBehind says what a comparison of x with an earlier domain means where only scores and the order of paths come after.
func (f *found) isBehind(order int, best, x vertex) bool {
	return order > 0 || order == 0 && !f.scoresTell(best, x)
}

// bestSlots is a bound for the slots of the domains of a tier below x that can hold the ask: the fewest, under Spread the most.
func (f *found) bestSlots(x vertex, i int, gap int8) int64 {
	ix := f.sums.ask.slots.ix
	switch {
	case f.sums.ask.p.policy == gang.Spread:
		return int64(ix.most[i].at(x))
	case i == 0 && f.sums.ask.members < 63:
		if above := ix.values.at(x) >> f.sums.ask.members; above != 0 {
			return f.sums.ask.members + int64(bits.TrailingZeros64(above))
		}
		return math.MaxInt64
	case gap == 1 && !f.sums.ask.p.v.isNode(f.sums.ask.p.v.firstKid[x]):
		return f.bestChild(x, f.sums.ask.members)
	}
	return f.sums.ask.members
}

// bestChild is the fewest slots, but no fewer than that, of a child of x, the children being domains; under Spread the most.
func (f *found) bestChild(x vertex, least int64) int64 {
	sums := f.sums.ask.slots.ix.sumsOf(x)
	if f.sums.ask.p.policy == gang.Spread {
		return sums.child(1)
	}
	switch last := sums.child(sums.len); {
	case last >= least:
		return last
	case sums.child(1) < least:
		return math.MaxInt64
	}
	return sums.child(sums.atLeast(least))
}
