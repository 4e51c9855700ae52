package placement_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
)

// startsOf has when each gang of a queue starts, by place; -1: nothing is held for it.
func startsOf(planned []placement.Planned) (at []int64) {
	for _, p := range planned {
		at = append(at, -1)
		if p.Start != nil {
			at[len(at)-1] = p.Start.At
		}
	}
	return at
}

// Strictly nobody is planned behind the first that is refused, which is told, at no cost; but a request that cannot be planned stops nobody.
func TestNobodyBehindOneThatWaits(t *testing.T) {
	wrong := whole("wrong", 1, 0)
	wrong.Gather = must("room")
	one, pair := whole("one", 1, 0), whole("pair", 1, 0)
	one.Together, pair.Together = "t", "t"
	requests := []*gang.Request{wrong, whole("first", 1, 0), whole("wide", 2, 0), one, nil, pair, whole("short", 1, 5)}
	c := twoNodes(t, 5)
	next, planned := placement.BatchBy(c, requests, placement.BatchOptions{Discipline: queue.Strict})
	require.Equal(t, []string{
		`0 request.Gather[0].Layer "room": unknown layer: not one of node`,
		"1 n2",
		"2 unschedulable: insufficient slots, 0 of 2 (proven)",
		"3 unschedulable: behind wide, which waits",
		"5 unschedulable: behind wide, which waits",
		"4 request: missing",
		"6 unschedulable: behind wide, which waits",
	}, told(planned))
	require.Empty(t, next.Holds())
	var why *placement.Unschedulable
	require.ErrorAs(t, planned[6].Err, &why)
	require.Equal(t, placement.Unschedulable{Gang: "short", Refuser: placement.RefuserRule, Rule: "behind wide, which waits", Behind: "wide", Wanted: 1, Proven: true}, *why)
	e := placement.Explain(c, requests[6], placement.ExplainOptions{Err: planned[6].Err})
	require.Equal(t, placement.VerdictRefused, e.Verdict)
	require.Equal(t, explain.CodeRule, e.Facts[0].Code)
	require.Len(t, e.NotTried, 1)
}

// Room is held for whoever waits and has a start: not for gangs that start together, nor twice for one gang.
func TestForWhomRoomIsHeld(t *testing.T) {
	one, pair := whole("one", 1, 0), whole("pair", 1, 0)
	one.Together, pair.Together = "t", "t"
	alone := whole("alone", 2, 0)
	alone.Together, alone.LimitsTogether = "u", []gang.Limit{{Layer: "node", Kind: gang.Apart, Most: 1}}
	requests := []*gang.Request{one, pair, alone, whole("never", 3, 0), whole("wide", 2, 9), whole("wide", 2, 9), whole("next", 2, 6), nil}
	for d, want := range map[queue.Discipline][]int64{
		queue.Strict: {-1, -1, -1, -1, -1, -1, -1, -1}, queue.EASY: {-1, -1, -1, -1, 5, -1, -1, -1}, queue.Conservative: {-1, -1, -1, -1, 5, -1, 14, -1},
	} {
		c, planned := placement.BatchBy(twoNodes(t, 5), requests, placement.BatchOptions{Discipline: d})
		require.Equal(t, want, startsOf(planned), d)
		held := 0
		for _, p := range planned {
			held += len(p.Start.Holds())
		}
		require.Len(t, c.Holds(), held)
	}
}

// Who is above takes what is held, and what it holds itself is in nobody's way above it; all others start as early as they can beside it.
func TestHoldsAreMadeAnew(t *testing.T) {
	above, top, again, soon := whole("above", 1, 8), whole("top", 2, 3), whole("wide", 1, 9), whole("soon", 1, 5)
	above.Priority, soon.Priority, top.Priority, top.NeverPreempts = 1, 1, 2, true
	again.Members[0].Name = "again"
	more := whole("a", 1, 0)
	more.Members[0].Name = "2"
	for name, c := range map[string]struct {
		requests []*gang.Request
		want     []int64
	}{
		"a plan above":                        {[]*gang.Request{whole("wide", 2, 0), whole("next", 2, 0), above}, []int64{8, -1, -1}},
		"a hold above":                        {[]*gang.Request{whole("wide", 2, 7), whole("next", 2, 7), top}, []int64{8, 15, 5}},
		"a gang whose end one waits for":      {[]*gang.Request{whole("wide", 2, 7), more}, []int64{5, -1}},
		"a hold above, and a plan above that": {[]*gang.Request{whole("wide", 2, 7), whole("next", 2, 7), top, soon}, []int64{8, 15, 5, -1}},
		"other members of the gang":           {[]*gang.Request{whole("wide", 2, 0), again}, []int64{-1, -1}},
	} {
		t.Run(name, func(t *testing.T) {
			_, planned := placement.BatchBy(twoNodes(t, 5), c.requests, placement.BatchOptions{Discipline: queue.Conservative})
			require.Equal(t, c.want, startsOf(planned), told(planned))
		})
	}
}

// Nobody of a gang for which room is held leaves for one behind it that is not above it, and no gang whose end it waits for stays longer.
func TestWhatAHolderNeedsStays(t *testing.T) {
	c := newCluster(t, cluster.Spec{
		Nodes: []cluster.Node{
			{Name: "n1", Allocatable: gpus(4)}, {Name: "n2", Allocatable: gpus(4)}, {Name: "n3", Allocatable: gpus(2)},
		},
		Running: []cluster.Running{
			{Gang: "a", Member: "1", Node: "n1", Resources: gpus(4), End: 5}, {Gang: "wide", Member: "0", Node: "n3", Resources: gpus(1), Priority: -1},
		},
	})
	small := func(name string, devices, end int64) *gang.Request {
		r := whole(name, 1, end)
		r.Shape.Resources, r.Members[0].Name, r.Exclude = gpus(devices), "new", []string{"n1", "n2"}
		return r
	}
	for _, test := range []struct {
		behind *gang.Request
		want   string
		above  int64 // when the gang starts if the other one is above it
	}{
		{small("other", 1, 0), "1 n3", 5},
		{small("other", 2, 0), "1 unschedulable: insufficient slots, 0 of 1 (proven)", 5},
		{small("a", 1, 6), "1 unschedulable: behind wide, which waits for its end", 6},
		{small("a", 1, 5), "1 n3", 5},
	} {
		wide := whole("wide", 2, 0)
		wide.Members[0].Name, wide.Members[1].Name = "1", "2"
		_, planned := placement.BatchBy(c, []*gang.Request{wide, test.behind}, placement.BatchOptions{Discipline: queue.EASY})
		require.Equal(t, int64(5), planned[0].Start.At)
		require.Equal(t, test.want, told(planned)[1])
		test.behind.Priority = 1
		next, planned := placement.BatchBy(c, []*gang.Request{wide, test.behind}, placement.BatchOptions{Discipline: queue.EASY})
		require.Equal(t, "1 n3", told(planned)[1])
		require.Equal(t, test.above, planned[0].Start.At)
		require.Equal(t, planned[0].Start.Holds(), next.Holds())
	}
}

// What is held at once stays, for a gang of the queue as well; what is held from an instant on for those of the queue does not, and is held anew.
func TestWhatWasHeldBefore(t *testing.T) {
	c := twoNodes(t, 5)
	hold := func(gang string, from int64) []cluster.Hold {
		return []cluster.Hold{{Gang: gang, Member: "m", Node: "n2", Resources: gpus(4), From: from}}
	}
	for name, want := range map[string]string{"next": "0 n2", "other": "0 unschedulable: insufficient slots, 0 of 1 (proven)"} {
		held, err := c.Update(cluster.Delta{Holds: map[string][]cluster.Hold{name: hold(name, 3)}})
		require.NoError(t, err)
		_, planned := placement.BatchBy(held, []*gang.Request{whole("wide", 1, 0), whole("next", 1, 0)}, placement.BatchOptions{Discipline: queue.Conservative})
		require.Equal(t, want, told(planned)[0])
	}
	held, err := c.Update(cluster.Delta{Holds: map[string][]cluster.Hold{"next": hold("next", 0)}})
	require.NoError(t, err)
	_, planned := placement.BatchBy(held, []*gang.Request{whole("wide", 1, 0), whole("next", 1, 0)}, placement.BatchOptions{Discipline: queue.Conservative})
	require.Equal(t, []string{"0 unschedulable: insufficient slots, 0 of 1 (proven)", "1 n2"}, told(planned))
}

// An unknown discipline is an error of every gang; so is a cluster that nobody made. Nothing is held once the context is done.
func TestDisciplinesOfNoUse(t *testing.T) {
	c, requests := twoNodes(t, 5), []*gang.Request{whole("wide", 2, 0), nil}
	next, planned := placement.BatchBy(c, requests, placement.BatchOptions{Discipline: "fair"})
	require.Same(t, c, next)
	for i, p := range planned {
		var invalid *muster.InvalidError
		require.ErrorAs(t, p.Err, &invalid)
		require.Equal(t, muster.InvalidError{Field: "options.Discipline", Value: "fair", Reason: "unknown discipline"}, *invalid)
		require.Equal(t, placement.Planned{Index: i, Request: requests[i], Cluster: c, Err: p.Err}, p)
	}
	last, planned := placement.BatchBy(nil, requests, placement.BatchOptions{Discipline: queue.EASY})
	require.Nil(t, last)
	require.ErrorContains(t, planned[0].Err, "cluster")
	ctx, stop := context.WithCancel(context.Background())
	stop()
	next, planned = placement.BatchByContext(ctx, c, requests, placement.BatchOptions{Discipline: queue.EASY})
	require.Empty(t, next.Holds())
	require.ErrorIs(t, planned[0].Err, context.Canceled)
}
