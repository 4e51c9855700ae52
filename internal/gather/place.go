// Where does a demand go below a domain, down to the nodes? A demand that slots alone decide is placed from the index.

package gather

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/sets"
)

// demand is what is placed below a vertex, each unit whole below it. Units of an inner level come from outer groups
// that are split further up, and count beside those inside whole outer units. Without groups there are only members.
type demand struct {
	units []int64 // by level; nil: none of any level
	short bool    // the short last group lies whole below the vertex
	begun []int   // begun groups, by place in ask.begun, whose homes are the vertex or lie below it
}

// share is the part of a plan below one vertex.
type share struct {
	demand demand
	at     layout.Vertex
	parts  []share // by child, in the order of ranks; none for a node
	run    []int32 // in place of parts: the positions of the members, one each, if slots alone decided
}

// everything is the demand for the whole ask.
func (a *ask) everything() demand {
	d := demand{units: make([]int64, len(a.sizes)), short: a.short > 0}
	d.units[0] = a.full
	for g := range a.begun {
		d.begun = append(d.begun, g)
	}
	return d
}

// newMembers is the number of members of a demand. O(levels + begun groups in it).
func (a *ask) newMembers(d *demand) int64 {
	var n int64
	for level, units := range d.units {
		n += units * a.sizes[level]
	}
	if d.short {
		n += a.short
	}
	for _, g := range d.begun {
		n += a.begun[g].need * a.sizes[a.begun[g].level+1]
	}
	return n
}

// empty says whether nothing is to be placed.
func (d *demand) empty() bool {
	return !d.short && len(d.begun) == 0 && !slices.ContainsFunc(d.units, func(n int64) bool { return n > 0 })
}

// placer decides what the children of a vertex get, and how much each, under one strategy.
type placer struct {
	m    *model.Model
	ask  *ask
	sums *sums
}

func (s *sums) placer() placer { return placer{s.m, s.ask, s} }

// spans answers how few children of a domain hold the whole ask, from the index alone.
type spans struct {
	m    *model.Model
	ask  *ask
	sums *sums
}

func (s *sums) spans() spans { return spans{s.m, s.ask, s} }

// place decides, vertex by vertex down to the nodes, where a demand goes below x (docs/order/4-children.md). The demand
// must fit. A child is placed once its part is fixed, so no lower level changes a choice above it.
func (pl placer) place(x layout.Vertex, d demand) share {
	out := share{demand: d, at: x}
	if pl.m.View.IsNode(x) {
		return out
	}
	if pl.ask.groupsFrom > 0 {
		if out.run = placeMembers(pl, x, &d); out.run != nil {
			return out
		}
	}
	if pl.fillsPlainly(x, &d) {
		out.run = pl.fillPlain(x, pl.ask.newMembers(&d), pl.ask.scratch.positions(pl.ask.newMembers(&d)))
		return out
	}
	switch { // which still may find that the index does not help
	case pl.keepsPlainly(x, &d) && pl.placeGroups(x, &d, &out), pl.splitsPlainly(x, &d) && pl.placeSplit(x, &d, &out):
	default:
		out = pl.placeChosen(x, d)
		if further, ok := placeFurther(pl, x, &d, &out); ok {
			return further
		}
	}
	if pl.ask.groupsFrom > 0 {
		pl.placeFewest(x, &d, &out)
		if wide, ok := pl.placeLargest(x, &d, &out); ok {
			return wide
		}
	}
	return out
}

// placeChosen is place by the general choice among the children. The lists of children lie in the scratch, one for each
// depth, as they are still in use while the children are placed.
func (pl placer) placeChosen(x layout.Vertex, d demand) share {
	out := share{demand: d, at: x}
	kids := pl.distribute(x, d, pl.ask.scratch.enter(), placing)
	pl.ask.scratch.keep(kids)
	n := 0 // children that take anything
	for i := range kids.of {
		if !kids.of[i].demand.empty() {
			n++
		}
	}
	out.parts = make([]share, 0, n)
	for i := range kids.of {
		if kid := &kids.of[i]; !kid.demand.empty() {
			if kid.demand.units == nil { // only the short group or begun ones
				kid.demand.units = pl.ask.units()
			}
			out.parts = append(out.parts, pl.place(kid.at, kid.demand))
		}
	}
	pl.ask.scratch.depth--
	if d.short {
		shortLast(out.parts)
	}
	return out
}

// shortLast puts the child with the short group last, so that ranks end there.
//
// order: ranks.2
func shortLast(parts []share) {
	if i := slices.IndexFunc(parts, func(p share) bool { return p.demand.short }); i >= 0 {
		last := parts[i]
		copy(parts[i:], parts[i+1:])
		parts[len(parts)-1] = last
	}
}

// units makes room for one count a level, all 0, in the scratch.
func (a *ask) units() []int64 { return a.scratch.carve(len(a.sizes)) }

// fillsPlainly says whether fillPlain may place a demand below x: members alone, or groups that count as members, and slots alone decide between
// children. O(tiers).
func (pl placer) fillsPlainly(x layout.Vertex, d *demand) bool {
	if pl.ask.widthBelow(x) > 0 {
		return pl.fillsNarrowly(x) && len(d.begun) == 0
	}
	switch {
	case !pl.ask.takesBelow(features.FillPlain, x) || len(d.begun) > 0:
		return false
	case pl.ask.jumps(x) && !pl.ask.takesBelow(features.PickBelow, x), pl.ask.has(features.Aligned) && !pl.ask.takesBelow(features.FillZoned, x):
		return false
	case countsOutside(&pl.ask.slots, x) && !pl.ask.jumps(x):
		return false
	}
	return pl.ask.bottom() == 0 || pl.areMembers(x, d)
}

// fillsNarrowly says whether fillNarrow may place members below x.
func (pl placer) fillsNarrowly(x layout.Vertex) bool {
	return pl.ask.isNarrow(features.FillNarrow, x) && !countsOutside(&pl.ask.slots, x)
}

// areMembers says whether groups count as members below x, the short one with them: no child of x can hold any whole, so that all are split and no
// child is bound to keep one. False proves nothing. O(tiers).
func (pl placer) areMembers(x layout.Vertex, d *demand) bool {
	switch {
	case !pl.ask.isCounted(): // begun groups, which the index does not count
		return pl.ask.bottom() == 1 && d.units[0] == 0 && !d.short
	case pl.ask.nested != nil:
		// An outer group that a child holds whole has inner ones there, and no tier holds more of these whole than the
		// highest.
		below := pl.m.View.TiersBelow(pl.m.View.TierOf(x))
		return d.units[pl.ask.bottom()] == pl.ask.newMembers(d) || pl.ask.counted(pl.ask.bottom() - 1).Whole[len(below)-1].At(x) == 0
	case d.units[0] == 0: // members of groups that were split further up
		sums := pl.ask.slots.Ix.SumsOf(x)
		return !d.short || sums.Child(1) < pl.ask.short // no child holds the short group whole
	}
	// With none whole at any lower tier every group is split here, the short one with them, and no child keeps any.
	for _, t := range pl.m.View.TiersBelow(pl.m.View.TierOf(x)) {
		if pl.sums.whole(0, t, x) > 0 || d.short && pl.sums.rest(t, x) >= pl.ask.short {
			return false
		}
	}
	return true
}

// countsOutside says whether the sums of x count slots that are ruled out: of nodes outside the tree, or outside the domain in which members must be.
func countsOutside(t *model.SlotTable, x layout.Vertex) bool {
	switch {
	case x != layout.Root || t.Inside == layout.Root:
		return false
	case t.Inside > layout.Root:
		return true
	}
	return t.Ix.Domains.At(t.Ix.V.Outside) > 0
}

// fillPlain places n members below x, on the fewest children with the fewest slots in sum, and appends their positions
// to a list, in the order of paths. The list has room for one more, see fillAll.
//
// The best set has fewer slots to spare than its smallest child has, or that child could be left out. So every child is
// filled but the last in fill order: the smallest, of equal ones the last in the order of paths.
//
// Same answer as order: sets.1, sets.6, fill.1, faster.
func (pl placer) fillPlain(x layout.Vertex, n int64, list []int32) []int32 {
	if pl.m.View.IsNode(x) || n == pl.ask.slots.At(x) && !pl.ask.capped && !countsOutside(&pl.ask.slots, x) { // every slot is taken, there is nothing to choose
		return pl.fillAll(x, n, list)
	}
	switch {
	case pl.ask.has(features.Wasteful) && pl.ask.nodesTell(x):
		return pl.fillChosen(x, n, list)
	case pl.ask.zonesTell(x):
		return pl.fillZoned(x, n, list)
	case pl.fillsNarrowly(x):
		return pl.fillNarrow(x, n, list)
	case pl.ask.widthBelow(x) > 0:
		return pl.fillChosen(x, n, list)
	}
	kept := len(pl.ask.scratch.picks) // the picks of the vertices above x, which are still in use
	if pl.ask.jumps(x) {
		pl.pickBelow(x, n)
	} else {
		pl.pickFewest(x, n)
	}
	return pl.fillPicks(kept, n, list)
}

// fillPicks places n members on the picks from a place on, which it removes.
func (pl placer) fillPicks(kept int, n int64, list []int32) []int32 {
	picks := pl.ask.scratch.picks[kept:]
	last, spare := lastFilled(picks, n)
	for i, p := range picks {
		if i == last && spare > 0 || pl.ask.capped { // one level down the same question, with fewer members than slots
			n := p.slots
			if i == last {
				n -= spare
			}
			list = pl.fillPlain(p.at, n, list)
		} else {
			list = pl.fillAll(p.at, p.slots, list)
		}
	}
	pl.ask.scratch.picks = pl.ask.scratch.picks[:kept]
	return list
}

// lastFilled is the pick that is last in fill order, and the slots that the picks have beside n members: it is left with those.
func lastFilled(picks []chosen, n int64) (last int, spare int64) {
	spare = -n
	for i := range picks {
		spare += picks[i].slots
		if picks[i].slots <= picks[last].slots {
			last = i
		}
	}
	return last, spare
}

// fillAll fills a vertex with n members and appends their positions: as many as x has slots, unless it is a node. The
// list must have room for one position more than is placed, where a node without slots leaves its own. O(n + nodes
// below x).
func (pl placer) fillAll(x layout.Vertex, n int64, list []int32) []int32 {
	if pl.m.View.IsNode(x) {
		for range n {
			list = append(list, pl.m.View.Position(x))
		}
		return list
	}
	pl.ask.scratch.slots = cow.AppendTo(pl.ask.scratch.slots[:0], &pl.ask.slots.Ix.Slots, pl.m.View.FirstPos[x], pl.m.View.EndPos[x])
	end := len(list)
	list = list[:cap(list)]
	for i, slots := range pl.ask.scratch.slots {
		pos := pl.m.View.FirstPos[x] + int32(i)
		list[end] = pos // without a slot the next node overwrites it; most nodes have one or none
		for k := 1; k < int(slots); k++ {
			list[end+k] = pos
		}
		end += int(slots)
	}
	return list[:end]
}

// chosen is a child of the best set.
type chosen struct {
	at    layout.Vertex
	slots int64 // all that the child has
}

// pickFewest appends to the scratch's picks, in the order of paths, the best set of children of x for n members: the
// fewest, of such sets the fewest slots in sum, then the smallest largest child, and so on, then the order of paths. It
// decides how many children of each size are taken; of equal ones the first are. O(children), beside
// [sets.LeastSum.Pick].
func (pl placer) pickFewest(x layout.Vertex, n int64) {
	sums := pl.ask.slots.Ix.SumsOf(x)
	size, sum := sums.Fewest(n)
	// size and sum: how many of the largest children suffice, the fewest that any set can have, and their slots.
	var take func(slots int64) bool // called for each child with slots, in the order of paths
	// If the largest ones make n exactly, any other sizes make less. They are taken: all above the least, and of the
	// least as many as are still needed.
	if least := sums.Child(size); sum == n {
		equal := size - sums.AtLeast(least+1)
		take = func(slots int64) bool {
			if slots == least {
				equal--
			}
			return slots > least || slots == least && equal >= 0
		}
	} else { // the size is fixed, so the program only weighs the sum, then the sizes from the largest down
		l := pl.ask.leastSum(&sums)
		counts := l.Pick(int(size), n)
		take = func(slots int64) bool {
			i, ok := slices.BinarySearchFunc(l.Values, slots, descending)
			if !ok || counts[i] == 0 {
				return false
			}
			counts[i]--
			return true
		}
	}
	lo, _ := pl.m.View.Kids(x)
	for i, slots := range pl.ask.slotsBelow(x) {
		if size == 0 {
			break
		}
		if slots > 0 && take(int64(slots)) {
			pl.ask.scratch.picks = append(pl.ask.scratch.picks, chosen{lo + layout.Vertex(i), int64(slots)})
			size--
		}
	}
}

// slotsBelow are the slots of the children of x, in the scratch until the next call. O(children).
func (a *ask) slotsBelow(x layout.Vertex) []int32 {
	list := a.scratch.slots[:0]
	if lo, end := a.m.View.Kids(x); a.m.View.IsNode(lo) {
		list = cow.AppendTo(list, &a.slots.Ix.Slots, a.m.View.FirstPos[x], a.m.View.EndPos[x])
	} else {
		list = cow.AppendTo(list, &a.slots.Ix.Domains, lo, end)
	}
	a.scratch.slots = list
	return list
}

// withSlots appends the children of x that have slots, but for nodes outside the tree. O(children).
func (a *ask) withSlots(x layout.Vertex, list []chosen) []chosen {
	lo, end := a.m.View.Kids(x)
	if flat := a.slots.Flat; flat != nil {
		for c := lo; c < end; c++ {
			if flat[c] > 0 {
				list = append(list, chosen{c, flat[c]})
			}
		}
		return list
	}
	for i, slots := range a.slotsBelow(x) {
		if c := lo + layout.Vertex(i); slots > 0 && c != a.m.View.Outside {
			list = append(list, chosen{c, int64(slots)})
		}
	}
	return list
}

// descending compares numbers for an order with the largest first.
func descending(a, b int64) int { return cmp.Compare(b, a) }

// leastSum fills the scratch's program with the children behind some sums that have slots. O(children).
func (a *ask) leastSum(sums *index.ChildSums) *sets.LeastSum {
	l := &a.scratch.least
	l.Reset()
	var before int64
	for i := range sums.Len {
		sum := sums.Of(i + 1)
		value := sum - before
		before = sum
		if value == 0 { // the largest come first, so no later one has any
			break
		}
		l.Add(value)
	}
	return l
}
