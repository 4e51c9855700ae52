// Package blocks answers: which tier do members reach who stand one after the other, block by block? It is known again after a change as far as
// nobody changed his place.
package blocks

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/layout"
)

// Blocks say how far apart members are who stand one after the other, cut into blocks of equal size: which tier each block, or one before it, reaches.
// They never change, and are safe for concurrent use.
type Blocks struct {
	view    *layout.View
	members int
	sizes   []int
	tiers   [][]int32 // by level and block: the highest tier that it or one before it reaches
	outside []int     // by level: the first block that lies outside the topology
}

// Cut cuts n members, each of whom is at a position, into blocks of some sizes. The first ones, as many as are the same, were cut before; there may
// be no blocks before. O(levels * other members), and a copy of what is known; O(1) where nothing changed.
func Cut(n int, at func(i int) int32, v *layout.View, sizes []int, before *Blocks, same int) *Blocks {
	if same = min(same, n); !before.areFor(v, sizes) {
		same = 0
	} else if same == n && before.members == n {
		return before
	}
	b := &Blocks{v, n, slices.Clone(sizes), make([][]int32, len(sizes)), make([]int, len(sizes))}
	for i, size := range sizes {
		b.tiers[i], b.outside[i] = make([]int32, n/size), math.MaxInt
		k := 0
		if same > 0 {
			if k = copy(b.tiers[i], before.tiers[i][:min(same/size, len(before.tiers[i]))]); before.outside[i] < k {
				b.outside[i] = before.outside[i]
			}
		}
		for ; k < len(b.tiers[i]); k++ {
			first, last := at(k*size), at(k*size)
			for j := k*size + 1; j < (k+1)*size; j++ {
				first, last = min(first, at(j)), max(last, at(j))
			}
			lowest := v.LCA(v.NodeVertex(first), v.NodeVertex(last))
			if b.tiers[i][k] = v.TierOf(lowest); k > 0 {
				b.tiers[i][k] = max(b.tiers[i][k], b.tiers[i][k-1])
			}
			if v.Contains(v.Outside, lowest) {
				b.outside[i] = min(b.outside[i], k)
			}
		}
	}
	return b
}

// areFor says whether there are blocks, of these sizes in this topology.
func (b *Blocks) areFor(v *layout.View, sizes []int) bool {
	return b != nil && b.view == v && slices.Equal(b.sizes, sizes)
}

// Reached is how many of the first n members are in whole blocks of the first size, the highest tier that a block of a level reaches among these, and
// whether one lies outside the topology. Without blocks nobody is in one.
func (b *Blocks) Reached(level, n int) (members int, tier int32, outside bool) {
	if b == nil || n < b.sizes[0] {
		return 0, 0, false
	}
	members = n - n%b.sizes[0]
	k := members / b.sizes[level]
	return members, b.tiers[level][k-1], b.outside[level] < k
}
