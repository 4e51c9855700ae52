// Does a gang fit that is larger than the tree, and which of its members lie in which child of the root?

package gather

import "github.com/muster-sched/muster/internal/layout"

// takesBeyond is takes for the root if the tree is filled to the last slot and the rest of the gang lies outside it.
// Groups of a level are whole at a tier below the root's only if whole ones fill every domain of that tier in the tree,
// beside begun ones: a slot that they left free would have to be taken by a part of a group. O(levels * roots), once the
// tables are made.
//
// order: strategy.6
func (s *sums) takesBeyond() bool {
	lo, end := s.m.View.Kids(layout.Root)
	for i, t := range s.tiers {
		if t >= s.m.View.RootTop {
			continue // groups may lie anywhere
		}
		short := s.ask.short // members of the short group that no domain takes as its rest; above 0 with one level only
		for c := lo; c < end; c++ {
			// Slots of c and not of the domains below it, for multiples and limits above these leave slots out. Begun groups of outer levels
			// place whole units of level i, so only those of i and further in are taken off.
			left := s.ask.slots.At(c) - s.begunWithin(i, c) - s.whole(i, t, c)*s.ask.sizes[i]
			if left == 0 || c == s.m.View.Outside {
				continue
			}
			if left != short || s.rest(t, c) < short {
				return false
			}
			short = 0 // the short group completes one domain, and no other
		}
		// All units of level i: those of new groups, and those that begun groups of outer levels need.
		groups := s.ask.full*s.ask.sizes[0]/s.ask.sizes[i] + s.outer(i, layout.Root)
		n := s.whole(i, t, layout.Root)
		// The short group lies outside then, in what whole ones leave over there, unless the place of a whole one is
		// free.
		if n < groups || short > 0 && n == groups && s.rest(t, s.m.View.Outside) < short {
			return false
		}
	}
	return true
}

// fillTree distributes a gang that is larger than the tree to the children of the root: each child of the tree takes as
// many members as it has slots, and Outside takes ask.beyond of them. The sets of other vertices have no choice here.
// If groups must not be split at the root, whole ones fill each child; else each child takes as many groups of the
// outermost level as fit whole, then of the next level, and so on. O(children * levels).
//
// order: outside.1
func (pl placer) fillTree(d demand, kids children) {
	groups := d.units[0]     // new groups of level 1 still to be placed
	left := pl.wholeUnits(d) // units still to be placed, by level, those inside outer units included
	for i := range kids.of {
		kid := &kids.of[i]
		room := pl.ask.slots.At(kid.at)
		if kid.at == pl.m.View.Outside {
			room = pl.ask.beyond
		}
		// New members here, beside what begun groups with their home below the child take.
		room -= pl.sums.begunMembers(kid.at)
		room += pl.m.Forced[kid.at]
		if pl.ask.bottom() > 0 && pl.sums.tiers[0] < pl.m.View.RootTop {
			groups = pl.fillWhole(kid, room, groups)
			continue
		}
		kid.demand.units = pl.ask.units()
		var outer int64 // members in whole units of the level before, whose inner units are no units by themselves
		for level, size := range pl.ask.sizes {
			free := pl.sums.free(level, pl.m.View.RootTop, kid.at)
			if level == pl.ask.bottom() {
				free += pl.m.Forced[kid.at] // which are no matter of choice, and none of its slots
			}
			n := min(free, room/size, left[level])
			left[level] -= n
			kid.demand.units[level] = n - outer/size
			outer = n * size
		}
	}
	if d.short && pl.sums.tiers[0] >= pl.m.View.RootTop {
		pl.keepShort(kids)
	}
}

// keepShort makes the members that are in no whole group the short group of the child that has all of them, if they are as many.
//
// order: outside.1
func (pl placer) keepShort(kids children) {
	bottom, holder := pl.ask.bottom(), -1
	for i := range kids.of {
		switch n := kids.of[i].demand.units[bottom]; {
		case n == 0:
		case n != pl.ask.short || holder >= 0:
			return
		default:
			holder = i
		}
	}
	if holder >= 0 {
		kid := &kids.of[holder]
		kid.demand.units[bottom], kid.demand.short = 0, true
	}
}

// wholeUnits counts, by level, the units that a demand on the root has to place there: those of new groups, and those
// that begun groups with their home at the root need. Units inside outer units count as well. The short group, if it is
// in the demand, counts as members. O(levels * begun groups).
func (pl placer) wholeUnits(d demand) []int64 {
	left := make([]int64, len(pl.ask.sizes))
	for i := range left {
		left[i] = d.units[0] * pl.ask.sizes[0] / pl.ask.sizes[i]
		if d.short && i == pl.ask.bottom() {
			left[i] += pl.ask.short
		}
		for _, g := range d.begun {
			if b := &pl.ask.begun[g]; b.level < i && pl.sums.homes[g] == layout.Root {
				left[i] += b.need * pl.ask.sizes[b.level+1] / pl.ask.sizes[i]
			}
		}
	}
	return left
}

// fillWhole gives a child of the root with room for so many members the whole groups that fill it, and the short one if
// it fills what they leave over. It returns how many groups are left. takesBeyond has found that nothing else remains.
//
// order: outside.1
func (pl placer) fillWhole(kid *child, room, groups int64) int64 {
	n := min(groups, room/pl.ask.sizes[0])
	kid.demand.units = pl.ask.units()
	kid.demand.units[0] = n
	kid.demand.short = pl.ask.short > 0 && room%pl.ask.sizes[0] == pl.ask.short && room > n*pl.ask.sizes[0]
	return groups - n
}
