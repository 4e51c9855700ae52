package validity

import (
	"slices"
	"strings"

	"github.com/muster-sched/muster/placement"
)

// strategyName joins the names of the layers of the gang and of its groups.
func (n *Network) strategyName(tiers []int) string {
	var parts []string
	for _, tier := range tiers {
		parts = append(parts, n.LayerName(tier))
	}
	return strings.Join(parts, "/")
}

// strategyNumber counts the strategies up to this one: the vectors of places among the layers, gang first, that never
// grow, in lexicographic order. Tier 0 has the place of the lowest layer. Without groups it is the gang's tier twice.
func (n *Network) strategyNumber(tiers []int) int {
	vector := make([]int, 0, len(tiers)+1)
	for _, tier := range tiers {
		vector = append(vector, n.position(tier))
	}
	if len(vector) == 1 {
		vector = append(vector, vector[0])
	}
	number := 0
	for v := range nonIncreasing(len(vector), n.position(n.rootTier)) {
		number++
		if slices.Equal(v, vector) {
			return number
		}
	}
	return 0
}

// position is the place of a tier among the switch layers, from 1.
func (n *Network) position(tier int) int {
	if tier == 0 {
		return 1
	}
	layers := n.Layers()
	for i, l := range layers {
		if l.Tier == tier {
			return i + 1
		}
	}
	return len(layers) + 1
}

// nonIncreasing iterates over all vectors of this length of numbers from 1 to top that never grow.
func nonIncreasing(length, top int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		var extend func(prefix []int) bool
		extend = func(prefix []int) bool {
			if len(prefix) == length {
				return yield(prefix)
			}
			last := top
			if len(prefix) > 0 {
				last = prefix[len(prefix)-1]
			}
			for x := 1; x <= last; x++ {
				if !extend(append(slices.Clip(prefix), x)) {
					return false
				}
			}
			return true
		}
		extend(nil)
	}
}

// spans counts, for every layer below the tier, widest first, the domains above the nodes. A branch without a domain of
// the layer adds none.
func (n *Network) spans(nodes []string, tier int) []placement.LayerSpan {
	var spans []placement.LayerSpan
	for _, l := range slices.Backward(n.Layers()) {
		if l.Tier >= tier {
			continue
		}
		used := map[string]bool{}
		for _, node := range nodes {
			for _, p := range n.chains[node] {
				if p.Tier == l.Tier {
					used[p.ID] = true
				}
			}
		}
		spans = append(spans, placement.LayerSpan{Layer: n.LayerName(l.Tier), Tier: l.Tier, Domains: len(used)})
	}
	return spans
}
