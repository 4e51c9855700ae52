// Is less in use if of each layer the largest vertices below the chosen ones are taken, and where go the members then?

package gather

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/layout"
)

// greedy chooses, for n members below x, the largest children, as few as hold them, then the largest of their children, and so on down to the lowest
// tier that counts. The vertices of that tier come in the order of paths; none is left if some positions, which are in that order too, use as little in
// the layers that count. O(vertices below the chosen ones), and those that are chosen are sorted.
func (pl placer) greedy(x layout.Vertex, n int64, positions []int32) []chosen {
	return pl.largestBelow(x, n, pl.ask.layers.cut, pl.ask.withSlots, positions)
}

// largestBelow is greedy for units of which children tells what the children of a vertex hold, down to the tier at place low.
func (pl placer) largestBelow(x layout.Vertex, n int64, low int, children func(x layout.Vertex, list []chosen) []chosen, positions []int32) []chosen {
	wide := &pl.ask.scratch.wide
	list := append(wide[1][:0], chosen{x, 0})
	fewer := false
	for place := pl.m.View.TierIndex(pl.m.View.TierOf(x)) - 1; place >= low; place-- {
		tier := pl.m.View.Tiers[place]
		slices.SortStableFunc(list, func(a, b chosen) int { return descending(a.slots, b.slots) }) // of equal children those of the largest come first
		wide[0] = wide[0][:0]
		for _, v := range list {
			if pl.m.View.TierOf(v.at) <= tier { // a lower one that has none above it stands for itself
				wide[0] = append(wide[0], v)
			} else {
				wide[0] = children(v.at, wide[0])
			}
		}
		wide[0], wide[1] = list, wide[0]
		list = largest(wide[1], n)
		if fewer {
			continue
		}
		// No vertex can be left out later: the others of its layer do not hold the members.
		used := pl.inUse(tier, positions)
		if len(list) > used {
			return nil
		}
		fewer = len(list) < used
	}
	if !fewer {
		return nil
	}
	wide[0] = byPath(pl.ask, list, wide[0][:0])
	return wide[0]
}

// byPath appends vertices to a list and puts it into the order of paths. Those next to each other that have one parent are in that order already, so
// that mostly only these runs are sorted: their keys are where they begin among the nodes, and in the list. O(vertices + runs * log runs).
func byPath(a *ask, list, out []chosen) []chosen {
	v, runs := a.m.View, a.scratch.left[:0]
	for i := range list {
		if i == 0 || v.Above(list[i].at) != v.Above(list[i-1].at) {
			runs = append(runs, int64(v.First(list[i].at))<<32|int64(i))
		}
	}
	slices.Sort(runs)
	for _, run := range runs {
		i := int(int32(run))
		for above := v.Above(list[i].at); i < len(list) && v.Above(list[i].at) == above; i++ {
			out = append(out, list[i])
		}
	}
	a.scratch.left = runs
	slices.SortFunc(out, func(a, b chosen) int { return cmp.Compare(v.First(a.at), v.First(b.at)) }) // some may have no parent between
	return out
}

// besideMembers are the features beside which members are tried on the largest domains, with an index or without one.
var besideMembers = features.Table[features.FillNarrow].Understands | features.Flat

// placeFurther is place for members on the largest domains of each layer where layers count that are not looked at when children are chosen; not ok
// if these are not fewer, layer by layer, than what another share uses. With an index [placer.fillNarrow] has done so.
func placeFurther(pl placer, x layout.Vertex, d *demand, other *share) (out share, ok bool) {
	a := pl.ask
	if a.layers == nil || a.features&^besideMembers != 0 || !hasOneLayer(a, x) || !a.looksFurther(x) || len(d.begun) > 0 || x == layout.Root && a.slots.Inside > layout.Root {
		return out, false
	}
	n := a.newMembers(d)
	list := pl.greedy(x, n, pl.positionsOf(other, make([]int32, 0, n)))
	if list == nil {
		return out, false
	}
	return placeOn(pl, x, d, list), true
}

// besideGroups are the features beside which whole groups are tried on the largest domains.
const besideGroups = features.Groups | features.Nested | features.Flat | features.Aligned | features.Wasteful

// placeLargest is place for whole groups as of keptWhole, on the largest domains of each layer; not ok if
// these are not fewer, layer by layer, than what another share uses.
func (pl placer) placeLargest(x layout.Vertex, d *demand, other *share) (out share, ok bool) {
	place, ok := pl.keptWhole(x, d)
	if !ok || place >= pl.m.View.TierIndex(pl.m.View.TierOf(x))-1 { // the children of x keep them
		return out, false
	}
	n, tier := pl.ask.newMembers(d), pl.m.View.Tiers[place]
	list := pl.largestBelow(x, d.units[0], max(place, pl.ask.groupsFrom-1), func(x layout.Vertex, list []chosen) []chosen {
		lo, end := pl.m.View.Kids(x)
		for c := lo; c < end; c++ {
			if groups := pl.sums.whole(0, tier, c); groups > 0 && c != pl.m.View.Outside {
				list = append(list, chosen{c, groups})
			}
		}
		return list
	}, pl.positionsOf(other, make([]int32, 0, n)))
	if list == nil {
		return out, false
	}
	return placeOn(pl, x, d, list), true
}

// placeOn places the units of a demand below x on some vertices, all of which are full but the last one in fill order.
func placeOn(pl placer, x layout.Vertex, d *demand, list []chosen) share {
	out := share{demand: *d, at: x}
	last, spare := lastFilled(list, d.units[0])
	list[last].slots -= spare
	for _, c := range slices.Clone(list) { // the scratch serves what is below
		part := demand{units: pl.ask.units()}
		part.units[0] = c.slots
		out.parts = append(out.parts, pl.place(c.at, part))
	}
	return out
}

// largest keeps the vertices with the most slots, the first of equal ones, as few as hold n members.
func largest(list []chosen, n int64) []chosen {
	low, high := int64(1), int64(1)
	for _, v := range list {
		high = max(high, v.slots)
	}
	for low < high { // the most slots from which on all vertices hold the members
		mid := low + (high-low+1)/2
		if roomFrom(list, mid) >= n {
			low = mid
		} else {
			high = mid - 1
		}
	}
	kept, equal := list[:0], (n-roomFrom(list, low+1)+low-1)/low
	for _, v := range list {
		if v.slots == low {
			equal--
		}
		if v.slots > low || v.slots == low && equal >= 0 {
			kept = append(kept, v)
		}
	}
	return kept
}

// roomFrom are the slots of the vertices that have at least so many each.
func roomFrom(list []chosen, size int64) (room int64) {
	for i := range list {
		if list[i].slots >= size {
			room += list[i].slots
		}
	}
	return room
}

// inUse is how many domains of a tier hold some positions, which are in the order of paths.
func (pl placer) inUse(tier int32, positions []int32) (n int) {
	end := int32(-1)
	for _, pos := range positions {
		if pos >= end {
			d := pl.m.View.Highest(pl.m.View.NodeVertex(pos), tier)
			n, end = n+1, pl.m.View.EndOf(d)
		}
	}
	return n
}
