package placement_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
)

// twoZones are the zones of a node of 4 GPUs.
func twoZones(policy numa.Policy) *cluster.NUMA {
	return &cluster.NUMA{
		Zones:  []numa.Zone{{ID: 0, Allocatable: gpus(2)}, {ID: 1, Allocatable: gpus(2)}},
		Policy: policy,
	}
}

func zonedNode(name string, policy numa.Policy) cluster.Node {
	return cluster.Node{Name: name, Allocatable: gpus(4), NUMA: twoZones(policy)}
}

func inGroups(req *gang.Request, size int) *gang.Request {
	req.Groups = []gang.Groups{{Size: size}}
	return req
}

func aligned(req *gang.Request, gpu int64, policy numa.Policy) *gang.Request {
	req.Shape = gang.Shape{Resources: gpus(gpu), NUMA: gang.NUMA{Policy: policy}}
	return req
}

// zonesOf lists the zones of every new member.
func zonesOf(res *placement.Result) (list [][]int) {
	for _, a := range res.Assignments {
		var ids []int
		if a.NUMA != nil {
			for _, s := range a.NUMA.Shares {
				ids = append(ids, s.Zone)
			}
		}
		list = append(list, ids)
	}
	return list
}

func TestZonesAreTakenAndGivenBack(t *testing.T) {
	c := newCluster(t, cluster.Spec{Nodes: []cluster.Node{zonedNode("n0", "")}})
	first := mustPlan(t, c, aligned(job(3), 1, numa.SingleNUMANode))
	require.Equal(t, [][]int{{0}, {0}, {1}}, zonesOf(first), "packed")
	applied, err := c.Apply(first)
	require.NoError(t, err)
	two := aligned(job(1), 2, numa.SingleNUMANode)
	two.Name = "two"
	_, err = placement.Plan(applied, two)
	require.ErrorIs(t, err, placement.ErrUnschedulable, "one GPU is free")
	one := aligned(job(1), 1, numa.SingleNUMANode)
	one.Name = "one"
	require.Equal(t, [][]int{{1}}, zonesOf(mustPlan(t, applied, one)))
	released, err := applied.Release("job", "job-0", "job-1")
	require.NoError(t, err)
	require.Equal(t, [][]int{{0}}, zonesOf(mustPlan(t, released, two)), "the zone is whole again")
	running := slices.Collect(applied.Running())
	require.Equal(t, first.Assignments[2].NUMA, running[2].NUMA)
}

func TestApplyChecksZones(t *testing.T) {
	c := newCluster(t, cluster.Spec{Nodes: []cluster.Node{zonedNode("n0", "")}})
	one, spans := aligned(job(1), 1, numa.SingleNUMANode), aligned(job(1), 3, numa.BestEffort)
	spans.Name = "spans"
	first, second := mustPlan(t, c, one), mustPlan(t, c, spans)
	require.Equal(t, [][]int{{0, 1}}, zonesOf(second))
	applied, err := c.Apply(first)
	require.NoError(t, err)
	_, err = applied.Apply(second)
	require.EqualError(t, err, "conflict: node n0, member spans job-0: zone 0 hosts a member that this one must keep apart from")
	other := aligned(job(1), 2, numa.Restricted)
	other.Name = "other"
	res := mustPlan(t, c, other)
	_, err = applied.Apply(res)
	require.EqualError(t, err, "conflict: node n0, member other job-0: zone 0 is over-committed (gpu by 1)")
}

func TestExclusiveByDefault(t *testing.T) {
	spec := cluster.Spec{Nodes: []cluster.Node{zonedNode("n0", "")}, NUMAExclusive: numa.Preferred}
	spec.Running = []cluster.Running{{
		Gang: "single", Member: "m", Node: "n0", Resources: gpus(1),
		NUMA: &numa.Placed{Policy: numa.SingleNUMANode, Shares: []numa.Share{{Zone: 0, Resources: gpus(1)}}},
	}}
	spans := aligned(job(1), 3, numa.BestEffort)
	c := newCluster(t, spec)
	for range 2 {
		res := mustPlan(t, c, spans)
		require.Equal(t, [][]int{{0, 1}}, zonesOf(res), "it need not keep apart")
		_, err := c.Apply(res)
		require.NoError(t, err)
		c, err = c.Update(cluster.Delta{SetNodes: []cluster.Node{{Name: "new", Allocatable: muster.Resources{}}}})
		require.NoError(t, err, "builds anew")
	}
	spans.Shape.NUMA.Exclusive = numa.Required
	var why *placement.Unschedulable
	_, err := placement.Plan(c, spans)
	require.ErrorAs(t, err, &why)
	require.Equal(t, []placement.CauseCount{{Cause: "resource:gpu", Nodes: 1}, {Cause: "numa-exclusive", Nodes: 1}}, why.Nodes().Rejected)
	require.True(t, why.Proven)
}

// Who prefers to keep apart goes where others run that must, but not where room is held for them: they could not come.
func TestNobodyComesBetweenZonesAndTheirHolder(t *testing.T) {
	two := cluster.Spec{Nodes: []cluster.Node{zonedNode("n0", ""), zonedNode("n1", "")}}
	single, spans := aligned(job(1), 1, numa.SingleNUMANode), aligned(job(1), 3, numa.BestEffort)
	for _, gangs := range [][2]*gang.Request{{single, spans}, {spans, single}} {
		held, beside := *gangs[0], *gangs[1]
		held.Name, beside.Name, beside.Shape.NUMA.Exclusive = "held", "beside", numa.Preferred
		for _, exclusive := range []numa.Exclusive{numa.Required, numa.Preferred} {
			held.Shape.NUMA.Exclusive = exclusive
			c := newCluster(t, two)
			plan := mustPlan(t, c, &held)
			kept, err := c.Update(cluster.Delta{Holds: map[string][]cluster.Hold{"held": plan.Holds()}})
			require.NoError(t, err)
			kept = withoutNode(t, kept, "n1")
			res, err := placement.Plan(kept, &beside)
			if exclusive == numa.Required {
				var why *placement.Unschedulable
				require.ErrorAs(t, err, &why)
				require.Contains(t, why.Nodes().Rejected, placement.CauseCount{Cause: "numa-exclusive", Nodes: 1})
				res = mustPlan(t, withoutNode(t, c, "n1"), &beside)
				_, err = kept.Apply(res)
				require.ErrorContains(t, err, "hosts a member that this one must keep apart from", "as if it had not seen the hold")
				continue
			}
			require.NoError(t, err)
			next, err := kept.Apply(res)
			require.NoError(t, err)
			_, err = next.Apply(plan)
			require.NoError(t, err, "it need not keep apart either")
		}
	}
}

func withoutNode(t *testing.T, c *placement.Cluster, name string) *placement.Cluster {
	t.Helper()
	next, err := c.Update(cluster.Delta{RemoveNodes: []string{name}})
	require.NoError(t, err)
	return next
}

// Bad zones are named with their node; what is only odd is accepted and noted.
func TestBadZones(t *testing.T) {
	node := zonedNode("n0", "Other")
	_, err := placement.NewCluster(cluster.Spec{Nodes: []cluster.Node{node}, NUMAExclusive: "no"})
	require.EqualError(t, err, `node n0.NUMA.policy "Other": unknown policy
cluster.NUMAExclusive "no": unknown exclusivity`)
	node = zonedNode("n0", "")
	node.NUMA.Zones[1].ID = 0
	node.NUMA.Zones[1].Allocatable = muster.Resources{"gpu": -1}
	_, err = placement.NewCluster(cluster.Spec{Nodes: []cluster.Node{node}})
	require.EqualError(t, err, `node n0.NUMA.zones[1].ID "0": duplicate id, of zones[0] too
node n0.NUMA.zones[1].Allocatable.gpu "-1": negative amount`)

	has := func(zone int, n int64) *numa.Placed {
		return &numa.Placed{Shares: []numa.Share{{Zone: zone, Resources: gpus(n)}}}
	}
	spec := cluster.Spec{Nodes: []cluster.Node{zonedNode("n0", "")}}
	spec.Running = []cluster.Running{{Gang: "g", Member: "m", Node: "n0", Resources: gpus(1), NUMA: has(7, 1)}}
	_, err = placement.NewCluster(spec)
	require.EqualError(t, err, "running member g m on node n0.NUMA.placed[0].Shares[0].Zone \"7\": no zone of the node has this id")
	spec.Running[0].NUMA = has(0, 3)
	c := newCluster(t, spec)
	require.Equal(t, []string{"node n0: members hold 1 more gpu of zone 0 than it has"}, c.Notices())
	require.Equal(t, [][]int{{1}}, zonesOf(mustPlan(t, c, aligned(job(1), 1, numa.SingleNUMANode))))
}

// Whoever waits for a member with shares gets its room; what it leaves of them the member keeps until it is gone.
func TestBatchWaitsForZones(t *testing.T) {
	leaving := cluster.Running{
		Gang: "old", Member: "m", Node: "n0", Resources: gpus(3), Leaving: true,
		NUMA: &numa.Placed{Policy: numa.BestEffort, Shares: []numa.Share{{Zone: 0, Resources: gpus(2)}, {Zone: 1, Resources: gpus(1)}}},
	}
	c := newCluster(t, cluster.Spec{Nodes: []cluster.Node{zonedNode("n0", "")}, Running: []cluster.Running{leaving}})
	two, one, more := aligned(job(1), 2, numa.SingleNUMANode), aligned(job(1), 1, numa.SingleNUMANode), aligned(job(1), 1, numa.SingleNUMANode)
	two.Name, one.Name, more.Name = "two", "one", "more"
	last, planned := placement.Batch(c, []*gang.Request{two, one, more})
	for i, want := range [][][]int{{{0}}, {{1}}, {{1}}} {
		require.NoError(t, planned[i].Err)
		require.Equal(t, want, zonesOf(planned[i].Result))
	}
	require.Len(t, planned[0].Result.WaitsFor, 1)
	require.Empty(t, planned[1].Result.WaitsFor, "one GPU of zone 1 was never taken")
	require.Len(t, planned[2].Result.WaitsFor, 1)
	for m := range last.Running() {
		if m.Leaving {
			require.Equal(t, gpus(0), m.NUMA.Shares[1].Resources)
		}
	}
}

// Beyond eight zones a count may be a lower bound; a refusal that rests on it is not proven, however it came about.
func TestManyZonesAreNotProven(t *testing.T) {
	node := cluster.Node{Name: "n0", Allocatable: gpus(100), NUMA: &cluster.NUMA{}}
	for z, free := range []int64{2, 3, 4, 0, 8, 2, 6, 4, 1, 3, 3} {
		node.NUMA.Zones = append(node.NUMA.Zones, numa.Zone{ID: z, Allocatable: gpus(8)})
		node.NUMA.InUse = append(node.NUMA.InUse, numa.Occupied{ID: z, Used: gpus(8 - free)})
	}
	spec := cluster.Spec{Nodes: []cluster.Node{node}}
	for _, plain := range []bool{false, true} {
		req := aligned(job(3), 10, numa.Restricted)
		if plain {
			req.Eligible = func(string) bool { return true }
		}
		c := newCluster(t, spec)
		for range 2 {
			var why *placement.Unschedulable
			_, err := placement.Plan(c, req)
			require.ErrorAs(t, err, &why)
			require.False(t, why.Proven)
			require.NotContains(t, err.Error(), "(proven)")
		}
		cordoned, err := c.Update(cluster.Delta{SetNodes: []cluster.Node{{Name: "n0", Allocatable: node.Allocatable, NUMA: node.NUMA, Cordoned: true}}})
		require.NoError(t, err)
		_, err = placement.Plan(cordoned, req)
		require.ErrorContains(t, err, "(proven)", "nobody is placed on the node, whatever its zones have")
	}
}
