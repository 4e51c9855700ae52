package placement_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/preempt"
)

// crowded is three nodes of four devices: a pod of three and one of one on the first, a gang of two on the others, which has two each to spare.
func crowded(t *testing.T) *placement.Cluster {
	pod := func(gang, member, node string, size int64, least int) cluster.Running {
		return cluster.Running{Gang: gang, Member: member, Node: node, Resources: gpus(size), MinMember: least, Budgets: []string{"web"}, Started: 10}
	}
	nodes := hosts(3)
	for i := range nodes {
		nodes[i].Allocatable = gpus(4)
	}
	return newCluster(t, cluster.Spec{
		Nodes: nodes, Budgets: []cluster.Budget{{Name: "web", Allowed: 1}},
		Running: []cluster.Running{pod("large", "large", "n0", 3, 0), pod("small", "small", "n0", 1, 0), pod("pair", "p0", "n1", 2, 2), pod("pair", "p1", "n2", 2, 2)},
	})
}

// preemptor is a gang above all others.
func preemptor(members int, size int64) *gang.Request {
	req := job(members)
	req.Priority, req.Shape.Resources = 9, gpus(size)
	return req
}

func TestPreemption(t *testing.T) {
	c := crowded(t)
	res := mustPlan(t, c, preemptor(1, 3))
	require.Equal(t, []placement.Victim{{MemberRef: ref("large", "large"), Node: "n0"}}, res.Victims)
	require.Equal(t, "n0", res.Assignments[0].Node)
	require.Equal(t, &placement.Preemption{Cost: preempt.Cost{Members: 1}, LowerBound: preempt.Cost{Members: 1}, Proven: true}, res.Preemption)

	// Further members take what is free then.
	some := preemptor(5, 1)
	some.MinMember, some.Shape.Resources = 1, gpus(3)
	res = mustPlan(t, c, some)
	require.Len(t, res.Victims, 1)
	require.Len(t, res.Assignments, 1)

	// Two at once end the pair, which leaves two nodes empty.
	res = mustPlan(t, c, preemptor(2, 4))
	require.Equal(t, []cluster.MemberRef{ref("pair", "p0"), ref("pair", "p1")}, []cluster.MemberRef{res.Victims[0].MemberRef, res.Victims[1].MemberRef})
	require.Equal(t, preempt.Cost{Budgets: 1, GangsEnded: 1, Members: 2}, res.Preemption.Cost)

	for _, never := range []func(r *gang.Request){
		func(r *gang.Request) { r.NeverPreempts = true },
		func(r *gang.Request) { r.Priority = 0 },
		func(r *gang.Request) { r.QuotaLimit = "borrow" },
		func(r *gang.Request) { r.Shape.Resources = gpus(5) },
	} {
		req := preemptor(1, 3)
		never(req)
		_, err := placement.Plan(c, req)
		require.ErrorIs(t, err, placement.ErrUnschedulable)
	}
}

// What is applied is promised: nobody else gets what a victim leaves.
func TestVictimsBecomeLeavingMembers(t *testing.T) {
	c := crowded(t)
	res := mustPlan(t, c, preemptor(1, 2))
	require.Empty(t, res.Victims)
	res = mustPlan(t, c, preemptor(3, 2))
	require.Equal(t, "large", res.Victims[0].Gang, "two fit beside the pair, the third in the place of large")
	next, err := c.Apply(res)
	require.NoError(t, err)
	require.Equal(t, []cluster.Budget{{Name: "web", Allowed: 0}}, next.Budgets())
	for r := range next.Running() {
		if r.Gang == "large" {
			require.True(t, r.Leaving)
			require.Equal(t, gpus(1), r.Resources, "the plan took two of its three")
		}
		if r.Gang == "job" {
			require.Equal(t, int64(9), r.Priority)
			require.Equal(t, 3, r.MinMember, "a gang without a minimum runs whole or not at all")
		}
	}
	_, err = next.Apply(res)
	requireConflict(t, err)
	gone, err := next.Release("large")
	require.NoError(t, err)
	free, _ := gone.Free("n0")
	require.Equal(t, gpus(1), free)

	// A victim that is not there any more, or elsewhere, is a conflict; one that leaves already is as good.
	without, err := c.Release("large")
	require.NoError(t, err)
	_, err = without.Apply(res)
	require.EqualError(t, err, "conflict: node n0, member large large: the victim does not run there")
	marked, err := c.Update(cluster.Delta{Leaving: []cluster.MemberRef{ref("large", "large")}})
	require.NoError(t, err)
	after, err := marked.Apply(res)
	require.NoError(t, err)
	require.Equal(t, []cluster.Budget{{Name: "web", Allowed: 1}}, after.Budgets(), "whoever marked it counted it")
}

// A plain pod stays one when it is placed: it ends no gang.
func TestPlacedPodIsNoGang(t *testing.T) {
	next, err := crowded(t).Apply(mustPlan(t, crowded(t), preemptor(1, 2)))
	require.NoError(t, err)
	for r := range next.Running() {
		require.False(t, r.Gang == "job" && r.MinMember > 0)
	}
}

func TestForTier(t *testing.T) {
	spec := board(t)
	spec.Running = []cluster.Running{
		{Gang: "a", Member: "a", Node: "n0", Resources: gpus(1)}, {Gang: "b", Member: "b", Node: "n2", Resources: gpus(1)},
	}
	c := newCluster(t, spec)
	req := job(4)
	req.Priority = 1
	require.Empty(t, mustPlan(t, c, req).Victims)
	req.Preempt.ForTier = "rack"
	res := mustPlan(t, c, req)
	require.Equal(t, 1, res.Tier)
	require.Len(t, res.Victims, 1)
	req.Priority = 0
	require.Equal(t, 2, mustPlan(t, c, req).Tier, "nobody may leave: the default")
	req.Preempt.ForTier = "hall"
	_, err := placement.Plan(c, req)
	var invalid *muster.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "request.Preempt.ForTier", invalid.Field)
}

func TestBadBudgets(t *testing.T) {
	spec := board(t)
	spec.Budgets = []cluster.Budget{{Name: "b"}, {Name: "b"}, {}}
	_, err := placement.NewCluster(spec)
	require.EqualError(t, err, `cluster.Budgets[1].Name "b": duplicate name`)
}

// Of a running gang that names no minimum all members must run together, as of one that is requested; a negative minimum
// lets each member stand for itself, and one member alone does so in any case.
func TestMinMemberOfRunningGangs(t *testing.T) {
	for _, c := range []struct {
		least         []int // of the members a-0, a-1, ...
		victims, ends int
	}{
		{least: []int{0}, victims: 1},
		{least: []int{1}, victims: 1, ends: 1},
		{least: []int{0, 0, 0}, victims: 3, ends: 1},
		{least: []int{3, 3, 3}, victims: 3, ends: 1},
		{least: []int{2, 2, 2}, victims: 1},
		{least: []int{-1, -1, -1}, victims: 1},
		{least: []int{-1, -7, math.MinInt}, victims: 1},
		{least: []int{-1, 0, 1}, victims: 3, ends: 1},
		{least: []int{-1, 1, 1}, victims: 1},
	} {
		spec := cluster.Spec{Nodes: hosts(len(c.least))}
		for i, least := range c.least {
			spec.Running = append(spec.Running, cluster.Running{
				Gang: "a", Member: fmt.Sprint("a-", i), Node: spec.Nodes[i].Name, Resources: spec.Nodes[i].Allocatable, MinMember: least,
			})
		}
		snapshot := newCluster(t, spec)
		for r := range snapshot.Running() {
			require.Equal(t, spec.Running[slices.IndexFunc(spec.Running, func(o cluster.Running) bool { return o.Member == r.Member })], r)
		}
		req := job(1)
		req.Priority = 1
		res := mustPlan(t, snapshot, req)
		require.Len(t, res.Victims, c.victims, "%v", c.least)
		require.Equal(t, c.ends, res.Preemption.Cost.GangsEnded, "%v", c.least)
	}
}

// Evicting on a node that is over-committed must free enough for what is held beyond it, too.
func TestVictimsOnAnOverCommittedNode(t *testing.T) {
	c := newCluster(t, cluster.Spec{Nodes: hosts(1), Running: []cluster.Running{
		running("a", "", 0), {Gang: "b", Member: "b", Node: "n0", Resources: gpus(1), Priority: 3}, {Gang: "c", Member: "c", Node: "n0", Resources: gpus(1), Priority: 1},
	}})
	require.Len(t, mustPlan(t, c, preemptor(1, 1)).Victims, 3)
}

// However many gangs there are, and however their members differ, each is what it was given as.
func TestManySmallGangs(t *testing.T) {
	nodes := []cluster.Node{{Name: "n0", Allocatable: gpus(1 << 20)}}
	var running []cluster.Running
	for i := range 300 {
		for j := range 1 + i%7 {
			running = append(running, cluster.Running{
				Gang: fmt.Sprintf("g%d", i), Member: fmt.Sprintf("m%d", j), Node: "n0", Resources: gpus(int64(1 + (i+j)%3)), Priority: int64(i), MinMember: 1 + j/2,
			})
		}
	}
	given := slices.Clone(running)
	slices.Reverse(given)
	require.Equal(t, running, slices.Collect(newCluster(t, cluster.Spec{Nodes: nodes, Running: given}).Running()))
}
