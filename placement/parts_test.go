package placement_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// partedGang has a part of each of these sizes, every member asks for a device.
func partedGang(sizes ...int) *gang.Request {
	req := &gang.Request{Name: "ns/job", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}}
	for i, n := range sizes {
		part := gang.Part{Name: fmt.Sprintf("part-%d", i)}
		for range n {
			name := fmt.Sprintf("m-%d", len(req.Members))
			req.Members = append(req.Members, gang.Member{Name: name})
			part.Members = append(part.Members, name)
		}
		req.Parts = append(req.Parts, part)
	}
	return req
}

func nodesOf(res *placement.Result) (nodes []string) {
	for _, a := range res.Assignments {
		nodes = append(nodes, a.Node)
	}
	return nodes
}

// Groups of three, two and one fill leaves of four devices, in nodes of two, only if three goes beside one.
func TestUnequalParts(t *testing.T) {
	c, err := placement.NewCluster(roleSpec(t, 2, 2, 2))
	require.NoError(t, err)
	req := partedGang(3, 2, 1, 2)
	for i := range req.Parts {
		req.Parts[i].Gather = []gang.Rule{{Layer: "leaf", Strength: gang.MustGather}}
	}
	res, err := placement.Plan(c, req)
	require.NoError(t, err)
	require.Equal(t, []int{1}, res.GroupTiers)
	leaf := func(i int) string { return res.Assignments[i].Node[:3] }
	require.Equal(t, []string{leaf(0), leaf(0)}, []string{leaf(1), leaf(2)})
	require.Equal(t, leaf(3), leaf(4))
	require.Equal(t, leaf(6), leaf(7))
	require.Equal(t, leaf(0), leaf(5))
	require.Equal(t, 3, res.Assignments[7].Group)

	req = partedGang(3, 3, 1, 2)
	for i := range req.Parts {
		req.Parts[i].Gather = []gang.Rule{{Layer: "leaf", Strength: gang.MustGather}}
	}
	_, err = placement.Plan(c, req)
	var no *placement.Unschedulable
	require.ErrorAs(t, err, &no)
	require.True(t, no.Proven)

	req.MinParts = 3 // now one of them may stay out
	res, err = placement.Plan(c, req)
	require.NoError(t, err)
	require.Len(t, res.Assignments, 7, "the two stay out")
}

// A lost member of a part returns to the leaf of its part.
func TestReplacementInAPart(t *testing.T) {
	spec := roleSpec(t, 2, 2, 2)
	for i, node := range []string{"n-0-0", "n-0-0", "n-1-0"} {
		spec.Running = append(spec.Running, cluster.Running{
			Gang: "ns/job", Member: fmt.Sprintf("m-%d", i), Node: node, Resources: muster.Resources{"gpu": 1},
		})
	}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	req := partedGang(2, 2)
	req.Parts[1].Gather = []gang.Rule{{Layer: "leaf", Strength: gang.MustGather}}
	req.Members = req.Members[3:]
	res, err := placement.Plan(c, req)
	require.NoError(t, err)
	require.Equal(t, []string{"n-1-0"}, nodesOf(res))
	req.Exclude = []string{"n-1-0"}
	res, err = placement.Plan(c, req)
	require.NoError(t, err)
	require.Equal(t, []string{"n-1-1"}, nodesOf(res))
}

// A leader that needs no device and two kinds of workers, in groups inside groups.
func TestNestedPartsOfRoles(t *testing.T) {
	c, err := placement.NewCluster(roleSpec(t, 3, 4, 4))
	require.NoError(t, err)
	req := &gang.Request{Name: "ns/job"}
	cpu, gpu := &gang.Shape{Resources: muster.Resources{muster.CPU: 32_000}}, &gang.Shape{Resources: muster.Resources{"gpu": 2}}
	for p := range 2 {
		outer := gang.Part{Name: fmt.Sprintf("outer-%d", p), Gather: []gang.Rule{{Layer: "leaf", Strength: gang.MustGather}}}
		for i := range 3 {
			inner := gang.Part{Name: fmt.Sprintf("inner-%d-%d", p, i), Gather: []gang.Rule{{Layer: "node", Strength: gang.MustGather}}}
			for m := range 3 {
				name := fmt.Sprintf("m-%d-%d-%d", p, i, m)
				shape := gpu
				if m == 0 {
					shape = cpu
				}
				req.Members = append(req.Members, gang.Member{Name: name, Shape: shape})
				inner.Members = append(inner.Members, name)
			}
			outer.Parts = append(outer.Parts, inner)
		}
		req.Parts = append(req.Parts, outer)
	}
	res, err := placement.Plan(c, req)
	require.NoError(t, err)
	require.Equal(t, []int{1, 0}, res.GroupTiers)
	require.Len(t, res.Assignments, 18)
	for i := 0; i < 18; i += 3 {
		require.Equal(t, res.Assignments[i].Node, res.Assignments[i+1].Node)
		require.Equal(t, res.Assignments[i].Node, res.Assignments[i+2].Node)
	}
}

// Where members of any ranks count, a part that needs members of its own still needs them: of one without members nothing can be placed.
func TestPartsWithoutMembersAreNeeded(t *testing.T) {
	c := newCluster(t, cluster.Spec{Nodes: []cluster.Node{{Name: "node", Allocatable: muster.Resources{"gpu": 8}}}})
	req := &gang.Request{
		Name: "gang", MinMember: 1, Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}},
		Members: []gang.Member{{Name: "large", Shape: &gang.Shape{Resources: muster.Resources{"gpu": 2}}}, {Name: "small"}},
		Parts:   []gang.Part{{Name: "absent", MinMember: 1, NoGroup: true}},
	}
	_, err := placement.Plan(c, req)
	var no *placement.Unschedulable
	require.ErrorAs(t, err, &no)
	require.True(t, no.Proven)
}
