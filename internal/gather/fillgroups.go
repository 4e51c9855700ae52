// How do whole groups go to the children of a domain if slots alone decide?

package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// taken is what one child of the best set takes. The set is found by slots alone: children with as many slots can stand
// for each other, so which child it is comes last.
type taken struct {
	slots, groups int64 // of the child; whole groups that it takes
	short         bool  // it takes the short group as well
	given         bool  // a child has been found for it
}

// keepsPlainly says whether placeGroups may place a demand below x: whole groups that stay whole in the children of x,
// where slots alone decide. That holds if the children are domains of tier s* (docs/order/4-children.md) or lower, so
// that each takes at most slots / size groups, and if no group, the short one included, is whole at a lower tier, so that
// no child must take any. O(tiers).
func (pl placer) keepsPlainly(x layout.Vertex, d *demand) bool {
	if pl.ask.indexed == nil || d.units[0] == 0 || d.units[1] > 0 ||
		len(d.begun) > 0 || x == layout.Root || !pl.ask.isOrdinary() || pl.ask.zonesTell(x) {
		return false
	}
	for i := range pl.p.View.TiersBelow(pl.p.View.TierOf(x)) {
		switch whole := int64(pl.ask.indexed.Whole[i].At(x)); {
		case whole > d.units[0], whole == d.units[0] && !d.short: // tier s*; the short group has a place to spare
			return pl.p.View.Gaps[i][x] == 1 && (!d.short || i == 0 || int64(pl.ask.indexed.Rest[i-1].At(x)) < pl.ask.short)
		case whole > 0:
			return false // lower bounds, or no place for the short group
		}
	}
	return false
}

// placeGroups is place for a demand for which keepsPlainly holds; false, with nothing placed, if the program of
// [sets.LeastGroups] would be too large. O(children * children taken), beside that program and the placement in the
// children.
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
	kept := len(pl.ask.scratch.taken) // what is taken at the vertices above x, still in use
	pl.giveGroups(l, d)
	set := pl.ask.scratch.taken[kept:]
	out.parts = make([]share, 0, len(set))
	// Of children with as many slots the first takes what comes first in fill order.
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
		// The list may have moved, as vertices below use it too.
		set = pl.ask.scratch.taken[kept:]
	}
	pl.ask.scratch.taken = pl.ask.scratch.taken[:kept]
	if d.short {
		shortLast(out.parts)
	}
	return true
}

// takenWith is the first of a set with so many slots that no child has been found for, nil if there is none. The set is
// in fill order, so the slots descend.
func takenWith(set []taken, slots int64) *taken {
	i, found := slices.BinarySearchFunc(set, slots, func(t taken, slots int64) int { return descending(t.slots, slots) })
	for ; found && i < len(set) && set[i].slots == slots; i++ {
		if !set[i].given {
			return &set[i]
		}
	}
	return nil
}

// giveGroups appends to the scratch's taken, in fill order, what the children of the best set take
// (docs/order/4-children.md, `Fill` and `The short group`). Every child starts with all groups that it holds, and what
// is too much is taken back from the last ones: the same as filling the first ones while each later one keeps one.
// O(children of the set).
func (pl placer) giveGroups(l *sets.LeastGroups, d *demand) {
	from := len(pl.ask.scratch.taken)
	last, spare := -1, -d.units[0] // place of the child with the short group; groups that the set holds too much
	for _, i := range l.Pick() {
		t := taken{slots: l.Slots[i], groups: l.Slots[i] / l.Size}
		spare += t.groups
		pl.ask.scratch.taken = append(pl.ask.scratch.taken, t)
	}
	set := pl.ask.scratch.taken[from:]
	// The short group goes to the last child that can hold it: beside its groups, else in the place of one if one is to
	// spare.
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
		if i == last { // the short group is enough for it
			least = 0
		}
		less := min(spare, set[i].groups-least)
		set[i].groups, spare = set[i].groups-less, spare-less
	}
}
