package placement_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// twoNodes have four devices each; one gang holds the first until an instant.
func twoNodes(t *testing.T, end int64) *placement.Cluster {
	t.Helper()
	spec := cluster.Spec{
		Running: []cluster.Running{{Gang: "a", Member: "1", Node: "n1", Resources: muster.Resources{"gpu": 4}, End: end}},
	}
	for _, name := range []string{"n1", "n2"} {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 4}})
	}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	return c
}

// whole is a gang of so many members that take a node each, and end at an instant.
func whole(name string, members int, end int64) *gang.Request {
	r := job(members)
	r.Name, r.End, r.Shape = name, end, gang.Shape{Resources: muster.Resources{"gpu": 4}}
	return r
}

// A gang runs as long as it would if it started now, whatever the numbers are.
func TestEndsOfStarts(t *testing.T) {
	for _, c := range []struct{ now, ends, end, from, to int64 }{
		{0, 5, 0, 5, 0},
		{0, 5, 3, 5, 8},
		{2, 5, 3, 5, 6},
		{4, 5, 3, 5, 6}, // it should have ended: a second
		{0, 5, math.MaxInt64, 5, math.MaxInt64},
		{math.MinInt64, 5, 3, 5, math.MaxInt64},
		{-9, -4, -4, -4, 1}, // 0 would be never
	} {
		s, err := placement.Earliest(twoNodes(t, c.ends), whole("b", 2, c.end), placement.EarliestOptions{Now: c.now})
		require.NoError(t, err, "%+v", c)
		holds := s.Holds()
		require.Len(t, holds, 2)
		require.Equal(t, []int64{c.from, c.to}, []int64{holds[0].From, holds[0].End}, "%+v", c)
	}
}

// Gangs start one after the other, or meanwhile where they end in time, and nobody is delayed.
func TestEarliestAllInOrder(t *testing.T) {
	c, all := placement.EarliestAll(twoNodes(t, 5), []*gang.Request{whole("b", 2, 0), whole("short", 1, 5), whole("long", 1, 6), whole("large", 3, 0), nil}, placement.EarliestOptions{})
	require.NoError(t, all[0].Err)
	require.Equal(t, int64(5), all[0].Start.At)
	require.Equal(t, []placement.Ending{{Gang: "a", At: 5}}, all[0].Start.WaitsFor)
	require.Zero(t, all[1].Start.At)
	require.Equal(t, "n2", all[1].Start.Plan.Assignments[0].Node)
	require.ErrorIs(t, all[2].Err, placement.ErrUnschedulable, "b never ends")
	require.ErrorIs(t, all[3].Err, placement.ErrUnschedulable)
	require.ErrorContains(t, all[4].Err, "request")
	require.Len(t, c.Holds(), 3)
	_, err := placement.Plan(c, whole("c", 1, 0))
	require.ErrorIs(t, err, placement.ErrUnschedulable)
}

// Who stops waiting has what was found, and it is not proven, or the error of the context.
func TestEarliestStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_, err := placement.EarliestContext(ctx, twoNodes(t, 5), whole("b", 2, 0), placement.EarliestOptions{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = placement.Earliest(twoNodes(t, 5), whole("b", 1, 0), placement.EarliestOptions{Tier: "rack"})
	var invalid *muster.InvalidError
	require.ErrorAs(t, err, &invalid)
}
