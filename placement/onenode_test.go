package placement_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
)

// What is asked of a node by its name is what all nodes and all members say of it.
func TestOneNode(t *testing.T) {
	c := newCluster(t, board(t))
	on, seen := map[string][]cluster.Running{}, 0
	for r := range c.Running() {
		on[r.Node] = append(on[r.Node], r)
		seen++
	}
	require.Positive(t, seen)
	for n := range c.Nodes() {
		one, is := c.Node(n.Name)
		require.True(t, is)
		require.Equal(t, n, one)
		require.Equal(t, on[n.Name], c.RunningOn(n.Name))
	}
	_, is := c.Node("nobody's")
	require.False(t, is)
	require.Empty(t, c.RunningOn("nobody's"))
}
