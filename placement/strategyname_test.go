package placement

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/topology"
)

// Strategies are numbered in the order in which all of them are listed: vectors of tiers that do not grow inwards,
// outer tiers first, the lowest first.
func TestStrategiesAreNumberedInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := topology.Spec{Nodes: []string{"n"}}
		for tier := range rapid.IntRange(0, 4).Draw(t, "layers") {
			spec.Layers = append(spec.Layers, topology.Layer{Name: []string{"rack", "", "block", "hall"}[tier], Tier: 2*tier + 1})
		}
		tree, err := topology.New(spec)
		require.NoError(t, err)
		v := layout.New("tree", tree, spec.Nodes, nil)
		levels := rapid.IntRange(0, 3).Draw(t, "levels of groups")
		tiers := v.Tiers[1:]
		var list [][]int32
		var extend func(strategy []int32)
		extend = func(strategy []int32) {
			if len(strategy) == max(2, 1+levels) {
				list = append(list, slices.Clone(strategy))
				return
			}
			for _, tier := range tiers {
				if len(strategy) == 0 || tier <= strategy[len(strategy)-1] {
					extend(append(strategy, tier))
				}
			}
		}
		extend(nil)
		for i, strategy := range list {
			if levels == 0 && strategy[0] != strategy[1] {
				continue // without groups the gang is the group
			}
			names := []string{v.LayerName(strategy[0])}
			for _, tier := range strategy[1 : 1+levels] {
				names = append(names, v.LayerName(tier))
			}
			name, number := strategyName(v, strategy[0], strategy[1:1+levels])
			require.Equal(t, i+1, number)
			require.Equal(t, strings.Join(names, "/"), name)
			for level := range strategy { // tier 0 is numbered as the lowest layer
				if strategy[level] != tiers[0] {
					continue
				}
				low := slices.Clone(strategy[:1+levels])
				for i := min(level, levels); i <= levels; i++ {
					low[i] = 0
				}
				if level <= levels {
					_, number = strategyName(v, low[0], low[1:])
					require.Equal(t, i+1, number)
				}
			}
		}
	})
}
