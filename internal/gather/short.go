// At which tier does the short last group stay whole, and beside how many full groups?

package gather

import (
	"math"

	"github.com/muster-sched/muster/internal/layout"
)

// placesShort says whether the short group is placed with the n units of a level, and sets room for it among the children
// then (WithRest): with groups that all stay whole at tier at, s*, or with members. If these groups take every place for
// a whole one, single members that are placed too come with the short group. O(children), beside roomForShort.
//
// order: short.4
func (pl placer) placesShort(x layout.Vertex, level int, at int32, n int64, singles bool, kids children) bool {
	if level < pl.ask.bottom() {
		spare := -n // places for whole groups that are not taken
		for i := range kids.items {
			spare += kids.items[i].Hi
		}
		if !pl.roomForShort(x, at, spare, kids) {
			return false
		}
		if !singles || spare > 0 {
			return true
		}
		for i := range kids.items {
			it := &kids.items[i]
			kids.of[i].able, it.WithRest = it.WithRest == it.Hi, -1
		}
		return false
	}
	for i := range kids.items {
		if it := &kids.items[i]; kids.of[i].able {
			it.WithRest = it.Hi - pl.ask.short
		}
	}
	return true
}

// roomForShort sets, for each child, how many whole groups fit beside the short one (WithRest, -1: the short one does
// not fit), and says whether it fits into any child. All groups stay whole at tier at, s*, with places to spare for
// others; the short one stays whole at the smallest tier that leaves them their places. O(tiers * vertices below x) at
// worst; mostly the first domains looked into hold it.
//
// order: short.1
func (pl placer) roomForShort(x layout.Vertex, at int32, spare int64, kids children) bool {
	for _, t := range pl.m.View.TiersBelow(pl.m.View.TierOf(x)) {
		if pl.sums.rulesOutShort(at, t, x) {
			continue
		}
		room := false
		for i := range kids.items {
			it := &kids.items[i]
			it.WithRest = min(it.Hi, pl.sums.beside(at, t, kids.of[i].at, math.MaxInt64))
			room = room || it.WithRest >= it.Lo && it.Hi-it.WithRest <= spare
		}
		if room {
			return true
		}
	}
	return false
}

// roomBesideMost finds the children of x that the short group may lie in, where full groups are split and each child has
// those that it can hold whole: beside these, whole at the smallest tier that a child leads to. O(tiers * vertices below
// x) at worst.
//
// order: short.3
func (pl placer) roomBesideMost(x layout.Vertex, kids children) {
	for _, t := range pl.m.View.TiersBelow(pl.m.View.TierOf(x)) {
		room := false
		for i := range kids.of {
			kid := &kids.of[i]
			left := pl.sums.whole(pl.ask.bottom(), 0, kid.at) - kids.items[i].Given*pl.ask.sizes[0]
			kid.able = left >= pl.ask.short && pl.sums.leads(t, kid.at)
			room = room || kid.able
		}
		if room {
			return
		}
	}
}

// beside(at, t) = most groups of x, each within one domain of tier at, if the short group lies in one domain of tier t; -1: it does not
// fit. Groups that could stay within a lower tier come first: up to least of them must. at is s* in docs/order/4-children.md, for x and the
// vertices above it; least is the number of groups that these can keep within lower tiers.
// O(vertices below x) at worst, O(1) for t = at without begun groups.
//
// order: short.1
func (s *sums) beside(at, t int32, x layout.Vertex, least int64) int64 {
	most, left := s.whole(0, at, x), s.whole(s.ask.bottom(), 0, x)-s.ask.short
	if left < 0 || s.rulesOutShort(at, t, x) {
		return -1
	}
	n := min(most, left/s.ask.sizes[0])
	if below := s.m.View.TiersBelow(at); len(below) > 0 {
		least = min(least, s.whole(0, below[len(below)-1], x))
	} else {
		least = 0
	}
	switch tier := s.m.View.TierOf(x); {
	case tier > max(at, t):
		n = min(n, s.besideGathered(at, t, x, least))
	case tier > t && !s.leads(t, x):
		return -1
	}
	if n < least {
		return -1 // groups that could stay whole at a lower tier come first
	}
	return n
}

// besideGathered is beside for x above both tiers, from its children: one of them takes the short group, at the least
// cost in whole ones.
func (s *sums) besideGathered(at, t int32, x layout.Vertex, least int64) int64 {
	if s.reserved == nil && t == at { // the children are domains of one kind: what the best of them leaves over tells
		if s.rest(at, x) >= s.ask.short {
			return s.whole(0, at, x)
		}
		return s.whole(0, at, x) - 1
	}
	var sum int64
	cost := int64(-1) // unknown
	lo, end := s.m.View.Kids(x)
	for c := lo; c < end && (cost != 0 || s.reserved != nil); c++ {
		whole := s.whole(0, at, c)
		sum += whole
		if n := s.beside(at, t, c, least); n >= 0 && (cost < 0 || whole-n < cost) {
			cost = whole - n
		}
	}
	switch {
	case cost < 0:
		return -1
	case s.reserved == nil:
		sum = s.whole(0, at, x)
	}
	return sum - cost
}

// leads says whether the short group, which lies in x beside all groups that x can hold, can be whole in one domain of
// tier t: each vertex from there up to x, x left out, holds it beside all groups that the vertex can hold. O(vertices
// below x) at worst.
//
// order: short.3
func (s *sums) leads(t int32, x layout.Vertex) bool {
	if s.m.View.TierOf(x) <= t {
		return true
	}
	if s.ask.indexed != nil && s.rest(t, x) < s.ask.short {
		return false // the last of these vertices is a domain of tier t
	}
	lo, end := s.m.View.Kids(x)
	for c := lo; c < end; c++ {
		if s.ownRest(c) >= s.ask.short && s.leads(t, c) {
			return true
		}
	}
	return false
}

// rulesOutShort is true only if no domain of tier t below x has room for the short group, t below s*: there all groups
// that a domain can hold come first, so it needs what they leave over. O(1).
func (s *sums) rulesOutShort(at, t int32, x layout.Vertex) bool {
	return t < at && s.reserved == nil && s.m.View.TierOf(x) > t && s.rest(t, x) < s.ask.short
}

// keepsShort says whether the short group stays whole in one domain of tier t where the ask is placed below d, beside as
// many full groups as can stay whole. d takes the ask, and t is below the tier of the groups. O(tiers + vertices below d)
// at worst, O(1) if all full groups stay whole at t.
//
// order: domain.1
func (s *sums) keepsShort(d layout.Vertex, t int32) bool {
	switch whole := s.whole(0, t, d); {
	case whole > s.ask.full:
		return true
	case s.rest(t, d) < s.ask.short:
		return false
	case whole == s.ask.full:
		return true
	}
	at := s.m.View.TierOf(d) // s*
	for _, higher := range s.m.View.TiersBelow(at) {
		if higher > t && s.whole(0, higher, d) >= s.ask.full {
			at = higher
			break
		}
	}
	below := s.m.View.TiersBelow(at)
	if s.reserved == nil && s.whole(0, below[len(below)-1], d) == 0 && (at == s.m.View.TierOf(d) || s.whole(0, at, d) > s.ask.full) {
		return true // no full group is whole below s*, so that what holds the short one leads to it, and a place is to spare
	}
	return s.beside(at, t, d, math.MaxInt64) >= s.ask.full
}
