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

// board is two racks of two nodes with two devices each, in one block, and a node outside:
//
//	b0
//	  r0  n0: x-0  n1
//	  r1  n2       n3
//	outside n9
func board(t require.TestingT) cluster.Spec {
	spec := cluster.Spec{Trees: []cluster.NamedTree{{Tree: newTree(t, topology.Spec{
		Layers: []topology.Layer{{Name: "rack", Tier: 1}, {Name: "block", Tier: 2}},
		Roots: []topology.Domain{{Name: "b0", Tier: 2, Children: []topology.Domain{
			{Name: "r0", Tier: 1, Nodes: []string{"n0", "n1"}}, {Name: "r1", Tier: 1, Nodes: []string{"n2", "n3"}},
		}}},
	})}}}
	for _, name := range []string{"n0", "n1", "n2", "n3", "n9"} {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 2}})
	}
	spec.Running = []cluster.Running{{Gang: "x", Member: "x-0", Node: "n0", Resources: muster.Resources{"gpu": 1}}}
	spec.Budgets = []cluster.Budget{{Name: "b", Allowed: 1}}
	return spec
}

// job is a gang whose members take a device each.
func job(members int) *gang.Request {
	req := &gang.Request{Name: "job", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}}
	for i := range members {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprintf("job-%d", i)})
	}
	return req
}

func mustPlan(t testing.TB, c *placement.Cluster, req *gang.Request) *placement.Result {
	t.Helper()
	res, err := placement.Plan(c, req)
	require.NoError(t, err)
	return res
}
