// How many groups fit below a vertex, each whole in one domain of a tier, and does a domain hold the whole ask?

package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// sums answers how many units of a level fit below a vertex when each must lie whole in a domain of some tier. It
// belongs to one strategy: the tiers of the group levels. The index counts groups, unless some are begun or slots are
// counted for the request alone. Then tables over the domains are made when first asked for, each in one pass from the
// bottom up: O(domains), and O(nodes) where units must lie on a node.
type sums struct {
	m     *model.Model
	ask   *ask
	tiers []int32 // by level of groups
	// reserved has, by level, the units of the next level that begun groups of the level need at their homes, at each
	// home and at every vertex above it; nil: no group is begun. homes are the vertices where they are completed.
	reserved []map[layout.Vertex]int64
	homes    []layout.Vertex    // by begun group; -1: it can be completed nowhere
	fits     bool               // every begun group can be completed within the tiers
	cache    map[sumKey][]int64 // the tables made so far, by domain
}

// sumKey names a table: units of a level, each whole in a domain of a tier.
type sumKey struct {
	level int
	tier  int32
	kind  sumKind
}

// sumKind is what a table counts.
type sumKind uint8

const (
	wholeUnits sumKind = iota
	residue            // the most slots that whole units leave over in one domain of the tier
)

// newSums prepares the sums for a strategy and finds the homes of begun groups. It reports whether every begun group
// can be completed within its tier. O(begun groups * depth), beside the tables that homes need.
//
// Homes are found innermost level first: a group of level i needs room in units of level i+1, and their tables take off
// what begun groups of level i+1 have reserved. So a table is made only once the reservations of its level are known.
//
// order: homes.2
func (a *ask) newSums(tiers []int32) (*sums, bool) {
	for i, t := range tiers {
		if a.settled[i] > t { // running members alone already reach above the tier
			return &sums{m: a.m, ask: a, tiers: tiers}, false
		}
	}
	if a.isCounted() || len(a.m.Levels) == 0 { // no table belongs to one strategy, so one value serves all in turn
		a.only = sums{m: a.m, ask: a, tiers: tiers, fits: true}
		return &a.only, true
	}
	s := &sums{m: a.m, ask: a, tiers: tiers, fits: true}
	if len(a.begun) == 0 {
		return s, true
	}
	s.reserved = make([]map[layout.Vertex]int64, len(a.m.Levels))
	s.homes = make([]layout.Vertex, len(a.begun))
	for i := len(a.m.Levels) - 1; i >= 0; i-- {
		s.reserved[i] = map[layout.Vertex]int64{}
		for g, b := range a.begun { // the smallest need first, see ask.cut
			if b.level == i {
				s.homes[g] = s.settle(i, b)
				s.fits = s.fits && s.homes[g] >= 0 && a.m.View.TierOf(s.homes[g]) <= slices.Min(tiers[:i+1])
			}
		}
	}
	return s, s.fits
}

// settle finds the home of a begun group of level i and reserves the room that the group needs there and above. It
// returns
// -1, and reserves nothing, if there is no home. O(depth).
//
// The rule goes from the root down as long as there is room. Upwards that is: the lowest vertex above the running
// members such that it and every vertex above it have room. So a vertex without room discards what was found below it.
//
// order: homes.1
func (s *sums) settle(i int, b begunGroup) layout.Vertex {
	home := layout.Vertex(-1)
	for x := b.lca; x >= 0; x = s.m.View.Above(x) {
		room := s.strategic(i+1, x) - s.reserved[i][x]
		if x == s.m.View.Outside && s.ask.beyond > 0 {
			// The tree is full: exactly so many members lie outside, whatever the slots there are.
			room = min(room, (s.ask.beyond-s.begunMembers(x))/s.ask.sizes[i+1])
		}
		if room < b.need {
			home = -1
		} else if home < 0 {
			home = x
		}
	}
	for x := home; x >= 0; x = s.m.View.Above(x) {
		s.reserved[i][x] += b.need
	}
	return home
}

// strategic is the capacity of x in units of level i, each whole in a domain of the strategy's tier for the level. For
// members it is the slots of x, nothing taken off.
func (s *sums) strategic(i int, x layout.Vertex) int64 {
	if i == s.ask.bottom() {
		return s.ask.slots.At(x)
	}
	return s.whole(i, s.tiers[i], x)
}

// whole is how many units of level i fit below x, each whole in one domain of tier t, its inner units within the
// strategy's tiers. What begun groups of level i and of the levels inside it have reserved is taken off; what those of
// outer levels have is not, see free. For members, which are always whole, it is the slots beside all that is reserved.
// O(1) once the table is made.
func (s *sums) whole(i int, t int32, x layout.Vertex) int64 {
	if i == s.ask.bottom() {
		return s.ask.slots.At(x) - s.begunMembers(x)
	}
	switch {
	case s.m.View.TierOf(x) <= t:
		return s.own(i, x)
	case s.ask.isCounted():
		return s.fromIndex(wholeUnits, i, t, x)
	}
	return s.table(i, t, wholeUnits)[x]
}

// fromIndex is whole or rest, by kind, from the index, for x above tier t. The entry of the root counts the nodes outside
// the tree, which may be ruled out. So the root is summed from its children. O(roots), beside what nested levels cost the
// first time.
func (s *sums) fromIndex(kind sumKind, i int, t int32, x layout.Vertex) int64 {
	switch {
	case x == s.m.View.Outside && s.ask.slots.Inside != layout.Root:
		return 0
	case x != layout.Root && kind == residue:
		return int64(s.ask.counted(i).Rest[s.m.View.TierIndex(t)].At(x))
	case x != layout.Root && s.ask.nested != nil:
		return s.ask.nested.Whole(s.tiers, i, t, x)
	case x != layout.Root:
		return int64(s.ask.indexed.Whole[s.m.View.TierIndex(t)].At(x))
	}
	var n int64
	lo, end := s.m.View.Kids(layout.Root)
	for c := lo; c < end; c++ {
		if kind == wholeUnits {
			n += s.whole(i, t, c)
		} else {
			n = max(n, s.rest(t, c))
		}
	}
	return n
}

// begunMembers is what begun groups of all levels have reserved below x, in members.
func (s *sums) begunMembers(x layout.Vertex) int64 { return s.outer(s.ask.bottom(), x) }

// begunWithin is what begun groups of level i and of the levels inside it have reserved below x, in members.
func (s *sums) begunWithin(i int, x layout.Vertex) int64 {
	return s.begunMembers(x) - s.outer(i, x)*s.ask.sizes[i]
}

// outer is what begun groups of the levels outside level i have reserved below x, in units of level i. The division
// leaves no rest: they reserve whole units of a level that is i or outside it.
func (s *sums) outer(i int, x layout.Vertex) int64 {
	var n int64
	if s.reserved != nil {
		for j := range i {
			n += s.reserved[j][x] * s.ask.sizes[j+1] / s.ask.sizes[i]
		}
	}
	return n
}

// free is how many units of level i new groups may take below x, each whole in one domain of tier t: whole, less what
// begun groups of outer levels have reserved. For members whole has taken that off already.
func (s *sums) free(i int, t int32, x layout.Vertex) int64 {
	n := s.whole(i, t, x)
	if i < s.ask.bottom() {
		n = max(0, n-s.outer(i, x))
	}
	return n
}

// rest is the most slots that whole groups of the only level leave over in one domain of tier t below x. The short group
// looks for such a rest. O(1) once the table is made.
func (s *sums) rest(t int32, x layout.Vertex) int64 {
	switch {
	case s.m.View.TierOf(x) <= t:
		return s.ownRest(x)
	case s.ask.isCounted():
		return s.fromIndex(residue, 0, t, x)
	}
	return s.table(0, t, residue)[x]
}

// own is how many units of level i fit below x if they may lie anywhere in it: B_i(x) where tier(x) <= t_i.
//
// order: strategy.4
func (s *sums) own(i int, x layout.Vertex) int64 {
	inner := s.ask.slots.At(x) // units of the next level
	if i+1 < s.ask.bottom() {
		if s.ask.nested != nil && slices.Min(s.tiers[i+1:]) >= s.m.View.TierOf(x) { // the inner levels bind nothing
			return inner / s.ask.sizes[i]
		}
		inner = s.strategic(i+1, x)
	}
	if s.reserved != nil {
		inner -= s.reserved[i][x]
	}
	if s.m.Multiple == nil && i+1 == s.ask.bottom() { // the usual case
		return s.mostGroups(i, x, max(0, inner)/s.ask.sizes[i])
	}
	n := max(0, inner) / s.ask.ratio(i)
	n = s.mostGroups(i, x, n)
	return n - n%s.unitOf(i, s.m.View.Above(x)) // the parent gives out so many groups at once
}

// ownRest is how many slots whole groups of the only level leave over if they may lie anywhere below x.
func (s *sums) ownRest(x layout.Vertex) int64 {
	free := s.whole(s.ask.bottom(), 0, x)
	return max(0, free) % s.ask.sizes[0]
}

// unitOf is the number of which every count of level-i units in a child of x is a multiple: the members there are a
// multiple of m, so with groups of size S the groups are one of m / gcd(m, S). 1 if nothing binds, or x is -1.
func (s *sums) unitOf(i int, x layout.Vertex) int64 {
	if s.m.Multiple == nil || x < 0 {
		return 1
	}
	m := s.m.Unit(x)
	return m / model.GCD(m, s.ask.sizes[i])
}

// table is whole or rest of level i and tier t, by kind, for every domain, where the index does not count groups.
// O(domains) the first time, and O(nodes) where domains of nodes lie above the tier.
func (s *sums) table(i int, t int32, kind sumKind) []int64 {
	key := sumKey{i, t, kind}
	if col, ok := s.cache[key]; ok {
		return col
	}
	col := make([]int64, s.m.View.NumDomains())
	for x := layout.Vertex(len(col)) - 1; x >= 0; x-- { // children come after their parent, so they are ready
		switch {
		case s.m.View.Tier[x] <= t && kind == wholeUnits:
			col[x] = s.own(i, x)
		case s.m.View.Tier[x] <= t:
			col[x] = s.ownRest(x)
		default:
			col[x] = s.gathered(i, t, kind, col, x)
		}
	}
	if s.cache == nil {
		s.cache = map[sumKey][]int64{}
	}
	s.cache[key] = col
	return col
}

// gathered is the entry of x, a domain above tier t, from the entries of its children: the sum of units, or the largest
// rest. O(children).
//
// Begun groups whose home is x have reserved room at x that lies somewhere in the children, but in the entry of none.
// So the sum is at most own: what x holds beside these groups if units might lie anywhere in it.
//
// order: homes.3
func (s *sums) gathered(i int, t int32, kind sumKind, col []int64, x layout.Vertex) int64 {
	var sum, largest int64
	lo, end := s.m.View.Kids(x)
	for c := lo; c < end; c++ {
		var n int64
		switch {
		case !s.m.View.IsNode(c):
			n = col[c]
		case kind == wholeUnits:
			n = s.own(i, c)
		default:
			n = s.ownRest(c)
		}
		sum, largest = sum+n, max(largest, n)
	}
	if kind == residue {
		if s.reserved != nil {
			largest = s.leftOver(i, t, x, largest)
		}
		return largest
	}
	if unit := s.unitOf(i, s.m.View.Above(x)); unit > 1 {
		sum -= sum % unit
	}
	if s.reserved != nil {
		sum = min(sum, s.own(i, x))
	}
	return s.mostGroups(i, x, sum)
}

// leftOver is how many slots whole units of level i leave over in one domain below x, if largest is the most by the
// entries of the children alone. It matters where begun groups with their home at x lie somewhere in the children. If
// these take the room of a whole unit, its place can be used in part: all that is left beside the others counts. Else
// no more is left over in one domain than is left in x at all. O(children).
func (s *sums) leftOver(i int, t int32, x layout.Vertex, largest int64) int64 {
	var sum int64
	lo, end := s.m.View.Kids(x)
	for c := lo; c < end; c++ {
		sum += s.whole(i, t, c)
	}
	left := s.besides(i, t, x)
	if sum > s.own(i, x) {
		return left
	}
	return min(largest, left)
}

// besides is how many slots below x are left beside begun groups and as many groups of level i as are whole at tier t.
func (s *sums) besides(i int, t int32, x layout.Vertex) int64 {
	return s.whole(s.ask.bottom(), 0, x) - s.ask.sizes[i]*s.whole(i, t, x)
}

// takes says whether a domain of the gang's tier can hold the whole ask under the strategy: all new groups, the short
// one and what begun ones need. O(1) without begun groups once the tables are made, O(begun groups * depth) with them.
//
// order: strategy.5
func (s *sums) takes(d layout.Vertex) bool {
	switch {
	case !s.holdsMembers(d):
		return false
	case len(s.m.Levels) == 0:
		return true
	case slices.ContainsFunc(s.homes, func(home layout.Vertex) bool { return !s.m.View.Contains(d, home) }):
		return false
	case s.ask.beyond > 0 && d == layout.Root:
		return s.takesBeyond()
	}
	return s.holdsGroups(d)
}

// holdsMembers says whether a domain has room for the members, whatever groups they are in: necessary in all cases, and without groups sufficient.
func (s *sums) holdsMembers(d layout.Vertex) bool {
	switch {
	case s.ask.broken, s.ask.slots.At(d)+s.m.Forced.At(d) < s.ask.members:
		return false
	case !s.holdWithin(d):
		return false
	}
	// Where some lie outside, the tree is filled to the last slot: no domain in it holds all.
	return s.ask.beyond == 0 || d == layout.Root || s.ask.beyond+s.m.Forced.At(s.m.View.Outside) >= s.ask.members
}

// holdsGroups says whether a domain holds all new groups, the short one too.
func (s *sums) holdsGroups(d layout.Vertex) bool {
	if s.ask.full == 0 && s.ask.short == 0 {
		return true // all that is to be placed completes begun groups
	}
	// Room for one group more than the full ones is room for the short one; without it the groups' rests must hold it.
	n := s.whole(0, s.tiers[0], d)
	return n > s.ask.full || n == s.ask.full && s.rest(s.tiers[0], d) >= s.ask.short
}
