package snapshot

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/numa"
)

// All that is wrong with nodes is told, also of those without a name.
func TestDefectsOfNodes(t *testing.T) {
	ok := muster.Resources{"gpu": 1}
	_, err := New(cluster.Spec{Nodes: []cluster.Node{
		{Allocatable: ok}, {Allocatable: muster.Resources{"gpu": -1}}, {Name: "a", Allocatable: ok}, {Name: "a", Allocatable: muster.Resources{"cpu": -2}},
	}})
	require.EqualError(t, err, `cluster.Nodes[0].Name: a node has no name
cluster.Nodes[1].Name: a node has no name
node .Allocatable.gpu "-1": negative amount
node a: duplicate name
node a.Allocatable.cpu "-2": negative amount`)
	_, err = New(cluster.Spec{})
	require.EqualError(t, err, "cluster.Nodes: a cluster needs a node")
}

// Members may hold together as much as a number tells, and no more.
func TestHeldAmountsAreBounded(t *testing.T) {
	spec := cluster.Spec{Nodes: []cluster.Node{{Name: "n", Allocatable: muster.Resources{"gpu": 5}}}}
	for member, amount := range map[string]int64{"a": math.MaxInt64 - 3, "b": 3} {
		spec.Running = append(spec.Running, cluster.Running{Gang: "g", Member: member, Node: "n", Resources: muster.Resources{"gpu": amount}})
	}
	c, err := New(spec)
	require.NoError(t, err)
	require.Equal(t, int64(5-math.MaxInt64), c.Free[0].At(0))
	spec.Running = append(spec.Running, cluster.Running{Gang: "g", Member: "c", Node: "n", Resources: muster.Resources{"gpu": 1}})
	_, err = New(spec)
	require.ErrorContains(t, err, `running member g c.Resources.gpu "1": the sum on node n overflows`)
}

// Members that are to leave are counted as gone by who asks, and keep what they have until they are.
func TestMembersToLeaveAreMarked(t *testing.T) {
	spec := cluster.Spec{Nodes: []cluster.Node{{Name: "n", Allocatable: muster.Resources{"gpu": 5}}}}
	for _, member := range []string{"a", "b"} {
		spec.Running = append(spec.Running, cluster.Running{Gang: "g", Member: member, Node: "n", Resources: muster.Resources{"gpu": 1}})
	}
	c, err := New(spec)
	require.NoError(t, err)
	next, err := c.Update(cluster.Delta{Leaving: []cluster.MemberRef{{Gang: "g", Member: "a"}}})
	require.NoError(t, err)
	require.Len(t, next.Leaving, 1)
	require.True(t, next.Leaving[0].Leaving)
	require.Equal(t, int64(3), next.Free[0].At(0))
	require.Empty(t, c.Leaving)
	for _, m := range next.MembersOf("g").All() {
		require.Equal(t, m.Name == "a", m.Leaving, m.Name)
	}
}

// Nodes with a policy are counted, whatever they were before.
func TestNodesWithAPolicyAreCounted(t *testing.T) {
	node := func(policy numa.Policy) cluster.Node {
		zone := numa.Zone{Allocatable: muster.Resources{"gpu": 1}}
		return cluster.Node{Name: "n", Allocatable: muster.Resources{"gpu": 1}, NUMA: &cluster.NUMA{Policy: policy, Zones: []numa.Zone{zone}}}
	}
	c, err := New(cluster.Spec{Nodes: []cluster.Node{node(numa.BestEffort), {Name: "other", Allocatable: muster.Resources{"gpu": 1}}}})
	require.NoError(t, err)
	require.Equal(t, 1, c.Zoned)
	for _, next := range []struct {
		node cluster.Node
		want int
	}{{node(numa.Restricted), 1}, {node(""), 0}, {node(numa.SingleNUMANode), 1}, {cluster.Node{Name: "n", Allocatable: muster.Resources{"gpu": 1}}, 0}, {node(""), 0}} {
		c, err = c.Update(cluster.Delta{SetNodes: []cluster.Node{next.node}})
		require.NoError(t, err)
		require.Equal(t, next.want, c.Zoned)
	}
}

// Of resources that no node has those are named of which something is asked.
func TestResourcesThatNoNodeHas(t *testing.T) {
	c, err := New(cluster.Spec{Nodes: []cluster.Node{{Name: "n", Allocatable: muster.Resources{"gpu": 4}}}})
	require.NoError(t, err)
	place := func(r muster.Resources) error {
		_, err := c.Update(cluster.Delta{Place: []cluster.Running{{Gang: "g", Member: "m", Node: "n", Resources: r}}})
		return err
	}
	require.NoError(t, place(muster.Resources{"gpu": 1, "absent": 0}))
	err = place(muster.Resources{"gpu": 1, "absent": 0, "lacking": 2, "other": 1})
	require.ErrorContains(t, err, "lacking")
	require.NotContains(t, err.Error(), "absent")
}
