package snapshot

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
)

// What nodes with devices have of CPU and of these is what a new cluster of the same nodes has, however the snapshot came about.
func TestFeedsAreThoseOfTheNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.SampledFrom([]int64{0, 0, 1, 2, 8, 4000, math.MaxInt64 - 1, math.MaxInt64})
		node := func(i int) cluster.Node {
			n := cluster.Node{Name: fmt.Sprint("n-", i), Allocatable: muster.Resources{}}
			for _, resource := range []string{"gpu", "nic", muster.CPU, muster.Memory} {
				n.Allocatable[resource] = amount.Draw(t, resource)
			}
			return n
		}
		spec := cluster.Spec{}
		for i := range rapid.IntRange(1, 6).Draw(t, "nodes") {
			spec.Nodes = append(spec.Nodes, node(i))
		}
		c, err := New(spec)
		require.NoError(t, err)
		requireFeeds(t, c)
		for range rapid.IntRange(0, 6).Draw(t, "changes") {
			d := cluster.Delta{SetNodes: []cluster.Node{node(rapid.IntRange(0, 7).Draw(t, "node"))}}
			if _, there := c.Lineage.ID(d.SetNodes[0].Name); there && rapid.Bool().Draw(t, "removed") {
				d = cluster.Delta{RemoveNodes: []string{d.SetNodes[0].Name}}
			}
			next, err := c.Update(d)
			if err != nil {
				continue // it was not there any more
			}
			requireFeeds(t, next)
			requireFeeds(t, c) // a published snapshot does not change
			c = next
		}
	})
}

func requireFeeds(t require.TestingT, c *Snapshot) {
	for r, resource := range c.Lineage.Resources {
		cpu, devices := new(big.Int), new(big.Int)
		for n := range c.Nodes() {
			if muster.IsDevice(resource) && n.Allocatable[resource] > 0 {
				cpu.Add(cpu, big.NewInt(n.Allocatable[muster.CPU]))
				devices.Add(devices, big.NewInt(n.Allocatable[resource]))
			}
		}
		within := func(sum *big.Int) int64 {
			if !sum.IsInt64() {
				return math.MaxInt64
			}
			return sum.Int64()
		}
		gotCPU, gotDevices := c.Feeding(r)
		require.Equal(t, []int64{within(cpu), within(devices)}, []int64{gotCPU, gotDevices}, resource)
	}
	cpu, devices := c.Feeding(-1)
	require.Equal(t, []int64{0, 0}, []int64{cpu, devices}, "a resource that no node has")
}

// Where no node has any CPU, devices have none, whatever members ask for.
func TestFeedsWithoutCPU(t *testing.T) {
	c, err := New(cluster.Spec{Nodes: []cluster.Node{{Name: "n", Allocatable: muster.Resources{"gpu": 4}}}})
	require.NoError(t, err)
	require.Equal(t, -1, c.Lineage.CPU())
	requireFeeds(t, c)
}
