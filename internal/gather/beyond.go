package gather

import "github.com/muster-sched/muster/internal/layout"

// takesBeyond decides the case in which the tree is filled to the last slot and the rest of the gang lies outside
// it: groups are whole at a tier only if every domain of that tier is filled by whole groups, beside begun ones.
//
// order: strategy.6
func (s *sums) takesBeyond() bool {
	for i, t := range s.tiers {
		if t >= s.p.View.RootTop {
			continue
		}
		short := s.ask.short
		for _, d := range s.p.View.DomainsOf(t) {
			left := (s.ask.slots.At(d) - s.begunWithin(i, d)) % s.ask.sizes[i]
			if left == 0 || s.p.View.Contains(s.p.View.Outside, d) {
				continue
			}
			if left != short {
				return false
			}
			short = 0
		}
		groups := s.ask.full*s.ask.sizes[0]/s.ask.sizes[i] + s.outer(i, layout.Root)
		n := s.whole(i, t, layout.Root)
		if n < groups || short > 0 && n == groups && s.rest(i, t, s.p.View.Outside) < short {
			return false
		}
	}
	return true
}

// fillTree distributes a gang that is larger than the tree: every slot of the tree is taken, the other members
// lie outside kid. Groups that need not be split are not.
//
// order: outside.1
func (pl placer) fillTree(d demand, kids children) {
	groups := d.units[0]
	left := pl.wholeUnits(d)
	for i := range kids.of {
		kid := &kids.of[i]
		room := pl.ask.slots.At(kid.at)
		if kid.at == pl.p.View.Outside {
			room = pl.ask.beyond
		}
		room -= pl.sums.begunMembers(kid.at)
		room += pl.p.Forced[kid.at]
		if pl.ask.bottom() > 0 && pl.sums.tiers[0] < pl.p.View.RootTop {
			groups = pl.fillWhole(kid, room, groups)
			continue
		}
		kid.demand.units = pl.ask.units()
		var outer int64 // members in whole groups of the level before
		for level, size := range pl.ask.sizes {
			n := min(pl.sums.free(level, pl.p.View.RootTop, kid.at), room/size, left[level])
			left[level] -= n
			kid.demand.units[level] = n - outer/size
			outer = n * size
		}
	}
}

// wholeUnits counts the units of every level that a demand on the root has to place: new groups, and what begun ones
// that are completed there need.
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

// fillWhole gives a child of the root the whole groups that fill it, and the short one where it completes that.
//
// order: outside.1
func (pl placer) fillWhole(kid *child, room, groups int64) int64 {
	n := min(groups, room/pl.ask.sizes[0])
	kid.demand.units = pl.ask.units()
	kid.demand.units[0] = n
	kid.demand.short = pl.ask.short > 0 && room%pl.ask.sizes[0] == pl.ask.short && room > n*pl.ask.sizes[0]
	return groups - n
}
