package placement_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
)

// zonedSpec is a leaf of nodes with so many zones, each with these devices and 16 CPUs.
func zonedSpec(t *testing.T, nodes, zones int, devices int64) cluster.Spec {
	t.Helper()
	spec := roleSpec(t, 1, nodes, devices*int64(zones))
	known := &cluster.NUMA{}
	for id := range zones {
		known.Zones = append(known.Zones, numa.Zone{ID: id, Allocatable: muster.Resources{"gpu": devices, muster.CPU: 16_000}})
	}
	for i := range spec.Nodes {
		spec.Nodes[i].NUMA = known
		spec.Nodes[i].Allocatable[muster.CPU] = 16_000 * int64(zones)
	}
	return spec
}

// zonedGang has so many members of each role; those of the i-th ask for i+1 devices and as many CPUs, under a policy.
func zonedGang(policy numa.Policy, sizes ...int) *gang.Request {
	return gangOfRoles(sizes, func(r int) *gang.Shape {
		return &gang.Shape{Resources: muster.Resources{"gpu": int64(r + 1), muster.CPU: int64(r+1) * 1000}, NUMA: gang.NUMA{Policy: policy}}
	})
}

// Where there are too many ways to put roles into zones not all are tried: plans stay valid and can be applied.
func TestTooManyWaysIntoZones(t *testing.T) {
	spec := zonedSpec(t, 12, 8, 6)
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	for _, policy := range []numa.Policy{numa.BestEffort, numa.Restricted, numa.SingleNUMANode} {
		req := zonedGang(policy, 9, 8, 8, 6, 6)
		res, err := placement.Plan(c, req)
		require.NoError(t, err, policy)
		require.NoError(t, validity.Check(spec, req, res), policy)
		_, err = c.Apply(res)
		require.NoError(t, err, policy)
	}
}

// A refusal is proven where the zones have no room for each role by itself or for all devices; not where roles are in each other's way.
func TestRefusalsOfRolesInZones(t *testing.T) {
	c, err := placement.NewCluster(zonedSpec(t, 1, 2, 3))
	require.NoError(t, err)
	for _, sizes := range [][]int{{0, 1, 2}, {0, 0, 3}, {1, 3}, {3, 0, 0, 1}} {
		_, err := placement.Plan(c, zonedGang(numa.SingleNUMANode, sizes...))
		var no *placement.Unschedulable
		require.ErrorAs(t, err, &no, sizes)
		require.True(t, no.Proven, sizes)
	}
	// Of nine devices the first takes two zones, so that only one is left to the others.
	c, err = placement.NewCluster(zonedSpec(t, 1, 3, 3))
	require.NoError(t, err)
	req := zonedGang(numa.SingleNUMANode, 0, 2, 0, 1)
	wide := *req.Members[2].Shape
	wide.NUMA.Policy = numa.BestEffort
	req.Members[2].Shape = &wide
	_, err = placement.Plan(c, req)
	var no *placement.Unschedulable
	require.ErrorAs(t, err, &no)
	require.False(t, no.Proven)
	require.Equal(t, 2, no.Fits)
}

// Nodes that take no role are told by the cause of the first: each is looked at for itself.
func TestCausesOfRolesInZones(t *testing.T) {
	spec := zonedSpec(t, 4, 2, 3)
	other := *spec.Nodes[0].NUMA
	other.Policy = numa.Restricted
	spec.Nodes[0].NUMA = &other // another policy than either role has
	bare := spec.Nodes[1]
	bare.NUMA = nil
	spec.Nodes[1] = bare // no zones
	spec.Running = append(spec.Running, cluster.Running{
		Gang: "ns/other", Member: "m", Node: spec.Nodes[2].Name, Resources: muster.Resources{"gpu": 2},
		NUMA: &numa.Placed{Policy: numa.BestEffort, Shares: []numa.Share{
			{Zone: 0, Resources: muster.Resources{"gpu": 1}}, {Zone: 1, Resources: muster.Resources{"gpu": 1}},
		}},
	})
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	_, err = placement.Plan(c, zonedGang(numa.SingleNUMANode, 20, 20))
	var no *placement.Unschedulable
	require.ErrorAs(t, err, &no)
	require.Equal(t, placement.NodeCauses{Total: 4, Rejected: []placement.CauseCount{
		{Cause: "numa-policy", Nodes: 1}, {Cause: "numa-exclusive", Nodes: 1}, {Cause: "numa-capacity", Nodes: 1},
	}}, no.Nodes())
}

// Apply looks at the zones again: a plan for members that must keep apart does not fit beside those that came in between, one for members that
// need not does.
func TestApplyKeepsRolesApart(t *testing.T) {
	spec := zonedSpec(t, 1, 2, 6)
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	between := cluster.Delta{Place: []cluster.Running{{
		Gang: "ns/other", Member: "m", Node: spec.Nodes[0].Name, Resources: muster.Resources{"gpu": 2},
		NUMA: &numa.Placed{Policy: numa.BestEffort, Shares: []numa.Share{
			{Zone: 0, Resources: muster.Resources{"gpu": 1}}, {Zone: 1, Resources: muster.Resources{"gpu": 1}},
		}},
	}}}
	for exclusive, applies := range map[numa.Exclusive]bool{numa.Required: false, numa.Preferred: true} {
		req := zonedGang(numa.SingleNUMANode, 1, 1)
		for _, m := range req.Members {
			m.Shape.NUMA.Exclusive = exclusive
		}
		res, err := placement.Plan(c, req)
		require.NoError(t, err)
		next, err := c.Update(between)
		require.NoError(t, err)
		_, err = next.Apply(res)
		require.Equal(t, applies, err == nil, exclusive)
	}
	// One that must is enough.
	req := zonedGang(numa.SingleNUMANode, 1, 1)
	req.Members[0].Shape.NUMA.Exclusive = numa.Preferred
	res, err := placement.Plan(c, req)
	require.NoError(t, err)
	next, err := c.Update(between)
	require.NoError(t, err)
	_, err = next.Apply(res)
	var conflict *cluster.ConflictError
	require.ErrorAs(t, err, &conflict)
	require.Equal(t, "m-1", conflict.Member)
}

// Members find zones where others of the gang could be beside them, also where those are not: fewer never need more room.
func TestZonesTakeWhatIsWithinOtherCounts(t *testing.T) {
	spec := roleSpec(t, 1, 2, 12)
	spec.NUMAExclusive = numa.Preferred
	zones := func(cpus ...int64) *cluster.NUMA {
		known := &cluster.NUMA{}
		for id, cpu := range cpus {
			known.Zones = append(known.Zones, numa.Zone{ID: id, Allocatable: muster.Resources{"gpu": 6, muster.CPU: cpu}})
		}
		return known
	}
	spec.Nodes[0].NUMA, spec.Nodes[1].NUMA = zones(6000, 1500), zones(6000, 6000)
	spec.Nodes[1].Labels = map[string]string{"kind": "b"}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	second := map[string]string{"kind": "b"}
	req := &gang.Request{Name: "ns/job"}
	add := func(n int, devices, cpu int64, of gang.NUMA, on map[string]string) {
		shape := &gang.Shape{Resources: muster.Resources{"gpu": devices, muster.CPU: cpu}, NUMA: of, Selector: on}
		for range n {
			req.Members = append(req.Members, gang.Member{Name: fmt.Sprintf("m-%d", len(req.Members)), Shape: shape})
		}
	}
	add(2, 2, 0, gang.NUMA{Policy: numa.SingleNUMANode}, nil)
	add(4, 1, 1000, gang.NUMA{Policy: numa.BestEffort, Exclusive: numa.Required}, nil)
	req.Eligible = func(node string) bool { return node == spec.Nodes[0].Name }
	_, err = placement.Plan(c, req)
	var no *placement.Unschedulable
	require.ErrorAs(t, err, &no)
	require.False(t, no.Proven)

	req.Eligible = nil
	for i := range req.Members {
		shape := *req.Members[i].Shape
		shape.Affinity = []gang.NodeTerm{{Labels: []gang.Expression{{Key: "kind", Operator: gang.NotIn, Values: []string{"b"}}}}}
		req.Members[i].Shape = &shape
	}
	add(3, 1, 500, gang.NUMA{Policy: numa.BestEffort}, second)
	res, err := placement.Plan(c, req)
	require.NoError(t, err)
	require.NoError(t, validity.Check(spec, req, res))
	for i, a := range res.Assignments {
		require.Equal(t, i >= 6, a.Node == spec.Nodes[1].Name, a.Member)
		require.NotNil(t, a.NUMA, a.Member)
	}
	_, err = c.Apply(res)
	require.NoError(t, err)
}

// A refusal is not proven where roles would find zones each by itself, also on nodes outside the tree: however many lie there.
func TestRefusalsOutsideTheTreeAreNotProven(t *testing.T) {
	zone := func(id int) numa.Zone { return numa.Zone{ID: id, Allocatable: muster.Resources{muster.CPU: 3000}} }
	node := cluster.Node{Name: "n1", Allocatable: muster.Resources{muster.CPU: 6000}, NUMA: &cluster.NUMA{
		Zones: []numa.Zone{zone(0), zone(2)},
		InUse: []numa.Occupied{{ID: 2, Hosts: numa.HostsSpanning}},
	}}
	c, err := placement.NewCluster(cluster.Spec{Nodes: []cluster.Node{node}, NUMAExclusive: numa.Required})
	require.NoError(t, err)
	req := &gang.Request{Name: "ns/job"}
	for i, of := range []gang.NUMA{
		{Policy: numa.BestEffort, Exclusive: numa.Preferred},
		{Policy: numa.BestEffort, Exclusive: numa.Preferred},
		{Policy: numa.BestEffort, Exclusive: numa.Preferred},
		{Policy: numa.SingleNUMANode},
		{Policy: numa.SingleNUMANode},
	} {
		shape := gang.Shape{Resources: muster.Resources{muster.CPU: 1000}, NUMA: of}
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprintf("m-%d", i), Shape: &shape})
	}
	_, err = placement.Plan(c, req)
	var no *placement.Unschedulable
	require.ErrorAs(t, err, &no)
	require.False(t, no.Proven)
}
