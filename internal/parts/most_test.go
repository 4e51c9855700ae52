package parts

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/steps"
	"github.com/muster-sched/muster/topology"
)

// Whatever larger selections take of the steps, a part of them is kept for what must be placed.
func TestStepsAreKeptForWhatMustBePlaced(t *testing.T) {
	spec := cluster.Spec{}
	for i := range 6 {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("node-", i), Allocatable: muster.Resources{"gpu": 20 + int64(i)}})
	}
	racks := []topology.Domain{{Name: "a", Tier: 1, Nodes: []string{"node-0", "node-1", "node-2"}}, {Name: "b", Tier: 1, Nodes: []string{"node-3", "node-4", "node-5"}}}
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}, Roots: racks})
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Tree: tree}}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	req := &gang.Request{Name: "gang", MinParts: 1, Gather: []gang.Rule{{Layer: "rack", Multiple: 3}}}
	for i := range 4 {
		part := gang.Part{Name: fmt.Sprint("part-", i)}
		for k := range 3 + 12*i {
			m := gang.Member{Name: fmt.Sprint(i, "-", k), Shape: &gang.Shape{Resources: muster.Resources{"gpu": 1 + int64(k%3)}}}
			req.Members, part.Members = append(req.Members, m), append(part.Members, m.Name)
		}
		req.Parts = append(req.Parts, part)
	}
	for _, n := range []int64{1000, 4000, 16000} { // too few for all members, enough for the least of them
		p, err := problem.New(c, req, nil, bounds.Search{})
		require.NoError(t, err)
		Engine{p}.Count()
		p.Ready()
		p.Model.Admitted, p.Model.Left.Fronts = len(p.Model.Pending), steps.New(n, nil)
		s := ofBestSelection(newSearch(p, nil))
		require.NotNil(t, s, n)
		require.Len(t, s.Model().Pending, 3, n)
		require.True(t, *p.Model.Doubt, "more may fit")
		p.Done()
	}
}
