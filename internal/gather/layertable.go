// How many vertices are in use below a vertex for every number of units of one level? One program answers for all numbers.

package gather

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/layout"
)

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
// * numbers of a child), counted as additions.
func (pl placer) newTable(of tableOf, size int) []int64 {
	if pl.sums.unitOf(of.level, of.at) > 1 {
		return nil
	}
	kids := pl.children(of.at, pl.ask.scratch.enter())
	pl.ask.scratch.keep(kids)
	pl.bound(of.at, of.level, of.tier, kids)
	items := slices.Clone(kids.items) // the scratch is used again below
	at := slices.Clone(kids.of)
	pl.ask.scratch.depth--
	var room, additions int64
	units := pl.ask.members / pl.ask.sizes[of.level]
	for i := range items {
		room += items[i].Hi
		additions += (min(items[i].Hi, units) + 2) * (units + 1)
	}
	units = min(units, room)
	t := layerTable{size: size, units: units, least: make([]int64, (units+1)*int64(size))}
	for i := range t.least {
		t.least[i] = math.MaxInt64
	}
	clear(t.least[:size])
	pl.addRunning(t.least[:size], of.at, at)
	if size > 1 && !pl.ask.holdsOnlyNodes(of.at) {
		if additions > pl.ask.additions {
			return nil
		}
		pl.ask.additions -= additions
		for i := range items {
			pl.addItem(&t, of, at[i].at, items[i].Lo, items[i].Hi)
		}
		return t.least
	}
	base, left := int64(0), []int64(nil) // nodes in use in any case have room first
	for i := range items {
		if it := &items[i]; it.Used > 0 || it.Lo > 0 {
			base += it.Hi
			for j := range size {
				t.least[j]++
			}
		} else {
			left = append(left, it.Hi)
		}
	}
	slices.SortFunc(left, descending)
	t.fill(base, left)
	return t.least
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
