package remedies

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

// racksOf is a snapshot of racks of one node without room, which has so many resources more, and a gang that is refused there.
func racksOf(t *testing.T, racks, more int) (*snapshot.Snapshot, *gang.Request) {
	t.Helper()
	tree := topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}}
	var spec cluster.Spec
	for i := range racks {
		n := fmt.Sprint("n", i)
		tree.Roots = append(tree.Roots, topology.Domain{Name: fmt.Sprint("rack-", i), Tier: 1, Nodes: []string{n}})
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: n, Allocatable: muster.Resources{"gpu": 8}})
		spec.Running = append(spec.Running, cluster.Running{Gang: n, Member: n, Node: n, Resources: muster.Resources{"gpu": 8}})
		for k := range more {
			spec.Nodes[i].Allocatable[fmt.Sprint("r-", k)] = 1
		}
	}
	made, err := topology.New(tree)
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Name: "default", Tree: made}}
	s, err := snapshot.New(spec)
	require.NoError(t, err)
	req := &gang.Request{Name: "job"}
	req.Shape.Resources = muster.Resources{"gpu": 8}
	req.Gather = []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}
	for i := range 6 {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("job-", i)})
	}
	return s, req
}

// The tree is laid out once for all trials that add nodes to one of its domains, and in each of them there are so many nodes more.
func TestTreesAreLaidOutOnceForNewNodes(t *testing.T) {
	s, req := racksOf(t, 8, 0)
	p, err := problem.New(s, req, nil, bounds.Search{})
	require.NoError(t, err)
	defer p.Done()
	laid, added := map[*snapshot.Lineage]bool{}, map[int]bool{}
	refusing := func(s *snapshot.Snapshot, _ *gang.Request, _ bool, _ bounds.Search) (*explain.Plan, bool) {
		laid[s.Lineage], added[len(slices.Collect(s.Nodes()))-8] = true, true
		return nil, true
	}
	search := Search{Plan: refusing, Left: p.NewBudget(), Plans: 200}
	search.begin(1)
	search.additions(state{s, req})
	require.Len(t, laid, 1)
	require.Equal(t, map[int]bool{6: true}, added)
	require.Equal(t, 8, search.made)
}

// A cluster that is laid out anew counts by its resources, of which there may be thousands.
func TestResourcesCountWhereClustersAreLaidOut(t *testing.T) {
	spent := func(more int) int64 {
		s, req := racksOf(t, 8, more)
		p, err := problem.New(s, req, nil, bounds.Search{})
		require.NoError(t, err)
		defer p.Done()
		refusing := func(*snapshot.Snapshot, *gang.Request, bool, bounds.Search) (*explain.Plan, bool) { return nil, true }
		search := Search{Plan: refusing, Left: p.NewBudget(), Plans: 200}
		search.begin(1)
		search.additions(state{s, req})
		return search.had.Packing.Left() - search.share.Packing.Left()
	}
	require.Equal(t, int64(2000*(8+8)), spent(2000)-spent(0), "each of the nodes and gangs once")
}
