package blocks_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/blocks"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/topology"
)

// Blocks reach what the members in them reach together, whether they are cut anew or follow others.
func TestBlocksReachWhatTheirMembersReach(t *testing.T) {
	tree, err := topology.New(topology.Spec{
		Layers: []topology.Layer{{Name: "leaf", Tier: 1}},
		Roots:  []topology.Domain{{Name: "l0", Tier: 1, Nodes: []string{"a", "c"}}, {Name: "l1", Tier: 1, Nodes: []string{"b", "d"}}},
	})
	require.NoError(t, err)
	v := layout.New("", tree, []string{"a", "b", "c", "d", "e", "f"}, nil)
	rapid.Check(t, func(t *rapid.T) {
		sizes, cut, same := []int{4, 2}, (*blocks.Blocks)(nil), 0
		whole, _, _ := cut.Reached(0, 8)
		require.Zero(t, whole, "there are none yet")
		members := rapid.SliceOfN(rapid.Int32Range(0, 5), 1, 14).Draw(t, "positions")
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			cut = blocks.Cut(len(members), func(i int) int32 { return members[i] }, v, sizes, cut, same)
			require.Same(t, cut, blocks.Cut(len(members), nil, v, sizes, cut, len(members)), "nothing changed")
			for n := range len(members) + 1 {
				for level, size := range sizes {
					tier, outside := int32(0), false
					for lo := 0; lo+size <= n/4*4; lo += size {
						x := v.NodeVertex(members[lo])
						for _, pos := range members[lo+1 : lo+size] {
							x = v.LCA(x, v.NodeVertex(pos))
						}
						tier, outside = max(tier, v.TierOf(x)), outside || v.Contains(v.Outside, x)
					}
					members, got, is := cut.Reached(level, n)
					require.Equal(t, n/4*4, members)
					require.Equal(t, tier, got)
					require.Equal(t, outside, is)
				}
			}
			same = rapid.IntRange(0, len(members)).Draw(t, "as before")
			members = append(members[:same:same], rapid.SliceOfN(rapid.Int32Range(0, 5), 1, 8).Draw(t, "further positions")...)
		}
	})
}
