package playable

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
)

// Of a page about objects the largest gang that fits has whole nodes, as most nodes are that have the device of which there is most.
func TestWholeNodes(t *testing.T) {
	for want, nodes := range map[int64][]cluster.Node{
		0: {{Allocatable: muster.Resources{"cpu": 9000, "memory": 1 << 40}}},
		8: {{Allocatable: muster.Resources{"gpu": 8}}, {Allocatable: muster.Resources{"gpu": 8}}, {Allocatable: muster.Resources{"gpu": 9}}, {Allocatable: muster.Resources{"nic": 20}}},
		9: {{Allocatable: muster.Resources{"gpu": 8}}, {Allocatable: muster.Resources{"gpu": 9}}, {}},
	} {
		for i := range nodes {
			nodes[i].Name = fmt.Sprint("n", i)
		}
		c, err := placement.NewCluster(cluster.Spec{Nodes: nodes})
		require.NoError(t, err)
		shape := wholeNode(c)
		require.Equal(t, want == 0, shape == nil)
		if shape != nil {
			require.Equal(t, muster.Resources{"gpu": want}, shape.Resources)
		}
	}
}

// A gang that runs ends with the last of its members that do not leave, and never if one of these never does.
func TestEndsOf(t *testing.T) {
	member := func(gang string, end int64, leaving bool) cluster.Running {
		return cluster.Running{Gang: gang, End: end, Leaving: leaving}
	}
	var in manifest.Input
	in.Spec.Running = []cluster.Running{
		member("last", 5, false), member("last", 9, false), member("last", 7, false), member("last", 0, true),
		member("never", 5, false), member("never", 0, false), member("never", 9, false), member("gone", 5, true),
	}
	require.Equal(t, map[string]int64{"last": 9, "never": 0}, endsOf(&in))
}
