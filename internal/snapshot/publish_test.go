package snapshot

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
)

// A published snapshot keeps no log of its making, also one that was built anew: two forks of it would append to one array.
func TestPublishedSnapshotsHaveNoLogs(t *testing.T) {
	node := func(name string) cluster.Node {
		return cluster.Node{Name: name, Allocatable: muster.Resources{muster.CPU: 8}}
	}
	place := func(name, at string) cluster.Running {
		return cluster.Running{Gang: "ns/" + name, Member: name, Node: at, Resources: muster.Resources{muster.CPU: 1}}
	}
	first, err := New(cluster.Spec{Nodes: []cluster.Node{node("a"), node("b")}})
	require.NoError(t, err)
	for name, d := range map[string]cluster.Delta{
		"fork":  {Place: []cluster.Running{place("x", "a")}},
		"anew":  {SetNodes: []cluster.Node{node("c")}, Place: []cluster.Running{place("x", "a")}},
		"nodes": {SetNodes: []cluster.Node{node("a")}},
	} {
		next, err := first.Update(d)
		require.NoError(t, err, name)
		require.Nil(t, next.touched, name)
		require.Nil(t, next.moved, name)
		require.Nil(t, next.steps, name)
	}
}
