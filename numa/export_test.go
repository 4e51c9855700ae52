package numa

// RefinedSlots counts as Slots does where its first search gives up; false where there is nothing to search.
func RefinedSlots(q *Need, node *Occupancy) (Count, bool) {
	zones := q.allowed(node, 2)
	if q.width < 2 || zones.Width() <= q.width || zones.Width() > fewZones {
		return Count{}, false
	}
	p := packing{left: make([]int64, 1<<zones.Width())}
	p.masks = p.fill(q, q.freeOf(node, nil), zones, nil)
	p.x = make([]int64, len(p.masks))
	if len(p.masks) == 0 {
		return Count{}, false
	}
	return p.refine(p.left[p.union]), true
}
