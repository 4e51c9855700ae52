package placement_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// deepSpec is a cluster of nodes with eight devices, four below each lowest domain, in a tree of so many layers: domains
// have two children as far down as there are nodes for, and one from there on. Some devices are taken by priority 1.
func deepSpec(t require.TestingT, layers, nodes int) cluster.Spec {
	var spec cluster.Spec
	var below func(tier, nodes int) []topology.Domain
	below = func(tier, nodes int) (out []topology.Domain) {
		parts := 1
		if nodes > 4 {
			parts = 2
		}
		for i := range parts {
			d := topology.Domain{Name: fmt.Sprint("d", i), Tier: tier}
			if tier > 1 {
				d.Children = below(tier-1, nodes/parts)
				out = append(out, d)
				continue
			}
			for range nodes / parts {
				name := fmt.Sprint("node-", len(spec.Nodes))
				if used := int64(len(spec.Nodes)) % 5; used > 0 {
					spec.Running = append(spec.Running, cluster.Running{
						Gang: name, Member: "m", Node: name, Resources: gpus(used), Priority: 1,
					})
				}
				d.Nodes = append(d.Nodes, name)
				spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: gpus(8)})
			}
			out = append(out, d)
		}
		return out
	}
	roots := below(layers, nodes)
	spec.Trees = []cluster.NamedTree{{Tree: newTree(t, topology.Spec{Roots: roots})}}
	return spec
}

// nested is a gang of 128 in groups of so many levels, each half of the one around it.
func nested(levels int) *gang.Request {
	req := job(128)
	for size := 64; len(req.Groups) < levels; size /= 2 {
		req.Groups = append(req.Groups, gang.Groups{Size: size})
	}
	return req
}

// The memory of a plan, and with it the work, grows no faster than layers times domains: not by the strategies, of which
// six levels of groups in 64 layers have a billion, and not by pairs of layers, as bounds of the index would.
func TestDeepTreesCostWhatTheirDomainsCost(t *testing.T) {
	size := func(layers, levels int) (domains int, bytes uint64) {
		spec := deepSpec(t, layers, 256)
		c := newCluster(t, spec)
		req := nested(levels)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		res := mustPlan(t, c, req)
		runtime.ReadMemStats(&after)
		require.True(t, res.Proven)
		if levels < 2 { // the checker enumerates strategies
			require.NoError(t, validity.Check(spec, req, res))
		}
		return spec.Trees[0].Tree.Len(), after.TotalAlloc - before.TotalAlloc
	}
	for _, levels := range []int{0, 1, 2, 3, 6} {
		few, small := size(8, levels)
		many, large := size(topology.MaxLayers, levels)
		t.Logf("%d levels of groups: %d bytes for %d domains, %d for %d", levels, small, few, large, many)
		// Tables by domain and layer: 64 layers are eight times 8.
		limit := (1<<18 + small) * uint64(many/few) * topology.MaxLayers / 8
		require.Less(t, large, limit, "%d levels", levels)
	}
}

// Number and name of a strategy stay what they are however many there are.
func TestStrategyNumbersEnd(t *testing.T) {
	c := newCluster(t, deepSpec(t, topology.MaxLayers, 256))
	require.Equal(t, 1<<31-1, mustPlan(t, c, nested(7)).StrategyNumber)
	require.Less(t, mustPlan(t, c, nested(1)).StrategyNumber, 2500)
}

// All other plans of a gang come too: each domain is looked at under the strategy that allows it first.
func TestCandidatesOfDeepTrees(t *testing.T) {
	c := newCluster(t, deepSpec(t, topology.MaxLayers, 64))
	for _, levels := range []int{0, 1, 3} {
		domains := map[string]bool{}
		for res, err := range placement.Candidates(c, nested(levels)) {
			require.NoError(t, err)
			require.False(t, domains[fmt.Sprint(res.Tier, res.Domain)])
			domains[fmt.Sprint(res.Tier, res.Domain)] = true
		}
		require.NotEmpty(t, domains)
	}
}

// With victims strategies are a list: of more than fit into it, one stands for each tier of the gang, and no set is
// proven.
func TestVictimsInDeepTrees(t *testing.T) {
	for _, c := range []struct {
		levels int
		proven bool
	}{{0, true}, {1, true}, {3, false}} {
		spec := deepSpec(t, topology.MaxLayers, 16)
		req := nested(c.levels)
		req.Priority = 2
		res := mustPlan(t, newCluster(t, spec), req)
		require.NoError(t, validity.Check(spec, req, res))
		require.NotEmpty(t, res.Victims)
		require.Equal(t, c.proven, res.Preemption.Proven, "%d levels", c.levels)
	}
}
