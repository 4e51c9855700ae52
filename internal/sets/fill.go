// How many units does each child of a set take?

package sets

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/keys"
)

// fill gives the units to the children of a set. Each first gets its lower bound, and at least one unit. What is left
// goes to the first child in fill order up to its upper bound, then to the next; under Spread and Balanced it goes
// evenly. It sorts the set, and lowers Hi of the child that takes the short group. O(n log n) for n children.
//
// order: fill.1
func (c *Chooser) fill(set []int) {
	slices.SortStableFunc(set, c.compareFill)
	rest := c.placeShort(set) // before units are given: it takes room from its child
	set = slices.DeleteFunc(set, func(i int) bool { return c.Items[i].Hi == 0 && i != rest })
	left := c.Units
	least := func(i int) int64 {
		if i == rest { // the short group suffices to be in the set
			return c.Items[i].Lo
		}
		return c.Items[i].least()
	}
	for _, i := range set {
		it := &c.Items[i]
		if i == rest {
			it.Hi, it.HasShort = it.WithRest, true
		}
		it.Given = min(least(i), left)
		left -= it.Given
	}
	if c.rules.Even {
		c.fillEvenly(set, left)
		return
	}
	for _, i := range set {
		it := &c.Items[i]
		more := min(left, it.Hi-it.Given)
		it.Given, left = it.Given+more, left-more
	}
}

// compareFill is the fill order: more running members of the gang, fewer zones, then more slots or, between nodes under
// ByScore, a higher score. It is 0 for a child and itself only: the order of items decides last.
//
// order: fill.1
func (c *Chooser) compareFill(i, j int) int {
	a, b := &c.Items[i], &c.Items[j]
	order := cmp.Or(cmp.Compare(b.Used, a.Used), cmp.Compare(a.Keys[keys.Zones], b.Keys[keys.Zones]))
	switch {
	case order != 0:
		return order
	case c.byHost:
		order = cmp.Compare(c.Scorer.Host(j), c.Scorer.Host(i))
	default:
		order = cmp.Compare(b.Slots, a.Slots)
	}
	return cmp.Or(order, cmp.Compare(i, j))
}

// placeShort finds the child of the short group, -1 if there is none to place. It is the child that can take nothing
// else, if there is one. Else it is the last in fill order that leaves room for all units, and a unit for each of the
// other children if that is possible. The set is in fill order. O(n).
//
// order: short.2
func (c *Chooser) placeShort(set []int) int {
	if !c.Short {
		return -1
	}
	var sum, least int64 // units that the set holds at most, and takes at least, without the short group
	for _, i := range set {
		if sum += c.Items[i].Hi; c.Items[i].Hi == 0 {
			return i
		}
		least += c.Items[i].least()
	}
	last := -1 // the last one that leaves room, though some other child would take no unit
	for _, i := range slices.Backward(set) {
		it := &c.Items[i]
		if !c.holdsShort(it) || sum-it.Hi+it.WithRest < c.Units {
			continue
		}
		if least-it.least()+it.Lo <= c.Units { // so that the others take what they must
			return i
		}
		if last < 0 {
			last = i
		}
	}
	return last
}

// fillEvenly gives out the units left one at a time to the child with the fewest, ties in fill order; the short group
// counts as the units whose place it takes. So all children rise to one level, as far as their bounds allow, and then the first ones take one
// more. The level is found by bisection. O(n log units) for n children.
//
// order: fill.2
func (c *Chooser) fillEvenly(set []int, left int64) {
	up := func(i int, level int64) int64 { // units by which a child rises to a level
		it := &c.Items[i]
		return max(0, min(level-c.even(it)+it.Given, it.Hi)-it.Given)
	}
	cost := func(level int64) (sum int64) {
		for _, i := range set {
			sum += up(i, level)
		}
		return sum
	}
	low, high := int64(0), left+1 // the level lies within [low, high): low always costs no more than is left
	for _, i := range set {
		high = max(high, c.Items[i].Hi+c.Place+1) // at high-1 all are full, whatever is left
	}
	for low+1 < high {
		if mid := low + (high-low)/2; cost(mid) <= left {
			low = mid
		} else {
			high = mid
		}
	}
	for _, i := range set {
		more := up(i, low)
		c.Items[i].Given, left = c.Items[i].Given+more, left-more
	}
	// Unless all are full, what is left is less than a unit for each child at this level: the first ones take it, those that take
	// nothing beyond multiples before others.
	if c.Multiple > 1 {
		slices.SortStableFunc(set, func(i, j int) int { return cmp.Compare(c.Items[i].rest, c.Items[j].rest) })
	}
	for _, i := range set {
		if it := &c.Items[i]; left > 0 && c.even(it) == low && it.Hi > it.Given {
			it.Given, left = it.Given+1, left-1
		}
	}
}

// even is the number of units that a child counts for when a set is filled evenly.
func (c *Chooser) even(it *Item) int64 {
	if it.HasShort {
		return it.Given + c.Place
	}
	return it.Given
}
