// Where go the members if of each layer the largest vertices below the chosen ones are taken, and is less in use then?

package gather

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/layout"
)

// greedy places n members below x on the largest children, as few as hold them, then on the largest of their children, and so on down to the lowest tier
// that counts. There each vertex is placed alone: all are full but the last, which is the smallest. The positions come in the order of paths.
func (pl placer) greedy(x layout.Vertex, n int64, list []int32) []int32 {
	chosen := []layout.Vertex{x}
	var rest int64 // slots that the chosen ones have beside the members
	for place := pl.m.View.TierIndex(pl.m.View.TierOf(x)) - 1; place >= pl.ask.layers.cut; place-- {
		below := []layout.Vertex(nil)
		for _, v := range chosen {
			lo, end := pl.m.View.Kids(v)
			for c := lo; c < end; c++ {
				if c != pl.m.View.Outside && pl.ask.slots.At(c) > 0 {
					below = append(below, c)
				}
			}
		}
		chosen, rest = pl.largest(below, n)
	}
	last := chosen[len(chosen)-1]
	slices.SortFunc(chosen, func(a, b layout.Vertex) int { return cmp.Compare(pl.m.View.First(a), pl.m.View.First(b)) })
	for _, v := range chosen {
		if some := pl.ask.slots.At(v); v != last {
			list = pl.fillAll(v, some, list)
		} else {
			list = pl.fillPlain(v, some-rest, list)
		}
	}
	return list
}

// largest keeps the vertices with the most slots, the first of equal ones, as few as hold n members, and tells the slots that they have beside these.
func (pl placer) largest(list []layout.Vertex, n int64) (chosen []layout.Vertex, rest int64) {
	type sized struct {
		slots int64
		place int
	}
	by := make([]sized, len(list))
	for i, v := range list {
		by[i] = sized{pl.ask.slots.At(v), i}
	}
	slices.SortFunc(by, func(a, b sized) int { return cmp.Or(descending(a.slots, b.slots), cmp.Compare(a.place, b.place)) })
	for i := 0; n > 0; i++ {
		chosen, n = append(chosen, list[by[i].place]), n-by[i].slots
	}
	return chosen, -n
}

// narrower says whether some positions below x use less than others, in the layers that count. Both are in the order of paths.
func (pl placer) narrower(x layout.Vertex, some, others []int32) bool {
	for place := pl.m.View.TierIndex(pl.m.View.TierOf(x)) - 1; place >= pl.ask.layers.cut; place-- {
		tier := pl.m.View.Tiers[place]
		if c := cmp.Compare(pl.inUse(tier, some), pl.inUse(tier, others)); c != 0 {
			return c < 0
		}
	}
	return false
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
