package topology_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/zeros"
	"github.com/muster-sched/muster/topology"
)

// Nothing that is asked of a nil tree, the zero tree, or about ids that a tree lacks does harm.
func TestZeroValuesDoNoHarm(t *testing.T) {
	tree, err := topology.New(topology.Spec{Roots: []topology.Domain{{Name: "a", Tier: 1, Nodes: []string{"n", "m"}}}})
	require.NoError(t, err)
	zeros.Walk(t, (*topology.Tree)(nil), &topology.Tree{}, tree)
	zeros.Walk(t, topology.New, topology.FromLabels, topology.FromHyperNodes, topology.FromJSON)
}

// The nil tree and the zero one answer as the tree of an empty specification does.
func TestZeroTreeHasOnlyARoot(t *testing.T) {
	want, err := topology.New(topology.Spec{})
	require.NoError(t, err)
	for _, tree := range []*topology.Tree{nil, {}} {
		require.Equal(t, want.Len(), tree.Len())
		require.Equal(t, want.RootTier(), tree.RootTier())
		require.Equal(t, slices.Collect(want.All()), slices.Collect(tree.All()))
		require.Equal(t, want.Layers(), tree.Layers())
		require.Equal(t, want.LCA(), tree.LCA())
		require.Zero(t, tree.NumNodes())
		_, found := tree.Node("n")
		require.False(t, found)
		root, found := tree.Find()
		require.Equal(t, topology.Root, root)
		require.True(t, found)
	}
}

func TestIdsThatATreeLacks(t *testing.T) {
	tree, err := topology.New(topology.Spec{Roots: []topology.Domain{{Name: "a", Tier: 1, Nodes: []string{"n", "m"}}}})
	require.NoError(t, err)
	for _, d := range []topology.DomainID{topology.NoDomain, 2, 1 << 30} {
		require.Equal(t, topology.NoDomain, tree.Parent(d))
		require.Equal(t, -1, tree.Tier(d))
		require.Empty(t, tree.Name(d))
		require.Nil(t, tree.Path(d))
		require.Equal(t, topology.NoDomain, tree.Above(d, 1))
		require.Equal(t, topology.NoDomain, tree.Above(1, d))
		require.Equal(t, -1, tree.DomainDistance(d, 1))
		require.Equal(t, -1, tree.DomainDistance(d, d))
		first, last := tree.Nodes(d)
		require.Equal(t, first, last)
		lowest, highest := tree.Children(d)
		require.Equal(t, lowest, highest)
	}
	for _, n := range []topology.NodeID{-1, 2, 1 << 30} {
		require.Empty(t, tree.NodeName(n))
		require.Equal(t, topology.NoDomain, tree.Leaf(n))
		require.Equal(t, topology.NoDomain, tree.LCA(0, n))
		require.Equal(t, -1, tree.Distance(n, n))
		require.Equal(t, -1, tree.Distance(0, n))
	}
}
