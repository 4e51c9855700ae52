package search_test

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

// twoRacks has two racks of two nodes of two CPUs.
func twoRacks(t *testing.T) *snapshot.Snapshot {
	t.Helper()
	spec, racks := cluster.Spec{}, []topology.Domain{}
	for r := range 2 {
		rack := topology.Domain{Name: fmt.Sprint("rack-", r), Tier: 1}
		for i := range 2 {
			rack.Nodes = append(rack.Nodes, fmt.Sprint("n", r, i))
			spec.Nodes = append(spec.Nodes, cluster.Node{Name: rack.Nodes[i], Allocatable: muster.Resources{muster.CPU: 2}})
		}
		racks = append(racks, rack)
	}
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}, Roots: racks})
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Tree: tree}}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	return c
}

// sized is a gang of so many members of one CPU.
func sized(members int, change func(r *gang.Request)) *gang.Request {
	r := &gang.Request{Name: "gang", Shape: gang.Shape{Resources: muster.Resources{muster.CPU: 1}}}
	for i := range members {
		r.Members = append(r.Members, gang.Member{Name: fmt.Sprint("m-", i)})
	}
	if change != nil {
		change(r)
	}
	return r
}

// The rule is named without which the gang would fit, the first one in the order of refusals.3.
func TestTheRuleThatBindsIsNamed(t *testing.T) {
	must := func(layer string) []gang.Rule { return []gang.Rule{{Layer: layer, Strength: gang.MustGather}} }
	apart := func(layer string, most int) gang.Limit {
		return gang.Limit{Kind: gang.Apart, Layer: layer, Most: most}
	}
	inParts := func(r *gang.Request) {
		r.Parts = []gang.Part{{Name: "first"}, {Name: "second"}}
		for i, m := range r.Members {
			part := &r.Parts[i*2/len(r.Members)]
			part.Members = append(part.Members, m.Name)
		}
	}
	for name, tc := range map[string]struct {
		members int
		change  func(r *gang.Request)
		want    string
	}{
		"no room":            {members: 9},
		"the gang":           {5, func(r *gang.Request) { r.Gather = must("rack") }, "MustGather rack"},
		"groups":             {6, func(r *gang.Request) { r.Groups = []gang.Groups{{Size: 3, Gather: must("node")}} }, "MustGather node for groups of 3"},
		"a multiple":         {5, func(r *gang.Request) { r.Gather = []gang.Rule{{Layer: "node", Multiple: 2}} }, "multiple 2 at node"},
		"a limit":            {5, func(r *gang.Request) { r.Limits = []gang.Limit{apart("node", 1)} }, "Apart node at most 1"},
		"the second of two":  {5, func(r *gang.Request) { r.Limits = []gang.Limit{apart("node", 2), apart("rack", 2)} }, "Apart rack at most 2"},
		"both, so the first": {5, func(r *gang.Request) { r.Limits = []gang.Limit{apart("node", 1), apart("rack", 1)} }, "Apart node at most 1"},
		"the gang, whatever the limit": {5, func(r *gang.Request) {
			r.Gather, r.Limits = must("rack"), []gang.Limit{apart("node", 1)}
		}, "MustGather rack"},
		"of a part": {6, func(r *gang.Request) {
			inParts(r)
			r.Parts[1].Limits = []gang.Limit{apart("rack", 1)}
		}, "Apart rack at most 1 for part second"},
		"the second of a part": {6, func(r *gang.Request) {
			inParts(r)
			r.Parts[0].Limits, r.Parts[1].Limits = []gang.Limit{apart("node", 2)}, []gang.Limit{apart("rack", 1)}
		}, "Apart rack at most 1 for part second"},
	} {
		p, err := search.New(twoRacks(t), sized(tc.members, tc.change), nil, bounds.Search{})
		require.NoError(t, err, name)
		require.Nil(t, search.Best(p), name)
		require.Equal(t, tc.want, search.Binding(p), name)
		p.Done()
	}
}
