package gather

import (
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// children are those of a vertex that have room, or must take members, in the order that decides between equal ones.
type children struct {
	items []sets.Item // as the chooser sees them: in units of the level at hand, those of outer levels included
	of    []child
}

// child is a child of the vertex at hand, with what it takes.
type child struct {
	at     layout.Vertex
	demand demand
	outer  int64 // units that it takes in those of outer levels
}

// want is what a distribution is made for.
type want uint8

const (
	placing  want = iota // which children take how many
	counting             // only how many children take any
)

// spanOf is the least number of children of x that hold the whole ask, those in use by running members included.
//
// order: domain.3
func (pl placer) spanOf(x layout.Vertex) int64 {
	if pl.p.View.IsNode(x) {
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

// distribute gives the units of a demand to the children of x, outermost level first. Units that no child can hold
// whole are split into units of the next level. When counting, only the number of children that take any is of use.
func (pl placer) distribute(x layout.Vertex, d demand, kids children, want want) children {
	kids = pl.children(x, kids)
	split := pl.sendBegun(x, d, kids)
	if pl.ask.beyond > 0 && x == layout.Root {
		pl.fillTree(d, kids)
		return kids
	}
	short := d.short
	var carry int64
	for level := range pl.ask.sizes {
		if level > 0 {
			carry *= pl.ask.ratio(level - 1)
			for i := range kids.items {
				kids.items[i].Given *= pl.ask.ratio(level - 1)
				kids.of[i].outer = kids.items[i].Given
			}
		}
		n := d.units[level] + split[level] + carry
		if level > 0 && level == pl.ask.bottom() && short {
			n, short = n+pl.ask.short, false // no child can hold it whole
		}
		if carry = 0; n > 0 || short {
			carry = pl.giveLevel(x, level, n, &short, kids, want)
		}
		kids.note(pl.ask, level)
	}
	return kids
}

// note enters what the children were given on a level into their demands.
func (k *children) note(a *ask, level int) {
	for i := range k.of {
		it, kid := &k.items[i], &k.of[i]
		kid.demand.short = it.HasShort
		if it.Given == kid.outer {
			continue
		}
		if kid.demand.units == nil {
			kid.demand.units = a.units()
		}
		kid.demand.units[level] = it.Given - kid.outer
	}
}

// children lists the children of x that have room, in the order that decides between equal ones: that of paths, but those that
// restore the order of ranks first.
func (pl placer) children(x layout.Vertex, kids children) children {
	lo, end := pl.p.View.Kids(x)
	zones := pl.p.View.IsNode(lo) && pl.ask.zonesTell(x)
	first, behind := pl.ask.inGap(x)
	for _, run := range [...][2]layout.Vertex{{first, behind}, {lo, first}, {behind, end}} {
		for c := run[0]; c < run[1]; c++ {
			if slots := pl.ask.slots.At(c); slots > 0 || pl.p.Forced.At(c) > 0 {
				it := sets.Item{Slots: slots, Used: pl.p.Siblings.At(c), Friends: pl.p.Friends.At(c), WithRest: -1}
				if zones {
					it.Zones = pl.p.Zones().ZonesOn(c)
				}
				kids.items, kids.of = append(kids.items, it), append(kids.of, child{at: c})
			}
		}
	}
	return kids
}

// sendBegun hands begun groups to the child in which they are completed, and returns, per level, the units of those
// that are completed here and nowhere below.
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
			if kid := &kids.of[i]; pl.p.View.Contains(kid.at, pl.sums.homes[g]) {
				kid.demand.begun = append(kid.demand.begun, g)
			}
		}
	}
	return split
}

// giveLevel gives n more units of a level to the children of x. It returns how many cannot stay whole in a child; short
// tells whether the short group is still to be placed, before and after.
func (pl placer) giveLevel(x layout.Vertex, level int, n int64, short *bool, kids children, want want) (left int64) {
	for i := range kids.items {
		n += kids.items[i].Given - pl.p.Forced.At(kids.of[i].at)
	}
	at, whole := pl.keepAt(x, level, n, kids)
	if !whole {
		return pl.giveMost(x, level, n, kids)
	}
	pl.bound(level, at, kids)
	c := pl.choice(x, level, n, kids)
	if *short && pl.roomForShort(x, at, n, kids) {
		c.Short, *short = true, false
	}
	if want == counting {
		c.Count()
	} else {
		c.Choose()
	}
	if pl.p.Forced != nil {
		for i := range kids.items {
			kids.items[i].Given += pl.p.Forced[kids.of[i].at]
		}
	}
	return 0
}

// choice is the question which children of x take n units of a level.
func (pl placer) choice(x layout.Vertex, level int, n int64, kids children) *sets.Chooser {
	lo, _ := pl.p.View.Kids(x)
	c := &choice{placer: pl, kids: kids.of, level: level, chooser: sets.Chooser{
		Policy: pl.p.Policy, Items: kids.items, Units: n, Multiple: pl.sums.unitOf(level, x),
		Nodes: pl.p.View.IsNode(lo), Groups: level < pl.ask.bottom(), Anchored: len(pl.p.Friends) > 0,
		Zoned: pl.ask.zonesTell(x), Scored: pl.p.Scored(), Scratch: &pl.ask.scratch.least,
	}}
	c.chooser.Scorer = c
	return &c.chooser
}

// choice rates children for the chooser.
type choice struct {
	chooser sets.Chooser
	placer  placer
	kids    []child
	level   int
}

func (c *choice) Host(i int) int64 { return c.placer.ask.nodeScore(c.kids[i].at) }

func (c *choice) Score(i int, units int64, short bool) sets.Score {
	d := demand{units: make([]int64, len(c.placer.ask.sizes)), short: short}
	d.units[c.level] = units
	return c.placer.scoreBelow(c.kids[i].at, d)
}

// keepAt finds the lowest tier below that of x at which n units of a level can all stay whole.
//
// order: keep.1
func (pl placer) keepAt(x layout.Vertex, level int, n int64, kids children) (tier int32, ok bool) {
	if level == pl.ask.bottom() {
		return 0, true
	}
	for _, t := range pl.p.View.TiersBelow(pl.p.View.TierOf(x)) {
		var sum int64
		for i := range kids.items {
			sum += max(kids.items[i].Given, pl.sums.free(level, t, kids.of[i].at))
		}
		if sum >= n {
			return t, true
		}
	}
	return 0, false
}

// giveMost lets every child keep as many whole units as it can, and returns how many of the n are then left.
//
// order: keep.2
func (pl placer) giveMost(x layout.Vertex, level int, n int64, kids children) int64 {
	below := pl.p.View.TiersBelow(pl.p.View.TierOf(x))
	for i := range kids.items {
		it, at := &kids.items[i], kids.of[i].at
		it.Given = max(it.Given, pl.sums.free(level, below[len(below)-1], at))
		n -= it.Given
	}
	return n
}

// bound sets how many units each child takes so that as many as possible are whole at every tier: all n at this tier,
// as many as there is room for at the one below.
//
// order: keep.3
func (pl placer) bound(level int, tier int32, kids children) {
	below := pl.p.View.TiersBelow(tier)
	for i := range kids.items {
		it, at := &kids.items[i], kids.of[i].at
		it.Lo, it.Hi = it.Given, pl.sums.free(level, tier, at)
		if level < pl.ask.bottom() && len(below) > 0 {
			it.Lo = max(it.Lo, pl.sums.free(level, below[len(below)-1], at))
		}
		if it.HasShort {
			it.Hi -= pl.ask.short // only single members come after the short group
		}
		it.Hi = max(it.Hi, it.Lo)
	}
}

// roomForShort notes how many whole groups fit into each child beside the short one, and whether any child has room for
// that. All n groups stay whole at the given tier.
//
// order: short.1
func (pl placer) roomForShort(x layout.Vertex, tier int32, n int64, kids children) bool {
	var sum int64
	for i := range kids.items {
		sum += kids.items[i].Hi
	}
	if sum > n { // a place for a whole group is to spare
		for i := range kids.items {
			it, at := &kids.items[i], kids.of[i].at
			it.WithRest = it.Hi
			if pl.sums.rest(0, tier, at) < pl.ask.short {
				it.WithRest--
			}
		}
		return true
	}
	for _, t := range pl.p.View.TiersBelow(pl.p.View.TierOf(x)) {
		if t < tier {
			continue
		}
		room := false
		for i := range kids.items {
			it, at := &kids.items[i], kids.of[i].at
			if it.WithRest = -1; pl.sums.spare(tier, t, at) >= pl.ask.short {
				it.WithRest, room = it.Hi, true
			}
		}
		if room {
			return true
		}
	}
	return false
}

// spare is the most slots that a domain of tier t below x has left beside as many groups as are whole at tier whole.
func (s *sums) spare(whole, t int32, x layout.Vertex) int64 {
	left := s.besides(0, whole, x)
	if s.p.View.TierOf(x) <= t {
		return left
	}
	var most int64
	lo, end := s.p.View.Kids(x)
	for c := lo; c < end; c++ {
		most = max(most, s.spare(whole, t, c))
	}
	if s.reserved != nil {
		return s.leftOver(0, whole, x, most)
	}
	return min(most, left)
}
