package sets

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/keys"
)

// Chooser picks the set of children that share some units, and the number of units of each: docs/order/4-children.md,
// `sets`, `fill` and `short`. Fill in the exported fields, then call Choose or Count once. Together the items must have
// room for all units, and for the short group if there is one.
//
// First come the children that cost no span (core). If they do not suffice, the best smallest set of further children
// joins them (extra). The set so found is then filled (fill).
type Chooser struct {
	Policy   gang.Policy
	Items    []Item       // in the order that decides between equal ones
	Units    int64        // to give in all, the lower bounds of the items included
	Multiple int64        // units go in multiples of this number; at least 1
	Short    bool         // one of the items takes the short group as well, which is no unit
	Place    int64        // units whose place the short group takes, if it takes any: 1, or its size where units are members
	Nodes    bool         // the items are nodes, which ByScore compares by host score
	Groups   bool         // units are groups: an item with more slots may hold fewer of them
	Zoned    bool         // zones may tell the items apart
	Features features.Set // of the problem, which is scored where host scores may tell the items apart
	Scorer   Scorer       // asked where Zoned or scored, or for nodes under ByScore
	Scratch  *LeastSum    // memory for the search; nil: its own
	// Below adds item i, which is in use, to Width+1 numbers, and, of the Width layers below the items that count, how many vertices are in use below
	// it with so many units, and with the short group. Width is 0 where only the items count. Additions is what searches for the fewest may still
	// spend; beyond it only the items count. Narrower is memory for such a search; nil: its own.
	Below     func(spans []int64, i int, units int64, short bool)
	Width     int
	Additions *int64
	Narrower  *Narrower
	rules     keys.Rules // of the policy
	byHost    bool       // the items are nodes that are compared by host score
	counting  bool       // only the number of items matters
}

// Choose sets Given of every item, and HasShort of the one that takes the short group. It uses up Lo, Hi and WithRest.
func (c *Chooser) Choose() { c.choose() }

// Count is Choose where only the number of items that are given anything matters.
func (c *Chooser) Count() {
	c.counting = true
	c.choose()
}

// scored says whether items that are equal otherwise may differ in score.
func (c *Chooser) scored() bool { return c.Zoned || c.Features.Has(features.Scored) }

// choose counts in multiples from here on, and in units again at the end.
func (c *Chooser) choose() {
	c.rules = keys.RulesOf(c.Policy)
	c.byHost = c.rules.Hosts && c.Nodes
	if c.Multiple > 1 {
		for i := range c.Items {
			c.Units -= c.Items[i].toMultiples(c.Multiple, c.Groups)
		}
		c.Units, c.Place = c.Units/c.Multiple, c.Place/c.Multiple
	}
	if c.Width > 0 && c.mayNarrow() {
		c.chooseNarrow()
	} else {
		c.chooseFewest()
	}
	if c.Multiple > 1 {
		for i := range c.Items {
			it := &c.Items[i]
			it.Given = it.Given*c.Multiple + it.rest
		}
	}
}

// chooseFewest is choose where only the children count.
func (c *Chooser) chooseFewest() {
	core := c.core()
	var set []int
	if c.enough(core) {
		set = c.trim(core, c.Short)
	} else { // extra sees to the short group: the core is trimmed to the units alone
		others := c.othersThan(core)
		set = c.trim(core, false)
		set = append(set, c.extra(set, others)...)
	}
	c.fill(set)
}

// core lists the children that cost no span, in path order: those that must take units, and those in use by running
// members or by the short group. Of the children in use with room for the short group alone only the best is listed,
// because there is one short group. O(items).
//
// order: sets.1
func (c *Chooser) core() []int {
	core := make([]int, 0, 32) // few are larger
	alone := -1
	for i := range c.Items {
		it := &c.Items[i]
		switch {
		case it.inEverySet() || (it.Used > 0 || it.HasShort) && it.Hi > 0:
			core = append(core, i)
		case it.Used > 0 && c.holdsShort(it) && (alone < 0 || c.compareAlone(i, alone) < 0):
			alone = i
		}
	}
	if alone >= 0 {
		core = append(core, alone)
		slices.Sort(core)
	}
	return core
}

// usable says whether a child can take a unit or the short group.
func (c *Chooser) usable(it *Item) bool { return it.Hi > 0 || c.holdsShort(it) }

// holdsShort says whether a child has room for the short group beside its lower bound.
func (c *Chooser) holdsShort(it *Item) bool { return c.Short && it.WithRest >= it.Lo }

// freeShort says whether the short group costs a child none of its whole ones.
func (c *Chooser) freeShort(it *Item) bool { return c.holdsShort(it) && it.WithRest == it.Hi }

// enough says whether a set has room for all units, the short group included: a set with a place to spare for that and a
// child that holds it is enough.
func (c *Chooser) enough(set []int) bool {
	var sum int64
	able, free := false, false
	for _, i := range set {
		sum += c.Items[i].Hi
		able = able || c.holdsShort(&c.Items[i])
		free = free || c.freeShort(&c.Items[i])
	}
	return sum >= c.Units && (!c.Short || free || able && sum >= c.Units+c.Place)
}

// trim leaves out the worst children in use if there are more of them than units, because every child of a set takes at
// least one. short: the short group goes to one of these children, and counts as a unit. Children with a lower bound
// stay.
func (c *Chooser) trim(core []int, short bool) []int {
	left := c.Units // units for the children without a lower bound
	if short {
		left++
	}
	// Most cores are smaller, and none of their children has a lower bound: nobody is left out.
	if int64(len(core)) < left && !slices.ContainsFunc(core, func(i int) bool { return c.Items[i].inEverySet() }) {
		return core
	}
	var set, rest []int
	for _, i := range core {
		if it := &c.Items[i]; it.inEverySet() {
			set, left = append(set, i), left-it.Lo
		} else {
			rest = append(rest, i)
		}
	}
	// With n == left each child takes one unit, the short group being one: its child must have room for it alone.
	if n := int64(len(rest)); n > left || short && n == left {
		slices.SortStableFunc(rest, c.compareUsed)
		rest = c.keepScored(set, rest, int(max(0, left)), short)
	}
	return append(set, rest...)
}

// compareUsed orders children in use that take one unit each, the better one first; 0 where only scores and the order
// of paths can tell them apart.
//
// order: sets.2, sets.3, sets.4
func (c *Chooser) compareUsed(i, j int) int {
	a, b := &c.Items[i], &c.Items[j]
	order := c.compareBeforeSlots(i, j)
	switch {
	case order != 0:
	case c.byHost:
		order = cmp.Compare(c.Scorer.Host(j), c.Scorer.Host(i))
	default:
		order = c.rules.CompareSlots(a.Slots, b.Slots)
	}
	return cmp.Or(order, a.Keys.Compare(&b.Keys, keys.Packing+1, keys.Count))
}

// compareBeforeSlots is compareUsed by the keys before slots and scores.
func (c *Chooser) compareBeforeSlots(i, j int) int {
	a, b := &c.Items[i], &c.Items[j]
	order := cmp.Compare(b.Used, a.Used)
	if order == 0 && a.HasShort != b.HasShort {
		order = 1
		if a.HasShort {
			order = -1
		}
	}
	return cmp.Or(order, a.Keys.Compare(&b.Keys, 0, keys.Packing))
}

// compareAlone orders children in use that take the short group and no unit.
func (c *Chooser) compareAlone(i, j int) int {
	order := c.compareUsed(i, j)
	if order == 0 && c.scored() {
		order = c.scoreOf(j, 0, true).Compare(c.scoreOf(i, 0, true))
	}
	return order
}

// keepAble takes the first n of the rest, best ones first. short: the short group is one of the n units. Then a child
// with room for it is among the n, in place of the last if need be. If there is no such child, n-1 are taken, and the
// short group goes beside the units of another child of the set.
func (c *Chooser) keepAble(rest []int, n int, short bool) []int {
	kept := slices.Clone(rest[:n])
	if n == 0 || !short || c.able(kept) {
		return kept
	}
	if k := slices.IndexFunc(rest, func(i int) bool { return c.holdsShort(&c.Items[i]) }); k >= 0 {
		kept[n-1] = rest[k]
		return kept
	}
	return kept[:n-1]
}

// able says whether a child of the set has room for the short group.
func (c *Chooser) able(set []int) bool {
	return slices.ContainsFunc(set, func(i int) bool { return c.holdsShort(&c.Items[i]) })
}

// othersThan lists the children that can take anything, but for those in the core. They have no lower bound, else they
// were in it. O(items).
func (c *Chooser) othersThan(core []int) []int {
	inCore := make([]bool, len(c.Items))
	for _, i := range core {
		inCore[i] = true
	}
	var pool []int
	for i := range c.Items {
		if !inCore[i] && c.usable(&c.Items[i]) {
			pool = append(pool, i)
		}
	}
	return pool
}

// extra picks the best of the smallest sets of children from the pool that suffice beside the core. The cost is that of
// the picker, unless slots alone decide.
//
// order: sets.1
func (c *Chooser) extra(core, pool []int) []int {
	need := c.Units // what the core leaves; 0 or less if only the short group is missing
	able, free := !c.Short, !c.Short
	for _, i := range core {
		need -= c.Items[i].Hi
		able = able || c.holdsShort(&c.Items[i])
		free = free || c.freeShort(&c.Items[i])
	}
	if c.isPlain(pool) {
		return c.extraPlain(pool, core, need)
	}
	// Either the short group finds a place of its own in some child, or it takes that of units. The second task holds so
	// many units more, and then any child that holds the short group will do. Among members it has no place of its own.
	tasks := []task{{need: need, flagged: !free, flag: c.freeShort}}
	if c.Short {
		tasks = append(tasks, task{need: need + c.Place, flagged: !able, flag: c.holdsShort})
	}
	if c.Short && !c.Groups {
		tasks, need = tasks[1:], need+c.Place
	}
	if !c.Zoned && features.ExtraExact.Takes(c.Features) { // the exact fit, if there is one
		if set := c.extraExact(pool, tasks[0]); set != nil {
			return set
		}
	}
	k := newPicker(c, pool, core)
	// No set of fewer children holds the need. Sizes grow one by one, so the first that succeeds is the smallest.
	for size := max(1, k.fewest(need)); size <= len(pool); size++ {
		if best := k.best(size, tasks); best != nil {
			return best
		}
	}
	return pool
}
