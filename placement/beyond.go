package placement

// takesBeyond decides the case in which the tree is filled to the last slot and the rest of the gang lies outside
// it: groups are whole at a tier only if every domain of that tier is filled by whole groups, beside begun ones.
func (s *sums) takesBeyond() bool {
	for i, t := range s.tiers {
		if t >= s.v.rootTop {
			continue
		}
		short := s.short
		for _, d := range s.v.domainsOf(t) {
			left := (s.slots.at(d) - s.begunWithin(i, d)) % s.sizes[i]
			if left == 0 || s.v.contains(s.v.outside, d) {
				continue
			}
			if left != short {
				return false
			}
			short = 0
		}
		groups := s.full*s.sizes[0]/s.sizes[i] + s.outer(i, rootVertex)
		n := s.whole(i, t, rootVertex)
		if n < groups || short > 0 && n == groups && s.rest(i, t, s.v.outside) < short {
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
		room := s.slots.at(it.at)
		if it.at == s.v.outside {
			room = s.beyond
		}
		room -= s.begunMembers(it.at)
		room += s.forced[it.at]
		if s.bottom() > 0 && s.tiers[0] < s.v.rootTop {
			groups = s.fillWhole(it, room, groups)
			continue
		}
		it.units = s.units()
		var outer int64 // members in whole groups of the level before
		for level, size := range s.sizes {
			n := min(s.free(level, s.v.rootTop, it.at), room/size, left[level])
			left[level] -= n
			it.units[level] = n - outer/size
			outer = n * size
		}
	}
}

// wholeUnits counts the units of every level that a demand on the root has to place: new groups, and what begun ones
// that are completed there need.
func (s *sums) wholeUnits(d demand) []int64 {
	left := make([]int64, len(s.sizes))
	for i := range left {
		left[i] = d.units[0] * s.sizes[0] / s.sizes[i]
		if d.short && i == s.bottom() {
			left[i] += s.short
		}
		for _, g := range d.begun {
			if b := &s.begun[g]; b.level < i && s.homes[g] == rootVertex {
				left[i] += b.need * s.sizes[b.level+1] / s.sizes[i]
			}
		}
	}
	return left
}

// fillWhole gives a child of the root the whole groups that fill it, and the short one where it completes that.
func (s *sums) fillWhole(it *item, room, groups int64) int64 {
	n := min(groups, room/s.sizes[0])
	it.units = s.units()
	it.units[0] = n
	it.short = s.short > 0 && room%s.sizes[0] == s.short && room > n*s.sizes[0]
	return groups - n
}
