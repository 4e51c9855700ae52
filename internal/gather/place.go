package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/layout"
)

// demand is what is placed below a vertex: units of every level, each whole below it. Units of an inner level are
// those of groups that are split above; without groups there are only members.
type demand struct {
	units []int64
	short bool  // the short last group lies whole below the vertex
	begun []int // begun groups that are completed below the vertex
}

// share is the part of a plan below one vertex.
type share struct {
	demand demand
	at     layout.Vertex
	parts  []share // by child, in the order of ranks
	run    []int32 // the positions of the members, in place of parts, where they are all that is shared out
}

// everything is the demand for the whole ask.
func (s *sums) everything() demand {
	d := demand{units: make([]int64, len(s.ask.sizes)), short: s.ask.short > 0}
	d.units[0] = s.ask.full
	for g := range s.ask.begun {
		d.begun = append(d.begun, g)
	}
	return d
}

// empty says whether nothing is to be placed.
func (d *demand) empty() bool {
	return !d.short && len(d.begun) == 0 && !slices.ContainsFunc(d.units, func(n int64) bool { return n > 0 })
}

// item is a child of the vertex at hand while units of one level are given to the children.
type item struct {
	demand   demand
	at       layout.Vertex
	slots    int64
	siblings int64 // running members of the gang
	friends  int64 // running members of the affinity key
	zones    int64 // of a node, that the next member gets there; 0 where they do not tell children apart
	lo, hi   int64 // units it takes at least, at most
	withRest int64 // at most beside the short group; -1: no room for that one
	given    int64 // units it takes, those in units of outer levels included
	base     int64 // the latter
}

// place decides level by level where a demand goes below x (docs/order.md section 4). The demand must fit.
func (s *sums) place(x layout.Vertex, d demand) share {
	out := share{demand: d, at: x}
	if s.p.View.IsNode(x) {
		return out
	}
	if s.filler().fillsPlainly(x, &d) {
		out.run = s.filler().fillPlain(x, s.newMembers(&d), s.ask.scratch.positions(s.newMembers(&d)))
		return out
	}
	if s.filler().keepsPlainly(x, &d) && s.filler().placeGroups(x, &d, &out) {
		return out
	}
	return s.placeChosen(x, d)
}

// placeChosen is place by the general choice among the children.
func (s *sums) placeChosen(x layout.Vertex, d demand) share {
	out := share{demand: d, at: x}
	items := s.distribute(x, d, s.ask.scratch.enter(), false)
	s.ask.scratch.keep(items)
	n := 0
	for i := range items {
		if !items[i].demand.empty() {
			n++
		}
	}
	out.parts = make([]share, 0, n)
	for i := range items {
		if it := &items[i]; !it.demand.empty() {
			if it.demand.units == nil { // only the short group or begun ones
				it.demand.units = s.units()
			}
			out.parts = append(out.parts, s.place(it.at, it.demand))
		}
	}
	s.ask.scratch.depth--
	if d.short {
		shortLast(out.parts)
	}
	return out
}

// shortLast puts the child with the short group last, so that ranks end there.
func shortLast(parts []share) {
	if i := slices.IndexFunc(parts, func(p share) bool { return p.demand.short }); i >= 0 {
		last := parts[i]
		copy(parts[i:], parts[i+1:])
		parts[len(parts)-1] = last
	}
}

// units makes room for one count a level.
func (s *sums) units() []int64 { return s.ask.scratch.carve(len(s.ask.sizes)) }

// spanOf is the least number of children of x that hold the whole ask, those in use by running members included.
func (w spans) spanOf(x layout.Vertex) int64 {
	if w.sums.p.View.IsNode(x) {
		return 0
	}
	if n, ok := w.indexedSpan(x); ok {
		return n
	}
	items := w.sums.distribute(x, w.sums.everything(), w.sums.ask.scratch.enter(), true)
	w.sums.ask.scratch.keep(items)
	w.sums.ask.scratch.depth--
	var n int64
	for i := range items {
		if it := &items[i]; it.given > 0 || it.demand.short || it.siblings > 0 {
			n++
		}
	}
	return n
}

// distribute gives the units of a demand to the children of x, outermost level first. Units that no child can hold
// whole are split into units of the next level. With count set only the number of children that take any is of use.
func (s *sums) distribute(x layout.Vertex, d demand, items []item, count bool) []item {
	items = s.children(x, items)
	split := s.sendBegun(x, d, items)
	if s.ask.beyond > 0 && x == layout.Root {
		s.fillTree(d, items)
		return items
	}
	short := d.short
	var carry int64
	for level := range s.ask.sizes {
		if level > 0 {
			carry *= s.ask.ratio(level - 1)
			for i := range items {
				items[i].given *= s.ask.ratio(level - 1)
				items[i].base = items[i].given
			}
		}
		n := d.units[level] + split[level] + carry
		if level > 0 && level == s.ask.bottom() && short {
			n, short = n+s.ask.short, false // no child can hold it whole
		}
		if carry = 0; n > 0 || short {
			carry = s.giveLevel(x, level, n, &short, items, count)
		}
		s.note(level, items)
	}
	return items
}

// note enters what the children were given on a level into their demands.
func (s *sums) note(level int, items []item) {
	for i := range items {
		it := &items[i]
		if it.given == it.base {
			continue
		}
		if it.demand.units == nil {
			it.demand.units = s.units()
		}
		it.demand.units[level] = it.given - it.base
	}
}

// children lists the children of x that have room, in the order that decides between equal ones: that of paths, but those that
// restore the order of ranks first.
func (s *sums) children(x layout.Vertex, items []item) []item {
	lo, end := s.p.View.Kids(x)
	zones := s.p.View.IsNode(lo) && s.zonesTell(x)
	first, behind := s.inGap(x)
	for _, run := range [...][2]layout.Vertex{{first, behind}, {lo, first}, {behind, end}} {
		for c := run[0]; c < run[1]; c++ {
			if slots := s.ask.slots.At(c); slots > 0 || s.p.Forced.At(c) > 0 {
				it := item{at: c, slots: slots, siblings: s.p.Siblings.At(c), friends: s.p.Friends.At(c), withRest: -1}
				if zones {
					it.zones = s.p.Zones().ZonesOn(c)
				}
				items = append(items, it)
			}
		}
	}
	return items
}

// sendBegun hands begun groups to the child in which they are completed, and returns, per level, the units of those
// that are completed here and nowhere below.
func (s *sums) sendBegun(x layout.Vertex, d demand, items []item) []int64 {
	split := make([]int64, len(s.ask.sizes))
	for _, g := range d.begun {
		if s.homes[g] == x {
			split[s.ask.begun[g].level+1] += s.ask.begun[g].need
			continue
		}
		for i := range items {
			if s.p.View.Contains(items[i].at, s.homes[g]) {
				items[i].demand.begun = append(items[i].demand.begun, g)
			}
		}
	}
	return split
}

// giveLevel gives n more units of a level to the children of x. It returns how many cannot stay whole in a child; short
// tells whether the short group is still to be placed, before and after.
func (s *sums) giveLevel(x layout.Vertex, level int, n int64, short *bool, items []item, count bool) (left int64) {
	for i := range items {
		n += items[i].given - s.p.Forced.At(items[i].at)
	}
	at, whole := s.keepAt(x, level, n, items)
	if !whole {
		return s.giveMost(x, level, n, items)
	}
	s.bound(level, at, items)
	c := chooser{p: s.p, ask: s.ask, sums: s, items: items, level: level, n: n, unit: s.unitOf(level, x), count: count, byZones: s.zonesTell(x)}
	if *short && s.roomForShort(x, at, n, items) {
		c.short, *short = true, false
	}
	c.choose()
	if s.p.Forced != nil {
		for i := range items {
			items[i].given += s.p.Forced[items[i].at]
		}
	}
	return 0
}

// keepAt finds the lowest tier below that of x at which n units of a level can all stay whole.
func (s *sums) keepAt(x layout.Vertex, level int, n int64, items []item) (tier int32, ok bool) {
	if level == s.ask.bottom() {
		return 0, true
	}
	for _, t := range s.p.View.TiersBelow(s.p.View.TierOf(x)) {
		var sum int64
		for i := range items {
			sum += max(items[i].given, s.free(level, t, items[i].at))
		}
		if sum >= n {
			return t, true
		}
	}
	return 0, false
}

// giveMost lets every child keep as many whole units as it can, and returns how many of the n are then left.
func (s *sums) giveMost(x layout.Vertex, level int, n int64, items []item) int64 {
	below := s.p.View.TiersBelow(s.p.View.TierOf(x))
	for i := range items {
		it := &items[i]
		it.given = max(it.given, s.free(level, below[len(below)-1], it.at))
		n -= it.given
	}
	return n
}

// bound sets how many units each child takes so that as many as possible are whole at every tier: all n at this tier,
// as many as there is room for at the one below.
func (s *sums) bound(level int, tier int32, items []item) {
	below := s.p.View.TiersBelow(tier)
	for i := range items {
		it := &items[i]
		it.lo, it.hi = it.given, s.free(level, tier, it.at)
		if level < s.ask.bottom() && len(below) > 0 {
			it.lo = max(it.lo, s.free(level, below[len(below)-1], it.at))
		}
		if it.demand.short {
			it.hi -= s.ask.short // only single members come after the short group
		}
		it.hi = max(it.hi, it.lo)
	}
}

// roomForShort notes how many whole groups fit into each child beside the short one, and whether any child has room for
// that. All n groups stay whole at the given tier.
func (s *sums) roomForShort(x layout.Vertex, tier int32, n int64, items []item) bool {
	var sum int64
	for i := range items {
		sum += items[i].hi
	}
	if sum > n { // a place for a whole group is to spare
		for i := range items {
			it := &items[i]
			it.withRest = it.hi
			if s.rest(0, tier, it.at) < s.ask.short {
				it.withRest--
			}
		}
		return true
	}
	for _, t := range s.p.View.TiersBelow(s.p.View.TierOf(x)) {
		if t < tier {
			continue
		}
		room := false
		for i := range items {
			it := &items[i]
			if it.withRest = -1; s.spare(tier, t, it.at) >= s.ask.short {
				it.withRest, room = it.hi, true
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
