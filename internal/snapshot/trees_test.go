package snapshot

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/topology"
)

// racks is a topology of racks, each written as the names of its nodes.
func racks(t *testing.T, layer string, all ...string) cluster.NamedTree {
	t.Helper()
	spec := topology.Spec{Layers: []topology.Layer{{Tier: 1, Name: layer}}}
	for _, rack := range all {
		d := topology.Domain{Name: "rack of " + rack, Tier: 1, Nodes: strings.Fields(rack)}
		spec.Roots = append(spec.Roots, d)
	}
	tree, err := topology.New(spec)
	require.NoError(t, err)
	return cluster.NamedTree{Name: "racks", Tree: tree}
}

// In other topologies members who must be alone close other nodes: all that they closed before is open again, what they close now is
// closed once, as in a cluster that was never another.
func TestClosedNodesFollowTopologies(t *testing.T) {
	spec := cluster.Spec{Trees: []cluster.NamedTree{racks(t, "rack", "n1 n2 n3", "n4 n5", "n6")}}
	for _, name := range []string{"n1", "n2", "n3", "n4", "n5", "n6"} {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 8}})
	}
	alone := func(gang, member, node string) {
		spec.Running = append(spec.Running, cluster.Running{Gang: gang, Member: member, Node: node, Alone: "rack", Resources: muster.Resources{"gpu": 1}})
	}
	alone("a", "a-0", "n1")
	alone("a", "a-1", "n2")
	alone("b", "b-0", "n4")
	spec.Running = append(spec.Running, cluster.Running{Gang: "c", Member: "c-0", Node: "n6", Resources: muster.Resources{"gpu": 1}})
	c, err := New(spec)
	require.NoError(t, err)
	require.Equal(t, []int32{1, 1, 1, 1, 1, 0}, requireClosed(t, c))

	for _, next := range []struct {
		tree cluster.NamedTree
		want []int32
	}{
		{racks(t, "rack", "n1 n4", "n2", "n3 n5 n6"), []int32{2, 1, 0, 2, 0, 0}}, // both gangs close one rack
		{racks(t, "rack", "n1 n2 n3", "n4 n5", "n6"), []int32{1, 1, 1, 1, 1, 0}},
		{racks(t, "row", "n1 n2 n3 n4 n5 n6"), []int32{1, 1, 0, 1, 0, 0}}, // no racks any more: the nodes alone
		{racks(t, "rack", "n1 n2 n3 n4 n5 n6"), []int32{2, 2, 2, 2, 2, 2}},
	} {
		before := c
		was := requireClosed(t, before)
		c, err = c.Update(cluster.Delta{Trees: []cluster.NamedTree{next.tree}})
		require.NoError(t, err)
		require.Equal(t, next.want, requireClosed(t, c))
		require.Equal(t, was, requireClosed(t, before), "a snapshot does not change")
		spec.Trees = []cluster.NamedTree{next.tree}
		afresh, err := New(spec)
		require.NoError(t, err)
		require.Equal(t, next.want, requireClosed(t, afresh))
	}
	// And who leaves then opens what they close now.
	c, err = c.Update(cluster.Delta{Remove: []cluster.MemberRef{{Gang: "a", Member: "a-0"}, {Gang: "a", Member: "a-1"}, {Gang: "b", Member: "b-0"}}})
	require.NoError(t, err)
	require.Equal(t, make([]int32, 6), requireClosed(t, c))
}

// requireClosed is how many gangs close each node, by name: flags and the sum say the same.
func requireClosed(t *testing.T, c *Snapshot) (by []int32) {
	t.Helper()
	sum, names := int32(0), slices.Sorted(slices.Values(c.Lineage.Names))
	for _, name := range names {
		id := int32(slices.Index(c.Lineage.Names, name))
		n := c.Closed.By(id)
		by, sum = append(by, n), sum+n
		require.Equal(t, n > 0, c.FlagsOf(id)&closed != 0, name)
	}
	require.Equal(t, sum > 0, c.Closed.Any())
	return by
}
