package placement_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/topology"
)

// fullCluster is leaves of units of nodes with four devices, most of which are taken by pods of several priorities; some
// nodes are out of service.
func fullCluster(t *rapid.T) cluster.Spec {
	tree := topology.Spec{Layers: []topology.Layer{{Name: "leaf", Tier: 2}, {Name: "unit", Tier: 1}}}
	var spec cluster.Spec
	for l := range rapid.IntRange(1, 3).Draw(t, "leaves") {
		leaf := topology.Domain{Name: fmt.Sprint("leaf-", l), Tier: 2}
		for u := range rapid.IntRange(1, 3).Draw(t, "units") {
			unit := topology.Domain{Name: fmt.Sprint("unit-", l, "-", u), Tier: 1}
			for range rapid.IntRange(1, 4).Draw(t, "nodes") {
				n := cluster.Node{Name: fmt.Sprint("node-", len(spec.Nodes)), Allocatable: gpus(4), Cordoned: rapid.IntRange(0, 9).Draw(t, "cordoned") == 0}
				unit.Nodes, spec.Nodes = append(unit.Nodes, n.Name), append(spec.Nodes, n)
				for left := int64(4); left > 0; {
					r := drawPod(t, n.Name, fmt.Sprint("pod-", len(spec.Running)))
					if left -= r.Resources["gpu"]; left >= 0 && rapid.IntRange(0, 7).Draw(t, "free") > 0 {
						spec.Running = append(spec.Running, r)
					}
				}
			}
			leaf.Children = append(leaf.Children, unit)
		}
		tree.Roots = append(tree.Roots, leaf)
	}
	spec.Trees = []cluster.NamedTree{{Tree: newTree(t, tree)}}
	return spec
}

// drawPod draws a pod that runs by itself.
func drawPod(t *rapid.T, node, name string) cluster.Running {
	return cluster.Running{
		Gang: "ns/" + name, Member: name, Node: node, Resources: gpus(rapid.Int64Range(1, 4).Draw(t, "devices")),
		Priority: rapid.Int64Range(0, 3).Draw(t, "priority"), Started: rapid.Int64Range(0, 3).Draw(t, "started"),
	}
}

// drawPreemptors draws gangs that need victims, some of them more than once with other sizes and priorities.
func drawPreemptors(t *rapid.T) (out []*gang.Request) {
	for range 4 {
		req := job(rapid.IntRange(1, 6).Draw(t, "members"))
		req.Shape.Resources = gpus(rapid.SampledFrom([]int64{1, 2, 4}).Draw(t, "each"))
		req.Priority = rapid.Int64Range(1, 4).Draw(t, "of the gang")
		req.Gather = []gang.Rule{{Layer: rapid.SampledFrom([]string{"unit", "leaf"}).Draw(t, "layer"), Strength: gang.MustGather}}
		if rapid.Bool().Draw(t, "in groups") {
			req.Groups = []gang.Groups{{Size: rapid.IntRange(1, len(req.Members)).Draw(t, "group")}}
		}
		req.IgnoreLeaving = rapid.IntRange(0, 3).Draw(t, "ignores leaving") == 0
		if rapid.IntRange(0, 3).Draw(t, "members first") == 0 {
			req.Preempt.Order = []gang.Cost{gang.CostHighestPriority, gang.CostPrioritySum, gang.CostMembers}
		}
		if rapid.IntRange(0, 5).Draw(t, "excludes") == 0 {
			req.Exclude = []string{fmt.Sprint("node-", rapid.IntRange(0, 4).Draw(t, "excluded"))}
		}
		out = append(out, req)
	}
	return out
}

// Whatever was searched on a snapshot and its ancestors, the victims are those on a cluster built afresh: what is kept of
// rooms and costs follows all changes.
func TestVictimsOnSnapshotsEqualThoseOfNewClusters(t *testing.T) {
	victims := 0
	rapid.Check(t, func(t *rapid.T) {
		m, reqs := newModel(fullCluster(t)), drawPreemptors(t)
		c := newCluster(t, m.spec())
		for step := range 4 {
			fresh := newCluster(t, m.spec())
			for i, req := range reqs {
				if rapid.IntRange(0, 3).Draw(t, "not asked") == 0 {
					continue
				}
				got := plan(c, req)
				require.Equal(t, plan(fresh, req), got, "change %d, gang %d", step, i)
				if got.Result != nil {
					victims += len(got.Result.Victims)
				}
			}
			next, d, ok := drawChange(t, m)
			if !ok {
				return
			}
			var err error
			c, err = c.Update(d)
			require.NoError(t, err)
			m = next
		}
	})
	require.Positive(t, victims)
}

// drawChange draws a change that can be applied: pods that go, leave or come, nodes that are cordoned or not.
func drawChange(t *rapid.T, m model) (model, cluster.Delta, bool) {
	var d cluster.Delta
	spec := m.spec()
	for _, n := range spec.Nodes {
		switch rapid.IntRange(0, 7).Draw(t, "change") {
		case 0:
			n.Cordoned = !n.Cordoned
			d.SetNodes = append(d.SetNodes, n)
		case 1, 2:
			i := slices.IndexFunc(spec.Running, func(r cluster.Running) bool { return r.Node == n.Name && !r.Leaving })
			if i < 0 {
				continue
			}
			if rapid.Bool().Draw(t, "leaves") {
				d.Leaving = append(d.Leaving, refOf(spec.Running[i]))
			} else {
				d.Remove = append(d.Remove, refOf(spec.Running[i]))
			}
		case 3:
			d.Place = append(d.Place, drawPod(t, n.Name, fmt.Sprint("new-", rapid.IntRange(0, 99).Draw(t, "name"))))
		}
	}
	if next, ok := m.update(d); ok {
		return next, d, true
	}
	d.Place = nil
	next, ok := m.update(d)
	return next, d, ok
}
