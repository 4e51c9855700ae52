package gather

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/problem"
)

// chooser picks the set of children that take n units of one level, and how many each takes: docs/order.md section 4,
// `Sets` and `Fill`.
type chooser struct {
	p      *problem.Problem
	ask    *ask
	placer placer
	items  []item
	level  int
	n      int64
	unit   int64 // the units go in multiples of it
	short  bool  // one of the children takes the short group as well
	count  bool  // only the number of children matters
	// byZones: the zones of nodes may tell the children apart.
	byZones bool
}

// scored says whether children that are equal otherwise may differ in score.
func (c *chooser) scored() bool { return c.byZones || c.p.Scored() }

// choose fills the items' given, and short where the short group goes.
func (c *chooser) choose() {
	if c.unit > 1 {
		for i := range c.items {
			it := &c.items[i]
			it.lo, it.hi, it.withRest = it.lo/c.unit, it.hi/c.unit, floorDiv(it.withRest, c.unit)
		}
		c.n /= c.unit
	}
	core := c.core()
	var set []int
	if c.enough(core) {
		set = c.trim(core, c.short)
	} else {
		extra := c.extra(core)
		set = append(c.trim(core, false), extra...)
	}
	c.fill(set)
	if c.unit > 1 {
		for i := range c.items {
			c.items[i].given *= c.unit
		}
	}
}

// floorDiv keeps -1, which stands for no room at all.
func floorDiv(a, b int64) int64 {
	if a < 0 {
		return a
	}
	return a / b
}

// core lists the children that cost no span: those that must take units and those in use, by running members or by the
// short group. Of those in use that could take nothing but the short group one can be among them.
func (c *chooser) core() []int {
	var core []int
	alone := -1
	for i := range c.items {
		it := &c.items[i]
		switch {
		case it.lo > 0 || (it.siblings > 0 || it.demand.short) && it.hi > 0:
			core = append(core, i)
		case it.siblings > 0 && c.holdsShort(it) && (alone < 0 || c.compareAlone(i, alone) < 0):
			alone = i
		}
	}
	if alone >= 0 {
		core = append(core, alone)
		slices.Sort(core)
	}
	return core
}

// usable says whether a child can take anything.
func (c *chooser) usable(it *item) bool { return it.hi > 0 || c.holdsShort(it) }

// holdsShort says whether a child has room for the short group beside what it must take.
func (c *chooser) holdsShort(it *item) bool { return c.short && it.withRest >= it.lo }

// freeShort says whether the short group costs a child none of its whole ones.
func (c *chooser) freeShort(it *item) bool { return c.holdsShort(it) && it.withRest == it.hi }

// enough says whether a set has room for all units, the short group included.
func (c *chooser) enough(set []int) bool {
	var sum int64
	able, free := false, false
	for _, i := range set {
		sum += c.items[i].hi
		able = able || c.holdsShort(&c.items[i])
		free = free || c.freeShort(&c.items[i])
	}
	return sum >= c.n && (!c.short || free || able && sum > c.n)
}

// trim leaves children in use out if there are more of them than units, the short group being one if it goes to these:
// every child of a set takes at least one.
func (c *chooser) trim(core []int, short bool) []int {
	left := c.n
	if short {
		left++
	}
	var set, rest []int
	for _, i := range core {
		if lo := c.items[i].lo; lo > 0 {
			set, left = append(set, i), left-lo
		} else {
			rest = append(rest, i)
		}
	}
	if n := int64(len(rest)); n > left || short && n == left {
		slices.SortStableFunc(rest, c.compareUsed)
		rest = c.keepScored(set, rest, int(max(0, left)), short)
	}
	return append(set, rest...)
}

// compareUsed orders children in use that take one unit each.
func (c *chooser) compareUsed(i, j int) int {
	a, b := &c.items[i], &c.items[j]
	order := cmp.Compare(b.siblings, a.siblings)
	if order == 0 && a.demand.short != b.demand.short {
		order = 1
		if a.demand.short {
			order = -1
		}
	}
	order = cmp.Or(order, cmp.Compare(b.friends, a.friends), cmp.Compare(a.zones, b.zones))
	switch {
	case order != 0:
	case c.byScore():
		order = cmp.Compare(c.ask.nodeScore(b.at), c.ask.nodeScore(a.at))
	default:
		order = c.p.CompareFree(a.slots, b.slots)
	}
	return order
}

// compareAlone orders children in use that take the short group alone.
func (c *chooser) compareAlone(i, j int) int {
	order := c.compareUsed(i, j)
	if order == 0 && c.scored() {
		order = c.scoreOf(&c.items[j], 0, true).compare(c.scoreOf(&c.items[i], 0, true))
	}
	return order
}

// keepAble takes the first n of the rest. If these take one unit each, the short group being one, a child with room for
// that is among them; if there is none, one less is taken, and the short group goes beside other units.
func (c *chooser) keepAble(rest []int, n int, short bool) []int {
	kept := slices.Clone(rest[:n])
	if n == 0 || !short || c.able(kept) {
		return kept
	}
	if k := slices.IndexFunc(rest, func(i int) bool { return c.holdsShort(&c.items[i]) }); k >= 0 {
		kept[n-1] = rest[k]
		return kept
	}
	return kept[:n-1]
}

// able says whether a child of the set has room for the short group.
func (c *chooser) able(set []int) bool {
	return slices.ContainsFunc(set, func(i int) bool { return c.holdsShort(&c.items[i]) })
}

// byScore says whether the children are nodes that are compared by host score.
func (c *chooser) byScore() bool {
	return c.p.Policy == gang.ByScore && len(c.items) > 0 && c.p.View.IsNode(c.items[0].at)
}

// extra picks the fewest further children that are needed beside the core, the best such set.
func (c *chooser) extra(core []int) []int {
	need := c.n
	inCore := make([]bool, len(c.items))
	able, free := !c.short, !c.short
	for _, i := range core {
		inCore[i] = true
		need -= c.items[i].hi
		able = able || c.holdsShort(&c.items[i])
		free = free || c.freeShort(&c.items[i])
	}
	var pool []int
	for i := range c.items {
		if !inCore[i] && c.usable(&c.items[i]) {
			pool = append(pool, i)
		}
	}
	if c.isPlain(pool) {
		return c.extraPlain(pool, core, need)
	}
	if c.isEven() {
		if set := c.extraExact(pool, need, !free); set != nil {
			return set
		}
	}
	// Either the short group finds a place of its own in some child, or it takes that of a whole group.
	tasks := []task{{need: need, flagged: !free, flag: c.freeShort}}
	if c.short {
		tasks = append(tasks, task{need: need + 1, flagged: !able, flag: c.holdsShort})
	}
	k := newPicker(c, pool, core)
	for size := max(1, k.fewest(need)); size <= len(pool); size++ {
		if best := k.best(size, tasks); best != nil {
			return best
		}
	}
	return pool
}

// fill gives the units to the children of a set: lower bounds first, then in fill order as much as each can take while
// those after it keep one; evenly under Spread and Balanced.
func (c *chooser) fill(set []int) {
	slices.SortStableFunc(set, c.compareFill)
	rest := c.placeShort(set)
	set = slices.DeleteFunc(set, func(i int) bool { return c.items[i].hi == 0 && i != rest })
	left := c.n
	least := func(i int) int64 {
		if i == rest {
			return c.items[i].lo
		}
		return max(1, c.items[i].lo)
	}
	for _, i := range set {
		it := &c.items[i]
		if i == rest {
			it.hi, it.demand.short = it.withRest, true
		}
		it.given = min(least(i), left)
		left -= it.given
	}
	if c.p.Policy == gang.Spread || c.p.Policy == gang.Balanced {
		c.fillEvenly(set, left)
		return
	}
	for _, i := range set {
		it := &c.items[i]
		more := min(left, it.hi-it.given)
		it.given, left = it.given+more, left-more
	}
}

// compareFill is the fill order: siblings first, then by zones, by score or room; ties stay in path order.
func (c *chooser) compareFill(i, j int) int {
	a, b := &c.items[i], &c.items[j]
	order := cmp.Or(cmp.Compare(b.siblings, a.siblings), cmp.Compare(a.zones, b.zones))
	switch {
	case order != 0:
		return order
	case c.byScore():
		order = cmp.Compare(c.ask.nodeScore(b.at), c.ask.nodeScore(a.at))
	default:
		order = cmp.Compare(b.slots, a.slots)
	}
	return cmp.Or(order, cmp.Compare(i, j))
}

// placeShort finds the child for the short group, -1 if there is none to place: one that can take nothing else, or the
// last one in fill order that can.
func (c *chooser) placeShort(set []int) int {
	if !c.short {
		return -1
	}
	var sum, least int64
	for _, i := range set {
		if sum += c.items[i].hi; c.items[i].hi == 0 {
			return i
		}
		least += max(1, c.items[i].lo)
	}
	last := -1
	for _, i := range slices.Backward(set) {
		it := &c.items[i]
		if !c.holdsShort(it) || sum-it.hi+it.withRest < c.n {
			continue
		}
		if least-max(1, it.lo)+it.lo <= c.n { // so that the others take what they must
			return i
		}
		if last < 0 {
			last = i
		}
	}
	return last
}

// fillEvenly gives out what is left one unit at a time to the child with the fewest, the short group being one, ties in
// fill order: all up to one level, then one more for the first.
func (c *chooser) fillEvenly(set []int, left int64) {
	up := func(i int, level int64) int64 {
		it := &c.items[i]
		return max(0, min(level-it.even()+it.given, it.hi)-it.given)
	}
	cost := func(level int64) (sum int64) {
		for _, i := range set {
			sum += up(i, level)
		}
		return sum
	}
	low, high := int64(0), left+1 // the level lies within [low, high)
	for _, i := range set {
		high = max(high, c.items[i].hi+2)
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
		c.items[i].given, left = c.items[i].given+more, left-more
	}
	for _, i := range set {
		if it := &c.items[i]; left > 0 && it.even() == low && it.hi > it.given {
			it.given, left = it.given+1, left-1
		}
	}
}

// even is what a child counts for when a set is filled evenly.
func (it *item) even() int64 {
	if it.demand.short {
		return it.given + 1
	}
	return it.given
}
