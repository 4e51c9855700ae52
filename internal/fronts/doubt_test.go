package fronts

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

// A selection that was tried before others left a doubt keeps that doubt, when a plan by construction answers for it.
func TestDoubtOfOtherSelectionsStays(t *testing.T) {
	spec, rack := cluster.Spec{}, topology.Domain{Name: "rack", Tier: 1}
	for i := range 3 {
		rack.Nodes = append(rack.Nodes, fmt.Sprint("node-", i))
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: rack.Nodes[i], Allocatable: muster.Resources{"gpu": 4}})
	}
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}, Roots: []topology.Domain{rack}})
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Name: "default", Tree: tree}}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	two := gang.Shape{Resources: muster.Resources{"gpu": 2}}
	req := &gang.Request{Name: "gang", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}, Members: []gang.Member{
		{Name: "0"}, {Name: "1"}, {Name: "2", Shape: &two}, {Name: "3", Shape: &two},
	}}
	s := newSearch(t, c, req)
	require.True(t, s.Possible())
	require.False(t, *s.m.Doubt)
	*s.m.Doubt = true // another selection may be better
	s.m.Left.Fronts.Spend(s.m.Left.Fronts.Left() + 1)
	s.m.Left.Sets.Spend(s.m.Left.Sets.Left() + 1)
	require.NotNil(t, s.Best())
	require.NotNil(t, s.manyShapes, "a plan by construction")
	require.True(t, *s.m.Doubt)
}
