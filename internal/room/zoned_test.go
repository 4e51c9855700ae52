// What do drawn nodes with zones look like, and who asks for room there?

package room_test

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/numa"
)

// zonedCluster draws some nodes of two or three zones, in which members run, and mostly leave.
func zonedCluster(t *rapid.T) (spec cluster.Spec) {
	spec.NUMAExclusive = rapid.SampledFrom([]numa.Exclusive{numa.Preferred, "", numa.Required}).Draw(t, "exclusive")
	for i := range rapid.IntRange(1, 2).Draw(t, "nodes") {
		n := cluster.Node{Name: fmt.Sprint("n-", i), Allocatable: muster.Resources{draws.Device: 0, draws.Second: 8000}, NUMA: &cluster.NUMA{}}
		for _, id := range []int{0, 3, 10}[:rapid.SampledFrom([]int{2, 3}).Draw(t, "zones")] {
			devices := rapid.SampledFrom([]int64{3, 4, 2, 1}).Draw(t, "devices")
			n.NUMA.Zones = append(n.NUMA.Zones, numa.Zone{ID: id, Allocatable: muster.Resources{
				draws.Device: devices, draws.Second: rapid.SampledFrom([]int64{2000, 3500, 1000}).Draw(t, "CPUs"),
			}})
			n.Allocatable[draws.Device] += devices
		}
		if draws.Chance(t, 40, "policy of the node") {
			n.NUMA.Policy = rapid.SampledFrom(draws.Policies[1:]).Draw(t, "policy")
		}
		for range rapid.SampledFrom([]int{3, 2, 4, 1, 0}).Draw(t, "running") {
			spec.Running = append(spec.Running, zonedMember(t, &n, len(spec.Running)))
		}
		spec.Nodes = append(spec.Nodes, n)
	}
	return spec
}

// zonedMember draws a member that runs on a node, in one of its zones or in two, or in none.
func zonedMember(t *rapid.T, n *cluster.Node, i int) cluster.Running {
	r := cluster.Running{Gang: "other", Member: fmt.Sprint("m-", i), Node: n.Name, Resources: muster.Resources{}, Leaving: rapid.SampledFrom([]bool{true, true, false}).Draw(t, "leaves")}
	width := rapid.SampledFrom([]int{1, 2, 0}).Draw(t, "width")
	if width == 0 {
		r.Resources[draws.Device] = rapid.Int64Range(0, 2).Draw(t, "devices")
		return r
	}
	r.NUMA = &numa.Placed{Policy: rapid.SampledFrom([]numa.Policy{numa.BestEffort, numa.Restricted}).Draw(t, "policy")}
	if width == 1 && rapid.Bool().Draw(t, "single") {
		r.NUMA.Policy = numa.SingleNUMANode
	}
	for k := range width {
		share := muster.Resources{draws.Device: rapid.Int64Range(0, 1).Draw(t, "devices"), draws.Second: 500 * rapid.Int64Range(0, 1).Draw(t, "CPUs")}
		r.NUMA.Shares = append(r.NUMA.Shares, numa.Share{Zone: n.NUMA.Zones[(i+k)%len(n.NUMA.Zones)].ID, Resources: share})
		r.Resources.Add(share)
	}
	return r
}

// zonedShape draws what a member asks of zones.
func zonedShape(t *rapid.T) *gang.Shape {
	s := &gang.Shape{Resources: muster.Resources{
		draws.Device: rapid.SampledFrom([]int64{1, 2, 0, 3}).Draw(t, "devices"), draws.Second: rapid.SampledFrom([]int64{500, 0, 1000, 1500}).Draw(t, "CPUs"),
	}}
	if s.Resources[draws.Device] == 0 {
		s.Resources[draws.Second] = 500
	}
	if draws.Chance(t, 85, "aligned") {
		s.NUMA = gang.NUMA{
			Policy:    rapid.SampledFrom([]numa.Policy{numa.SingleNUMANode, numa.BestEffort, numa.Restricted, ""}).Draw(t, "policy"),
			Exclusive: rapid.SampledFrom([]numa.Exclusive{"", numa.Preferred, numa.Required}).Draw(t, "exclusive"),
			CPUs:      rapid.SampledFrom([]numa.Granularity{"", "", numa.WholeCPUs}).Draw(t, "granularity"),
		}
	}
	return s
}

// drawUnits draws units, of one member or of two, that ask for room on nodes with zones.
func drawUnits(t *rapid.T) *asked {
	spec, shapes := zonedCluster(t), []*gang.Shape{zonedShape(t)}
	if rapid.Bool().Draw(t, "units of two") {
		shapes = append(shapes, zonedShape(t))
	}
	a := newAsked(t, spec, &gang.Request{Name: draws.GangName}, shapes...)
	a.LeavingGone = rapid.Bool().Draw(t, "leaving members are gone")
	return a
}

// drawRoles draws members of some roles, two of which may have one shape, on nodes with zones.
func drawRoles(t *rapid.T, most int) *asked {
	spec := zonedCluster(t)
	amountsAlone := draws.Chance(t, 30, "nobody looks at zones")
	for i := range spec.Nodes {
		if amountsAlone {
			spec.Nodes[i].NUMA.Policy, spec.Nodes[i].Allocatable[draws.Second] = "", 3000
		}
	}
	var shapes []*gang.Shape
	var twins []int32
	for i := range rapid.SampledFrom([]int{2, 3, 1}).Draw(t, "roles") {
		if i > 0 && draws.Chance(t, 25, "of one shape") {
			shapes, twins = append(shapes, shapes[i-1]), append(twins, twins[i-1])
			continue
		}
		shapes, twins = append(shapes, zonedShape(t)), append(twins, int32(i))
		if amountsAlone {
			shapes[i].NUMA = gang.NUMA{}
		}
	}
	a := newAsked(t, spec, &gang.Request{Name: draws.GangName}, shapes...)
	for i := range rapid.IntRange((most+1)/2, most).Draw(t, "members") {
		a.Model.Pending = append(a.Model.Pending, i)
		a.Model.RoleOf = append(a.Model.RoleOf, int32(rapid.IntRange(0, len(shapes)-1).Draw(t, "role")))
	}
	if !slices.Equal(twins, []int32{0, 1, 2}[:len(shapes)]) {
		a.Model.Twins = twins
	}
	require.NoError(t, a.SumNeeds())
	return a
}
