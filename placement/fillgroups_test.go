package placement_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/reference"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// On nodes that hold from a few to hundreds of members, groups are placed the same with an index and without.
func TestGroupsOnLargeNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int64{6, 30, 400}).Draw(t, "most slots")
		unit := topology.Domain{Name: "unit", Tier: 1}
		spec := cluster.Spec{}
		for i, slots := range rapid.SliceOfN(rapid.Int64Range(0, most), 1, 30).Draw(t, "slots") {
			node := cluster.Node{Name: fmt.Sprint("node-", i), Allocatable: gpus(slots)}
			spec.Nodes, unit.Nodes = append(spec.Nodes, node), append(unit.Nodes, node.Name)
		}
		tree := newTree(t, topology.Spec{Layers: []topology.Layer{{Name: "unit", Tier: 1}}, Roots: []topology.Domain{unit}})
		spec.Trees = []cluster.NamedTree{{Tree: tree}}
		c := newCluster(t, spec)
		req := job(rapid.IntRange(1, int(min(500, 8*most))).Draw(t, "members"))
		req.Shape.Resources = gpus(1)
		req.PP = rapid.IntRange(1, min(8, len(req.Members))).Draw(t, "group")
		res, err := placement.Plan(c, req)
		require.Equal(t, answerOf(placement.Plan(c, reference.WithoutIndex(*req))), answerOf(res, err))
		if err == nil {
			require.NoError(t, validity.Check(spec, req, res))
		}
	})
}
