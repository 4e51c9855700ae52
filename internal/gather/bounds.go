// Which parts of the tree hold no domain that is better than the best so far?

package gather

import (
	"cmp"
	"math"
	"math/bits"
	"sort"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/keys"
	"github.com/muster-sched/muster/internal/layout"
)

// allWorse says whether the index proves that no domain of the gang's tier at or below x comes before the best so far:
// each keeps fewer groups whole, or as many in a wider span, or as many in as wide a span and is packed no better.
// False proves nothing. O(tiers + depth + log children), beside the span of the best so far, which is counted once.
//
// It compares bounds in the order of the keys. Each number of the index is at least as good as that of any domain below
// x. So a bound that is worse decides for all of them, and only a bound that is equal leads to the next key. At the
// root the index counts nodes outside the tree too, also where they are not used: the bounds are looser there, never
// wrong.
//
// Without running members of the gang, and with an index: the caller looks at both.
//
// Same answer as order: domain.1 to domain.6, faster.
func (f *found) allWorse(best *candidate, x layout.Vertex) bool {
	// x is a candidate. If its parent was looked at for the same best, no child keeps more groups whole or has a
	// narrower span, and no anchors tell them apart, so packing is the first key that x can win. Else nothing is known.
	if f.m.View.TierOf(x) <= f.strategy.Gang {
		narrowest := f.known.below(f.m.View.Above(x)).narrowest
		return narrowest > 0 && narrowest >= best.span && f.isBehind(f.comparePacking(x, best.domain), best.domain, x)
	}
	f.known = known{at: x} // forgets what was known of an earlier best
	i := f.m.View.TierIndex(f.strategy.Gang)
	if c := f.compareMostIntact(best, x, i); c != 0 {
		return c < 0
	}
	if f.ask.keySet().Before(keys.Span) != 0 {
		return false // the index does not count anchors, which come before the span
	}
	if i > 0 { // nodes have no span
		if c := f.compareLeastSpan(best, x, i); c != 0 {
			return c > 0
		}
		// The candidates below x are its children, and none has a narrower span than the best so far. More slots than
		// the best has are then worse packing (under Spread they are better).
		f.known.narrowest = best.span
		if !f.ask.rules.Roomy {
			f.known.enough = f.ask.slots.At(best.domain)
		}
	}
	return f.packsWorse(best.domain, x, i)
}

// compareLeastSpan compares a lower bound of the spans of all domains of the tier at place i below x with the span of the best so far, which is
// counted: above 0 if every domain needs more children, below 0 if one may need fewer, 0 if those domains are the children of x and none does.
func (f *found) compareLeastSpan(best *candidate, x layout.Vertex, i int) int {
	if f.knowSpan(best); best.span < 1 || best.span > index.TopSize {
		return -1 // the index tells nothing
	}
	// The most slots that the n largest children of one domain hold.
	tops := func(n int64) int64 { return f.ask.slots.Ix.MostInTop(i, x, n) }
	least := f.leastForGroups(x, i)
	switch {
	case tops(best.span) < f.ask.members || least > best.span:
		return 1
	// Where the children of x are not the candidates, some may be nodes, which have the span 0.
	case f.m.View.Gaps[i][x] != 1 || f.m.View.HoldsNodes(x),
		best.span > 1 && least < best.span && tops(best.span-1) >= f.ask.members:
		return -1
	}
	return 0
}

// leastForGroups is a lower bound, in children, of the span that the groups need in any domain of the tier at place i
// below x, where each group must lie in one child; 0 if nothing is known, above [index.TopSize] if the best children
// that the index knows do not suffice. O(log TopSize).
func (f *found) leastForGroups(x layout.Vertex, i int) int64 {
	if f.ask.indexed == nil {
		return 0
	}
	t := f.m.View.TierIndex(f.strategy.Groups[0])
	if t >= i {
		return 0 // groups may be split between the children
	}
	groups := f.ask.full
	if f.ask.short > 0 && int64(f.ask.indexed.Rest[t].At(x)) < f.ask.short {
		groups++ // the whole groups leave room for the short one nowhere, so it takes the place of a whole one
	}
	// Tops may count more groups for n children than there are, never fewer: the n found is never too large.
	switch {
	case i > 1 && f.ask.indexed.Tops == nil:
		if f.ask.indexed.Most(i, t, x) < groups {
			return index.TopSize + 1
		}
		return 1
	case i > 1:
		tops := f.ask.indexed.Tops[i][t].From(x * index.TopSize)[:index.TopSize]
		return int64(sort.Search(index.TopSize, func(n int) bool { return int64(tops[n]) >= groups })) + 1
	}
	// The children are nodes: none holds more groups than the largest. Where that holds none, 1 is still a bound.
	each := max(1, int64(f.ask.slots.Ix.Most[0].At(x))/f.ask.sizes[0])
	return (groups + each - 1) / each
}

// compareMostIntact compares an upper bound of the intact groups of all domains of the tier at place i below x with
// those of the best so far; below 0 if every domain keeps fewer, above 0 if one may keep more. O(tiers).
//
// The bound takes the largest number of each tier by itself, maybe of different domains. Such a vector is no smaller
// than that of any single domain.
func (f *found) compareMostIntact(best *candidate, x layout.Vertex, i int) int {
	if len(f.m.Levels) > 0 && !f.ask.isCounted() {
		return 1 // not known: begun groups
	}
	if f.ask.isAbove(i) {
		return 0 // not compared above the domains that are counted
	}
	n := 0
	for level, tier := range f.strategy.Groups { // from below the strategy's tier down to 0, as eachIntact yields them
		for t := f.m.View.TierIndex(tier - 1); t >= 0; t-- {
			all := f.ask.unitsOf(level)
			most := all + 1
			if t < i { // else a domain of the gang's tier lies in one of tier t, and may keep all whole
				most = f.ask.counted(level).Most(i, t, x)
			}
			// The short group takes a place that full ones leave, or what they leave over in a domain.
			if f.ask.short == 0 || most <= all && int64(f.ask.counted(level).Rest[t].At(x)) < f.ask.short {
				most = min(most, all)
			} else {
				most = min(most, all) + 1
			}
			if c := cmp.Compare(most, best.intact[n]); c != 0 {
				return c
			}
			n++
		}
	}
	return 0
}

// packsWorse says whether comparePacking prefers the best so far to every domain of the tier at place i below x, or
// finds them equal where only the order of paths is left. The walk follows that order, so what it meets later comes
// behind. O(depth + log children).
func (f *found) packsWorse(best, x layout.Vertex, i int) bool {
	switch {
	case i == 0 && f.nodesMayBeBetter(best):
		return false
	case i == 0 && f.ask.rules.Hosts: // slots do not count
		return f.isBehind(0, best, x)
	}
	// First the slots of the domains, by a bound: equal slots lead on to the parents, whose slots are bounded or known.
	compare := func(slots int64, with layout.Vertex) int {
		return f.ask.rules.CompareSlots(slots, f.ask.slots.At(with))
	}
	gap := f.m.View.Gaps[i][x]
	slots := f.bestSlots(x, i, gap)
	if c := compare(slots, best); c != 0 || gap == 0 {
		return c > 0 // with gap 0 the parents are unknown, so equal slots prove nothing
	}
	up := f.m.View.Above(best)
	if gap == 2 { // the parents are children of x, with at least the slots of the domain
		if c := compare(f.bestChild(x, slots), up); c != 0 {
			return c > 0
		}
		up = f.m.View.Above(up)
	}
	// From x up the slots are those of every domain below it.
	for at := x; at != up && at >= 0 && up >= 0; at, up = f.m.View.Above(at), f.m.View.Above(up) {
		if c := compare(f.ask.slots.At(at), up); c != 0 {
			return c > 0
		}
	}
	return f.isBehind(0, best, x)
}

// nodesMayBeBetter says whether other nodes may be better than the best one, whatever their slots: zones and waste come before these, host scores in
// place of them, and the index has none of them.
func (f *found) nodesMayBeBetter(best layout.Vertex) bool {
	return f.ask.has(features.Wasteful) || f.ask.has(features.Aligned) && f.m.Room.Zones(best) > f.m.Room.LeastZones() || f.ask.rules.Hosts && f.ask.has(features.Scored)
}

// isBehind says whether x comes after an earlier domain, given their order by all keys before the scores. If no score
// can tell them apart, the earlier one in the order of paths wins.
func (f *found) isBehind(order int, best, x layout.Vertex) bool {
	return order > 0 || order == 0 && !f.scoresTell(best, x)
}

// bestSlots bounds the slots of every domain of the tier at place i below x that can hold the ask: no such domain has
// fewer, under Spread none has more. math.MaxInt64 if there is no such domain.
func (f *found) bestSlots(x layout.Vertex, i int, gap int8) int64 {
	ix := f.ask.slots.Ix
	switch {
	case f.ask.rules.Roomy:
		return int64(ix.Most[i].At(x))
	case i == 0 && f.ask.members < 63:
		// Bit s: some node has s slots; the last bit stands for 63 and more, so that 63 still is a lower bound.
		if above := ix.Values.At(x) >> f.ask.members; above != 0 {
			return f.ask.members + int64(bits.TrailingZeros64(above))
		}
		return math.MaxInt64
	case gap == 1 && !f.m.View.HoldsNodes(x):
		return f.bestChild(x, f.ask.members)
	}
	return f.ask.members // what cannot hold the members is no candidate
}

// bestChild is the fewest slots of a child of x that has at least so many, math.MaxInt64 if none has; under Spread it
// is the most slots of a child. The children are domains. O(log children).
func (f *found) bestChild(x layout.Vertex, least int64) int64 {
	sums := f.ask.slots.Ix.SumsOf(x)
	if f.ask.rules.Roomy {
		return sums.Child(1)
	}
	switch last := sums.Child(sums.Len); { // Child(1) is the largest
	case last >= least:
		return last
	case sums.Child(1) < least:
		return math.MaxInt64
	}
	return sums.Child(sums.AtLeast(least))
}

// gap is the interval of positions in which the only new member restores the order of ranks: between the running
// members right before and right behind it in rank order, their positions included.
type gap struct {
	first, last int32
	open        bool // false: several new members, none runs, multiples, or the two lie the wrong way round
}

// inGap are the children [first, end) of x that have room in the gap, empty if the gap is closed. They come before
// other children that are equal otherwise. Children are intervals of positions, so those that meet the gap are an
// interval, of which some at its ends may have no room. O(log children), beside the search for room.
//
// order: sets.8
func (a *ask) inGap(x layout.Vertex) (first, end layout.Vertex) {
	lo, hi := a.m.View.Kids(x)
	if !a.gap.open {
		return lo, lo
	}
	n := int(hi - lo)
	first = lo + layout.Vertex(sort.Search(n, func(i int) bool { return a.m.View.EndOf(lo+layout.Vertex(i)) > a.gap.first }))
	end = lo + layout.Vertex(sort.Search(n, func(i int) bool { return a.m.View.First(lo+layout.Vertex(i)) > a.gap.last }))
	for first < end && !a.hasRoomInGap(first) {
		first++
	}
	for first < end && !a.hasRoomInGap(end-1) {
		end--
	}
	return first, max(first, end)
}

// hasRoomInGap says whether a member fits below x at a position of the gap. Only domains that reach beyond an end of
// the gap are looked into. O(children of these).
func (a *ask) hasRoomInGap(x layout.Vertex) bool {
	first, end := a.m.View.First(x), a.m.View.EndOf(x)
	switch {
	case a.slots.At(x) <= 0 || end <= a.gap.first || first > a.gap.last:
		return false
	case first >= a.gap.first && end-1 <= a.gap.last:
		return true
	}
	lo, hi := a.m.View.Kids(x)
	for c := lo; c < hi; c++ {
		if a.hasRoomInGap(c) {
			return true
		}
	}
	return false
}
