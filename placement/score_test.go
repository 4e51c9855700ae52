package placement_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// A late member has its choice of two nodes on which as many siblings run and as many slots are free: the host score
// decides before the order of paths.
func TestHostScoreDecidesBetweenNodesInUse(t *testing.T) {
	tree, err := topology.New(topology.Spec{Roots: []topology.Domain{{Name: "leaf-0", Tier: 1, Nodes: []string{"n-0", "n-1"}}}})
	require.NoError(t, err)
	spec := placement.Spec{Trees: []placement.NamedTree{{Tree: tree}}}
	for i := range 2 {
		name := fmt.Sprint("n-", i)
		spec.Nodes = append(spec.Nodes, placement.Node{Name: name, Allocatable: muster.Resources{"gpu": 2}})
		spec.Running = append(spec.Running, placement.Running{
			Gang: "ns/job", Member: fmt.Sprint("m-", i), Node: name, Resources: muster.Resources{"gpu": 1},
		})
	}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	for _, favourite := range []string{"n-0", "n-1"} {
		res, err := placement.Plan(c, &gang.Request{
			Name: "ns/job", Members: []gang.Member{{Name: "m-2"}}, Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}},
			Score: func(node string) int64 {
				if node == favourite {
					return 1
				}
				return 0
			},
		})
		require.NoError(t, err)
		require.Equal(t, favourite, res.Assignments[0].Node)
	}
}
