package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// taken is a child of a set with the whole groups that it takes.
type taken struct {
	slots, groups int64
	short         bool // it takes the short group as well
	given         bool // to a child
}

// keepsPlainly says whether a demand below x is of whole groups that stay whole in the children of x, between which slots alone
// decide: how many a child takes is its slots divided by the size of a group, and none must take any.
func (pl placer) keepsPlainly(x layout.Vertex, d *demand) bool {
	if pl.ask.indexed == nil || d.units[0] == 0 || d.units[1] > 0 ||
		len(d.begun) > 0 || x == layout.Root || !pl.ask.isOrdinary() || pl.ask.zonesTell(x) {
		return false
	}
	for i := range pl.p.View.TiersBelow(pl.p.View.TierOf(x)) {
		switch whole := int64(pl.ask.indexed.Whole[i].At(x)); {
		case whole > d.units[0], whole == d.units[0] && !d.short:
			return pl.p.View.Gaps[i][x] == 1
		case whole > 0:
			return false
		}
	}
	return false
}

// placeGroups is place for a demand that keepsPlainly speaks of; false if the index does not help.
//
// Same answer as order: sets.1, sets.6, fill.1, short.2, faster.
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
	kept := len(pl.ask.scratch.taken)
	pl.giveGroups(l, d)
	set := pl.ask.scratch.taken[kept:]
	out.parts = make([]share, 0, len(set))
	lo, end := pl.p.View.Kids(x)
	for c := lo; c < end && len(out.parts) < len(set); c++ {
		t := takenWith(set, pl.ask.slots.Ix.At(c))
		if t == nil {
			continue
		}
		t.given = true
		part := demand{units: pl.ask.units(), short: t.short}
		part.units[0] = t.groups
		out.parts = append(out.parts, pl.place(c, part))
		set = pl.ask.scratch.taken[kept:]
	}
	pl.ask.scratch.taken = pl.ask.scratch.taken[:kept]
	if d.short {
		shortLast(out.parts)
	}
	return true
}

// takenWith is the first of a set that has so many slots and is given to no child yet, nil if there is none.
func takenWith(set []taken, slots int64) *taken {
	i, found := slices.BinarySearchFunc(set, slots, func(t taken, slots int64) int { return descending(t.slots, slots) })
	for ; found && i < len(set) && set[i].slots == slots; i++ {
		if !set[i].given {
			return &set[i]
		}
	}
	return nil
}

// giveGroups appends to the scratch's taken, in fill order, what the children of the best set take: docs/order.md section 4,
// `Fill` and `Short group`.
func (pl placer) giveGroups(l *sets.LeastGroups, d *demand) {
	from := len(pl.ask.scratch.taken)
	last, spare := -1, -d.units[0]
	for _, i := range l.Pick() {
		t := taken{slots: l.Slots[i], groups: l.Slots[i] / l.Size}
		spare += t.groups
		pl.ask.scratch.taken = append(pl.ask.scratch.taken, t)
	}
	set := pl.ask.scratch.taken[from:]
	for i := len(set) - 1; d.short && last < 0; i-- {
		t := &set[i]
		if beside := t.slots-t.groups*l.Size >= l.Short; beside || spare > 0 {
			last, t.short = i, true
			if !beside {
				t.groups, spare = t.groups-1, spare-1
			}
		}
	}
	for i := len(set) - 1; spare > 0; i-- {
		least := int64(1)
		if i == last {
			least = 0
		}
		less := min(spare, set[i].groups-least)
		set[i].groups, spare = set[i].groups-less, spare-less
	}
}
