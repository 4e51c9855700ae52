package placement_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// withPower has two leaves of two nodes with two devices each, and two power feeds: one for the first node of each leaf, one for the second.
func withPower(t *testing.T) cluster.Spec {
	spec := roleSpec(t, 2, 2, 2)
	feeds := topology.Spec{Layers: []topology.Layer{{Name: "feed", Tier: 1}}, Roots: []topology.Domain{
		{Name: "left", Tier: 1, Nodes: []string{"n-0-0", "n-1-0"}},
		{Name: "right", Tier: 1, Nodes: []string{"n-0-1", "n-1-1"}},
	}}
	tree, err := topology.New(feeds)
	require.NoError(t, err)
	spec.Trees[0].Name = "default"
	spec.Trees = append(spec.Trees, cluster.NamedTree{Name: "power", Tree: tree})
	return spec
}

func TestPartsInAnotherTopology(t *testing.T) {
	spec := withPower(t)
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	req := partedGang(2, 3)
	req.Parts[0].Gather = must("leaf")
	req.Parts[1].Tree, req.Parts[1].Gather = "power", must("feed")
	res, err := placement.Plan(c, req)
	require.NoError(t, err)
	require.NoError(t, validity.Check(spec, req, res))
	require.Equal(t, []placement.GroupPlace{{Part: "part-1", Tree: "power", Tier: 1, Layer: "feed", Domain: []string{"left"}}}, res.Elsewhere)
	require.Equal(t, []string{"n-0-1", "n-0-1", "n-0-0", "n-0-0", "n-1-0"}, nodesOf(res))
	require.True(t, res.Proven)

	req.Parts[1].Groups = []gang.Groups{{Size: 1, Gather: must("node")}}
	res, err = placement.Plan(c, req)
	require.NoError(t, err)
	require.Len(t, res.Elsewhere, 4)
	require.Equal(t, "part-1/2", res.Elsewhere[3].Part)

	req = partedGang(5)
	req.Parts[0].Tree, req.Parts[0].Gather = "power", must("feed")
	_, err = placement.Plan(c, req)
	var no *placement.Unschedulable
	require.ErrorAs(t, err, &no)
	require.Equal(t, "MustGather feed of power for part part-0", no.Rule)
	require.Equal(t, 4, no.Fits)
	require.True(t, no.Proven)

	n := 0
	req = partedGang(2)
	req.Parts[0].Tree, req.Parts[0].Gather = "power", must("feed")
	for res, err := range placement.Candidates(c, req) {
		require.NoError(t, err)
		require.NoError(t, validity.Check(spec, req, res))
		n++
	}
	require.GreaterOrEqual(t, n, 4, "every node, and more")
}

// A gang in the network and one on a feed share the cluster: neither takes the other's only place.
func TestGangsOfTwoTopologiesTogether(t *testing.T) {
	spec := withPower(t)
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	near, fed := deviceGang("near", 4), deviceGang("fed", 2)
	near.Gather = must("leaf")
	fed.Tree, fed.Gather = "power", must("node")
	results, err := placement.Together(c, nil, near, fed)
	require.NoError(t, err)
	for i, req := range []*gang.Request{near, fed} {
		require.NoError(t, validity.CheckTogether(spec, req, results[i]))
	}
	require.Equal(t, "power", results[1].Tree)
	_, err = c.Apply(results...)
	require.NoError(t, err)

	fed.Members, fed.Gather = deviceGang("fed", 3).Members, must("feed")
	_, err = placement.Together(c, nil, near, fed)
	require.ErrorContains(t, err, "MustGather")
}
