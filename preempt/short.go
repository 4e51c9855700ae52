// The short group: if groups of a single level do not divide the gang, the last one has fewer units. Exactly one place
// has it beside its whole groups.

package preempt

// besideShort are the curves of several places in whole groups: without the short group, and with it beside them. The
// latter begin with what the short group costs alone, and are empty where it does not fit.
type besideShort struct{ without, with []*curve }

// cost is the least cost of so many whole groups and the short one; impossible if there is no room. O(places * full²).
func (b *besideShort) cost(full int64) weight {
	open, placed := []weight{{}}, []weight(nil) // with the short group still to place, and placed
	for i := range b.without {
		next := combine(open, b.without[i].cost, full, nil)
		var here []weight
		if len(b.with[i].cost) > 0 {
			here = combine(open, b.with[i].cost, full, nil)
		}
		if len(placed) > 0 {
			here = lower(here, combine(placed, b.without[i].cost, full, nil))
		}
		open, placed = next, here
	}
	return costOf(placed, full)
}

// place is the first place of the short group at which the whole costs no more than it must; -1 if there is no room.
func (b *besideShort) place(full int64) int {
	least := b.cost(full)
	if least == impossible {
		return -1
	}
	for i := range b.without {
		total := b.with[i].cost
		if len(total) == 0 {
			continue
		}
		total = total[:min(int64(len(total)), full+1)]
		for j := range b.without {
			if j != i {
				total = combine(total, b.without[j].cost, full, nil)
			}
		}
		if costOf(total, full) == least {
			return i
		}
	}
	return -1
}

// fromZero is a curve less what it costs to begin with: what merging takes as given.
func fromZero(c *curve) *curve {
	less := make([]weight, len(c.cost))
	for n := range c.cost {
		less[n] = c.cost[n].minus(&c.cost[0])
	}
	return &curve{cost: less}
}
