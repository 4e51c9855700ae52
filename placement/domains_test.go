package placement_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// Domains say what a look at every node and member of the cluster says.
func TestDomainsAreWhatNodesHave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawInput(t)
		if len(spec.Trees) == 0 {
			t.Skip("no topology, no domains")
		}
		tree := spec.Trees[rapid.IntRange(0, len(spec.Trees)-1).Draw(t, "of tree")]
		c := newCluster(t, spec)
		shape := gang.Shape{Resources: req.Shape.Resources}
		domains, err := c.Domains(tree.Name, &shape)
		require.NoError(t, err)
		var paths [][]string
		for d := range domains {
			paths = append(paths, d.Path)
			require.Equal(t, domainByScan(c, &spec, tree, &d), d)
			if len(d.Path) > 0 && d.Slots > 0 {
				fits, err := placement.MaxFit(c, placement.FitQuestion{Shape: shape, Tree: tree.Name})
				require.NoError(t, err)
				most := fits[slices.IndexFunc(fits, func(f placement.LayerFit) bool { return f.Tier >= d.Tier })]
				require.LessOrEqual(t, d.Slots, most.Now.Members)
			}
		}
		require.Nil(t, paths[0])
		require.True(t, slices.IsSortedFunc(paths, func(a, b []string) int { return slices.CompareFunc(a, b, muster.CompareNatural) }))
		known := 0
		for range tree.Tree.All() {
			known++
		}
		require.Len(t, paths, known)
	})
}

// domainByScan looks at all nodes and members. Tier, layer and slots are those of d.
func domainByScan(c *placement.Cluster, spec *cluster.Spec, tree cluster.NamedTree, d *placement.Domain) placement.Domain {
	out := placement.Domain{
		Path: d.Path, Tier: d.Tier, Layer: d.Layer, Slots: d.Slots,
		Allocatable: muster.Resources{}, Used: muster.Resources{}, Free: muster.Resources{},
	}
	inside := map[string]bool{}
	for _, n := range spec.Nodes {
		if path := pathOf(tree, n.Name); common(path, d.Path) < len(d.Path) {
			continue
		}
		inside[n.Name] = true
		out.Nodes++
		out.Allocatable.Add(n.Allocatable)
		if n.Cordoned || n.NotReady {
			continue
		}
		out.InService++
		free, _ := c.Free(n.Name)
		for name, amount := range free {
			out.Free[name] += max(0, amount)
		}
	}
	counts := map[string]int{}
	for r := range c.Running() {
		if inside[r.Node] {
			out.Used.Add(r.Resources)
			if counts[r.Gang]++; counts[r.Gang] == 1 {
				out.Gangs = append(out.Gangs, placement.DomainGang{Gang: r.Gang})
			}
		}
	}
	slices.SortFunc(out.Gangs, func(a, b placement.DomainGang) int { return muster.CompareNatural(a.Gang, b.Gang) })
	for i := range out.Gangs {
		out.Gangs[i].Members = counts[out.Gangs[i].Gang]
	}
	for name, amount := range out.Allocatable {
		if amount == 0 {
			delete(out.Allocatable, name)
		} else if out.Free[name] == 0 {
			out.Free[name] = 0
		}
	}
	for name := range out.Free {
		if out.Allocatable[name] == 0 {
			delete(out.Free, name)
		}
	}
	return out
}

// Whoever stops early gets no more, and what the topology or the shape lacks is an error.
func TestDomainsOfABoard(t *testing.T) {
	c := newCluster(t, board(t))
	domains, err := c.Domains("", &gang.Shape{Resources: muster.Resources{"gpu": 1}})
	require.NoError(t, err)
	var slots []int
	for d := range domains {
		if slots = append(slots, d.Slots); d.Layer == "rack" {
			break
		}
	}
	require.Equal(t, []int{9, 7, 3}, slots)
	_, err = c.Domains("", &gang.Shape{Resources: muster.Resources{"gpu": -1}})
	require.ErrorContains(t, err, "gpu")
	_, err = c.Domains("second", nil)
	require.ErrorContains(t, err, "second")
	_, err = (*placement.Cluster)(nil).Domains("", nil)
	require.ErrorContains(t, err, "cluster")
}
