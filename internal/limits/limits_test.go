package limits

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

// rackCluster has one block of two racks, r1 with n1 and n2, r2 with n3 and n4, and n5 outside of it. Who runs there holds one device.
func rackCluster(t *testing.T, running ...cluster.Running) (*snapshot.Snapshot, *layout.View) {
	t.Helper()
	rack := func(name string, nodes ...string) topology.Domain {
		return topology.Domain{Name: name, Tier: 1, Nodes: nodes}
	}
	tree, err := topology.New(topology.Spec{
		Layers: []topology.Layer{{Tier: 1, Name: "rack"}, {Tier: 2, Name: "block"}},
		Roots:  []topology.Domain{{Name: "b", Tier: 2, Children: []topology.Domain{rack("r1", "n1", "n2"), rack("r2", "n3", "n4")}}},
	})
	require.NoError(t, err)
	spec := cluster.Spec{Trees: []cluster.NamedTree{{Tree: tree}}, Running: running}
	for _, name := range []string{"n1", "n2", "n3", "n4", "n5"} {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 8}})
	}
	for i := range spec.Running {
		spec.Running[i].Resources = muster.Resources{"gpu": 1}
	}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	return c, c.View("")
}

func apart(layer string, most int) gang.Limit {
	return gang.Limit{Kind: gang.Apart, Layer: layer, Most: most}
}

func within(layer string, most int) gang.Limit {
	return gang.Limit{Kind: gang.Within, Layer: layer, Most: most}
}

func alone(layer string) gang.Limit { return gang.Limit{Kind: gang.Alone, Layer: layer} }

// read are the limits of a gang, and of its groups of two if it has any.
func read(t *testing.T, v *layout.View, of []gang.Limit, ofGroups ...gang.Limit) *Limits {
	t.Helper()
	req := gang.Request{Limits: of}
	if len(ofGroups) > 0 {
		req.Groups = []gang.Groups{{Size: 2, Limits: ofGroups}}
	}
	l, err := Read(v, &req)
	require.NoError(t, err)
	return l
}

// What is read of limits of every kind, on every layer, alone and together.
func TestLimitsAreRead(t *testing.T) {
	_, v := rackCluster(t)
	list := func(limits ...gang.Limit) []gang.Limit { return limits }
	for _, test := range []struct {
		name                      string
		of, groups                []gang.Limit
		hard, tellNodes, capAbove bool
		alone                     int32
		onNode                    int64
		names                     []string
	}{
		{"none", nil, nil, false, false, false, -1, 0, nil},
		{"apart by node", list(apart("node", 2)), nil, false, true, false, -1, 2, []string{"Apart node at most 2"}},
		{"apart by rack", list(apart("rack", 3)), nil, true, false, false, -1, 3, []string{"Apart rack at most 3"}},
		{"the least counts on a node", list(apart("block", 5), apart("rack", 3)), nil, true, false, false, -1, 3, []string{"Apart block at most 5", "Apart rack at most 3"}},
		{"within racks", list(within("rack", 2)), nil, true, false, false, -1, 1 << 62, []string{"Within rack at most 2"}},
		{"within one is a rule", list(within("rack", 1)), nil, false, false, false, -1, 0, nil},
		{"within nodes, apart above", list(within("node", 2), apart("rack", 3)), nil, true, true, true, -1, 3, []string{"Within node at most 2", "Apart rack at most 3"}},
		{"within racks, apart below", list(within("rack", 2), apart("node", 3)), nil, true, true, false, -1, 3, []string{"Within rack at most 2", "Apart node at most 3"}},
		{"alone on nodes", list(alone("node")), nil, false, true, false, 0, 1 << 62, []string{"Alone node"}},
		{"alone in racks", list(alone("rack")), nil, true, false, false, 1, 1 << 62, []string{"Alone rack"}},
		{"the widest counts", list(alone("block"), alone("rack")), nil, true, false, false, 2, 1 << 62, []string{"Alone block", "Alone rack"}},
		{"groups apart", nil, list(apart("rack", 1)), false, false, false, -1, 1 << 62, []string{"Apart rack at most 1 for groups of 2"}},
		{"groups apart twice", nil, list(apart("rack", 1), apart("block", 3)), false, false, false, -1, 1 << 62, []string{"Apart rack at most 1 for groups of 2", "Apart block at most 3 for groups of 2"}},
	} {
		l := read(t, v, test.of, test.groups...)
		require.Equal(t, test.hard, l.AreHard(), test.name)
		require.Equal(t, test.tellNodes, l.LowestTier() == 0, test.name)
		require.Equal(t, test.capAbove, l.CapAbove(), test.name)
		require.Equal(t, test.names, l.Names(), test.name)
		if test.onNode == 0 {
			require.Nil(t, l, test.name)
			continue
		}
		require.Equal(t, test.alone, l.Alone, test.name)
		require.Equal(t, test.onNode, min(l.OnNode(), 1<<62), test.name)
		require.Equal(t, len(test.groups) > 0, l.CountGroups(), test.name)
		require.Equal(t, len(test.groups) > 1, l.Features().Has(features.Uncounted), test.name)
	}
	for _, l := range []gang.Limit{apart("row", 1), within("row", 1)} {
		_, err := Read(v, &gang.Request{Limits: []gang.Limit{l}})
		require.EqualError(t, err, `request.Limits[0].Layer "row": unknown layer: not one of block, rack, node`)
	}
	_, err := Read(v, &gang.Request{Groups: []gang.Groups{{Size: 2, Limits: []gang.Limit{within("rack", 2)}}}})
	require.ErrorIs(t, err, muster.ErrNotSupported)
}

// More are alone with a tier beside: the widest one is that in whose domains all are.
func TestLimitsWithATier(t *testing.T) {
	var none *Limits
	require.Equal(t, int32(0), none.With(0, "node").Alone, "of no limits, the lowest tier too")
	_, v := rackCluster(t)
	l := read(t, v, []gang.Limit{alone("rack")})
	for tier, want := range []struct {
		tier int32
		name string
	}{{1, "rack"}, {1, "rack"}, {2, "t2"}} {
		next := l.With(int32(tier), []string{"t0", "t1", "t2"}[tier])
		require.Equal(t, want.tier, next.Alone)
		require.Equal(t, want.name, next.AloneIn)
	}
	require.Equal(t, "rack", l.AloneIn, "the limits are as they were")
}

// Limits without one of them, and without those on numbers.
func TestLimitsWithout(t *testing.T) {
	_, v := rackCluster(t)
	l := read(t, v, []gang.Limit{apart("rack", 3), alone("rack")}, apart("block", 2))
	require.Equal(t, []string{"Alone rack", "Apart block at most 2 for groups of 2"}, l.Without("Apart rack at most 3").Names())
	var none *Limits
	require.Empty(t, none.Names())
	require.Equal(t, index.Cap{Tier: 2, Most: 2}, l.CapOf(0))
	require.Zero(t, l.CapOf(1))
	require.True(t, l.CountMembers())
	caps := l.WithoutGroups()
	require.False(t, caps.CountGroups())
	require.Equal(t, []index.Cap{{Tier: 1, Most: 3}}, caps.Caps())
	bare := l.WithoutCaps()
	require.False(t, bare.CountMembers() || bare.CountGroups())
	require.Equal(t, int32(1), bare.Alone)
	require.Nil(t, read(t, v, []gang.Limit{apart("rack", 3)}).WithoutCaps())
	require.Nil(t, read(t, v, nil, apart("rack", 3)).WithoutGroups())

	units := l.OfUnits(2)
	require.Equal(t, []index.Cap{{Tier: 2, Most: 2}, {Tier: 1, Most: 1}}, units.Apart, "groups of two are placed: three members make one")
	require.Equal(t, []index.Cap{{Tier: 2, Most: 2}}, units.Without("Apart rack at most 3").Apart)
}

// What runs counts where members keep apart, and may break that by itself.
func TestWhoRunsCountsApart(t *testing.T) {
	_, v := rackCluster(t)
	l := read(t, v, []gang.Limit{apart("rack", 3)})
	siblings := layout.NewCensus(v)
	siblings.Add(0, 1)
	siblings.Add(1, 1)

	positions := func(yield func(int32) bool) { _ = yield(0) && yield(1) }
	broken := func(of *Limits, siblings *layout.Census) bool { return of.Broken(v, positions, siblings, nil, Others) }
	require.False(t, broken(l, siblings))
	siblings.Add(1, 2)
	require.True(t, broken(l, siblings))
}
