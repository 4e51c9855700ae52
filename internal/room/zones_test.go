package room

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/match"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// roomOf is the room of units with a member of each shape.
func roomOf(t require.TestingT, c *snapshot.Snapshot, shapes ...gang.Shape) *Room {
	req := &gang.Request{Name: "g", Members: []gang.Member{{Name: "m"}}, Shape: shapes[0]}
	judges, err := match.ForRequest(req, c.ManyTaints)
	require.NoError(t, err)
	r := &Room{Model: &model.Model{View: c.Lineage.Tree(""), LCA: -1}, Snapshot: c, Request: req, Judges: judges, Memory: &Memory{}}
	for i := range shapes {
		r.Shapes = append(r.Shapes, &shapes[i])
	}
	require.NoError(t, r.SumNeeds())
	r.Align()
	return r
}

// onZones is the room of units with a member of each shape, and a node with four zones of four devices, and so many CPUs in none.
func onZones(t *testing.T, cpus int64, shapes ...gang.Shape) *Room {
	t.Helper()
	node := cluster.Node{Name: "node", Allocatable: muster.Resources{"gpu": 16, "cpu": cpus}, NUMA: &cluster.NUMA{}}
	for id := range 4 {
		node.NUMA.Zones = append(node.NUMA.Zones, numa.Zone{ID: id, Allocatable: muster.Resources{"gpu": 4}})
	}
	c, err := snapshot.New(cluster.Spec{Nodes: []cluster.Node{node}})
	require.NoError(t, err)
	return roomOf(t, c, shapes...)
}

func ofZones(policy numa.Policy, amounts muster.Resources) gang.Shape {
	return gang.Shape{Resources: amounts, NUMA: gang.NUMA{Policy: policy}}
}

// Units of two members go into the zones member by member: after two units no zone has three devices. Each member by itself would
// fit four times, so that two units are not proven to be all.
func TestUnitsAreCountedMemberByMember(t *testing.T) {
	three, two := ofZones(numa.SingleNUMANode, muster.Resources{"gpu": 3}), ofZones(numa.SingleNUMANode, muster.Resources{"gpu": 2})
	for want, shapes := range map[numa.Count][]gang.Shape{
		{Slots: 2, Bound: 4}: {three, two},
		{Slots: 4, Bound: 8}: {two, two},
	} {
		p := onZones(t, 8, shapes...)
		z := p.Zones()
		require.Equal(t, want, z.CountZones(z.NeedsOn(0), z.StateOf(0, Released{})))
	}
}

// A unit whose members get no zones leaves the very state that it found, so that nobody adds units one by one to a node that takes any number.
func TestUnitsWithoutZonesLeaveTheState(t *testing.T) {
	cpu := ofZones(numa.SingleNUMANode, muster.Resources{"cpu": 1})
	z := onZones(t, 8, cpu, cpu).Zones()
	state := z.StateOf(0, Released{})
	next, shares := addUnit(z.NeedsOn(0), state)
	require.Same(t, state, next)
	require.Len(t, shares.placed, 2)
	require.Equal(t, numa.Count{Slots: boundlessSlots, Bound: boundlessSlots}, z.CountZones(z.NeedsOn(0), state))
}

// A count of zones that may be too low does no harm where amounts, or a limit, allow no more.
func TestInexactZonesDoNoHarmWhereAmountsBind(t *testing.T) {
	for cpus, proven := range map[int64]bool{5: true, 6: false} {
		three, two := ofZones(numa.SingleNUMANode, muster.Resources{"gpu": 3, "cpu": 1}), ofZones(numa.SingleNUMANode, muster.Resources{"gpu": 2, "cpu": 1})
		p := onZones(t, cpus, three, two)
		require.True(t, p.Zones().ZonesProven(Excluded{}, nil), "nothing was counted")
		p.ZoneState.inexact = true
		require.Equal(t, proven, p.Zones().ZonesProven(Excluded{}, nil), "with %d CPUs", cpus)
		p.Model.Limits = &limits.Limits{Apart: []index.Cap{{Most: 1}}}
		require.True(t, p.Zones().ZonesProven(Excluded{}, nil), "one surely fits")
	}
}

// A number of units that may be too low is noted with the index, for whoever asks it later, and does no harm on a node that is left out.
func TestInexactIndexesSaySo(t *testing.T) {
	three, two := ofZones(numa.SingleNUMANode, muster.Resources{"gpu": 3, "cpu": 1}), ofZones(numa.SingleNUMANode, muster.Resources{"gpu": 2, "cpu": 1})
	first := onZones(t, 6, three, two)
	first.Model.Room = noFeatures{}
	first.Slots().table()
	require.False(t, first.Proven())
	next, err := first.Snapshot.Update(cluster.Delta{SetNodes: []cluster.Node{{Name: "other", Allocatable: muster.Resources{"gpu": 1}}}})
	require.NoError(t, err)
	changed, err := first.Snapshot.Update(cluster.Delta{Place: []cluster.Running{{Gang: "o", Member: "o", Node: "node", Resources: muster.Resources{"memory": 0}}}})
	require.NoError(t, err)
	for _, c := range []*snapshot.Snapshot{first.Snapshot, next, changed} {
		r := roomOf(t, c, three, two)
		r.Model.Room = noFeatures{}
		r.Slots().table()
		require.False(t, r.Proven())
		r.Request.Exclude = []string{"node"}
		require.True(t, r.Proven(), "nobody comes to the node that was not counted exactly")
	}
}

// noFeatures is a model's room.
type noFeatures struct{ model.Room }

func (noFeatures) Features() features.Set { return 0 }
