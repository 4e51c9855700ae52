// How many units does each child of a vertex take, and how many children take any?

package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/keys"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// children are the children of a vertex that have room or must take members. Their order decides between equal ones.
type children struct {
	items []sets.Item // in units of the active level, those inside outer units included
	of    []child     // at the same place: the child of the item
	nodes bool        // they are nodes: of counted domains all, as some may stand for domains beside others
}

// child is one of children.
type child struct {
	at     layout.Vertex
	demand demand // what it takes; no units: nothing but the short group or begun ones, or nothing at all
	outer  int64  // units of the active level inside the units of outer levels that it takes
	able   bool   // the short group, which is placed with single members, may lie whole in it
}

// last is what a distribution has still to do with the short group.
type last struct {
	open    bool // it is to be placed
	singles bool // members are placed at the vertex that are in no whole group
}

// want is what a distribution is made for.
type want uint8

const (
	placing  want = iota // which children take how many
	counting             // only how many children take any
	spanning             // only what is in use, down to the layers that count
)

// spanOf is the least number of children of x that hold the whole ask, those in use by running members of the gang
// included; 0 for a node. O(children * tiers), beside the choice of the children, unless the index tells.
//
// order: domain.3
func (pl placer) spanOf(x layout.Vertex) int64 {
	if pl.m.View.IsNode(x) {
		return 0
	}
	if n, ok := pl.sums.spans().indexedSpan(x); ok {
		return n
	}
	kids := pl.distribute(x, pl.ask.everything(), pl.ask.scratch.enter(), counting)
	pl.ask.scratch.keep(kids)
	pl.ask.scratch.depth--
	var n int64
	for i := range kids.items {
		if it := &kids.items[i]; it.Given > 0 || it.HasShort || it.Used > 0 {
			n++
		}
	}
	return n
}

// distribute gives the units of a demand to the children of x, outermost level first. kids is empty and gives its room.
// When counting, only the number of children that take anything is of use.
//
// Units that no child can hold whole are split: they go on as units of the next level. A level is decided with the
// outer ones fixed: what a child was given before is its lower bound, expressed in units of the active level. So at the
// end Given of an item is all that the child takes beside the short group and begun ones, in members.
func (pl placer) distribute(x layout.Vertex, d demand, kids children, want want) children {
	kids = pl.children(x, kids)
	split := pl.sendBegun(x, d, kids) // before all: what begun groups send to a child is no choice
	if pl.ask.beyond > 0 && x == layout.Root {
		pl.fillTree(d, kids)
		return kids
	}
	bottom := pl.ask.bottom()
	short := last{open: d.short, singles: d.short && d.units[bottom]+split[bottom] > 0}
	var carry int64 // units that were split at the level before
	for level := range pl.ask.sizes {
		if level > 0 {
			carry *= pl.ask.ratio(level - 1)
			for i := range kids.items {
				kids.items[i].Given *= pl.ask.ratio(level - 1)
				kids.of[i].outer = kids.items[i].Given
			}
		}
		n := d.units[level] + split[level] + carry
		if level > 0 && level == bottom && short.open && !slices.ContainsFunc(kids.of, func(c child) bool { return c.able }) {
			n, short.open = n+pl.ask.short, false // no child holds it whole, so its members go singly
		}
		if carry = 0; n > 0 || short.open { // an ask may be nothing but the short group
			carry = pl.giveLevel(x, level, n, &short, kids, want)
		}
		kids.note(pl.ask, level)
	}
	return kids
}

// note enters what the children were given on a level into their demands: what they have now beside outer units.
func (k *children) note(a *ask, level int) {
	for i := range k.of {
		it, kid := &k.items[i], &k.of[i]
		kid.demand.short = it.HasShort
		if it.Given == kid.outer { // no units of this level by themselves
			continue
		}
		if kid.demand.units == nil {
			kid.demand.units = a.units()
		}
		kid.demand.units[level] = it.Given - kid.outer
	}
}

// children lists the children of x that have room or must take members, in the order that decides between equal ones:
// those that restore the order of ranks first, and in each part the order of paths. O(children).
func (pl placer) children(x layout.Vertex, kids children) children {
	if pl.ask.jumps(x) {
		return pl.domains(x, kids)
	}
	lo, end := pl.m.View.Kids(x)
	kids.nodes = pl.m.View.IsNode(lo)
	set := pl.ask.keySet()
	if !pl.ask.zonesTell(x) {
		set = set.Without(keys.Zones)
	}
	first, behind := pl.ask.inGap(x)
	for _, run := range [...][2]layout.Vertex{{first, behind}, {lo, first}, {behind, end}} {
		for c := run[0]; c < run[1]; c++ {
			if slots := pl.ask.slots.At(c) + pl.m.Forced.At(c); slots > 0 { // no table counts the members that multiples force there
				// WithRest -1: no room for the short group until roomForShort finds some.
				kids.items = append(kids.items, sets.Item{Slots: slots, Used: pl.m.Siblings.At(c), Keys: pl.m.Values(set, c, kids.nodes), WithRest: -1})
				kids.of = append(kids.of, child{at: c})
			}
		}
	}
	return kids
}

// sendBegun hands each begun group to the child that its home lies in. It returns, by level, the units that begun
// groups with their home at x itself need: these are shared out here. O(begun groups * children * depth).
//
// order: begun.1
func (pl placer) sendBegun(x layout.Vertex, d demand, kids children) []int64 {
	split := make([]int64, len(pl.ask.sizes))
	for _, g := range d.begun {
		if pl.sums.homes[g] == x {
			split[pl.ask.begun[g].level+1] += pl.ask.begun[g].need
			continue
		}
		for i := range kids.of {
			if kid := &kids.of[i]; pl.m.View.Contains(kid.at, pl.sums.homes[g]) {
				kid.demand.begun = append(kid.demand.begun, g)
			}
		}
	}
	return split
}

// giveLevel gives n units of a level to the children of x, beside the units that they have. It returns how many of them
// can stay whole in no child. short changes when the short group is placed, which may be left to the level of members.
func (pl placer) giveLevel(x layout.Vertex, level int, n int64, short *last, kids children, want want) (left int64) {
	for i := range kids.items {
		n += kids.items[i].Given
	}
	// From here on n counts all units of the level below x, those inside outer units included, as the items' bounds do.
	at, whole := pl.keepAt(x, level, n, kids)
	if !whole {
		left = pl.giveMost(x, level, n, kids)
		if short.open {
			pl.roomBesideMost(x, kids)
		}
		return left
	}
	pl.bound(x, level, at, kids)
	c := pl.choice(x, level, n, kids)
	if short.open && pl.placesShort(x, level, at, n, short.singles, kids) {
		c.Short, short.open = true, false
	}
	switch want {
	case counting:
		c.Width = 0
		c.Count()
	case spanning:
		c.Count()
	case placing:
		c.Choose()
	}
	return 0
}

// choice asks package sets which children of x take how many of n units of a level. Bounds are set by the caller.
func (pl placer) choice(x layout.Vertex, level int, n int64, kids children) *sets.Chooser {
	zoned := kids.nodes && pl.ask.has(features.Aligned)
	if !pl.ask.jumps(x) {
		zoned = pl.ask.zonesTell(x)
	}
	c := pl.ask.scratch.choice[pl.ask.scratch.depth-1]
	place := int64(1) // of the short group, in units
	if level == pl.ask.bottom() {
		place = pl.ask.short
	}
	*c = choice{placer: pl, kids: kids.of, level: level, units: c.units, narrower: c.narrower, chooser: sets.Chooser{
		Policy: pl.m.Policy, Items: kids.items, Units: n, Place: place, Multiple: pl.sums.unitOf(level, x),
		Nodes: kids.nodes, Groups: level < pl.ask.bottom(),
		Zoned: zoned, Scratch: &pl.ask.scratch.least,
	}}
	c.chooser.Scorer = c
	width := pl.ask.widthBelow(x)
	if kids.nodes { // each is one vertex of each layer
		width = 0
	}
	if c.chooser.Features = pl.ask.featuresBelow(width); width > 0 {
		c.at = x
		c.chooser.Width, c.chooser.Below, c.chooser.Additions, c.chooser.Narrower = width, c.below, &pl.ask.additions, c.narrower
	}
	return &c.chooser
}

// choice rates children for the chooser. A score of units in a domain is the score of their placement there.
type choice struct {
	chooser  sets.Chooser
	placer   placer
	kids     []child
	level    int
	at       layout.Vertex // the children are its own, if the layers below them count
	units    []int64       // of what is asked below
	narrower *sets.Narrower
}

// below adds a child and what is in use below it, in the layers that count, as for Score: with the units of the active level and of those around it.
func (c *choice) below(spans []int64, i int, units int64, short bool) {
	c.units = append(c.units[:0], make([]int64, len(c.placer.ask.sizes))...)
	copy(c.units, c.kids[i].demand.units)
	c.units[c.level] = units - c.kids[i].outer
	c.placer.addChild(spans, c.at, c.kids[i].at, demand{units: c.units, short: short})
}

// Host implements [sets.Scorer].
func (c *choice) Host(i int) int64 { return c.placer.ask.nodeScore(c.kids[i].at) }

// Score implements [sets.Scorer]. It is the score of units of the active level and of the levels around it, begun groups
// left out.
func (c *choice) Score(i int, units int64, short bool) sets.Score {
	d := demand{units: make([]int64, len(c.placer.ask.sizes)), short: short}
	copy(d.units, c.kids[i].demand.units) // of the levels around
	d.units[c.level] = units - c.kids[i].outer
	score := c.placer.scoreBelow(c.kids[i].at, d)
	if !c.chooser.Nodes {
		score.Zones = 0 // of a node beside domains
	}
	return score
}

// keepAt finds the lowest tier below that of x at which n units of a level can all stay whole, s* in
// docs/order/4-children.md. Not ok: at none, groups must be split. Members are whole at tier 0. O(tiers * children).
//
// order: keep.1
func (pl placer) keepAt(x layout.Vertex, level int, n int64, kids children) (tier int32, ok bool) {
	if level == pl.ask.bottom() {
		return 0, true
	}
	if pl.ask.jumps(x) {
		return pl.sums.tiers[level], true
	}
	var given int64
	for i := range kids.items {
		given += kids.items[i].Given
	}
	for place, t := range pl.m.View.TiersBelow(pl.m.View.TierOf(x)) {
		if pl.ask.isCounted() && given+int64(pl.ask.counted(level).Whole[place].At(x)) < n {
			continue // not even if each child kept all that fits beside what it has
		}
		var sum int64
		for i := range kids.items {
			// Whole units of outer levels may be more than fit whole at a low tier: they stay whole in the child
			// anyhow.
			sum += max(kids.items[i].Given, pl.sums.free(level, t, kids.of[i].at))
		}
		if sum >= n {
			return t, true
		}
	}
	return 0, false
}

// giveMost lets every child keep as many whole units as it can, and returns how many of the n are then left to be
// split. keepAt has found that these are not all, so the result is above 0. O(children).
//
// order: keep.2
func (pl placer) giveMost(x layout.Vertex, level int, n int64, kids children) int64 {
	below := pl.m.View.TiersBelow(pl.m.View.TierOf(x)) // never empty: 0 is below every domain; the last is the highest
	none := pl.ask.isCounted() && pl.ask.counted(level).Whole[len(below)-1].At(x) == 0
	for i := range kids.items {
		it, at := &kids.items[i], kids.of[i].at
		if !none {
			it.Given = max(it.Given, pl.sums.free(level, below[len(below)-1], at))
		}
		n -= it.Given
	}
	return n
}

// bound sets how many units each child takes at least and at most so that as many as possible stay whole at every tier.
// All stay whole at the given tier, s*: no child takes more than fit whole there. They cannot all stay whole at the
// next lower tier, so each child takes all that fit whole at that one. O(children).
//
// order: keep.3
func (pl placer) bound(x layout.Vertex, level int, tier int32, kids children) {
	spans := pl.ask.jumps(x)
	below := pl.m.View.TiersBelow(tier)
	for i := range kids.items {
		it, at := &kids.items[i], kids.of[i].at
		forced := pl.m.Forced.At(at) // members: there are no groups beside them
		it.Lo, it.Hi = max(it.Given, forced), pl.sums.free(level, tier, at)+forced
		if level < pl.ask.bottom() && len(below) > 0 && !spans {
			it.Lo = max(it.Lo, pl.sums.free(level, below[len(below)-1], at))
		}
		if it.HasShort {
			it.Hi -= pl.ask.short // only single members come after the short group, so the bounds are in members
		}
		it.Hi = max(it.Hi, it.Lo) // what a child has already it keeps
	}
}
