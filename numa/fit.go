package numa

import "math/bits"

// Fit is where one member goes on a node.
type Fit struct {
	// Fits says that the node takes the member.
	Fits bool
	// Violates says that, under Preferred, the zones host members that the exclusivity keeps apart.
	Violates bool
	// Mask is its zones; empty for a member that is not placed on zones.
	Mask Mask
	// Cause says why it does not fit.
	Cause Cause
}

// Fit finds the best zones for one member: those that violate no exclusivity before those that do, then the fewest, the
// closest, the most used (compared exactly), the smallest mask. [Need.Shares] and [Need.Score] say more about them. The
// node must have the zones that the need was prepared for; nothing fits on others. O(k * masks up to the width found),
// joint tests on sums; up to 64 numbers (zones times zoned resources) nothing is allocated.
func (q *Need) Fit(node *Occupancy) Fit {
	q, node = q.orNowhere(), node.orEmpty()
	switch {
	case q.cause != "":
		return Fit{Cause: q.cause}
	case node.zones != q.zones && !node.zones.Equal(q.zones):
		return Fit{Cause: CauseCapacity}
	case node.totals != nil && q.withinTotals(node) == 0:
		return Fit{Cause: CauseTotals}
	case !q.Zoned():
		return Fit{Fits: true}
	case q.piece == 1:
		return q.fit(node, q.freeOf(node, nil))
	}
	var room [64]int64
	return q.fit(node, q.freeOf(node, room[:]))
}

func (q *Need) fit(node *Occupancy, free []int64) Fit {
	s := search{need: q, free: free}
	s.run(node, q.open)
	if s.found {
		return Fit{Fits: true, Mask: s.mask}
	}
	if q.policy == SingleNUMANode && node.hosts.spanning == 0 || q.policy != SingleNUMANode && node.hosts.single == 0 {
		return Fit{Cause: CauseCapacity} // nothing is closed
	}
	if q.preferred {
		if s.run(node, q.allowed); s.found {
			return Fit{Fits: true, Mask: s.mask, Violates: true}
		}
	}
	s.any = true
	if s.run(node, q.every); s.found {
		return Fit{Cause: CauseExclusive}
	}
	return Fit{Cause: CauseCapacity}
}

// search looks for the best mask of a width: the closest, then the most used, then the smallest.
type search struct {
	need *Need
	free []int64 // by resource, then zone
	any  bool    // any mask will do

	found    bool
	mask     Mask
	distance int64
}

// run tries the widths that the policy allows, in rising order, among the zones that a mask of the width may have.
func (s *search) run(node *Occupancy, may func(node *Occupancy, width int) Mask) {
	q := s.need
	low, high := 1, 1
	switch q.policy {
	case Restricted:
		low, high = q.width, q.width
	case BestEffort:
		high = len(q.zones.ids)
	default: // one
	}
	for w := low; w <= high && !s.found; w++ {
		zones := may(node, w)
		if w == 2 && high > 2 {
			w = max(w, s.least(zones)) // saves whole widths
		}
		s.width(w, zones)
	}
}

// least is a width below which no mask among these zones has room: for each resource, the largest zones are counted.
// More than all zones if they have no room either. O(k n log n).
func (s *search) least(zones Mask) int {
	least, n := 1, len(s.need.zones.ids)
	for r, amount := range s.need.amounts {
		var sorted [MaxZones]int64
		count := 0
		for rest := zones; rest != 0; rest &= rest - 1 {
			free := s.free[r*n+rest.first()]
			at := count
			for ; at > 0 && sorted[at-1] < free; at-- {
				sorted[at] = sorted[at-1]
			}
			sorted[at] = free
			count++
		}
		w := 0
		for ; w < count && amount > 0; w++ {
			amount -= sorted[w]
		}
		if amount > 0 {
			return MaxZones + 1
		}
		least = max(least, w)
	}
	return least
}

// width looks at the masks of exactly w of these zones. O(w k * masks); among many zones, less where sums rule many out.
func (s *search) width(w int, zones Mask) {
	n := len(s.need.zones.ids)
	switch {
	case zones.Width() < w:
	case w == 1:
		s.one(zones)
	case n > fewZones:
		s.many(w, zones)
	default:
		for m := uint32(1)<<w - 1; m < 1<<n; { // in rising order, by Gosper's rule
			if Mask(m)&^zones == 0 {
				s.consider(Mask(m))
				if s.any && s.found {
					return
				}
			}
			lowest := m & -m
			carried := m + lowest
			m = (m^carried)>>2>>bits.TrailingZeros32(lowest) | carried
		}
	}
}

// one looks at single zones.
func (s *search) one(zones Mask) {
	n := len(s.need.zones.ids)
scan:
	for ; zones != 0; zones &= zones - 1 {
		z := zones.first()
		for r, amount := range s.need.amounts {
			if s.free[r*n+z] < amount {
				continue scan
			}
		}
		distance := int64(0)
		if s.need.zones.distance != nil {
			distance = s.need.zones.distance[z*n+z]
		}
		s.keep(1<<z, distance)
	}
}

// keep takes a mask that has room if it is better than the best so far.
func (s *search) keep(mask Mask, distance int64) {
	if s.found {
		if distance > s.distance {
			return
		}
		if distance == s.distance {
			if c := s.compareUse(mask, s.mask); c < 0 || c == 0 && mask > s.mask {
				return
			}
		}
	}
	s.found, s.mask, s.distance = true, mask, distance
}

// many visits the masks of w zones depth first, with their sums, and leaves beginnings that what lies behind cannot
// complete, or that are farther apart than the best.
func (s *search) many(w int, zones Mask) {
	n, k := len(s.need.zones.ids), len(s.need.amounts)
	var room [(2*MaxZones + 2) * 4]int64
	behind := room[:]
	if (n+1+w+1)*k > len(room) {
		behind = make([]int64, (n+1+w+1)*k)
	}
	for z := n - 1; z >= 0; z-- {
		for r := range k {
			behind[z*k+r] = behind[(z+1)*k+r]
			if zones>>z&1 != 0 {
				behind[z*k+r] += s.free[r*n+z]
			}
		}
	}
	s.extend(0, w, zones, 0, behind, behind[(n+1)*k:])
}

// extend adds zones to a mask, in ascending order, until it has `left` more. The sums of the mask are the first k; behind
// is, by zone, then resource, what this zone and those after it have.
func (s *search) extend(mask Mask, left int, zones Mask, distance int64, behind, sums []int64) {
	n, k := len(s.need.zones.ids), len(s.need.amounts)
	next := sums[k : 2*k]
	for ; zones.Width() >= left && !(s.any && s.found); zones &= zones - 1 {
		z, room := zones.first(), true
		for r, amount := range s.need.amounts {
			if sums[r]+behind[z*k+r] < amount {
				return
			}
			next[r] = sums[r] + s.free[r*n+z]
			room = room && next[r] >= amount
		}
		far := distance
		if s.need.zones.distance != nil {
			row := s.need.zones.distance[z*n : z*n+n]
			far += row[z] + sum(row, mask)
		}
		switch {
		case s.found && far > s.distance:
		case left > 1:
			s.extend(mask|1<<z, left-1, zones&(zones-1), far, behind, sums[k:])
		case room:
			s.keep(mask|1<<z, far)
		}
	}
}

// consider keeps a mask if it has room and is better than the best so far.
func (s *search) consider(mask Mask) {
	distance := s.need.zones.distanceOf(mask)
	if s.found && distance > s.distance {
		return
	}
	n := len(s.need.zones.ids)
	for r, amount := range s.need.amounts {
		if sum(s.free[r*n:r*n+n], mask) < amount {
			return
		}
	}
	s.keep(mask, distance)
}

// sum adds up the zones of a mask.
func sum(column []int64, mask Mask) (total int64) {
	for ; mask != 0; mask &= mask - 1 {
		if z := mask.first(); z < len(column) {
			total += column[z]
		}
	}
	return total
}
