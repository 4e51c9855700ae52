package placement_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// leaderAndWorkers is a gang of pairs, a small leader and a large worker each.
func leaderAndWorkers(pairs int, rules ...gang.Rule) *gang.Request {
	leader := &gang.Shape{Resources: muster.Resources{muster.CPU: 1000}}
	worker := &gang.Shape{Resources: muster.Resources{muster.CPU: 1000, "gpu": 2}}
	req := &gang.Request{Name: "ns/job", Groups: []gang.Groups{{Size: 2, Gather: rules}}}
	for i := range 2 * pairs {
		shape := leader
		if i%2 == 1 {
			shape = worker
		}
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprintf("m-%d", i), Shape: shape})
	}
	return req
}

// shapesCluster has two leaves: n-0 .. n-2 hold 1, 2, 1 pairs, n-3 two.
func shapesCluster(t *testing.T) *placement.Cluster {
	tree, err := topology.New(topology.Spec{
		Layers: []topology.Layer{{Name: "leaf", Tier: 1}},
		Roots: []topology.Domain{
			{Name: "leaf-0", Tier: 1, Nodes: []string{"n-0", "n-1", "n-2"}},
			{Name: "leaf-1", Tier: 1, Nodes: []string{"n-3"}},
		},
	})
	require.NoError(t, err)
	spec := cluster.Spec{Trees: []cluster.NamedTree{{Tree: tree}}}
	for i, gpus := range []int64{2, 4, 3, 4} {
		spec.Nodes = append(spec.Nodes, cluster.Node{
			Name: fmt.Sprintf("n-%d", i), Allocatable: muster.Resources{muster.CPU: 4000, "gpu": gpus},
		})
	}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	return c
}

func TestGroupsOfSeveralShapesGatherOnNodes(t *testing.T) {
	onNode := gang.Rule{Layer: "node", Strength: gang.MustGather}
	c := shapesCluster(t)
	res, err := placement.Plan(c, leaderAndWorkers(3, onNode))
	require.NoError(t, err)
	require.Equal(t, "leaf/node", res.Strategy)
	require.Equal(t, []int{0}, res.GroupTiers)
	var nodes []string
	for _, a := range res.Assignments {
		nodes = append(nodes, a.Node)
		require.Equal(t, a.Rank/2, a.Group)
	}
	// n-0 and n-1 have the fewest slots that suffice; whole groups fill the larger first.
	require.Equal(t, []string{"n-0", "n-0", "n-1", "n-1", "n-1", "n-1"}, nodes)

	next, err := c.Apply(res)
	require.NoError(t, err)
	free, _ := next.Free("n-1")
	require.Equal(t, muster.Resources{muster.CPU: 0, "gpu": 0}, free, "each member holds what its own shape asks for")
	for r := range next.Running() {
		_, gpu := r.Resources["gpu"]
		require.Equal(t, r.Member == "m-1" || r.Member == "m-3" || r.Member == "m-5", gpu, r.Member)
	}

	_, err = placement.Plan(c, leaderAndWorkers(7, onNode))
	var no *placement.Unschedulable
	require.ErrorAs(t, err, &no)
	require.Equal(t, 14, no.Wanted)
	require.Equal(t, 12, no.Fits, "four pairs in leaf-0, two in leaf-1")
}

func TestGroupsOfSeveralShapesInAnyOrder(t *testing.T) {
	c := shapesCluster(t)
	onNode := gang.Rule{Layer: "node", Strength: gang.MustGather}
	torn := leaderAndWorkers(2, onNode)
	torn.Members[2].Shape, torn.Members[3].Shape = torn.Members[3].Shape, torn.Members[2].Shape
	for name, req := range map[string]*gang.Request{
		"groups that may spread":    leaderAndWorkers(2),
		"groups of different order": torn,
	} {
		res, err := placement.Plan(c, req)
		require.NoError(t, err, name)
		require.Equal(t, []int{0}, res.GroupTiers, name)
		require.Equal(t, res.Assignments[2].Node, res.Assignments[3].Node, name)
		require.Equal(t, 1, res.Assignments[3].Group, name)
	}
}
