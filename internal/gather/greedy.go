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
		slices.SortStableFunc(below, func(a, b layout.Vertex) int { return descending(pl.ask.slots.At(a), pl.ask.slots.At(b)) })
		left, count := n, 0
		for ; left > 0; count++ {
			left -= pl.ask.slots.At(below[count])
		}
		chosen, rest = below[:count], -left
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
