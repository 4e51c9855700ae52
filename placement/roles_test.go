package placement_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// roleSpec is leaves of nodes with so many devices each.
func roleSpec(t *testing.T, leaves, nodes int, devices int64) cluster.Spec {
	t.Helper()
	tree := topology.Spec{Layers: []topology.Layer{{Name: "leaf", Tier: 1}}}
	var spec cluster.Spec
	for l := range leaves {
		d := topology.Domain{Name: fmt.Sprintf("leaf-%d", l), Tier: 1}
		for n := range nodes {
			name := fmt.Sprintf("n-%d-%d", l, n)
			d.Nodes = append(d.Nodes, name)
			spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": devices, muster.CPU: 64_000}})
		}
		tree.Roots = append(tree.Roots, d)
	}
	built, err := topology.New(tree)
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Tree: built}}
	return spec
}

// roleGang has so many members of each role; those of the i-th ask for i+1 milli-CPU, and a device.
func roleGang(sizes ...int) *gang.Request {
	return gangOfRoles(sizes, func(r int) *gang.Shape {
		return &gang.Shape{Resources: muster.Resources{"gpu": 1, muster.CPU: int64(r + 1)}}
	})
}

// gangOfRoles has so many members of each role.
func gangOfRoles(sizes []int, shapeOf func(role int) *gang.Shape) *gang.Request {
	req := &gang.Request{Name: "ns/job"}
	for r, n := range sizes {
		shape := shapeOf(r)
		for range n {
			req.Members = append(req.Members, gang.Member{Name: fmt.Sprintf("m-%d", len(req.Members)), Shape: shape})
		}
	}
	return req
}

// Five roles have more combinations than are listed: members are packed, and what cannot be packed is refused with proof.
func TestTooManyCombinationsOfRoles(t *testing.T) {
	spec := roleSpec(t, 2, 10, 12)
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	for _, sizes := range [][]int{{20, 20, 20, 20, 20}, {40, 40, 40, 40, 40}} {
		req := roleGang(sizes...)
		res, err := placement.Plan(c, req)
		require.NoError(t, err)
		require.NoError(t, validity.Check(spec, req, res))
	}
	_, err = placement.Plan(c, roleGang(50, 50, 50, 50, 50))
	var no *placement.Unschedulable
	require.ErrorAs(t, err, &no)
	require.True(t, no.Proven)
	require.Equal(t, 240, no.Fits)

	_, err = placement.Plan(c, roleGang(1, 250))
	require.ErrorAs(t, err, &no)
	require.True(t, no.Proven, "few combinations are all looked at")
	require.Equal(t, 240, no.Fits)
}

// Where choosing the best children is too long a search, some that suffice are taken.
func TestManyKindsOfChildren(t *testing.T) {
	spec := roleSpec(t, 1, 200, 0)
	for i := range spec.Nodes {
		spec.Nodes[i].Allocatable = muster.Resources{"gpu": int64(i%23 + 3), muster.CPU: int64(7*i%31 + 2)}
	}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	req := roleGang(60, 70, 80)
	res, err := placement.Plan(c, req)
	require.NoError(t, err)
	require.NoError(t, validity.Check(spec, req, res))
	require.Len(t, res.Assignments, 210)
}

// A result keeps what each role holds, whatever the ranks are.
func TestApplyOfRoles(t *testing.T) {
	spec := roleSpec(t, 1, 4, 2)
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	req := roleGang(1, 4)
	res, err := placement.Plan(c, req)
	require.NoError(t, err)
	next, err := c.Apply(res)
	require.NoError(t, err)
	for r := range next.Running() {
		want := int64(2)
		if r.Member == "m-0" {
			want = 1
		}
		require.Equal(t, want, r.Resources[muster.CPU], r.Member)
	}
	require.NoError(t, validity.CheckApplied(validity.Describe(c), validity.Describe(next), res))

	// A late member of one role goes beside the others.
	late := roleGang(1, 4, 1)
	late.Members = late.Members[5:]
	res, err = placement.Plan(next, late)
	require.NoError(t, err)
	require.Equal(t, 5, res.Assignments[0].Rank)
}

// The candidates of a gang of roles begin with its plan, and no domain comes twice.
func TestCandidatesOfRoles(t *testing.T) {
	c, err := placement.NewCluster(roleSpec(t, 3, 2, 4))
	require.NoError(t, err)
	req := roleGang(1, 5)
	best, err := placement.Plan(c, req)
	require.NoError(t, err)
	var domains []string
	for res, err := range placement.Candidates(c, req) {
		require.NoError(t, err)
		if len(domains) == 0 {
			require.Equal(t, best, res)
		}
		domains = append(domains, fmt.Sprint(res.Tier, res.Domain))
	}
	require.Equal(t, []string{"1 [leaf-0]", "1 [leaf-1]", "1 [leaf-2]"}, domains)
}
