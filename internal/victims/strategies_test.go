package victims

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

// Of too many strategies there is one for each tier of the gang, which binds groups by the hard rules alone.
func TestTooManyStrategiesAreOneForEachTier(t *testing.T) {
	const layers = 10
	at, spec := topology.Domain{Name: "d1", Tier: 1, Nodes: []string{"n"}}, topology.Spec{}
	prefer := []gang.Rule{{Layer: "node", Strength: gang.PreferGather}}
	for tier := 1; tier <= layers; tier++ {
		if tier > 1 {
			at = topology.Domain{Name: fmt.Sprint("d", tier), Tier: tier, Children: []topology.Domain{at}}
		}
		spec.Layers = append(spec.Layers, topology.Layer{Tier: tier, Name: fmt.Sprint("l", tier)})
		prefer = append(prefer, gang.Rule{Layer: fmt.Sprint("l", tier), Strength: gang.PreferGather})
	}
	spec.Roots = []topology.Domain{at}
	tree, err := topology.New(spec)
	require.NoError(t, err)
	c, err := snapshot.New(cluster.Spec{
		Nodes: []cluster.Node{{Name: "n", Allocatable: muster.Resources{"gpu": 1}}}, Trees: []cluster.NamedTree{{Tree: tree}},
	})
	require.NoError(t, err)
	for levels, rough := range map[int]bool{1: false, 6: true} {
		req := &gang.Request{Name: "gang", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}, Gather: prefer}
		for i := range 1 << levels {
			req.Members = append(req.Members, gang.Member{Name: fmt.Sprint(i)})
		}
		for size := 1 << levels; size > 1; size /= 2 {
			req.Groups = append(req.Groups, gang.Groups{Size: size, Gather: prefer})
		}
		p, err := search.New(c, req, nil, bounds.Search{})
		require.NoError(t, err)
		e := &victimSearch{p: p}
		e.listStrategies()
		require.Equal(t, rough, e.rough)
		if rough {
			require.Len(t, e.strategies, len(p.Model.Gather.Worths))
		} else {
			require.Greater(t, len(e.strategies), len(p.Model.Gather.Worths))
		}
		p.Done()
	}
}
