package partnames_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/partnames"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

// gangs are several, each with ten ranks.
type gangs struct{}

func (gangs) Called(first int, name string) string { return fmt.Sprint(name, " of gang ", first/10) }

// Parts have the names of the request, equal groups those of what is around them and a number; refusals call equal groups alike.
func TestNamesOfParts(t *testing.T) {
	n := partnames.Names{}
	whole := &model.Part{Number: n.Gang("g", 0)}
	a := &model.Part{Number: n.Part("a"), Outer: whole, Level: 1}
	whole.Parts = append(whole.Parts, a)
	for i := range 2 {
		b := &model.Part{Number: n.Group(a, 2), Outer: a, Level: 2, Ranks: []int{10 + 2*i, 11 + 2*i}}
		a.Parts = append(a.Parts, b)
		require.Equal(t, fmt.Sprint("a/", i), n.Label(b))
		require.True(t, n.IsCut(b))
		require.Equal(t, "groups of 2", n.InRefusals(b))
	}
	require.Equal(t, []int{0, 1, 2, 3}, []int{whole.Number, a.Number, a.Parts[0].Number, a.Parts[1].Number})
	require.Equal(t, []string{"", "a"}, []string{n.Label(whole), n.Label(a)})
	require.False(t, n.IsCut(a))
	require.Equal(t, []string{"g", "part a"}, []string{n.InRefusals(whole), n.InRefusals(a)})
	n.Gangs = gangs{}
	require.Equal(t, "part a of gang 1", n.InRefusals(a), "of several gangs that start together each is a part")
}

// racks is a topology of a rack.
func racks(t *testing.T) *layout.View {
	t.Helper()
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}, Roots: []topology.Domain{{Name: "r", Tier: 1, Nodes: []string{"n"}}}})
	require.NoError(t, err)
	c, err := snapshot.New(cluster.Spec{Trees: []cluster.NamedTree{{Name: "default", Tree: tree}}, Nodes: []cluster.Node{{Name: "n", Allocatable: muster.Resources{"gpu": 1}}}})
	require.NoError(t, err)
	return c.Lineage.Tree("default")
}

// Of several multiples the first is named that does not divide the number of members, else the first one.
func TestNamesOfMultiples(t *testing.T) {
	v, list := racks(t), []model.Multiple{{Tier: 0, Of: 2}, {Tier: 1, Of: 4}}
	require.Equal(t, "multiple 4 at rack", partnames.Multiple(v, list, 6))
	require.Equal(t, "multiple 2 at node", partnames.Multiple(v, list, 3))
	require.Equal(t, "multiple 2 at node", partnames.Multiple(v, list, 8))
}
