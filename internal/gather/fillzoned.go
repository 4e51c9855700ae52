package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/layout"
)

// fillZoned is fillPlain where the zones of the children of x tell them apart. If the next member gets as many zones on each of
// them, slots decide how many children of which size are taken, and the score of the zones which ones of a size.
func (f filler) fillZoned(x layout.Vertex, n int64, list []int32) []int32 {
	lo, end := f.sums.p.View.Kids(x)
	if !f.sameZones(lo, end) {
		return f.fillChosen(x, n, list)
	}
	kept := len(f.sums.ask.scratch.picks)
	f.pickFewest(x, n)
	picks := f.sums.ask.scratch.picks[kept:]
	least, spare := picks[0].slots, -n
	for _, p := range picks {
		least, spare = min(least, p.slots), spare+p.slots
	}
	given := f.sums.ask.scratch.carve(int(end - lo))
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
		f.giveBest(lo, end, count, p.slots, last, given)
	}
	f.sums.ask.scratch.picks = f.sums.ask.scratch.picks[:kept]
	for i, units := range given {
		for range units {
			list = append(list, f.sums.p.View.Position(lo+layout.Vertex(i)))
		}
	}
	return list
}

// sameZones says whether the next member gets as many zones on all of some nodes that have slots.
func (f filler) sameZones(lo, end layout.Vertex) bool {
	zones := int64(-1)
	for c := lo; c < end; c++ {
		if f.sums.ask.slots.At(c) == 0 {
			continue
		}
		n := f.sums.p.Zones().ZonesOn(c)
		if zones >= 0 && n != zones {
			return false
		}
		zones = n
	}
	return true
}

// giveBest fills so many nodes of a size, the last one in the order of paths as far as said, with the highest score of their
// zones.
func (f filler) giveBest(lo, end layout.Vertex, count int, size, last int64, given []int64) {
	var equal []layout.Vertex
	for c := lo; c < end; c++ {
		if f.sums.ask.slots.At(c) == size {
			equal = append(equal, c)
		}
	}
	value := func(i, j int) score {
		if j == count-1 {
			return f.sums.scoreOn(equal[i], last)
		}
		return f.sums.scoreOn(equal[i], size)
	}
	for j, i := range assign(len(equal), count, value) {
		given[equal[i]-lo] = size
		if j == count-1 {
			given[equal[i]-lo] = last
		}
	}
}

// fillChosen is fillZoned by the general choice.
func (f filler) fillChosen(x layout.Vertex, n int64, list []int32) []int32 {
	d := demand{units: f.sums.units()}
	d.units[f.sums.ask.bottom()] = n
	sh := f.sums.placeChosen(x, d)
	for i := range sh.parts {
		for range f.sums.newMembers(&sh.parts[i].demand) {
			list = append(list, f.sums.p.View.Position(sh.parts[i].at))
		}
	}
	return list
}
