package gather

import "github.com/muster-sched/muster/internal/layout"

// takesBeyond decides the case in which the tree is filled to the last slot and the rest of the gang lies outside
// it: groups are whole at a tier only if every domain of that tier is filled by whole groups, beside begun ones.
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
// lie outside it. Groups that need not be split are not.
func (s *sums) fillTree(d demand, items []item) {
	groups := d.units[0]
	left := s.wholeUnits(d)
	for i := range items {
		it := &items[i]
		room := s.ask.slots.At(it.at)
		if it.at == s.p.View.Outside {
			room = s.ask.beyond
		}
		room -= s.begunMembers(it.at)
		room += s.p.Forced[it.at]
		if s.ask.bottom() > 0 && s.tiers[0] < s.p.View.RootTop {
			groups = s.fillWhole(it, room, groups)
			continue
		}
		it.demand.units = s.units()
		var outer int64 // members in whole groups of the level before
		for level, size := range s.ask.sizes {
			n := min(s.free(level, s.p.View.RootTop, it.at), room/size, left[level])
			left[level] -= n
			it.demand.units[level] = n - outer/size
			outer = n * size
		}
	}
}

// wholeUnits counts the units of every level that a demand on the root has to place: new groups, and what begun ones
// that are completed there need.
func (s *sums) wholeUnits(d demand) []int64 {
	left := make([]int64, len(s.ask.sizes))
	for i := range left {
		left[i] = d.units[0] * s.ask.sizes[0] / s.ask.sizes[i]
		if d.short && i == s.ask.bottom() {
			left[i] += s.ask.short
		}
		for _, g := range d.begun {
			if b := &s.ask.begun[g]; b.level < i && s.homes[g] == layout.Root {
				left[i] += b.need * s.ask.sizes[b.level+1] / s.ask.sizes[i]
			}
		}
	}
	return left
}

// fillWhole gives a child of the root the whole groups that fill it, and the short one where it completes that.
func (s *sums) fillWhole(it *item, room, groups int64) int64 {
	n := min(groups, room/s.ask.sizes[0])
	it.demand.units = s.units()
	it.demand.units[0] = n
	it.demand.short = s.ask.short > 0 && room%s.ask.sizes[0] == s.ask.short && room > n*s.ask.sizes[0]
	return groups - n
}
