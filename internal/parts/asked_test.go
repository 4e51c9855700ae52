package parts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

// oneRack is a cluster with a rack of three nodes with four devices each.
func oneRack(t *testing.T) *snapshot.Snapshot {
	t.Helper()
	spec, rack := cluster.Spec{}, topology.Domain{Name: "rack", Tier: 1, Nodes: []string{"a", "b", "c"}}
	for _, name := range rack.Nodes {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 4}})
	}
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}, Roots: []topology.Domain{rack}})
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Name: "default", Tree: tree}}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	return c
}

// What members take that are placed already counts in the slots of the node and of every domain above it.
func TestSlotsBesideReservedAmountsAreSummedUp(t *testing.T) {
	two := gang.Shape{Resources: muster.Resources{"gpu": 2}}
	p, err := problem.New(oneRack(t), &gang.Request{Name: "gang", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}, Members: []gang.Member{
		{Name: "0"}, {Name: "1", Shape: &two},
	}}, nil, bounds.Search{})
	require.NoError(t, err)
	Engine{p}.Count()
	p.Ready()
	table := (&asked{p: p, taken: map[int32]room.Reserved{0: {Amounts: []int64{3}}}}).Slots()
	node := p.Model.View.NodeVertex(p.Model.View.At(0))
	var slots []int64
	for _, x := range []layout.Vertex{node, p.Model.View.Above(node), layout.Root} {
		slots = append(slots, table.At(x))
	}
	require.Equal(t, []int64{1, 9, 9}, slots)
}
