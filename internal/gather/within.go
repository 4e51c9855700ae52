// Which domains stand for the children of a vertex where a limit counts domains, and what fits into as few of them as there may be?

package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// within is the place of the tier whose domains are counted, -1 if none are.
func (a *ask) within() int {
	if a.m.Limits == nil || len(a.m.Limits.Within) == 0 {
		return -1
	}
	return a.m.View.TierIndex(a.m.Limits.Within[0].Tier)
}

// mayUse is how many of the counted domains there may be.
func (a *ask) mayUse() int64 { return a.m.Limits.Within[0].Most }

// isAbove says whether the tier at a place is above the domains that are counted.
func (a *ask) isAbove(place int) bool {
	at := a.within()
	return at >= 0 && place > at
}

// spans says whether x lies above the domains that are counted, so that several of them may be used below it. O(1).
func (a *ask) spans(x layout.Vertex) bool {
	l := a.m.Limits
	return l != nil && len(l.Within) > 0 && a.m.View.TierOf(x) > l.Within[0].Tier
}

// jumps says whether the domains that are counted are taken for the children of x. Right above them they are its children, and without
// groups the fewest that suffice are chosen anyway.
func (a *ask) jumps(x layout.Vertex) bool {
	return a.spans(x) && (len(a.m.Levels) > 0 || a.m.View.TierIndex(a.m.View.TierOf(x)) > a.within()+1)
}

// plainTier says whether no vertex between the domains of the tier at a place and those that are counted is passed over, and the index tells
// what these hold. Where a lower vertex stands for such a domain, whole groups are compared in it and not in the others.
func (a *ask) plainTier(place int) bool {
	at := a.within()
	if at < 0 || place <= at {
		return true
	}
	even := place < len(a.m.View.Even) && a.m.View.Even[place]
	return place == at+1 && (len(a.m.Levels) == 0 || even && a.countsGroups())
}

// countsGroups says whether the index counts all that is to be whole in the domains that are counted.
func (a *ask) countsGroups() bool { return a.within() > 0 && a.indexed != nil && a.short == 0 }

// domainsBelow appends the domains below x that are counted, in the order of paths. O(domains).
//
// order: limits.8
func (a *ask) domainsBelow(x layout.Vertex, list []layout.Vertex) []layout.Vertex {
	if !a.spans(x) {
		return append(list, x)
	}
	lo, end := a.m.View.Kids(x)
	for c := lo; c < end; c++ {
		if c != a.m.View.Outside { // a limit on domains keeps members in the tree
			list = a.domainsBelow(c, list)
		}
	}
	return list
}

// domains is children for a vertex above the domains that are counted: these are its children.
func (pl placer) domains(x layout.Vertex, kids children) children {
	list := slices.DeleteFunc(pl.ask.domainsBelow(x, nil), func(c layout.Vertex) bool { return pl.ask.slots.At(c) <= 0 })
	kids.nodes = !slices.ContainsFunc(list, func(c layout.Vertex) bool { return !pl.m.View.IsNode(c) })
	for _, first := range []bool{true, false} {
		for _, c := range list {
			if first == pl.ask.hasRoomInGap(c) {
				values := pl.m.Values(pl.ask.keySet(), c, kids.nodes)
				item := sets.Item{Slots: pl.ask.slots.At(c), Used: pl.m.Siblings.At(c), Keys: values, WithRest: -1}
				kids.items, kids.of = append(kids.items, item), append(kids.of, child{at: c})
			}
		}
	}
	return kids
}

// roomiest keeps in a list the slots of the roomiest domains below x that are counted, largest first, as many as there may be. Without groups
// and running members, with an index. O(vertices above these domains * that number).
func (a *ask) roomiest(x layout.Vertex, list []int64) []int64 {
	if !a.spans(x) {
		list, _ = a.keepLarge(list, a.slots.At(x))
		return list
	}
	if most := a.mayUse(); int64(len(list)) == most && int64(a.slots.Ix.Most[a.within()].At(x)) <= list[most-1] {
		return list
	}
	if !a.jumps(x) {
		sums, more := a.slots.Ix.SumsOf(x), true
		for n := int32(1); n <= sums.Len && more; n++ {
			list, more = a.keepLarge(list, sums.Child(n))
		}
		return list
	}
	lo, end := a.m.View.Kids(x)
	for c := lo; c < end; c++ {
		if c != a.m.View.Outside { // a limit on domains keeps members in the tree
			list = a.roomiest(c, list)
		}
	}
	return list
}

// keepLarge puts a number into a list of the largest ones, as many as there may be domains. kept: it is one of them.
func (a *ask) keepLarge(list []int64, n int64) (_ []int64, kept bool) {
	return keepLargest(list, n, a.mayUse())
}

// keepLargest puts a number into a list of the largest ones, descending and so many at most. kept: it is one of them.
func keepLargest(list []int64, n, most int64) (_ []int64, kept bool) {
	if int64(len(list)) == most {
		if n <= list[most-1] {
			return list, false
		}
		list = list[:most-1]
	}
	i, _ := slices.BinarySearchFunc(list, n, descending)
	return slices.Insert(list, i, n), true
}

// fewestBelow is how few of the domains that are counted hold all members below x; more than there may be if so many do not suffice.
//
// Same answer as order: domain.3, limits.7, faster.
func (a *ask) fewestBelow(x layout.Vertex) (n int64) {
	list := a.roomiest(x, a.scratch.counted[:0])
	a.scratch.counted = list
	left := a.members
	for ; left > 0; n++ {
		if n == int64(len(list)) {
			return a.mayUse() + 1
		}
		left -= list[n]
	}
	return n
}

// spanOfCounted is indexedSpan where domains are counted; not known: the index tells as for other children, or not ok: it cannot tell.
func (s spans) spanOfCounted(x layout.Vertex) (n int64, ok, known bool) {
	if groups, ok := s.sums.countedGroups(x); ok {
		n, _ := groups.Fewest(s.ask.full)
		return int64(n), true, true
	}
	if !s.ask.jumps(x) {
		return 0, false, false
	}
	if !s.ask.takes(features.FewestBelow) {
		return 0, false, true
	}
	return s.ask.fewestBelow(x), true, true
}

// isWiderCounted is isWider where the index counts the groups of counted domains; not known: it does not.
func (s spans) isWiderCounted(x layout.Vertex, span int64) (wider, known bool) {
	if groups, ok := s.sums.countedGroups(x); ok && span > 0 {
		return span < int64(groups.Len) && groups.Of(int32(span)) < s.ask.full, true
	}
	return false, false
}

// countedGroups has the whole groups that the children of x hold, which are the domains that are counted, largest first; not ok if the index
// does not tell. O(1).
func (s *sums) countedGroups(x layout.Vertex) (groups index.ChildSums, ok bool) {
	if !s.ask.countsGroups() || s.m.Siblings.Any() || x == layout.Root || s.m.View.IsNode(x) ||
		s.m.View.TierOf(x) != s.m.View.Tiers[s.ask.within()+1] || s.m.View.HoldsNodes(x) {
		return groups, false
	}
	return s.ask.indexed.SumsOf(s.m.View, s.m.View.TierIndex(s.tiers[0]), x), true
}

// countsRoom says whether the index tells what fits into the domains below d that are counted.
func (s *sums) countsRoom(d layout.Vertex) bool {
	return s.ask.slots.Flat == nil && !s.m.Siblings.Any() && len(s.m.Levels) == 0 && (d != layout.Root || s.ask.jumps(d))
}

// holdWithin says whether as few counted domains below d as there may be hold all new groups, or members; true if d is not above them.
// O(1) where the index tells, else O(domains below d * log).
func (s *sums) holdWithin(d layout.Vertex) bool {
	switch {
	case !s.ask.spans(d):
		return true
	case !s.countsRoom(d):
		return s.mostWithin(d) >= s.ask.full
	case !s.ask.jumps(d):
		sums := s.ask.slots.Ix.SumsOf(d)
		return sums.Of(int32(min(s.ask.mayUse(), int64(sums.Len)))) >= s.ask.members
	}
	return s.ask.mostBelow(d) >= s.ask.members && s.ask.fewestBelow(d) <= s.ask.mayUse()
}

// takesFewer says whether the index shows that as few domains below d as there may be take fewer than so many members. False proves nothing.
func (s *sums) takesFewer(d layout.Vertex, members int64) bool {
	return s.ask.spans(d) && s.countsRoom(d) && s.ask.mostBelow(d) < members
}

// mostBelow bounds what fits into as few domains below d as there may be, with an index. O(log tiers).
func (a *ask) mostBelow(d layout.Vertex) int64 {
	return a.mayUse() * int64(a.slots.Ix.Most[a.within()].At(d))
}

// mostWithin is how many whole groups, or members, fit below d into as few counted domains as there may be.
func (s *sums) mostWithin(d layout.Vertex) int64 {
	if groups, ok := s.countedGroups(d); ok {
		return groups.Of(int32(min(s.ask.mayUse(), int64(groups.Len))))
	}
	if s.countsRoom(d) {
		room, sum := s.ask.roomiest(d, s.ask.scratch.counted[:0]), int64(0)
		s.ask.scratch.counted = room
		for _, n := range room {
			sum += n
		}
		return sum
	}
	tier := int32(0)
	if len(s.tiers) > 0 {
		tier = s.tiers[0]
	}
	list := s.ask.domainsBelow(d, nil)
	room := s.ask.scratch.carve(len(list))
	for i, x := range list {
		room[i] = s.free(0, tier, x)
	}
	return mostIn(room, s.ask.mayUse(), func(i int) bool { return s.m.Siblings.At(list[i]) > 0 })
}

// mostIn is the most units in so many domains, given the room of each. A used domain has running members, and counts in any case.
// O(domains * log).
//
// order: limits.7
func mostIn(room []int64, left int64, used func(i int) bool) (sum int64) {
	fresh := make([]int64, 0, len(room))
	for i, n := range room {
		if used(i) {
			sum, left = sum+max(0, n), left-1
		} else if n > 0 {
			fresh = append(fresh, n)
		}
	}
	slices.SortFunc(fresh, descending)
	for _, n := range fresh[:max(0, min(int(left), len(fresh)))] {
		sum += n
	}
	return sum
}

// pickBelow is pickFewest among the domains below x that are counted. Of as few as can be each has what the largest others lack, so that only
// such ones are looked at. O(vertices above these domains + those * log), beside [sets.LeastSum.Pick].
//
// Same answer as order: limits.8, sets.1, sets.6, faster.
func (pl placer) pickBelow(x layout.Vertex, n int64) {
	list := pl.ask.roomiest(x, pl.ask.scratch.counted[:0])
	size, sum := 0, int64(0)
	for ; sum < n; size++ {
		sum += list[size]
	}
	floor := n - (sum - list[size-1])
	domains := pl.roomyBelow(x, floor, pl.ask.scratch.domains[:0])
	values := list[:0]
	for _, d := range domains {
		values = append(values, pl.ask.slots.At(d))
	}
	slots := pl.ask.scratch.carve(len(domains)) // in the order of paths
	copy(slots, values)
	pl.ask.scratch.domains, pl.ask.scratch.counted = domains, values
	slices.SortFunc(values, descending)
	l := &pl.ask.scratch.least
	l.Reset()
	for _, v := range values {
		l.Add(v)
	}
	counts := l.Pick(size, n)
	for i := 0; size > 0; i++ { // of equal ones the first are taken
		if k, _ := slices.BinarySearchFunc(l.Values, slots[i], descending); counts[k] > 0 {
			counts[k]--
			size--
			pl.ask.scratch.picks = append(pl.ask.scratch.picks, chosen{domains[i], slots[i]})
		}
	}
}

// roomyBelow adds to a list the domains below x that are counted and have so many slots, in the order of paths.
func (pl placer) roomyBelow(x layout.Vertex, floor int64, list []layout.Vertex) []layout.Vertex {
	switch {
	case !pl.ask.spans(x):
		if pl.ask.slots.At(x) >= floor {
			list = append(list, x)
		}
	case int64(pl.ask.slots.Ix.Most[pl.ask.within()].At(x)) >= floor:
		lo, end := pl.m.View.Kids(x)
		for c := lo; c < end; c++ {
			if c != pl.m.View.Outside { // a limit on domains keeps members in the tree
				list = pl.roomyBelow(c, floor, list)
			}
		}
	}
	return list
}
