package placement_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// racks is a topology of racks and their nodes.
func racks(t *testing.T, name string, racks map[string][]string) cluster.NamedTree {
	t.Helper()
	spec := topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}}
	for rack, nodes := range racks {
		spec.Roots = append(spec.Roots, topology.Domain{Name: rack, Tier: 1, Nodes: nodes})
	}
	return cluster.NamedTree{Name: name, Tree: newTree(t, spec)}
}

// A node that moves to another rack is planned there, and a gang that it leaves behind is told.
func TestTreesChange(t *testing.T) {
	before := racks(t, "default", map[string][]string{"r1": {"a", "b"}, "r2": {"c", "d"}})
	spec := cluster.Spec{Trees: []cluster.NamedTree{before}}
	for _, name := range []string{"a", "b", "c", "d"} {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 2}})
	}
	on := func(gang, member, node string) cluster.Running {
		return cluster.Running{Gang: gang, Member: member, Node: node, Resources: muster.Resources{"gpu": 1}}
	}
	spec.Running = []cluster.Running{
		on("ns/pair", "p0", "a"), on("ns/pair", "p1", "b"), on("ns/wide", "w0", "b"), on("ns/wide", "w1", "c"), on("ns/one", "o0", "b"),
	}
	c := newCluster(t, spec)
	require.Empty(t, c.Degraded(c))

	// b moves: the pair is apart, those that were apart are together, and one alone has no tier.
	next, err := c.Update(cluster.Delta{Trees: []cluster.NamedTree{racks(t, "default", map[string][]string{"r1": {"a"}, "r2": {"b", "c", "d"}})}})
	require.NoError(t, err)
	require.Equal(t, []cluster.Degraded{{Gang: "ns/pair", Tree: "default", From: 1, To: 2}}, next.Degraded(c))
	require.Equal(t, []cluster.Degraded{{Gang: "ns/wide", Tree: "default", From: 1, To: 2}}, c.Degraded(next))

	res, err := placement.Plan(next, &gang.Request{
		Name: "ns/new", Shape: gang.Shape{Resources: muster.Resources{"gpu": 2}}, Gather: []gang.Rule{{Layer: "rack", Strength: gang.MustGather}},
		Members: []gang.Member{{Name: "m0"}},
	})
	require.NoError(t, err)
	require.Equal(t, "d", res.Assignments[0].Node)

	// A second topology comes, with a node that is not there yet; then the node comes.
	next, err = next.Update(cluster.Delta{Trees: []cluster.NamedTree{racks(t, "power", map[string][]string{"p1": {"a", "b", "c", "d", "e"}})}})
	require.NoError(t, err)
	require.Len(t, next.Trees(), 2)
	require.Contains(t, next.Notices(), `node e of topology "power" is not in the cluster`)
	next, err = next.Update(cluster.Delta{SetNodes: []cluster.Node{{Name: "e", Allocatable: muster.Resources{"gpu": 2}}}})
	require.NoError(t, err)
	require.Equal(t, 5, next.Len())
	require.Equal(t, []string{"node b: members hold 1 more gpu than it has"}, next.Notices())
	require.Empty(t, next.Degraded(next))
}

// A topology without nodes, or given twice, changes nothing.
func TestTreesThatAreNone(t *testing.T) {
	one := racks(t, "default", map[string][]string{"r1": {"a"}})
	c := newCluster(t, cluster.Spec{Trees: []cluster.NamedTree{one}, Nodes: []cluster.Node{{Name: "a"}}})
	for want, trees := range map[string][]cluster.NamedTree{
		"cluster.Trees[0].Tree: missing":                  {{Name: "x"}},
		`cluster.Trees[0] "x": the tree has no nodes`:     {{Name: "x", Tree: newTree(t, topology.Spec{})}},
		`cluster.Trees[1].Name "default": duplicate name`: {one, one},
	} {
		next, err := c.Update(cluster.Delta{Trees: trees})
		require.Nil(t, next)
		var invalid *muster.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.ErrorContains(t, err, want)
	}
}
