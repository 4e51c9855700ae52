package topology_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/topology"
)

// A tree that was told as data is made again, and what is done to the data does not reach it.
func TestSpecIsTheTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := newTree(t, drawSpec(t))
		before := draw(tree)
		spec := tree.Spec()
		require.True(t, tree.Equal(newTree(t, spec)))
		require.Equal(t, before, draw(newTree(t, spec)))
		for d := range tree.All() {
			path := tree.Path(d)
			kids, end := tree.Children(d)
			grown := spec.Grow(path, []string{"new-1", "new-2"})
			require.Equal(t, kids == end, grown, "%v: only lowest domains have nodes", path)
			if !grown {
				continue
			}
			more := newTree(t, spec)
			for _, name := range []string{"new-1", "new-2"} {
				n, ok := more.Node(name)
				require.True(t, ok)
				require.Equal(t, path, more.Path(more.Leaf(n)))
			}
			require.Equal(t, tree.NumNodes()+2, more.NumNodes())
			break
		}
		require.False(t, spec.Grow([]string{"no", "such", "domain"}, []string{"new"}))
		require.Equal(t, before, draw(tree))
	})
	var none *topology.Tree
	require.Zero(t, newTree(t, none.Spec()).NumNodes())
	flat := topology.Spec{Nodes: []string{"a"}}
	require.True(t, flat.Grow(nil, []string{"b"}))
	require.True(t, slices.Equal([]string{"a", "b"}, flat.Nodes))
}
