// Which nodes do members of an aligned gang take if slots decide how many, and zones which ones of a size?

package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// fillZoned is fillPlain for a domain of nodes whose zones may tell them apart. If the next member gets as many zones
// on each of them, zones in sum are equal for all sets of one size. So slots decide how many nodes of each size are
// taken, and the NUMA score which nodes of a size. Else the general choice decides. O(nodes * distinct sizes), beside
// the picks.
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
			list = append(list, pl.p.View.Position(lo+layout.Vertex(i)))
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
		n := a.p.Zones().ZonesOn(c)
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

// fillChosen is fillZoned by the general choice among the nodes.
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
