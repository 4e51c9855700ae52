// How few children of a domain hold the whole ask, by the index alone?

package gather

import (
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
)

// indexedSpan is spanOf from the index; not ok if the index cannot tell. O(tiers + children), without nodes and a short
// group O(tiers + log children).
//
// No member of the gang runs, so no child is in use before. Then the fewest children are the largest ones, as many as
// suffice, as long as one order of sizes serves all that must fit. It does for members; for groups that all stay whole
// at one tier, if no child must keep any at a lower tier; and for groups that are split here.
//
// Same answer as order: domain.3, faster.
func (s spans) indexedSpan(x layout.Vertex) (n int64, ok bool) {
	if !s.ask.takes(features.IndexedSpan) || countsOutside(&s.ask.slots, x) || s.ask.short > 0 && !s.ask.takes(features.ShortTier) {
		return 0, false
	}
	if n, ok, known := s.spanOfCounted(x); known {
		return n, ok
	}
	sums := s.ask.slots.Ix.SumsOf(x)
	switch {
	case len(s.m.Levels) == 0:
		n, _ := sums.Fewest(s.ask.members)
		return int64(n), true
	case s.ask.indexed == nil:
		return 0, false
	case sums.Nodes == nil:
		return s.spanOfDomains(x, &sums)
	case s.ask.has(features.ApartGroups):
		return 0, false // slots do not say how many groups a node may take
	}
	return s.spanOfNodes(x, &sums)
}

// spanOfDomains is indexedSpan for groups in a domain whose children are domains.
func (s spans) spanOfDomains(x layout.Vertex, sums *index.ChildSums) (n int64, ok bool) {
	// The lowest tier at which all groups stay whole is s* of docs/order/4-children.md.
	var lower int64     // whole groups at the next lower tier, which bind their children
	keepsShort := false // a domain of that tier has room for the short one beside them
	for i := range s.m.View.TiersBelow(s.m.View.TierOf(x)) {
		whole := int64(s.ask.indexed.Whole[i].At(x))
		if whole >= s.ask.full {
			switch {
			case lower > 0, s.ask.short > 0 && whole == s.ask.full:
				return 0, false // some children must take groups, or every place for a group is taken
			case s.ask.short > 0 && keepsShort:
				return s.spanWithTightShort(x, i)
			}
			return s.spanWithShort(x, i), true
		}
		lower, keepsShort = whole, int64(s.ask.indexed.Rest[i].At(x)) >= s.ask.short
	}
	return s.spanOfSplit(x, sums), true
}

// spanOfSplit is how many children take all members if groups are split between them. Every child that can hold a whole
// group must keep what it can: these are the largest children, as are those that suffice for the members, so the longer
// of the two prefixes is the span. One of its children holds the short group, if any can: one of the prefix, or one that
// stands in for its last child, or one more. O(log children), with a short group that stays whole O(children * tiers).
func (s spans) spanOfSplit(x layout.Vertex, sums *index.ChildSums) int64 {
	fewest, _ := sums.Fewest(s.ask.members)
	forced := sums.AtLeast(s.ask.sizes[0])
	n := max(fewest, forced)
	if s.ask.short == 0 {
		return int64(n)
	}
	var others int64 // slots of the prefix without its last child
	if n > 1 {
		others = sums.Of(n - 1)
	}
	lo, end := s.m.View.Kids(x)
	for _, t := range s.m.View.TiersBelow(s.m.View.TierOf(x)) {
		if s.ask.indexed.Rest[s.m.View.TierIndex(t)].At(x) < int32(s.ask.short) {
			continue
		}
		most := int64(0) // slots of the largest child that the short group may lie in
		for c := lo; c < end; c++ {
			if s.sums.ownRest(c) >= s.ask.short && s.sums.leads(t, c) {
				most = max(most, s.ask.slots.At(c))
			}
		}
		switch {
		case most == 0: // at no child of this tier
		case most >= s.ask.sizes[0], most >= sums.Child(n), n > forced && others+most >= s.ask.members:
			return int64(n)
		default:
			return int64(n) + 1
		}
	}
	return int64(n)
}

// spanWithTightShort is spanWithShort where the short group stays whole at a lower tier than that at place i, at which no
// full group does, so that it may lie in some children only; not ok if these are no domains of that tier or lower.
// O(children).
func (s spans) spanWithTightShort(x layout.Vertex, i int) (int64, bool) {
	if s.m.View.Gaps[i][x] != 1 || x == layout.Root {
		return 0, false
	}
	sums := s.ask.indexed.SumsOf(s.m.View, i, x)
	n, sum := sums.Fewest(s.ask.full)
	if n == 0 {
		return 1, true
	}
	pl := s.sums.placer()
	tier, last := pl.shortTier(x), sums.Child(n)
	lo, end := s.m.View.Kids(x)
	for c := lo; c < end; c++ {
		slots := s.ask.slots.At(c)
		if slots < s.ask.short || !pl.holdsShort(tier, c) {
			continue
		}
		room := sum // of the n largest children, this one in place of the last if it is smaller, beside the short group
		if whole := slots / s.ask.sizes[0]; whole < last {
			room += whole - last
		}
		if slots%s.ask.sizes[0] < s.ask.short {
			room--
		}
		if room >= s.ask.full {
			return int64(n), true
		}
	}
	return int64(n) + 1, true // the n largest hold all full groups, and some child the short one
}

// spanWithShort is how many children of x hold all groups, each whole in a domain of the tier at place i. The short one
// takes the place of a whole group, or lies beside the groups of a child that has room for it. With a short group there
// is room for one whole group more than the full ones.
func (s spans) spanWithShort(x layout.Vertex, i int) int64 {
	sums := s.ask.indexed.SumsOf(s.m.View, i, x)
	n, sum := sums.Fewest(s.ask.full)
	if s.ask.short == 0 || sum > s.ask.full && n > 0 {
		return int64(n) // a place for a whole group is to spare in these n
	}
	// The n largest hold the full groups exactly. The smallest of them may make way for a child that holds as many
	// groups and the short one beside them. If there is none, one more child is needed, and one has a place for a whole
	// group.
	if last := sums.Child(n); n > 0 && s.hasPlaceBeside(x, i, last) {
		return int64(n)
	}
	return int64(n) + 1
}

// hasPlaceBeside says whether some child of x holds at least so many groups, each whole in a domain of the tier at
// place i, and has room for the short group beside as many as it can hold. O(children).
func (s spans) hasPlaceBeside(x layout.Vertex, i int, groups int64) bool {
	if s.sums.fromIndex(residue, 0, s.m.View.Tiers[i], x) < s.ask.short {
		return false
	}
	if s.m.View.Gaps[i][x] == 1 && x != layout.Root { // slots alone say both, so the largest children come first
		size, sums := s.ask.sizes[0], s.ask.slots.Ix.SumsOf(x)
		for n := int32(1); n <= sums.Len; n++ {
			slots := sums.Child(n)
			if slots < groups*size+s.ask.short {
				return false
			}
			if slots%size >= s.ask.short {
				return true
			}
		}
		return false
	}
	lo, end := s.m.View.Kids(x)
	for c := lo; c < end; c++ {
		if s.sums.whole(0, s.m.View.Tiers[i], c) >= groups && s.sums.rest(s.m.View.Tiers[i], c) >= s.ask.short {
			return true
		}
	}
	return false
}

// spanOfNodes is indexedSpan for groups in a domain of nodes. A node with more slots holds no fewer whole groups, so
// one order of nodes serves members and groups. O(children).
func (s spans) spanOfNodes(x layout.Vertex, sums *index.ChildSums) (int64, bool) {
	size := s.ask.sizes[0]
	whole := s.sums.whole(0, 0, x)
	switch {
	case whole < s.ask.full: // groups are split over the nodes, each keeps what it can hold whole
		return s.spanOfSplit(x, sums), true
	case s.ask.short > 0 && whole == s.ask.full:
		return s.spanBeside(sums)
	}
	left, n := s.ask.full, int32(0) // left is below 0 at the end if a place is to spare
	for left > 0 {
		n++
		left -= sums.Child(n) / size
	}
	if s.ask.short == 0 || left < 0 {
		return int64(n), true
	}
	// The short group lies beside the groups of a node that holds no fewer than the last one of the n, which it may
	// replace, or on one node more.
	for i, last := int32(1), sums.Child(n)/size; n > 0 && i <= sums.Len && sums.Child(i)/size >= last; i++ {
		if sums.Child(i)%size >= s.ask.short {
			return int64(n), true
		}
	}
	return int64(n) + 1, true
}

// spanBeside is spanOfNodes if the full groups take every place for a whole group: all nodes that hold one are in use.
// The short group lies in what groups leave over on one of these, else on one node more, the largest of the others. Not
// ok if that is too small: it must be split. O(children).
func (s spans) spanBeside(sums *index.ChildSums) (int64, bool) {
	n := sums.AtLeast(s.ask.sizes[0])
	for i := int32(1); i <= n; i++ {
		if sums.Child(i)%s.ask.sizes[0] >= s.ask.short {
			return int64(n), true
		}
	}
	return int64(n) + 1, n < sums.Len && sums.Child(n+1) >= s.ask.short
}

// nodesHold says whether the so many largest nodes hold all full groups whole. O(span).
func (s spans) nodesHold(sums *index.ChildSums, span int64) bool {
	groups := int64(0)
	for i := int32(1); int64(i) <= span && groups < s.ask.full; i++ {
		groups += sums.Child(i) / s.ask.sizes[0]
	}
	return groups >= s.ask.full
}

// isWider is true only if spanOf is above span: so many children, even the largest, have too few slots, or hold too few
// whole groups while groups stay whole. False proves nothing: the short group and bounds of the children may widen a
// span. O(tiers), O(span) for groups on nodes.
//
// Same answer as order: domain.3, faster.
func (s spans) isWider(x layout.Vertex, span int64) bool {
	if !s.ask.takes(features.IsWider) || s.m.View.IsNode(x) {
		return false
	}
	sums := s.ask.slots.Ix.SumsOf(x)
	if wider, known := s.isWiderCounted(x, span); known {
		return wider
	}
	switch {
	case span <= 0:
		return true // a domain needs a child
	case int64(sums.Len) <= span:
		return false
	case sums.Of(int32(span)) < s.ask.members:
		return true
	}
	return s.ask.indexed != nil && x != layout.Root && s.isWiderForGroups(x, &sums, span)
}

// isWiderForGroups is isWider where groups stay whole in the children of x, but not in so few of them.
func (s spans) isWiderForGroups(x layout.Vertex, sums *index.ChildSums, span int64) bool {
	switch {
	case s.ask.spans(x): // counted domains hold groups whole at their tier
		return false
	case sums.Nodes != nil:
		return s.sums.whole(0, 0, x) >= s.ask.full && !s.nodesHold(sums, span)
	}
	for i := range s.m.View.TiersBelow(s.m.View.TierOf(x)) {
		if int64(s.ask.indexed.Whole[i].At(x)) >= s.ask.full {
			sums := s.ask.indexed.SumsOf(s.m.View, i, x)
			return sums.Of(int32(span)) < s.ask.full
		}
	}
	return false
}
