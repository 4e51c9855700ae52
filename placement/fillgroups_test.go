package placement_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/index"
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

// Of two blocks whose groups need a leaf each, the one with fewer slots is taken, also with as many leaves as the index keeps bounds for: it
// is not passed over for what the index has of the next zone. Blocks with as many groups in one leaf have no slot for the short one.
func TestGroupsInAsManyLeavesAsAreIndexed(t *testing.T) {
	spec, root := cluster.Spec{}, topology.Spec{Layers: []topology.Layer{{Name: "leaf", Tier: 1}, {Name: "block", Tier: 2}, {Name: "zone", Tier: 3}}}
	for i, block := range []struct{ leaves, nodes, further int }{{1, index.TopSize, 0}, {index.TopSize, 1, 1}, {index.TopSize, 1, 3}, {1, index.TopSize, 0}} {
		d := topology.Domain{Name: fmt.Sprint("block-", i), Tier: 2}
		for k := range block.leaves {
			leaf := topology.Domain{Name: fmt.Sprintf("leaf-%d-%d", i, k), Tier: 1}
			for range block.nodes {
				slots := int64(2)
				if k < block.further {
					slots = 3
				}
				leaf.Nodes = append(leaf.Nodes, fmt.Sprint("node-", len(spec.Nodes)))
				spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("node-", len(spec.Nodes)), Allocatable: gpus(slots)})
			}
			d.Children = append(d.Children, leaf)
		}
		root.Roots = append(root.Roots, topology.Domain{Name: fmt.Sprint("zone-", i), Tier: 3, Children: []topology.Domain{d}})
	}
	spec.Trees = []cluster.NamedTree{{Tree: newTree(t, root)}}
	req := job(2*index.TopSize + 1)
	req.Shape.Resources, req.PP = gpus(1), 2
	require.Equal(t, []string{"zone-1", "block-1"}, mustPlan(t, newCluster(t, spec), req).Domain)
}
