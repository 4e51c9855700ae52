// How do whole groups, and the members of an aligned gang, go to the children of a domain if slots alone decide how many
// each takes?

package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// taken is what one child of the best set takes. The set is found by slots alone: children with as many slots can stand
// for each other, so which child it is comes last.
type taken struct {
	slots, groups int64         // of the child; whole groups that it takes
	short         bool          // it takes the short group as well
	at            layout.Vertex // the child; -1: none has been found yet
	part          int           // its place among the children of the set, in the order of paths
}

// keepsPlainly says whether placeGroups may place a demand below x: whole groups that stay whole in the children of x,
// where slots alone decide. That holds if the children are domains of tier s* (docs/order/4-children.md) or lower, so
// that each takes at most slots / size groups, and if no full group is whole at a lower tier, so that no child must take
// any. O(tiers).
func (pl placer) keepsPlainly(x layout.Vertex, d *demand) bool {
	if !pl.ask.takesBelow(features.PlaceGroups, x) || pl.ask.indexed == nil || pl.ask.jumps(x) || d.units[0] == 0 || d.units[1] > 0 ||
		d.short && !pl.ask.takes(features.ShortTier) || x == layout.Root || pl.ask.nodesTell(x) {
		return false
	}
	for i := range pl.m.View.TiersBelow(pl.m.View.TierOf(x)) {
		switch whole := int64(pl.ask.indexed.Whole[i].At(x)); {
		case whole > d.units[0], whole == d.units[0] && !d.short: // tier s*; the short group has a place to spare
			return pl.m.View.Gaps[i][x] == 1
		case whole > 0:
			return false // lower bounds, or no place for the short group
		}
	}
	return false
}

// placeGroups is place for a demand for which keepsPlainly holds; false, with nothing placed, if the program of
// [sets.LeastGroups] would be too large, or the set that it finds must be another one for the short group. O(children *
// children taken), beside that program and the placement in the children.
//
// Same answer as order: sets.1, sets.6, fill.1, short.1, short.2, faster.
func (pl placer) placeGroups(x layout.Vertex, d *demand, out *share) bool {
	sums := pl.ask.slots.Ix.SumsOf(x)
	short := pl.ask.short
	if !d.short {
		short = 0
	}
	l := &pl.ask.scratch.groups
	if !l.Begin(&sums, pl.ask.sizes[0], short, d.units[0]) {
		return false
	}
	kept := len(pl.ask.scratch.taken) // what is taken at the vertices above x, still in use
	defer func() { pl.ask.scratch.taken = pl.ask.scratch.taken[:kept] }()
	for _, i := range l.Pick() {
		pl.ask.scratch.taken = append(pl.ask.scratch.taken, taken{slots: l.Slots[i], groups: l.Slots[i] / l.Size, at: -1})
	}
	// Of children with as many slots the first takes what comes first in fill order.
	set, parts := pl.ask.scratch.taken[kept:], 0
	lo, end := pl.m.View.Kids(x)
	for c := lo; c < end && parts < len(set); c++ {
		if t := takenWith(set, pl.ask.slots.Ix.At(c)); t != nil {
			t.at, t.part = c, parts
			parts++
		}
	}
	if !pl.giveGroups(x, set, d) {
		return false
	}
	out.parts = make([]share, parts)
	for i := range parts { // the list may move, as vertices below use it too
		t := pl.ask.scratch.taken[kept+i]
		part := demand{units: pl.ask.units(), short: t.short}
		part.units[0] = t.groups
		out.parts[t.part] = pl.place(t.at, part)
	}
	if d.short {
		shortLast(out.parts)
	}
	return true
}

// keptWhole is the place of the lowest tier at which the groups of a demand stay whole below x; not ok if something else is placed, if they are split at
// x, or if a domain of a lower tier keeps one.
func (pl placer) keptWhole(x layout.Vertex, d *demand) (place int, ok bool) {
	if level, one := pl.oneLevel(d); !one || level > 0 {
		return 0, false
	}
	for i, t := range pl.m.View.TiersBelow(pl.m.View.TierOf(x)) {
		if whole := pl.sums.whole(0, t, x); whole > 0 {
			return i, whole >= d.units[0]
		}
	}
	return 0, false
}

// placeFewest places whole groups on other children than a share does, if fewer grandchildren of x are in use then, in as few children.
func (pl placer) placeFewest(x layout.Vertex, d *demand, sh *share) {
	place, ok := pl.keptWhole(x, d)
	if !ok {
		return
	}
	of, ok := groupsBelow(pl.ask, x, place)
	if !ok {
		return
	}
	k, units := int64(len(sh.parts)), int64(0)
	for i := range sh.parts {
		below := of.below(sh.parts[i].at)
		units += int64(below.fewest(sh.parts[i].demand.units[0]))
	}
	p := &pl.ask.scratch.prices
	if p.fewest(of, x, d.units[0], k, units); units <= p.units {
		return
	}
	p.settle()
	*sh = share{demand: *d, at: x}
	for _, part := range p.share() { // from here on the prices serve the children
		some := demand{units: pl.ask.units()}
		some.units[0] = part.n
		sh.parts = append(sh.parts, pl.place(part.at, some))
	}
}

// placeMembers is place, where whole groups are tried on the largest domains, for members of groups that are split at x or above it, if layers below the children
// count for them; else nil.
//
// order: sets.1, fill.1
func placeMembers(pl placer, x layout.Vertex, d *demand) (positions []int32) {
	n := pl.ask.newMembers(d)
	if d.units[pl.ask.bottom()] < n && !areSplit(pl.sums, x, pl.m.View.TierOf(x)) {
		return nil
	}
	a := withoutGroups(pl.ask)
	if a.widthBelow(x) == 0 {
		return nil
	}
	s, _ := a.newSums(nil)
	a.additions = pl.ask.additions
	sh := s.placer().place(x, demand{units: []int64{n}})
	pl.ask.additions = a.additions
	return s.placer().positionsOf(&sh, pl.ask.scratch.positions(n))
}

// takenWith is the first of a set with so many slots that no child has been found for, nil if there is none. The set is
// in fill order, so the slots descend.
func takenWith(set []taken, slots int64) *taken {
	i, found := slices.BinarySearchFunc(set, slots, func(t taken, slots int64) int { return descending(t.slots, slots) })
	for ; found && i < len(set) && set[i].slots == slots; i++ {
		if set[i].at < 0 {
			return &set[i]
		}
	}
	return nil
}

// giveGroups decides what the children of the best set take (docs/order/4-children.md, `Fill` and `The short group`): the
// set has all groups that each child holds, in fill order. What is too much is taken back from the last ones: the same
// as filling the first ones while each later one keeps one. False if the set has no place for the short group at the
// tier at which it stays whole. O(children of the set).
func (pl placer) giveGroups(x layout.Vertex, set []taken, d *demand) bool {
	last, spare := -1, -d.units[0] // place of the child with the short group; groups that the set holds too much
	for i := range set {
		spare += set[i].groups
	}
	if d.short {
		if last = pl.giveShort(x, set, &spare); last < 0 {
			return false
		}
	}
	for i := len(set) - 1; spare > 0; i-- {
		least := int64(1)
		if i == last { // the short group is enough for it
			least = 0
		}
		less := min(spare, set[i].groups-least)
		set[i].groups, spare = set[i].groups-less, spare-less
	}
	return true
}

// giveShort gives the short group to the last child of a set that can hold it: beside its groups, else in the place of
// one if one is to spare. It returns the place of the child, -1 if there is none, or if another one is in the set for the
// short group alone.
func (pl placer) giveShort(x layout.Vertex, set []taken, spare *int64) int {
	tier, last := pl.shortTier(x), -1
	for i := len(set) - 1; i >= 0; i-- {
		t := &set[i]
		beside := t.slots-t.groups*pl.ask.sizes[0] >= pl.ask.short
		switch {
		case last < 0 && (beside || *spare > 0) && pl.holdsShort(tier, t.at):
			if last, t.short = i, true; !beside {
				t.groups, *spare = t.groups-1, *spare-1
			}
		case t.groups == 0:
			return -1
		}
	}
	return last
}

// shortTier is the tier at which the short group stays whole below x, where no domain of any tier below s* holds a full
// group, or groups are split at x and no child holds one. O(tiers).
//
// Same answer as order: short.1, short.3, faster.
func (pl placer) shortTier(x layout.Vertex) int32 {
	below := pl.m.View.TiersBelow(pl.m.View.TierOf(x))
	for i, t := range below {
		if pl.ask.indexed.Whole[i].At(x) > 0 || int64(pl.ask.indexed.Rest[i].At(x)) >= pl.ask.short {
			return t
		}
	}
	return pl.m.View.TierOf(x)
}

// holdsShort says whether a child with enough slots for the short group has it whole at the tier that shortTier found.
func (pl placer) holdsShort(tier int32, c layout.Vertex) bool {
	return pl.m.View.TierOf(c) <= tier || pl.sums.rest(tier, c) >= pl.ask.short
}

// splitsPlainly says whether placeSplit may place a demand below x: the short group and members of groups that no child
// can hold whole, where slots alone decide. O(tiers).
func (pl placer) splitsPlainly(x layout.Vertex, d *demand) bool {
	if !pl.ask.takesBelow(features.PlaceSplit, x) || pl.ask.indexed == nil || !d.short || !pl.ask.takes(features.ShortTier) || x == layout.Root || pl.ask.nodesTell(x) {
		return false
	}
	for i := range pl.m.View.TiersBelow(pl.m.View.TierOf(x)) {
		if pl.ask.indexed.Whole[i].At(x) > 0 {
			return false
		}
	}
	return true
}

// placeSplit is place for a demand for which splitsPlainly holds; false, with nothing placed, if no child of the best set
// for all members can hold the short group, which then needs another set. Any other set is no better.
//
// As in fillPlain every child is filled but the last in fill order. If that one has the short group, it may have to take
// more than is left, and the one before it less. O(children), beside [sets.LeastSum.Pick].
//
// Same answer as order: sets.1, sets.6, fill.1, short.2, short.4, faster.
func (pl placer) placeSplit(x layout.Vertex, d *demand, out *share) bool {
	n := pl.ask.newMembers(d)
	kept := len(pl.ask.scratch.picks)
	defer func() { pl.ask.scratch.picks = pl.ask.scratch.picks[:kept] }()
	pl.pickFewest(x, n)
	set := slices.Clone(pl.ask.scratch.picks[kept:]) // in the order of paths
	order := make([]int, len(set))                   // in fill order
	spare := -n
	for i := range set {
		order[i], spare = i, spare+set[i].slots
	}
	slices.SortStableFunc(order, func(i, j int) int { return descending(set[i].slots, set[j].slots) })
	tier, short := pl.shortTier(x), -1
	for _, i := range order {
		if set[i].slots >= pl.ask.short && pl.holdsShort(tier, set[i].at) {
			short = i
		}
	}
	if short < 0 {
		return false
	}
	for _, i := range slices.Backward(order) {
		least := int64(1)
		if i == short {
			least = pl.ask.short
		}
		less := min(spare, set[i].slots-least)
		set[i].slots, spare = set[i].slots-less, spare-less
	}
	out.parts = make([]share, len(set))
	for i, c := range set {
		part := demand{units: pl.ask.units(), short: i == short}
		if part.units[1] = c.slots; part.short {
			part.units[1] -= pl.ask.short
		}
		out.parts[i] = pl.place(c.at, part)
	}
	shortLast(out.parts)
	return true
}

// fillZoned is fillPlain for a domain of nodes whose zones may tell them apart. If the next member gets as many zones
// on each of them, zones in sum are equal for all sets of one size. So slots decide how many nodes of each size are
// taken, and the NUMA score which nodes of a size. Else the general choice decides. O(nodes * distinct sizes), beside
// the picks.
//
// Same answer as order: sets.1, sets.6, sets.7, fill.1, faster.
func (pl placer) fillZoned(x layout.Vertex, n int64, list []int32) []int32 {
	lo, end := pl.m.View.Kids(x)
	if !pl.ask.sameZones(lo, end) {
		return pl.fillChosen(x, n, list)
	}
	kept := len(pl.ask.scratch.picks)
	pl.pickFewest(x, n)
	picks := pl.ask.scratch.picks[kept:]
	least, spare := picks[0].slots, -n // slots of the smallest; slots of the set beside the members
	for _, p := range picks {
		least, spare = min(least, p.slots), spare+p.slots
	}
	given := pl.ask.scratch.carve(int(end - lo)) // members, by node
	// Size by size, the picks of it at once: which nodes of the size they are is still open.
	for i, p := range picks {
		same := func(o chosen) bool { return o.slots == p.slots }
		if slices.ContainsFunc(picks[:i], same) {
			continue // this size is done
		}
		count := 0
		for _, o := range picks[i:] {
			if same(o) {
				count++
			}
		}
		last := p.slots // members on the last node of the size; the last one in fill order is one of the smallest
		if last == least {
			last -= spare
		}
		pl.giveBest(lo, end, count, p.slots, last, given)
	}
	pl.ask.scratch.picks = pl.ask.scratch.picks[:kept]
	for i, units := range given { // in the order of paths
		for range units {
			list = append(list, pl.m.View.Position(lo+layout.Vertex(i)))
		}
	}
	return list
}

// sameZones says whether the next member gets equally many zones on all nodes [lo, end) that have slots. O(nodes).
func (a *ask) sameZones(lo, end layout.Vertex) bool {
	zones := int64(-1) // of the nodes so far; -1: none has slots
	for c := lo; c < end; c++ {
		if a.slots.At(c) == 0 {
			continue
		}
		n := a.m.Room.Zones(c)
		if zones >= 0 && n != zones {
			return false
		}
		zones = n
	}
	return true
}

// giveBest fills count nodes of a size out of [lo, end), so that the score is highest in sum; ties go to the first in
// the order of paths. The last one in that order gets last members, the others as many as they have slots. O(nodes +
// equal nodes * count).
func (pl placer) giveBest(lo, end layout.Vertex, count int, size, last int64, given []int64) {
	var equal []layout.Vertex
	for c := lo; c < end; c++ {
		if pl.ask.slots.At(c) == size {
			equal = append(equal, c)
		}
	}
	// Scores of the i-th of the equal nodes as the j-th one that is filled.
	value := func(i, j int) sets.Score {
		if j == count-1 {
			return pl.ask.scoreOn(equal[i], last)
		}
		return pl.ask.scoreOn(equal[i], size)
	}
	for j, i := range sets.Assign(len(equal), count, value) {
		given[equal[i]-lo] = size
		if j == count-1 {
			given[equal[i]-lo] = last
		}
	}
}

// fillChosen is fillPlain by the general choice among the children.
func (pl placer) fillChosen(x layout.Vertex, n int64, list []int32) []int32 {
	d := demand{units: pl.ask.units()}
	d.units[pl.ask.bottom()] = n
	sh := pl.placeChosen(x, d)
	return pl.positionsOf(&sh, list)
}

// positionsOf appends the positions of a share of members alone, in the order of paths.
func (pl placer) positionsOf(sh *share, list []int32) []int32 {
	if pl.m.View.IsNode(sh.at) {
		return pl.fillAll(sh.at, pl.ask.newMembers(&sh.demand), list)
	}
	list = append(list, sh.run...)
	for i := range sh.parts {
		list = pl.positionsOf(&sh.parts[i], list)
	}
	return list
}
