package numa

// Count is how many identical members a node takes.
type Count struct {
	// Slots is how many fit, for certain.
	Slots int64
	// Bound is a number that cannot be exceeded; Slots, where the count is exact.
	Bound int64
}

// Proven says that the count is exact.
func (c Count) Proven() bool { return c.Slots == c.Bound }

// Slots counts how many such members the node takes together, each with zones that the rules of [Need.Fit] allow. Up to
// 8 zones the count is exact, above it may only be a lower bound; for Restricted members of several zones the search
// stops after a fixed number of steps in any case ([Count.Proven] tells; it needs a few hundred at most as a rule).
// [Unbounded] where nothing is asked for that the node bounds. O(n k); for Restricted members of several zones O(2^n k)
// and the search. Up to 8 zones nothing is allocated, unless the search needs the bound of a linear program.
//
// With f(S) = how many members the free amounts of the zones S cover, resource by resource, and C = the zones that may
// be part of a wider mask: under BestEffort what is left of C does not depend on who took which mask, so that f(C)
// members go there, and others into single zones outside C. Under Restricted, with x members on each mask, the resources
// can be split if and only if no set S is asked for more than it has: the members whose masks lie inside S number at
// most f(S), for every S (Gale's theorem on demands and supplies; the resources split independently, in whole units).
func (q *Need) Slots(node *Occupancy) Count {
	q, node = q.orNowhere(), node.orEmpty()
	if q.cause != "" || node.zones != q.zones && !node.zones.Equal(q.zones) {
		return Count{}
	}
	limit := q.withinTotals(node)
	if limit == 0 || !q.Zoned() {
		return Count{limit, limit}
	}
	var room [64]int64
	free, alone, wide := q.freeOf(node, room[:]), q.allowed(node, 1), q.allowed(node, 2) // wide: C
	switch {
	case q.policy == SingleNUMANode, q.policy == Restricted && q.width == 1:
		return exactly(q.single(free, alone), limit)
	case q.policy == BestEffort:
		return exactly(q.copies(free, wide)+q.single(free, alone&^wide), limit)
	}
	return q.spread(free, wide, limit)
}

func exactly(slots, limit int64) Count {
	slots = min(slots, limit)
	return Count{slots, slots}
}

// copies is f: how many members the zones cover together. 0 for no zones.
func (q *Need) copies(free []int64, zones Mask) int64 {
	n, least := len(q.zones.ids), Unbounded
	for r, amount := range q.amounts {
		if least = min(least, sum(free[r*n:r*n+n], zones)/amount); least == 0 {
			break
		}
	}
	return least
}

// single sums f over single zones. No overflow: it is at most f of all of them.
func (q *Need) single(free []int64, zones Mask) (total int64) {
	for ; zones != 0; zones &= zones - 1 {
		total += q.copies(free, zones&-zones)
	}
	return total
}
