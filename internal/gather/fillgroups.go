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
func (f filler) keepsPlainly(x layout.Vertex, d *demand) bool {
	if f.sums.ask.indexed == nil || d.units[0] == 0 || d.units[1] > 0 || len(d.begun) > 0 || x == layout.Root || !f.isOrdinary() || f.sums.zonesTell(x) {
		return false
	}
	for i := range f.sums.p.View.TiersBelow(f.sums.p.View.TierOf(x)) {
		switch whole := int64(f.sums.ask.indexed.Whole[i].At(x)); {
		case whole > d.units[0], whole == d.units[0] && !d.short:
			return f.sums.p.View.Gaps[i][x] == 1
		case whole > 0:
			return false
		}
	}
	return false
}

// placeGroups is place for a demand that keepsPlainly speaks of; false if the index does not help.
func (f filler) placeGroups(x layout.Vertex, d *demand, out *share) bool {
	sums := f.sums.ask.slots.Ix.SumsOf(x)
	short := f.sums.ask.short
	if !d.short {
		short = 0
	}
	l := &f.sums.ask.scratch.groups
	if !l.Begin(&sums, f.sums.ask.sizes[0], short, d.units[0]) {
		return false
	}
	kept := len(f.sums.ask.scratch.taken)
	f.giveGroups(l, d)
	set := f.sums.ask.scratch.taken[kept:]
	out.parts = make([]share, 0, len(set))
	lo, end := f.sums.p.View.Kids(x)
	for c := lo; c < end && len(out.parts) < len(set); c++ {
		t := takenWith(set, f.sums.ask.slots.Ix.At(c))
		if t == nil {
			continue
		}
		t.given = true
		part := demand{units: f.sums.units(), short: t.short}
		part.units[0] = t.groups
		out.parts = append(out.parts, f.sums.place(c, part))
		set = f.sums.ask.scratch.taken[kept:]
	}
	f.sums.ask.scratch.taken = f.sums.ask.scratch.taken[:kept]
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
func (f filler) giveGroups(l *sets.LeastGroups, d *demand) {
	from := len(f.sums.ask.scratch.taken)
	last, spare := -1, -d.units[0]
	for _, i := range l.Pick() {
		t := taken{slots: l.Slots[i], groups: l.Slots[i] / l.Size}
		spare += t.groups
		f.sums.ask.scratch.taken = append(f.sums.ask.scratch.taken, t)
	}
	set := f.sums.ask.scratch.taken[from:]
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
