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
	if f.v.tierOf(x) <= f.gang {
		return f.known.narrowest > 0 && f.known.narrowest >= best.span && f.isBehind(f.comparePacking(x, best.domain), best.domain, x)
	}
	f.known = known{}
	i := f.v.tierIndex(f.gang)
	if c := f.compareMostIntact(best, x, i); c != 0 {
		return c < 0
	}
	if len(f.friends) > 0 {
		return false
	}
	if i > 0 {
		f.knowSpan(best)
		if best.span < 1 || best.span > topSize {
			return false
		}
		tops := func(n int64) int64 { return int64(f.slots.ix.tops[i].at(x*topSize + int32(n) - 1)) }
		least := f.leastForGroups(x, i)
		switch {
		case tops(best.span) < f.members || least > best.span:
			return true
		case f.v.gaps[i][x] != 1 || f.v.isNode(f.v.firstKid[x]),
			best.span > 1 && least < best.span && tops(best.span-1) >= f.members:
			return false // one may have a narrower span
		}
		f.known.narrowest = best.span
		if f.policy != gang.Spread {
			f.known.enough = f.slots.at(best.domain)
		}
	}
	return f.packsWorse(best.domain, x, i)
}

// leastForGroups is how many children of a domain of the tier at place i below x the groups take at least, where each must
// lie in one child; above topSize if they are more than the index knows of.
func (f *found) leastForGroups(x vertex, i int) int64 {
	if f.indexed == nil {
		return 0
	}
	t := f.v.tierIndex(f.groups[0])
	if t >= i {
		return 0
	}
	groups := f.full
	if f.short > 0 && int64(f.indexed.rest[t].at(x)) < f.short {
		groups++ // the short one takes the place of a whole one
	}
	if i > 1 {
		tops := f.indexed.tops[i][t].from(x * topSize)[:topSize]
		return int64(sort.Search(topSize, func(n int) bool { return int64(tops[n]) >= groups })) + 1
	}
	each := max(1, int64(f.slots.ix.most[0].at(x))/f.sizes[0])
	return (groups + each - 1) / each
}

// compareMostIntact compares the most groups that one domain of the tier at place i below x may keep whole with those of
// the best so far; below 0 if they are fewer.
func (f *found) compareMostIntact(best *candidate, x vertex, i int) int {
	switch {
	case len(f.levels) == 0:
		return 0
	case f.indexed == nil:
		return 1 // not known
	}
	n := 0
	for t := f.v.tierIndex(f.groups[0] - 1); t >= 0; t-- {
		most := f.full
		if t < i {
			most = min(most, int64(f.indexed.most[i][t].at(x)))
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
	if i == 0 && (f.policy == gang.ByScore && f.scored() || f.aligned && f.zonesOn(best) > f.leastZones()) {
		return false
	}
	compare := func(slots int64, with vertex) int { return f.compareFree(slots, f.slots.at(with)) }
	gap := f.v.gaps[i][x]
	slots := f.bestSlots(x, i, gap)
	if c := compare(slots, best); c != 0 || gap == 0 {
		return c > 0
	}
	up := f.v.above(best)
	if gap == 2 {
		if c := compare(f.bestChild(x, slots), up); c != 0 {
			return c > 0
		}
		up = f.v.above(up)
	}
	for x != up && x >= 0 && up >= 0 {
		if c := compare(f.slots.at(x), up); c != 0 {
			return c > 0
		}
		x, up = f.v.above(x), f.v.above(up)
	}
	return f.isBehind(0, best, x)
}

// isBehind says what a comparison of x with an earlier domain means where only scores and the order of paths come after.
func (f *found) isBehind(order int, best, x vertex) bool {
	return order > 0 || order == 0 && !f.scoresTell(best, x)
}

// bestSlots is a bound for the slots of the domains of a tier below x that can hold the ask: the fewest, under Spread the most.
func (f *found) bestSlots(x vertex, i int, gap int8) int64 {
	ix := f.slots.ix
	switch {
	case f.policy == gang.Spread:
		return int64(ix.most[i].at(x))
	case i == 0 && f.members < 63:
		if above := ix.values.at(x) >> f.members; above != 0 {
			return f.members + int64(bits.TrailingZeros64(above))
		}
		return math.MaxInt64
	case gap == 1 && !f.v.isNode(f.v.firstKid[x]):
		return f.bestChild(x, f.members)
	}
	return f.members
}

// bestChild is the fewest slots, but no fewer than that, of a child of x, the children being domains; under Spread the most.
func (f *found) bestChild(x vertex, least int64) int64 {
	sums := f.slots.ix.sumsOf(x)
	if f.policy == gang.Spread {
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
