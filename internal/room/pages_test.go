// Are nodes counted column by column what they are one by one?

package room_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/numa"
)

// manyNodes are some that fill several pages, of all sorts: full ones and empty ones, with marks, zones, and somebody on them.
func manyNodes(n int) (spec cluster.Spec) {
	for i := range n {
		node := cluster.Node{Name: fmt.Sprint("n-", i), Allocatable: muster.Resources{"gpu": int64(i % 6), muster.CPU: int64(i*7) % 40, "memory": 10}}
		if i%29 == 8 {
			node.Allocatable["fpga"] = 1 // it is meant for others
		}
		node.Cordoned, node.NotReady = i%11 == 3, i%17 == 4
		if i%13 == 5 {
			node.Taints = []gang.Taint{{Key: "soft", Effect: gang.PreferNoSchedule}}
		}
		if i%19 == 6 {
			node.Taints = append(node.Taints, gang.Taint{Key: "hard", Effect: gang.NoSchedule})
		}
		if i%7 == 2 {
			node.NUMA = &cluster.NUMA{Policy: numa.SingleNUMANode, Zones: []numa.Zone{
				{ID: 0, Allocatable: muster.Resources{"gpu": int64(i%6) / 2}}, {ID: 1, Allocatable: muster.Resources{"gpu": int64(i%6+1) / 2}},
			}}
		}
		spec.Nodes = append(spec.Nodes, node)
		if i%5 == 1 {
			r := cluster.Running{Gang: "other", Member: fmt.Sprint("m-", i), Node: node.Name, Resources: muster.Resources{"gpu": 1, muster.CPU: 1}, Leaving: i%10 == 1}
			if i == 26 {
				r.Gang, r.Alone = "alone", "node"
			}
			spec.Running = append(spec.Running, r)
		}
	}
	return spec
}

// Whole pages of nodes have the slots that each node has by itself, and so have pages that follow a change.
func TestPagesOfNodes(t *testing.T) {
	spec := manyNodes(200)
	shapes := map[string]*gang.Shape{
		"one device":      {Resources: muster.Resources{"gpu": 1}},
		"two resources":   {Resources: muster.Resources{"gpu": 2, muster.CPU: 5}},
		"one of zones":    {Resources: muster.Resources{"gpu": 1, muster.CPU: 1}, NUMA: gang.NUMA{Policy: numa.SingleNUMANode}},
		"what is nowhere": {Resources: muster.Resources{"gpu": 1, "nic": 1}},
	}
	for name, shape := range shapes {
		for _, apart := range []int64{0, 2} {
			for _, spared := range []bool{false, true} {
				a := newAsked(t, spec, &gang.Request{Name: "g"}, shape)
				a.Spared = spared
				if apart > 0 {
					a.limit(&limits.Limits{Alone: -1, Apart: []index.Cap{{Most: apart}}})
				}
				table := a.Nodes().Table()
				require.NotNil(t, table.Ix, name)
				checkNodes(t, a, table.At)

				delta := cluster.Delta{SetNodes: []cluster.Node{{Name: "n-0", Allocatable: muster.Resources{"gpu": 9, muster.CPU: 90}}}, RemoveNodes: []string{"n-103"}}
				next, err := a.Snapshot.Update(delta)
				require.NoError(t, err)
				later := onSnapshot(t, next, a.Request, shape)
				later.limit(a.Model.Limits)
				later.Spared = spared
				table = later.Nodes().Table()
				checkNodes(t, later, table.At)
			}
		}
	}
}

// checkNodes compares the slots of nodes with the definition, and those of domains with their sums.
func checkNodes(t require.TestingT, a *asked, slots func(x layout.Vertex) int64) {
	for pos := range a.Model.View.Nodes {
		if name := a.name(pos); a.node(name) == nil {
			require.Zero(t, slots(a.Model.View.NodeVertex(pos)), name)
		} else {
			require.Equal(t, a.takes(t, name), slots(a.Model.View.NodeVertex(pos)), name)
		}
	}
	sums(t, a, slots)
}

// Members that ask for nothing bounded have a large number of slots on each node. Where the sum is too large for an index, all nodes are
// counted; no resource is asked for by an amount of nothing.
func TestBoundlessSlots(t *testing.T) {
	for nodes, indexed := range map[int]bool{3: true, 600: false} {
		spec := cluster.Spec{}
		for i := range nodes {
			spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("n-", i), Allocatable: muster.Resources{"gpu": 1}})
		}
		a := newAsked(t, spec, &gang.Request{Name: "g"}, &gang.Shape{Resources: muster.Resources{"gpu": 0}})
		table := a.Nodes().Table()
		require.Equal(t, indexed, table.Ix != nil)
		require.Equal(t, int64(nodes)*boundless, table.At(layout.Root))
		require.Equal(t, int64(boundless), table.At(a.Model.View.NodeVertex(2)))
		next, err := a.Snapshot.Update(cluster.Delta{SetNodes: []cluster.Node{{Name: "n-1", Cordoned: true}}})
		require.NoError(t, err)
		table = onSnapshot(t, next, a.Request, a.Shapes...).Nodes().Table()
		require.Equal(t, int64(nodes-1)*boundless, table.At(layout.Root))
	}
}

// Where the sum grows too large for an index that is kept, on a later snapshot or once leaving members are gone, all nodes are counted.
func TestIndexesThatGrowTooLarge(t *testing.T) {
	spec := cluster.Spec{}
	for i := range 130 {
		n := cluster.Node{Name: fmt.Sprint("n-", i), Cordoned: i < 2}
		if i > 120 {
			spec.Running = append(spec.Running, cluster.Running{Gang: fmt.Sprint("g-", i), Member: "m", Node: n.Name, Alone: "node", Leaving: true})
		}
		spec.Nodes = append(spec.Nodes, n)
	}
	units := []*gang.Shape{{Resources: muster.Resources{"nic": 0}}, {}} // nothing is asked for, and so no node lacks it
	a := newAsked(t, spec, &gang.Request{Name: "g"}, units...)
	table := a.Nodes().Table()
	require.NotNil(t, table.Ix)
	require.Equal(t, int64(119*boundless), table.At(layout.Root))
	a.LeavingGone = true
	table = a.Nodes().Table()
	require.Nil(t, table.Ix)
	require.Equal(t, int64(128*boundless), table.At(layout.Root))
	spec.Running = nil
	c := newAsked(t, spec, a.Request, units...)
	c.Nodes().Table()
	next, err := c.Snapshot.Update(cluster.Delta{SetNodes: []cluster.Node{{Name: "n-0"}, {Name: "n-1"}}})
	require.NoError(t, err)
	table = onSnapshot(t, next, a.Request, units...).Nodes().Table()
	require.Nil(t, table.Ix)
	require.Equal(t, int64(130*boundless), table.At(layout.Root))
}

// Large amounts neither overflow a sum nor a quotient.
func TestLargeAmounts(t *testing.T) {
	const most = 1<<63 - 1
	spec := cluster.Spec{Nodes: []cluster.Node{
		{Name: "n-0", Allocatable: muster.Resources{muster.CPU: most, "memory": most}}, {Name: "n-1", Allocatable: muster.Resources{muster.CPU: most, "memory": most - 1}},
	}}
	for amount, want := range map[int64][]int64{1: {boundless, boundless}, most: {1, 0}, most - 1: {1, 1}, most / 2: {2, 2}} {
		for _, asks := range []muster.Resources{{"memory": amount}, {muster.CPU: 1, "memory": amount}} {
			a := newAsked(t, spec, &gang.Request{Name: "g"}, &gang.Shape{Resources: asks})
			table := a.Nodes().Table()
			require.NotNil(t, table.Ix)
			for pos, n := range want {
				require.Equal(t, n, table.At(a.Model.View.NodeVertex(int32(pos))), "members of %v", asks)
			}
		}
	}
	a := newAsked(t, spec, &gang.Request{Name: "g"}, &gang.Shape{})
	a.Shapes = []*gang.Shape{{Resources: muster.Resources{"memory": most}}, {Resources: muster.Resources{"memory": 1}}}
	var invalid *muster.InvalidError
	require.ErrorAs(t, a.SumNeeds(), &invalid)
	require.Equal(t, "request.Members.Shape.Resources.memory", invalid.Field)
}
