// How many vertices are in use below a vertex for every number of units of one level? One program answers for all numbers.

package gather

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/layout"
)

// mostTables bounds how many tables a scratch may have had room for, if that is kept.
const mostTables = 1 << 10

// forgetTables drops what they tell. What they lay in is kept, unless there were many.
func (l *layers) forgetTables() {
	if len(l.tables) > mostTables {
		l.tables = nil
	}
	clear(l.tables)
}

// fromTable is spansOf for n units of a level down to a place; nil where there is no table: units are split at x, come in multiples, or are too many for the program.
func (pl placer) fromTable(x layout.Vertex, level int, n int64, low int) []int64 {
	size := pl.m.View.TierIndex(pl.m.View.TierOf(x)-1) - low + 1
	of := tableOf{x, level, 0, low}
	if level < pl.ask.bottom() {
		kids := pl.children(x, pl.ask.scratch.enter())
		pl.ask.scratch.keep(kids)
		pl.ask.scratch.depth--
		tier, whole := pl.keepAt(x, level, n, kids)
		if !whole {
			return nil
		}
		of.tier = tier
	}
	table, ok := pl.ask.layers.tables[of]
	if !ok {
		table = pl.newTable(of, size)
		if pl.ask.layers.tables == nil {
			pl.ask.layers.tables = map[tableOf][]int64{}
		}
		pl.ask.layers.tables[of] = table
	}
	if int64(len(table)) < (n+1)*int64(size) {
		return nil
	}
	return table[n*int64(size) : (n+1)*int64(size)]
}

// newTable makes the table of a vertex: for 0, 1, 2, ... units so many numbers, the least in the order of layers. Nil: there is none. O(children * units
// * numbers of a child), counted as additions; O(children + units) where the children alone count.
func (pl placer) newTable(of tableOf, size int) []int64 {
	switch {
	case pl.sums.unitOf(of.level, of.at) > 1:
		return nil
	case childrenTell(pl.ask, of.at, size):
		return tableOfChildren(pl, of, size)
	}
	kids := pl.boundedChildren(of)
	items := slices.Clone(kids.items) // the scratch is used again below
	at := slices.Clone(kids.of)
	var room, additions int64
	units := pl.ask.members / pl.ask.sizes[of.level]
	for i := range items {
		room += items[i].Hi
		additions += (min(items[i].Hi, units) + 2) * (units + 1)
	}
	t := emptyTable(pl.ask, of, size, room)
	pl.addRunning(t.least[:size], of.at, at)
	if additions > pl.ask.additions {
		return nil
	}
	pl.ask.additions -= additions
	for i := range items {
		pl.addItem(&t, of, at[i].at, items[i].Lo, items[i].Hi)
	}
	return t.least
}

// boundedChildren are the children for whose units there is a table, with their bounds, in the scratch until it is used again.
func (pl placer) boundedChildren(of tableOf) children {
	kids := pl.children(of.at, pl.ask.scratch.enter())
	pl.ask.scratch.keep(kids)
	pl.bound(of.at, of.level, of.tier, kids)
	pl.ask.scratch.depth--
	return kids
}

// emptyTable is a table for as many units as there are, and as there is room for: none of them can be placed yet.
func emptyTable(a *ask, of tableOf, size int, room int64) layerTable {
	units := min(a.members/a.sizes[of.level], room)
	t := layerTable{size: size, units: units, least: a.scratch.carve(int(units+1) * size)}
	fill(t.least[size:], math.MaxInt64)
	return t
}

// tableOfChildren is a table whose numbers are all those of the children in use: of those in use in any case, and then of as few as can be.
func tableOfChildren(pl placer, of tableOf, size int) []int64 {
	use := childUse{left: pl.ask.scratch.left[:0]}
	if of.level == pl.ask.bottom() && len(pl.m.Forced) == 0 && !pl.ask.jumps(of.at) { // the room of members is known without lists
		use.addMembers(pl, of.at)
	} else {
		kids := pl.boundedChildren(of)
		for i := range kids.items {
			it := &kids.items[i]
			use.add(it.Hi, it.Used > 0 || it.Lo > 0)
		}
		for _, c := range pl.childrenOf(of.at) { // those with running members that have no room
			if pl.m.Siblings.At(c) > 0 && !slices.ContainsFunc(kids.of, func(k child) bool { return k.at == c }) {
				use.inUse++
			}
		}
	}
	t := emptyTable(pl.ask, of, size, use.room+use.more)
	fill(t.least[:size], use.inUse)
	slices.SortFunc(use.left, descending)
	t.fill(use.room, use.left)
	pl.ask.scratch.left = use.left
	return t.least
}

// childUse is how many children are in use in any case, the room of these, and of each of the others, and in sum.
type childUse struct {
	inUse, room int64
	left        []int64
	more        int64
}

// addMembers adds the children of x as what members use.
func (u *childUse) addMembers(pl placer, x layout.Vertex) {
	lo, end := pl.m.View.Kids(x)
	if pl.ask.slots.Flat == nil && pl.ask.slots.Inside <= layout.Root && x != layout.Root && x != pl.m.View.Outside && pl.sums.reserved == nil {
		used := pl.m.Siblings.AppendTo(pl.ask.scratch.used[:0], lo, end)
		for i, room := range pl.ask.slotsBelow(x) {
			u.add(int64(room), used[i] > 0)
		}
		pl.ask.scratch.used = used
		return
	}
	for c := lo; c < end; c++ {
		u.add(max(0, pl.sums.whole(pl.ask.bottom(), 0, c)), pl.m.Siblings.At(c) > 0)
	}
}

// add adds a child.
func (u *childUse) add(room int64, inUse bool) {
	switch {
	case inUse:
		u.inUse, u.room = u.inUse+1, u.room+room
	case room > 0:
		u.left, u.more = append(u.left, room), u.more+room
	}
}

// childrenTell says whether all numbers of x are those of its children in use.
func childrenTell(a *ask, x layout.Vertex, size int) bool {
	return size == 1 || a.holdsOnlyNodes(x)
}

// fill makes all numbers of a list the same.
func fill(list []int64, n int64) {
	for i := range list {
		list[i] = n
	}
}

// layerTable is a table while it is made.
type layerTable struct {
	size  int
	units int64
	least []int64 // by units and layer
}

// fill is the table of nodes: base units lie on those that are in use in any case, and the others on as few as can be.
func (t *layerTable) fill(base int64, left []int64) {
	more, room := int64(0), base
	for n := int64(1); n <= t.units; n++ {
		for n > room {
			room, more = room+left[more], more+1
		}
		for j := range int64(t.size) {
			t.least[n*int64(t.size)+j] = t.least[j] + more
		}
	}
}

// addItem adds a child to a table: with nothing, if it need not take any, or with each number from lo to hi.
func (pl placer) addItem(t *layerTable, of tableOf, c layout.Vertex, lo, hi int64) {
	size := int64(t.size)
	before := t.least
	t.least = make([]int64, len(before))
	for i := range t.least {
		t.least[i] = math.MaxInt64
	}
	d := demand{units: make([]int64, len(pl.ask.sizes))}
	with, sum := make([]int64, size), make([]int64, size)
	for k := int64(0); k <= min(hi, t.units); k++ {
		clear(with)
		switch {
		case k == 0 && lo > 0, k > 0 && k < lo:
			continue
		default:
			d.units[of.level] = k
			pl.addChild(with, of.at, c, d)
		}
		for n := k; n <= t.units; n++ {
			from := before[(n-k)*size : (n-k+1)*size]
			if from[0] == math.MaxInt64 {
				continue
			}
			for j := range sum {
				sum[j] = from[j] + with[j]
			}
			if to := t.least[n*size : (n+1)*size]; slices.Compare(sum, to) < 0 {
				copy(to, sum)
			}
		}
	}
}
