package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// fillZoned is fillPlain where the zones of the children of x tell them apart. If the next member gets as many zones on each of
// them, slots decide how many children of which size are taken, and the score of the zones which ones of a size.
//
// Same answer as order: sets.1, sets.6, sets.7, fill.1, faster.
func (pl placer) fillZoned(x layout.Vertex, n int64, list []int32) []int32 {
	lo, end := pl.p.View.Kids(x)
	if !pl.ask.sameZones(lo, end) {
		return pl.fillChosen(x, n, list)
	}
	kept := len(pl.ask.scratch.picks)
	pl.pickFewest(x, n)
	picks := pl.ask.scratch.picks[kept:]
	least, spare := picks[0].slots, -n
	for _, p := range picks {
		least, spare = min(least, p.slots), spare+p.slots
	}
	given := pl.ask.scratch.carve(int(end - lo))
	for i, p := range picks {
		same := func(o chosen) bool { return o.slots == p.slots }
		if slices.ContainsFunc(picks[:i], same) {
			continue
		}
		count := 0
		for _, o := range picks[i:] {
			if same(o) {
				count++
			}
		}
		last := p.slots
		if last == least {
			last -= spare
		}
		pl.giveBest(lo, end, count, p.slots, last, given)
	}
	pl.ask.scratch.picks = pl.ask.scratch.picks[:kept]
	for i, units := range given {
		for range units {
			list = append(list, pl.p.View.Position(lo+layout.Vertex(i)))
		}
	}
	return list
}

// sameZones says whether the next member gets as many zones on all of some nodes that have slots.
func (a *ask) sameZones(lo, end layout.Vertex) bool {
	zones := int64(-1)
	for c := lo; c < end; c++ {
		if a.slots.At(c) == 0 {
			continue
		}
		n := a.p.Zones().ZonesOn(c)
		if zones >= 0 && n != zones {
			return false
		}
		zones = n
	}
	return true
}

// giveBest fills so many nodes of a size, the last one in the order of paths as far as said, with the highest score of their
// zones.
func (pl placer) giveBest(lo, end layout.Vertex, count int, size, last int64, given []int64) {
	var equal []layout.Vertex
	for c := lo; c < end; c++ {
		if pl.ask.slots.At(c) == size {
			equal = append(equal, c)
		}
	}
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

// fillChosen is fillZoned by the general choice.
func (pl placer) fillChosen(x layout.Vertex, n int64, list []int32) []int32 {
	d := demand{units: pl.ask.units()}
	d.units[pl.ask.bottom()] = n
	sh := pl.placeChosen(x, d)
	for i := range sh.parts {
		for range pl.ask.newMembers(&sh.parts[i].demand) {
			list = append(list, pl.p.View.Position(sh.parts[i].at))
		}
	}
	return list
}
