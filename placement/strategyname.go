package placement

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/layout"
)

// strategyName names the tiers reached, and numbers them among all strategies over the switch layers, from 1; numbers
// beyond 2^31-1, which only many nested groups in many layers reach, are that. A strategy is a vector of tiers that do
// not grow inwards; their order is lexicographic, and tier 0 counts as the lowest layer. A gang without groups counts as
// one group that is the gang. O(levels * log tiers + levels^2).
func strategyName(v *layout.View, gang int32, groups []int32) (name string, number int) {
	name = v.LayerName(gang)
	for _, t := range groups {
		name += "/" + v.LayerName(t)
	}
	tiers := append(append(make([]int32, 0, 8), gang), groups...)
	if len(groups) == 0 {
		tiers = append(tiers, gang)
	}
	count := int64(1)
	for i, t := range tiers {
		place, _ := slices.BinarySearch(v.Tiers, t)
		// The vectors with the same tiers before and a lower one here: multisets of the rest's size out of the tiers
		// below.
		below, rest := max(1, place)-1, len(tiers)-i
		count = min(count+binomial(int64(below+rest-1), int64(rest)), math.MaxInt32)
	}
	return name, int(count)
}

// binomial is the number of ways to choose k of n, at most 2^31-1. O(k).
func binomial(n, k int64) int64 {
	if n < k {
		return 0
	}
	k = min(k, n-k) // then the steps only rise, and one beyond the bound ends them
	c := int64(1)
	for i := int64(1); i <= k; i++ {
		if c = c * (n - k + i) / i; c >= math.MaxInt32 {
			return math.MaxInt32
		}
	}
	return c
}
