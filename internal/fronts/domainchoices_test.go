package fronts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/selections"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

// A choice of domains is made once for the whole gang, and once for each selection, and paid for no more often.
func TestChoicesAreMadeOnce(t *testing.T) {
	spec := cluster.Spec{}
	feeds, racks := make([]topology.Domain, 2), make([]topology.Domain, 2)
	for i, name := range []string{"a", "b", "c", "d"} {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 4}})
		feeds[i%2].Name, feeds[i%2].Tier, feeds[i%2].Nodes = "feed-"+name, 1, append(feeds[i%2].Nodes, name)
		racks[i/2].Name, racks[i/2].Tier, racks[i/2].Nodes = "rack-"+name, 1, append(racks[i/2].Nodes, name)
	}
	for name, roots := range map[string][]topology.Domain{"default": racks, "feeds": feeds} {
		tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "layer", Tier: 1}}, Roots: roots})
		require.NoError(t, err)
		spec.Trees = append(spec.Trees, cluster.NamedTree{Name: name, Tree: tree})
	}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	within := []gang.Rule{{Layer: "layer", Strength: gang.MustGather}}
	whole := newSearch(t, c, &gang.Request{
		Name: "gang", Tree: "default", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}, MinParts: 1,
		Members: []gang.Member{{Name: "0"}, {Name: "1"}, {Name: "2"}},
		Parts:   []gang.Part{{Name: "fed", Members: []string{"0", "1"}, Tree: "feeds", Gather: within}, {Name: "other", Members: []string{"2"}}},
	})
	require.Len(t, whole.crossGroups, 1)
	feed := []layout.Vertex{whole.m.Gang.Parts[0].OtherTree.Above(whole.m.Gang.Parts[0].OtherTree.NodeVertex(0))}
	had := whole.choices.budget
	first := whole.inDomains(feed)
	require.Equal(t, had-int64(whole.m.View.Nodes), whole.choices.budget)
	require.Same(t, first, whole.inDomains(feed))
	some := whole.ForSelection(selections.FirstOnes(whole.m, 2))
	require.Same(t, whole.choices, some.choices)
	had = some.choices.budget
	first = some.inDomains(feed)
	require.Equal(t, had-choiceWork, some.choices.budget)
	require.Same(t, first, some.inDomains(feed))
	require.Equal(t, had-choiceWork, some.choices.budget)
}
