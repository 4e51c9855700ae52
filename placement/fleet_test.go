package placement_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// fleet is a cluster of so many nodes with eight devices each, sixteen a rack, sixteen racks a block, as full as an
// uneven pattern makes it.
func fleet(t testing.TB, nodes int) *placement.Cluster {
	var labeled []topology.LabeledNode
	spec := cluster.Spec{}
	for i := range nodes {
		name := fmt.Sprint("node-", i)
		labels := map[string]string{"block": fmt.Sprint(i / 256), "rack": fmt.Sprint(i / 16)}
		labeled = append(labeled, topology.LabeledNode{Name: name, Labels: labels})
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: gpus(8)})
		if used := int64(i*i) % 13; used < 8 {
			spec.Running = append(spec.Running, cluster.Running{Gang: "other", Member: name, Node: name, Resources: gpus(used), MinMember: -1})
		}
	}
	layers := topology.LabelLayers{Layers: []topology.LabelLayer{{Keys: []string{"block"}}, {Keys: []string{"rack"}}}}
	tree, err := topology.FromLabels(layers, labeled)
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Tree: tree}}
	return newCluster(t, spec)
}
