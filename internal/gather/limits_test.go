package gather

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

// underLimits is an ask, and its sums, on one block of two racks of two nodes each, for groups of these sizes.
func underLimits(t *testing.T, l *limits.Limits, sizes ...int64) *sums {
	t.Helper()
	rack := func(name string, nodes ...string) topology.Domain {
		return topology.Domain{Name: name, Tier: 1, Nodes: nodes}
	}
	tree, err := topology.New(topology.Spec{
		Layers: []topology.Layer{{Tier: 1, Name: "rack"}, {Tier: 2, Name: "block"}},
		Roots:  []topology.Domain{{Name: "b", Tier: 2, Children: []topology.Domain{rack("r1", "n1", "n2"), rack("r2", "n3", "n4")}}},
	})
	require.NoError(t, err)
	s := cluster.Spec{Trees: []cluster.NamedTree{{Tree: tree}}}
	for _, name := range []string{"n1", "n2", "n3", "n4", "n5"} {
		s.Nodes = append(s.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 8}})
	}
	c, err := snapshot.New(s)
	require.NoError(t, err)
	m := &model.Model{View: c.View(""), Limits: l}
	return &sums{m: m, ask: &ask{m: m, sizes: append(sizes, 1)}}
}

// Domains are counted down to the layer of the limit.
func TestDomainsThatCount(t *testing.T) {
	s := underLimits(t, &limits.Limits{Alone: -1, Within: []index.Cap{{Tier: 1, Most: 2}}})
	v := s.m.View
	rack, block := v.DomainAt(0, 1), v.DomainAt(0, 2)
	require.False(t, s.ask.spans(v.NodeVertex(0)))
	require.False(t, s.ask.spans(rack), "it is one itself")
	require.True(t, s.ask.spans(block))
	require.False(t, underLimits(t, nil).ask.spans(block))
	require.Equal(t, []layout.Vertex{rack, v.DomainAt(2, 1)}, s.ask.domainsBelow(block, nil))
	require.Equal(t, []layout.Vertex{rack}, s.ask.domainsBelow(rack, nil))
}

// A limit on domains takes those with most room beside those in use.
func TestMostInDomains(t *testing.T) {
	for _, test := range []struct {
		room []int64
		used []int
		want int64
	}{
		{[]int64{3, 5, 4}, nil, 9},
		{[]int64{3, 5, 4}, []int{0}, 8},
		{[]int64{3, 5, 4}, []int{0, 2}, 7},
		{[]int64{3, 5, 4}, []int{0, 1, 2}, 12}, // more than there may be run already: nothing new is used
		{[]int64{-2, 5}, []int{0}, 5},
		{[]int64{0, 5}, nil, 5},
		{nil, nil, 0},
	} {
		used := func(i int) bool { return slices.Contains(test.used, i) }
		require.Equal(t, test.want, mostIn(test.room, 2, used), "%v, in use %v", test.room, test.used)
	}
}

// Groups that run count where groups keep apart, and may break that by themselves.
func TestGroupsThatRunCountApart(t *testing.T) {
	s := underLimits(t, &limits.Limits{Alone: -1, Groups: [][]index.Cap{{{Tier: 1, Most: 2}}}}, 2)
	v := s.m.View
	rack, other, block := v.DomainAt(0, 1), v.DomainAt(2, 1), v.DomainAt(0, 2)
	require.Equal(t, int64(2), s.mostGroups(0, rack, 4), "none runs")
	s.ask.groups = []layout.Tally{{}}
	s.ask.groups[0].Add(v, rack, 2)
	require.Equal(t, int64(0), s.mostGroups(0, rack, 4))
	require.Equal(t, int64(2), s.mostGroups(0, other, 4))
	require.Equal(t, int64(4), s.mostGroups(0, block, 4))
	require.False(t, s.ask.groupsBroken(), "two groups in a rack may be there")
	s.ask.groups[0].Add(v, rack, 1)
	require.True(t, s.ask.groupsBroken())
	s.m.Limits = &limits.Limits{Groups: [][]index.Cap{{{Tier: 2, Most: 3}}}}
	require.False(t, s.ask.groupsBroken())
}
