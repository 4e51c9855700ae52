package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// sums answers how many units of a level fit below a vertex when each must lie whole in a domain of some tier. It
// belongs to one strategy: the tiers of the group levels. Tables over the domains are made when first asked for, each
// in one pass from the bottom up: O(domains), and O(nodes) where units must lie on a node.
type sums struct {
	p     *problem.Problem
	ask   *ask
	tiers []int32 // by level of groups
	// reserved is, per level, what begun groups of that level take at a vertex, in units of the next level; homes are
	// where they are completed. Nil maps: no begun group.
	reserved []map[layout.Vertex]int64
	homes    []layout.Vertex // by begun group
	fits     bool            // every begun group can be completed within the tiers
	cache    map[sumKey][]int64
}

type sumKey struct {
	level int
	tier  int32
	kind  sumKind
}

type sumKind uint8

const (
	wholeUnits sumKind = iota
	residue            // the largest rest of slots in a domain of the tier
)

// newSums prepares the tables for a strategy and finds homes for begun groups, innermost level first. It reports
// whether every begun group can be completed within its tier.
//
// order: homes.2
func (a *ask) newSums(tiers []int32) (*sums, bool) {
	for i, t := range tiers {
		if a.settled[i] > t {
			return &sums{p: a.p, ask: a, tiers: tiers}, false
		}
	}
	if a.indexed != nil || len(a.p.Levels) == 0 { // there are no tables that belong to one strategy
		a.only = sums{p: a.p, ask: a, tiers: tiers, fits: true}
		return &a.only, true
	}
	s := &sums{p: a.p, ask: a, tiers: tiers, fits: true}
	if len(a.begun) == 0 {
		return s, true
	}
	s.reserved = make([]map[layout.Vertex]int64, len(a.p.Levels))
	s.homes = make([]layout.Vertex, len(a.begun))
	for i := len(a.p.Levels) - 1; i >= 0; i-- {
		s.reserved[i] = map[layout.Vertex]int64{}
		for g, b := range a.begun {
			if b.level == i {
				s.homes[g] = s.settle(i, b)
				s.fits = s.fits && s.homes[g] >= 0 && a.p.View.TierOf(s.homes[g]) <= slices.Min(tiers[:i+1])
			}
		}
	}
	return s, s.fits
}

// settle finds the lowest vertex above a begun group's running members with room for the rest of it, and reserves the
// room there and above. -1 if there is none.
//
// order: homes.1
func (s *sums) settle(i int, b begunGroup) layout.Vertex {
	home := layout.Vertex(-1)
	for x := b.lca; x >= 0; x = s.p.View.Above(x) {
		room := s.strategic(i+1, x) - s.reserved[i][x]
		if x == s.p.View.Outside && s.ask.beyond > 0 {
			room = min(room, (s.ask.beyond-s.begunMembers(x))/s.ask.sizes[i+1])
		}
		if room < b.need {
			home = -1
		} else if home < 0 {
			home = x
		}
	}
	for x := home; x >= 0; x = s.p.View.Above(x) {
		s.reserved[i][x] += b.need
	}
	return home
}

// strategic is the capacity of x in units of level i, each whole within the strategy's tier for that level.
func (s *sums) strategic(i int, x layout.Vertex) int64 {
	if i == s.ask.bottom() {
		return s.ask.slots.At(x)
	}
	return s.whole(i, s.tiers[i], x)
}

// whole is how many units of level i fit below x, each whole in a domain of tier t, inner levels within the strategy's
// tiers and room for begun groups left alone. Single members always are whole.
func (s *sums) whole(i int, t int32, x layout.Vertex) int64 {
	if i == s.ask.bottom() {
		return s.ask.slots.At(x) - s.begunMembers(x)
	}
	switch {
	case s.p.View.TierOf(x) <= t:
		return s.own(i, x)
	case s.ask.indexed != nil:
		return s.fromIndex(wholeUnits, t, x)
	}
	return s.table(i, t, wholeUnits)[x]
}

// fromIndex is whole, or rest, from the index. The root's count depends on whether nodes outside the tree may be used.
func (s *sums) fromIndex(kind sumKind, t int32, x layout.Vertex) int64 {
	switch {
	case x == s.p.View.Outside && s.ask.slots.InTree:
		return 0
	case x != layout.Root && kind == wholeUnits:
		return int64(s.ask.indexed.Whole[s.p.View.TierIndex(t)].At(x))
	case x != layout.Root:
		return int64(s.ask.indexed.Rest[s.p.View.TierIndex(t)].At(x))
	}
	var n int64
	lo, end := s.p.View.Kids(layout.Root)
	for c := lo; c < end; c++ {
		if kind == wholeUnits {
			n += s.whole(0, t, c)
		} else {
			n = max(n, s.rest(0, t, c))
		}
	}
	return n
}

// begunMembers is the room that begun groups keep below x, in members.
func (s *sums) begunMembers(x layout.Vertex) int64 { return s.outer(s.ask.bottom(), x) }

// begunWithin is the room that begun groups of level i and further in keep below x, in members.
func (s *sums) begunWithin(i int, x layout.Vertex) int64 {
	return s.begunMembers(x) - s.outer(i, x)*s.ask.sizes[i]
}

// outer is what begun groups of the levels outside level i keep below x, in units of level i.
func (s *sums) outer(i int, x layout.Vertex) int64 {
	var n int64
	if s.reserved != nil {
		for j := range i {
			n += s.reserved[j][x] * s.ask.sizes[j+1] / s.ask.sizes[i]
		}
	}
	return n
}

// free is whole without what begun groups of outer levels keep.
func (s *sums) free(i int, t int32, x layout.Vertex) int64 {
	n := s.whole(i, t, x)
	if i < s.ask.bottom() {
		n = max(0, n-s.outer(i, x))
	}
	return n
}

// rest is the largest number of slots that whole units of level i leave over in one domain of tier t below x.
func (s *sums) rest(i int, t int32, x layout.Vertex) int64 {
	switch {
	case s.p.View.TierOf(x) <= t:
		return s.ownRest(i, x)
	case s.ask.indexed != nil:
		return s.fromIndex(residue, t, x)
	}
	return s.table(i, t, residue)[x]
}

// own is how many units of level i the vertex takes if they may lie anywhere in it.
//
// order: strategy.4
func (s *sums) own(i int, x layout.Vertex) int64 {
	inner := s.ask.slots.At(x)
	if i+1 < s.ask.bottom() {
		inner = s.strategic(i+1, x)
	}
	if s.reserved != nil {
		inner -= s.reserved[i][x]
	}
	if s.p.Multiple == nil && i+1 == s.ask.bottom() {
		return max(0, inner) / s.ask.sizes[i]
	}
	n := max(0, inner) / s.ask.ratio(i)
	return n - n%s.unitOf(i, s.p.View.Above(x))
}

func (s *sums) ownRest(i int, x layout.Vertex) int64 {
	free := s.whole(s.ask.bottom(), 0, x)
	return max(0, free) % s.ask.sizes[i]
}

// unitOf is what the number of units of level i in each child of x is a multiple of.
func (s *sums) unitOf(i int, x layout.Vertex) int64 {
	if s.p.Multiple == nil || x < 0 {
		return 1
	}
	m := s.p.Unit(x)
	return m / problem.Gcd(m, s.ask.sizes[i])
}

// table is a column over the domains, built from the bottom up.
func (s *sums) table(i int, t int32, kind sumKind) []int64 {
	key := sumKey{i, t, kind}
	if col, ok := s.cache[key]; ok {
		return col
	}
	col := make([]int64, s.p.View.NumDomains())
	for x := layout.Vertex(len(col)) - 1; x >= 0; x-- {
		switch {
		case s.p.View.Tier[x] <= t && kind == wholeUnits:
			col[x] = s.own(i, x)
		case s.p.View.Tier[x] <= t:
			col[x] = s.ownRest(i, x)
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

// onNodes is how many units of level i fit on one node each of a domain of nodes, and the most slots that they leave over
// on one, by the index.
func (s *sums) onNodes(i int, x layout.Vertex) (whole, rest int64) {
	if x == s.p.View.Outside && s.ask.slots.InTree {
		return 0, 0
	}
	for len(s.ask.byNode) <= i {
		s.ask.byNode = append(s.ask.byNode, s.p.Slots().GroupsOf(s.ask.slots.Ix, s.ask.sizes[len(s.ask.byNode)]))
	}
	return int64(s.ask.byNode[i].Whole[0].At(x)), int64(s.ask.byNode[i].Rest[0].At(x))
}

// gathered sums (for the residue: maximizes) over the children of x.
//
// order: homes.3
func (s *sums) gathered(i int, t int32, kind sumKind, col []int64, x layout.Vertex) int64 {
	var sum, largest int64
	lo, end := s.p.View.Kids(x)
	if lo < end && s.p.View.IsNode(lo) && s.ask.slots.Flat == nil && s.reserved == nil {
		sum, largest = s.onNodes(i, x)
		end = lo
	}
	for c := lo; c < end; c++ {
		var n int64
		switch {
		case !s.p.View.IsNode(c):
			n = col[c]
		case kind == wholeUnits:
			n = s.own(i, c)
		default:
			n = s.ownRest(i, c)
		}
		sum, largest = sum+n, max(largest, n)
	}
	if kind == residue {
		if s.reserved != nil {
			largest = s.leftOver(i, t, x, largest)
		}
		return largest
	}
	if unit := s.unitOf(i, s.p.View.Above(x)); unit > 1 {
		sum -= sum % unit
	}
	if s.reserved != nil {
		sum = min(sum, s.own(i, x)) // what begun groups spread over the children is in no child's own count
	}
	return sum
}

// leftOver is how many slots whole units of level i leave over in one domain below x if none of its children has more
// than this many: where begun groups spread over the children take the room of a whole unit, its place is to spare.
func (s *sums) leftOver(i int, t int32, x layout.Vertex, largest int64) int64 {
	var sum int64
	lo, end := s.p.View.Kids(x)
	for c := lo; c < end; c++ {
		sum += s.whole(i, t, c)
	}
	left := s.besides(i, t, x)
	if sum > s.own(i, x) {
		return left
	}
	return min(largest, left)
}

// besides is how many slots below x are left beside begun groups and all groups of level i that are whole at tier t.
func (s *sums) besides(i int, t int32, x layout.Vertex) int64 {
	return s.whole(s.ask.bottom(), 0, x) - s.ask.sizes[i]*s.whole(i, t, x)
}

// takes says whether a candidate can hold the whole ask under the strategy: all new groups, the short one included.
//
// order: strategy.5
func (s *sums) takes(d layout.Vertex) bool {
	if s.ask.slots.At(d)+s.p.Forced.At(d) < s.ask.members {
		return false
	}
	if s.ask.beyond > 0 && d != layout.Root && s.ask.beyond < s.ask.members {
		return false // the tree is filled to the last slot, the others lie outside
	}
	if len(s.p.Levels) == 0 {
		return true
	}
	if slices.ContainsFunc(s.homes, func(home layout.Vertex) bool { return !s.p.View.Contains(d, home) }) {
		return false
	}
	if s.ask.beyond > 0 && d == layout.Root {
		return s.takesBeyond()
	}
	if s.ask.full == 0 && s.ask.short == 0 {
		return true // all that is to be placed completes begun groups
	}
	n := s.whole(0, s.tiers[0], d)
	return n > s.ask.full || n == s.ask.full && s.rest(0, s.tiers[0], d) >= s.ask.short
}
