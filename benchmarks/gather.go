package benchmarks

import "math/rand/v2"

// The gang that [Gathered] fills clusters for: 24 members in groups of 8, on units of 32 nodes.
const (
	GatherMembers = 24
	GatherGroup   = 8
)

// Gathered fills a cluster of three layers and one slot a node so that exactly one of the six strategies over unit, leaf and spine is
// the best feasible one for the gang of [GatherMembers]: every strategy before it fails in every domain, by few slots.
// Next keeps that true.
func Gathered(shape Shape, seed uint64, strategy int) *Fleet {
	f := newFleet(shape, seed, 1)
	f.near = true
	var taken []int
	unit, nodes := 0, shape.children(1)
	for range shape.NumDomains(3) {
		for _, units := range gatherFree(f.rng, shape, strategy) {
			for _, free := range units {
				for _, n := range f.rng.Perm(nodes)[free:] {
					taken = append(taken, unit*nodes+n)
				}
				unit++
			}
		}
	}
	f.hold(taken)
	return f
}

// gatherFree draws the number of free nodes in every unit of every leaf of one spine.
func gatherFree(rng *rand.Rand, shape Shape, strategy int) [][]int {
	spine := make([][]int, shape.children(3))
	for i := range spine {
		leaf := make([]int, shape.children(2))
		spine[i] = leaf
		switch strategy {
		case 1, 2: // No unit holds the gang; some leaf has three units for a group each.
			for u := range leaf {
				leaf[u] = rng.IntN(GatherMembers)
			}
			for u := range 3 {
				leaf[u] = max(leaf[u], GatherGroup)
			}
		case 3: // No unit holds a group; the leaf has enough in sum.
			for u := range leaf {
				leaf[u] = rng.IntN(GatherGroup)
			}
			spread(rng, leaf, GatherMembers)
		case 4: // Two units of the leaf hold a group each, and nothing else is free.
			for _, u := range rng.Perm(len(leaf))[:2] {
				leaf[u] = GatherGroup + rng.IntN(4)
			}
		case 5: // The leaf holds two groups, no unit holds one.
			spread(rng, leaf, 16+rng.IntN(8))
		case 6: // Two leaves of the spine hold one group each, the others none.
			if i < 2 {
				spread(rng, leaf, 12+rng.IntN(4))
			} else {
				spread(rng, leaf, rng.IntN(GatherGroup))
			}
		}
	}
	if strategy == 1 {
		spine[rng.IntN(len(spine))][rng.IntN(shape.children(2))] = GatherMembers + rng.IntN(8)
	}
	rng.Shuffle(len(spine), func(i, j int) { spine[i], spine[j] = spine[j], spine[i] })
	return spine
}

// spread raises units at random, none to a whole group, until the leaf has at least total free nodes.
func spread(rng *rand.Rand, leaf []int, total int) {
	for _, free := range leaf {
		total -= free
	}
	for total > 0 {
		if u := rng.IntN(len(leaf)); leaf[u] < GatherGroup-1 {
			leaf[u]++
			total--
		}
	}
}
