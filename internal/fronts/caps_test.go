package fronts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

// Two kinds that may not be beside each other need two domains once there are some of both, and none more than others need if one is left out.
func TestKindsThatKeepApartNeedTwoDomains(t *testing.T) {
	r := capRule{its: counts{totals: front.Weights{1, 0}}, others: &counts{totals: front.Weights{0, 1}}}
	for totals, want := range map[[2]int32]int{{3, 2}: 2, {1, 1}: 2, {3, 0}: 0, {0, 2}: 0, {0, 0}: 0} {
		require.Equal(t, want, r.needs(front.Vector(totals[:])), totals)
	}
	number := capRule{OnPart: limits.OnPart{Most: 2}, its: counts{totals: front.Weights{1, 0}}}
	for totals, want := range map[[2]int32]int{{0, 9}: 0, {2, 9}: 1, {3, 9}: 2, {5, 0}: 3} {
		require.Equal(t, want, number.needs(front.Vector(totals[:])), totals)
	}
}

// Once members lie in as many domains as a limit leaves, more come into these only.
func TestBuiltPlansUseNoFurtherDomain(t *testing.T) {
	var spec cluster.Spec
	var racks []topology.Domain
	for _, name := range []string{"a", "b", "c"} {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 8}})
		racks = append(racks, topology.Domain{Name: "rack-" + name, Tier: 1, Nodes: []string{name}})
	}
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}, Roots: racks})
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Name: "default", Tree: tree}}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	v := c.View("default")
	b := newBuiltCaps(nil, &countedDomains{view: v, list: []countedLimit{{tier: 1, all: true, left: 2}}}, 1)
	most := func() (room [3]int32) {
		for i := range room {
			room[i] = b.most(v, v.NodeVertex(int32(i)), 0, 5)
		}
		return room
	}
	require.Equal(t, [3]int32{5, 5, 5}, most())
	b.count(v, v.NodeVertex(0), 0, 1)
	require.Equal(t, [3]int32{5, 5, 5}, most())
	b.count(v, v.NodeVertex(2), 0, 2)
	require.Equal(t, [3]int32{5, 0, 5}, most())
	b.count(v, v.NodeVertex(0), 0, -1) // they are taken back
	require.Equal(t, [3]int32{5, 5, 5}, most())
}
