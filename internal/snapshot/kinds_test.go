package snapshot

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
)

// The kinds of a snapshot are those of its nodes, however it came about; where they were too many it says so.
func TestKindsAreThoseOfTheNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node := func(i int) cluster.Node {
			n := cluster.Node{Name: fmt.Sprint("n-", i), Allocatable: muster.Resources{muster.CPU: 1, "gpu": 0, "nic": 0}}
			for _, device := range []string{"gpu", "nic"} {
				n.Allocatable[device] = rapid.Int64Range(0, 2).Draw(t, device)
			}
			for range rapid.IntRange(0, 2).Draw(t, "taints") {
				effect := rapid.SampledFrom([]gang.Effect{gang.NoSchedule, gang.PreferNoSchedule}).Draw(t, "effect")
				n.Taints = append(n.Taints, gang.Taint{Key: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "taint"), Effect: effect})
			}
			return n
		}
		nodes := map[string]cluster.Node{}
		spec := cluster.Spec{}
		for i := range rapid.IntRange(1, 8).Draw(t, "nodes") {
			spec.Nodes = append(spec.Nodes, node(i))
			nodes[spec.Nodes[i].Name] = spec.Nodes[i]
		}
		c, err := New(spec)
		require.NoError(t, err)
		requireKinds(t, c)
		for range rapid.IntRange(0, 6).Draw(t, "changes") {
			before := kindsOf(c)
			n := node(rapid.IntRange(0, len(spec.Nodes)-1).Draw(t, "node"))
			d := cluster.Delta{SetNodes: []cluster.Node{n}}
			if _, there := nodes[n.Name]; there && len(nodes) > 1 && rapid.Bool().Draw(t, "removed") {
				d = cluster.Delta{RemoveNodes: []string{n.Name}}
				delete(nodes, n.Name)
			} else {
				nodes[n.Name] = n
			}
			next, err := c.Update(d)
			require.NoError(t, err)
			requireKinds(t, next)
			require.Equal(t, before, kindsOf(c), "a published snapshot does not change")
			c = next
		}
	})
}

func requireKinds(t require.TestingT, c *Snapshot) {
	var want []string
	for n := range c.Nodes() {
		k := Kind{}
		for _, device := range n.Allocatable.Names() {
			if n.Allocatable[device] > 0 && device != muster.CPU {
				k.Devices = append(k.Devices, device)
			}
		}
		for _, taint := range n.Taints {
			if taint.Effect == gang.PreferNoSchedule {
				k.Soft = append(k.Soft, taint)
			}
		}
		want = append(want, fmt.Sprint(k))
	}
	slices.Sort(want)
	require.Equal(t, slices.Compact(want), kindsOf(c))
	require.True(t, c.Kinds.Whole())
}

func kindsOf(c *Snapshot) (out []string) {
	for i := range c.Kinds.Len() {
		out = append(out, fmt.Sprint(*c.Kinds.At(i)))
	}
	slices.Sort(out)
	return out
}

func TestKindsBeyondTheMostAreNotCounted(t *testing.T) {
	spec := cluster.Spec{}
	for i := range mostKinds {
		taint := gang.Taint{Key: fmt.Sprint("t-", i), Effect: gang.PreferNoSchedule}
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("n-", i), Allocatable: muster.Resources{muster.CPU: 1}, Taints: []gang.Taint{taint}})
	}
	c, err := New(spec)
	require.NoError(t, err)
	require.True(t, c.Kinds.Whole())
	require.Equal(t, mostKinds, c.Kinds.Len())
	spec.Nodes = append(spec.Nodes, cluster.Node{Name: "plain", Allocatable: muster.Resources{muster.CPU: 1}})
	c, err = New(spec)
	require.NoError(t, err)
	require.False(t, c.Kinds.Whole())
}
