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

// flatSpec is one leaf of nodes with one to five devices.
func flatSpec(t *testing.T, nodes int) cluster.Spec {
	t.Helper()
	var spec cluster.Spec
	leaf := topology.Domain{Name: "leaf", Tier: 1}
	for n := range nodes {
		leaf.Nodes = append(leaf.Nodes, fmt.Sprint("node-", n))
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: leaf.Nodes[n], Allocatable: muster.Resources{"gpu": int64(1 + n*7%5)}})
	}
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "leaf", Tier: 1}}, Roots: []topology.Domain{leaf}})
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Tree: tree}}
	return spec
}

// Scores of many nodes in one domain decide within a bound; a search of all sets took minutes. The nodes are still those
// with the highest score: 13 of five devices are the fewest.
func TestScoresOfAFlatCluster(t *testing.T) {
	spec := flatSpec(t, 2560)
	c := newCluster(t, spec)
	for _, group := range []int{0, 8, 5} {
		score := func(node string) int64 { return int64(node[len(node)-1]) * int64(len(node)) }
		req := &gang.Request{Name: "g", Policy: gang.ByScore, Score: score, Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}}
		for i := range 65 {
			req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("m", i)})
		}
		if group > 0 {
			req.Groups = []gang.Groups{{Size: group}}
		}
		res, err := placement.Plan(c, req)
		require.NoError(t, err)
		require.NoError(t, validity.Check(spec, req, res))
		if group == 0 {
			for _, a := range res.Assignments {
				require.Equal(t, score("node-1007"), score(a.Node), "%s: of the nodes 2, 7, 12, ..., which have five devices, those with the highest score", a.Node)
			}
		}
	}
}
