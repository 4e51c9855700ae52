package numa

import "slices"

// Point is one point of a score.
const Point = 1_000_000

// Score rates a mask that a fit on this node found: 100 - 10*width + 10*utilisation points, in millionths of a point
// ([Point]), rounded down; utilisation is the mean, over the zoned resources, of the part of the mask that is in use
// with the member on it. 0 for zones that violate the exclusivity, for no zones, and for no fit. O(k * width).
func (q *Need) Score(node *Occupancy, fit Fit) int64 {
	q, node = q.orNowhere(), node.orEmpty()
	if !fit.Fits || fit.Violates || !q.Zoned() || node.zones != q.zones && !node.zones.Equal(q.zones) {
		return 0
	}
	var room [64]int64
	return q.rate(q.freeOf(node, room[:]), fit.Mask)
}

// Rate is the sum of the scores of members that [Need.Split] placed on this node, each rated beside those before it.
// O(members * k * width).
func (q *Need) Rate(node *Occupancy, placed []Placed) (total int64) {
	q, node = q.orNowhere(), node.orEmpty()
	if !q.Zoned() || node.zones != q.zones && !node.zones.Equal(q.zones) {
		return 0
	}
	n, free := len(q.zones.ids), slices.Clone(q.freeOf(node, nil))
	for _, p := range placed {
		mask := Mask(0)
		for _, s := range p.Shares {
			z, _ := q.zones.Mask(s.Zone)
			mask |= z
		}
		if mask&^q.open(node, mask.Width()) == 0 {
			total += q.rate(free, mask)
		}
		for _, s := range p.Shares {
			z, ok := slices.BinarySearch(q.zones.ids, s.Zone)
			if !ok {
				continue // a zone that the node lacks
			}
			for r, column := range q.columns {
				free[r*n+z] -= s.Resources[q.zones.names[column]]
			}
		}
	}
	return total
}

// rate is the score of a mask, 0 if it is empty or has no room.
func (q *Need) rate(free []int64, mask Mask) int64 {
	n := len(q.zones.ids)
	for r, amount := range q.amounts {
		if sum(free[r*n:r*n+n], mask) < amount {
			return 0
		}
	}
	if mask == 0 {
		return 0
	}
	var few [8]fraction
	s := search{need: q, free: free}
	return int64(110-10*mask.Width())*Point - ceiling(s.slack(few[:0], mask), 10*Point, uint64(len(q.amounts)))
}

// slack appends, for each zoned resource, the part of the mask that stays free with the member on it, and returns the
// list: 1 - utilisation. The mask has room.
func (s *search) slack(list []fraction, mask Mask) []fraction {
	n := len(s.need.zones.ids)
	for r, amount := range s.need.amounts {
		free, capacity := sum(s.free[r*n:r*n+n], mask), sum(s.need.allocatable[r*n:r*n+n], mask)
		list = append(list, fraction{uint64(free - amount), uint64(capacity)})
	}
	return list
}
