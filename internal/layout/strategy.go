package layout

import "slices"

// StrategyName names the tiers reached, and numbers them among all strategies over the switch layers, from 1. A strategy is
// a vector of tiers that do not grow inwards; their order is lexicographic, and tier 0 counts as the lowest layer. A gang
// without groups counts as one group that is the gang. O(levels * log tiers).
func (v *View) StrategyName(gang int32, groups []int32) (name string, number int) {
	name = v.LayerName(gang)
	for _, t := range groups {
		name += "/" + v.LayerName(t)
	}
	tiers := append(append(make([]int32, 0, 8), gang), groups...)
	if len(groups) == 0 {
		tiers = append(tiers, gang)
	}
	number = 1
	for i, t := range tiers {
		place, _ := slices.BinarySearch(v.Tiers, t)
		// So many vectors begin with a lower tier here: multisets of the rest's size out of the tiers below.
		below, rest := max(1, place)-1, len(tiers)-i
		number += binomial(below+rest-1, rest)
	}
	return name, number
}

// binomial is the number of ways to choose k of n. O(k).
func binomial(n, k int) int {
	if n < k {
		return 0
	}
	c := 1
	for i := 1; i <= k; i++ {
		c = c * (n - k + i) / i
	}
	return c
}
