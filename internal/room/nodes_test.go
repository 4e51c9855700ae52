// What do engines hear of nodes?

package room_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/numa"
)

// Engines hear of zones as the room knows them.
func TestEnginesHearOfZones(t *testing.T) {
	spec := cluster.Spec{}
	for i, devices := range []int64{2, 4, 4} {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("n-", i), Allocatable: muster.Resources{"gpu": 8}, NUMA: &cluster.NUMA{Zones: []numa.Zone{
			{ID: 0, Allocatable: muster.Resources{"gpu": devices}}, {ID: 1, Allocatable: muster.Resources{"gpu": devices}},
		}}})
	}
	a := newAsked(t, spec, &gang.Request{Name: "g"}, &gang.Shape{Resources: muster.Resources{"gpu": 4}, NUMA: gang.NUMA{Policy: numa.BestEffort}})
	r, v := a.Nodes(), a.Model.View
	table := r.Table()
	require.Equal(t, features.Aligned, r.Features())
	require.Equal(t, int64(5), table.At(layout.Root))
	require.Equal(t, []int64{2, 1, 1}, []int64{r.Zones(v.NodeVertex(0)), r.Zones(v.NodeVertex(1)), r.Zones(v.NodeVertex(2))})
	require.Equal(t, int64(1), r.LeastZones())
	require.Less(t, r.ZoneScore(v.NodeVertex(0), 1), r.ZoneScore(v.NodeVertex(1), 1), "one zone is better than two")
	require.Equal(t, 2*r.ZoneScore(v.NodeVertex(1), 1), r.ZoneScore(v.NodeVertex(1), 2))
	require.True(t, r.SameZones(v.NodeVertex(1), v.NodeVertex(2)))
	require.False(t, r.SameZones(v.NodeVertex(0), v.NodeVertex(1)))
	sums := r.GroupsOf(table.Ix, index.Grouping{Size: 2})
	require.Same(t, sums, r.GroupsOf(table.Ix, index.Grouping{Size: 2}), "sums are kept")
}

// A host's score and the weights of preferences add up over the members of a unit.
func TestScoresOfNodes(t *testing.T) {
	prefers := gang.Shape{Resources: muster.Resources{"gpu": 1, "cpu": 2}}
	prefers.Preferred = []gang.Preference{{Weight: 5, Nodes: gang.NodeTerm{Fields: []gang.Expression{{Key: "metadata.name", Operator: gang.In, Values: []string{"n2"}}}}}}
	spec := cluster.Spec{Nodes: []cluster.Node{{Name: "n1"}, {Name: "n2"}}}
	req := &gang.Request{Name: "g", Score: func(node string) int64 { return int64(node[1] - '0') }}
	a := newAsked(t, spec, req, &prefers, &gang.Shape{Resources: muster.Resources{"gpu": 2}})
	require.Equal(t, int64(2), a.Nodes().Score(a.Model.View.NodeVertex(a.position("n1"))))
	require.Equal(t, int64(9), a.Nodes().Score(a.Model.View.NodeVertex(a.position("n2"))))
	require.Equal(t, features.Scored, a.Nodes().Features())
	asks := a.Nodes().Asks()
	for i, need := range a.Needs {
		require.Equal(t, []int64{prefers.Resources[need.Name], a.Shapes[1].Resources[need.Name]}, []int64{asks[0][i], asks[1][i]}, need.Name)
	}
}

// owner is a gang whose running members break a limit.
type owner struct{ model.Model }

func (*owner) Broken() bool                                { return true }
func (o *owner) WithoutOthers(model.Strategy) *model.Model { return &o.Model }

// What a room does not know its owner is asked for.
func TestOwnersAreAsked(t *testing.T) {
	spec := cluster.Spec{Nodes: []cluster.Node{{Name: "n1"}, {Name: "n2", Taints: []gang.Taint{{Key: "soft", Effect: gang.PreferNoSchedule}}}}}
	a, of := newAsked(t, spec, &gang.Request{Name: "g"}, &gang.Shape{}), &owner{}
	a.Owner = of
	require.Same(t, of, room.OwnerOf(a.Nodes()))
	require.True(t, a.Nodes().Broken())
	require.True(t, a.Nodes().SomeAreForOthers())
	require.Same(t, &of.Model, a.Nodes().WithoutOthers(model.Strategy{}))
}
