package search_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/outcome"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

// oneNode has a node of four CPUs, and who runs on it.
func oneNode(t *testing.T, running ...cluster.Running) *snapshot.Snapshot {
	t.Helper()
	for i := range running {
		running[i].Node, running[i].Resources = "n", muster.Resources{muster.CPU: 3}
	}
	c, err := snapshot.New(cluster.Spec{Nodes: []cluster.Node{{Name: "n", Allocatable: muster.Resources{muster.CPU: 4}}}, Running: running})
	require.NoError(t, err)
	return c
}

func two() *gang.Request {
	return &gang.Request{Name: "gang", Members: []gang.Member{{Name: "a"}, {Name: "b"}}, Shape: gang.Shape{Resources: muster.Resources{muster.CPU: 1}}}
}

// A gang waits for nobody where nobody leaves, and where it is not to wait.
func TestWaitsOnlyForWhoLeaves(t *testing.T) {
	stays := cluster.Running{Gang: "other", Member: "o"}
	leaves := stays
	leaves.Leaving = true
	waits := two()
	ignores := two()
	ignores.IgnoreLeaving = true
	for name, tc := range map[string]struct {
		running []cluster.Running
		req     *gang.Request
		want    bool
	}{
		"one leaves":             {[]cluster.Running{leaves}, waits, true},
		"one leaves, is ignored": {[]cluster.Running{leaves}, ignores, false},
		"one stays":              {[]cluster.Running{stays}, waits, false},
		"nobody runs":            {nil, waits, false},
	} {
		p, err := search.New(oneNode(t, tc.running...), tc.req, nil, bounds.Search{})
		require.NoError(t, err)
		require.Equal(t, tc.want, search.Awaits(p), name)
		o := search.Wait(p)
		require.Equal(t, tc.want, o != nil, name)
		if o != nil {
			require.Len(t, o.Waits, 1)
		}
		p.Done()
	}
}

// What is wrong with a request is told by who asks again, too.
func TestProblemsThatAreNone(t *testing.T) {
	c := oneNode(t)
	req := two()
	p, err := search.New(c, req, nil, bounds.Search{})
	require.NoError(t, err)
	again, err := search.Again(c, p, bounds.Search{})
	require.NoError(t, err)
	require.NotNil(t, search.For(again).Search())
	again.Done()

	req.Quota = "nowhere"
	_, err = search.New(c, req, nil, bounds.Search{})
	require.ErrorContains(t, err, "request.Quota")
	_, err = search.Again(c, p, bounds.Search{})
	require.ErrorContains(t, err, "request.Quota")
	req.Quota, req.Tree = "", "nowhere"
	_, err = search.New(c, req, nil, bounds.Search{})
	require.ErrorContains(t, err, "request.Tree")
	p.Done()
}

// Plans of every domain come one after the other, and end where they are no longer asked for.
func TestOutcomesEnd(t *testing.T) {
	p, err := search.New(oneNode(t), two(), nil, bounds.Search{})
	require.NoError(t, err)
	defer p.Done()
	all := 0
	for o := range search.Outcomes(p) {
		require.Len(t, o.Positions, 2)
		all++
	}
	require.Positive(t, all)
	for range search.Outcomes(p) {
		break
	}
}

// Where a gang is tried without its parts first, what is found so comes before what they find.
func TestOutcomesBeginWithoutParts(t *testing.T) {
	spec, leaf := cluster.Spec{}, topology.Domain{Name: "leaf", Tier: 2}
	req := &gang.Request{
		Name: "gang", Shape: gang.Shape{Resources: muster.Resources{muster.CPU: 1}},
		Groups: []gang.Groups{{Size: 3}}, Limits: []gang.Limit{{Kind: gang.Within, Layer: "unit", Most: 2}},
	}
	for u := range 2 {
		unit := topology.Domain{Name: fmt.Sprint("unit-", u), Tier: 1}
		for i := range 3 {
			name := fmt.Sprint("n", u, i)
			spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{muster.CPU: 1}})
			unit.Nodes, req.Members = append(unit.Nodes, name), append(req.Members, gang.Member{Name: fmt.Sprint(3*u + i)})
		}
		leaf.Children = append(leaf.Children, unit)
	}
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "unit", Tier: 1}, {Name: "leaf", Tier: 2}}, Roots: []topology.Domain{leaf}})
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Tree: tree}}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	p, err := search.New(c, req, nil, bounds.Search{})
	require.NoError(t, err)
	defer p.Done()
	require.NotEmpty(t, p.Parts.First)
	var first *problem.Problem
	for o := range search.Outcomes(p) {
		first = o.Of
		break
	}
	require.NotNil(t, first)
	require.False(t, first.InParts())
	require.True(t, p.InParts())
	require.False(t, search.Best(p).Of.InParts())
}

// Parts that are equal groups are searched as these, in every domain and to wait too, and told of the parts; in groups nothing fits that does not
// fit in parts.
func TestEqualPartsAreSearchedAsGroups(t *testing.T) {
	halves := func(members int) *gang.Request {
		return sized(members, func(r *gang.Request) {
			r.Parts = []gang.Part{{Name: "a"}, {Name: "b"}}
			for i, m := range r.Members {
				part := &r.Parts[i*2/members]
				part.Members = append(part.Members, m.Name)
			}
		})
	}
	toldOfParts := func(o *outcome.Outcome) {
		t.Helper()
		require.NotNil(t, o)
		require.False(t, o.Of.InParts())
		members, positions := o.Members()
		require.True(t, members.InParts())
		require.Equal(t, o.Positions, positions)
	}
	p := ready(t, twoRacks(t), halves(4))
	toldOfParts(search.Best(p))
	domains := map[int32]bool{}
	for o := range search.Outcomes(p) {
		toldOfParts(o)
		domains[o.Domain] = true
	}
	require.Len(t, domains, 3, "both racks, and what is above them")
	require.Nil(t, search.Best(ready(t, twoRacks(t), halves(10))))

	leaves := oneNode(t, cluster.Running{Gang: "old", Member: "o", Leaving: true})
	p = ready(t, leaves, halves(4))
	require.Nil(t, search.Best(p))
	o := search.Wait(p)
	toldOfParts(o)
	require.Len(t, o.Waits, 1)
	require.Nil(t, search.Wait(ready(t, leaves, halves(6))))
}
