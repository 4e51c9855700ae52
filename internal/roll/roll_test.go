package roll_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/roll"
	"github.com/muster-sched/muster/topology"
)

// hall is two leaves of two nodes each, and a node outside; the nodes have other positions in it than ids.
func hall(t require.TestingT) *layout.View {
	tree, err := topology.New(topology.Spec{
		Layers: []topology.Layer{{Name: "leaf", Tier: 1}},
		Roots:  []topology.Domain{{Name: "l0", Tier: 1, Nodes: []string{"a", "c"}}, {Name: "l1", Tier: 1, Nodes: []string{"b", "d"}}},
	})
	require.NoError(t, err)
	return layout.New("", tree, []string{"a", "b", "c", "d", "e"}, []int32{0, 2, 1, 3})
}

// A roll has the ranks that others have not, in order, however it was told where members are.
func TestRollsHaveTheOtherRanks(t *testing.T) {
	v := hall(t)
	rapid.Check(t, func(t *rapid.T) {
		var want []roll.Member
		var nodes roll.List
		var fresh []int
		for rank := range rapid.IntRange(0, 12).Draw(t, "members") {
			if rapid.Bool().Draw(t, "new") {
				fresh = append(fresh, rank)
				continue
			}
			pos := rapid.Int32Range(0, 4).Draw(t, "position")
			want, nodes = append(want, roll.Member{Pos: pos, Rank: rank}), append(nodes, v.Node(pos))
		}
		for _, r := range []roll.Roll{roll.Of(want...), roll.Beside(nodes, v, fresh)} {
			require.Equal(t, want, slices.Collect(r.All()))
			require.Equal(t, len(want), r.Len())
			for i, pos := range slices.Collect(r.Positions()) {
				require.Equal(t, want[i].Pos, pos)
				require.Equal(t, pos, r.At(i))
			}
			require.Equal(t, []int32(nodes), slices.Collect(r.OnNodes(v).Positions()))
			lo := rapid.IntRange(0, 13).Draw(t, "from")
			hi := rapid.IntRange(lo, 13).Draw(t, "to")
			lca, in := layout.Vertex(-1), 0
			for _, m := range want {
				if m.Rank < lo || m.Rank >= hi {
					continue
				}
				if in++; lca < 0 {
					lca = v.NodeVertex(m.Pos)
				}
				lca = v.LCA(lca, v.NodeVertex(m.Pos))
			}
			got, n := r.LowestIn(v, lo, hi)
			require.Equal(t, lca, got)
			require.Equal(t, in, n)
			require.Equal(t, len(slices.DeleteFunc(slices.Clone(want), func(m roll.Member) bool { return m.Rank >= lo })), r.Before(lo))
		}
	})
}
