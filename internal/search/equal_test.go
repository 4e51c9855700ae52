package search_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// ready brings a request inside.
func ready(t *testing.T, c *snapshot.Snapshot, req *gang.Request) *problem.Problem {
	t.Helper()
	p, err := search.New(c, req, nil, bounds.Search{})
	require.NoError(t, err)
	return p
}

// Of a gang in pairs as many whole pairs are placed as the quota admits; where it does not even admit the least number, it says so.
func TestQuotasAdmitWholeGroups(t *testing.T) {
	tree, err := quota.New([]quota.Spec{{Name: "team", Max: muster.Resources{muster.CPU: 5}}})
	require.NoError(t, err)
	c, err := snapshot.New(cluster.Spec{Nodes: []cluster.Node{{Name: "n", Allocatable: muster.Resources{muster.CPU: 8}}}, Quotas: tree})
	require.NoError(t, err)
	pairs := func(least int) *gang.Request {
		return sized(6, func(r *gang.Request) {
			r.Quota, r.MinMember, r.Groups = "team", least, []gang.Groups{{Size: 2}}
		})
	}
	p := ready(t, c, pairs(2))
	require.Equal(t, 5, p.Model.Admitted)
	require.Equal(t, 4, search.For(p).MostAdmitted())
	require.Nil(t, p.RefusedBy)
	require.Len(t, search.Best(p).Positions, 4)

	p = ready(t, c, pairs(6))
	require.NotNil(t, p.RefusedBy)
	require.Nil(t, search.Best(p))
	one := sized(6, func(r *gang.Request) { r.Quota, r.MinMember, r.Groups = "team", 6, []gang.Groups{{Size: 6}} })
	require.Zero(t, search.For(ready(t, c, one)).MostAdmitted())
}

// A waiting plan has the least number of members where they fit once others are gone, and further ones where they fit now.
func TestFurtherMembersGoOnWhatIsFree(t *testing.T) {
	spec := cluster.Spec{
		Nodes:   []cluster.Node{{Name: "a", Allocatable: muster.Resources{muster.CPU: 3}}, {Name: "b", Allocatable: muster.Resources{muster.CPU: 3}}},
		Running: []cluster.Running{{Gang: "old", Member: "o", Node: "a", Resources: muster.Resources{muster.CPU: 2}, Leaving: true}},
	}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	p := ready(t, c, sized(6, func(r *gang.Request) { r.MinMember = 5 }))
	require.Nil(t, search.Best(p))
	o := search.Wait(p)
	require.NotNil(t, o)
	require.Equal(t, []int32{0, 0, 0, 1, 1, 1}, o.Positions, "five once o is gone, one more now")
	require.Len(t, o.Waits, 1)
	require.Equal(t, []int32{0, 0, 0, 1, 1}, search.Wait(ready(t, c, sized(5, nil))).Positions, "nobody is left out")
	require.Nil(t, search.Wait(ready(t, c, sized(7, nil))), "there is no room for all, whoever leaves")
}

// What is asked about a gang that fits in no rack.
func TestEvidenceHasTheBestDomainOfEachTier(t *testing.T) {
	p := ready(t, twoRacks(t), sized(5, func(r *gang.Request) { r.Gather = []gang.Rule{{Layer: "rack", Strength: gang.MustGather}} }))
	e := search.For(p)
	require.Nil(t, search.Best(p))
	require.False(t, e.Possible())
	require.True(t, e.HoldsWithoutRules())
	require.True(t, e.Exact())
	require.Nil(t, e.Room())
	got := e.Evidence()
	require.True(t, got.Proven())
	var members []int
	for _, f := range got.Fits {
		members = append(members, f.Members)
	}
	require.Equal(t, []int{2, 4}, members, "a node, a rack")
	some, whole := e.Minimal()
	require.Equal(t, []*problem.Problem{p}, some)
	require.True(t, whole)
	var tiers []int32
	for st := range e.Strategies() {
		tiers = append(tiers, st.Gang)
		outside, ok := e.Allows(4, model.Strategy{Gang: st.Gang})
		require.Equal(t, st.Gang == 1, ok, "four fit in a rack, and in no node")
		require.Zero(t, outside)
	}
	require.Equal(t, []int32{0, 1}, tiers)
}

// Plans come best first, one for each domain.
func TestOutcomesComeOncePerDomain(t *testing.T) {
	p := ready(t, twoRacks(t), sized(2, nil))
	seen := map[int32]bool{}
	for o := range search.Outcomes(p) {
		require.False(t, seen[o.Domain])
		seen[o.Domain] = true
		if len(seen) == 5 {
			break
		}
	}
	require.Len(t, seen, 5, "four nodes, then a rack")
}
