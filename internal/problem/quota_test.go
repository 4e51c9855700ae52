// How many members does a quota admit, and which ones?

package problem_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/selections"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// inQuota is a gang in a quota of so many devices, of which so many are guaranteed.
func inQuota(t require.TestingT, spec func() *snapshot.Snapshot, req *gang.Request) (*problem.Problem, *quota.State) {
	p, err := problem.New(spec(), req, nil, bounds.Search{})
	require.NoError(t, err)
	state, err := problem.RefusedTogether(p)
	require.NoError(t, err)
	return p, state
}

// withQuota is a cluster with a quota.
func withQuota(t *testing.T, guaranteed, most int64) func() *snapshot.Snapshot {
	spec := hall(t)
	tree, err := quota.New([]quota.Spec{
		{Name: "team", Min: muster.Resources{"gpu": guaranteed}, Max: muster.Resources{"gpu": most}},
		{Name: "rest", Min: muster.Resources{"gpu": 36 - guaranteed}, Max: muster.Resources{"gpu": 36}},
	})
	require.NoError(t, err)
	spec.Quotas = tree
	return func() *snapshot.Snapshot {
		c, err := snapshot.New(spec)
		require.NoError(t, err)
		return c
	}
}

// A gang that its quota admits as a whole asks nobody further; of another one the quota is asked for fewer.
func TestQuotasAdmitGangs(t *testing.T) {
	of := withQuota(t, 4, 6)
	for members, refused := range map[int]bool{6: false, 7: true} {
		p, state := inQuota(t, of, request(members, func(req *gang.Request) { req.Quota, req.QuotaLimit = "team", quota.Greedy }))
		require.Equal(t, refused, state != nil, "%d members", members)
		require.Equal(t, members, p.Model.Admitted)
		require.Equal(t, muster.Resources{"gpu": int64(members)}, p.Demand().Request)
		require.Equal(t, muster.Resources{"gpu": int64(members)}, p.Only(selections.FirstOnes(&p.Model, 2)).Demand().Request, "also of a plan of some of them")
	}
	p, state := inQuota(t, of, request(9, nil))
	require.Nil(t, state, "it is in no quota")
	require.Equal(t, 9, p.Model.Admitted)
	p, err := problem.New(of(), request(1, func(req *gang.Request) { req.Quota = "nobody's" }), nil, bounds.Search{})
	require.NoError(t, err)
	_, err = problem.RefusedTogether(p)
	require.ErrorContains(t, err, "unknown quota")
}

// Of a selection the quota admits all or none, beside what was placed before.
func TestQuotasAdmitSelections(t *testing.T) {
	p, state := inQuota(t, withQuota(t, 4, 6), inParts(func(req *gang.Request) { req.Quota, req.QuotaLimit = "team", quota.Greedy }, 4, 4))
	require.NotNil(t, state)
	p.Parts.State = state
	for n, admitted := range map[int]int{6: 6, 7: 0} {
		require.Equal(t, admitted, p.Only(selections.FirstOnes(&p.Model, n)).Model.Admitted)
	}
	four := p.Only(selections.FirstOnes(&p.Model, 4))
	rest := four.Unselected(&model.Answer{Of: &four.Model, Positions: make([]int32, 4), Tier: 3})
	require.Equal(t, []int{4, 5, 6, 7}, rest.Model.Pending)
	require.Equal(t, 4, rest.Model.Running.Len())
	for n, admitted := range map[int]int{2: 2, 3: 0} {
		in := make(model.Selection, 4)
		for i := range n {
			in[i] = true
		}
		require.Equal(t, admitted, rest.Only(in).Model.Admitted)
	}
}

// Members that are not preemptible and that the quota does not guarantee stay out where others suffice; those of the highest ranks.
func TestMembersThatQuotasDoNotGuarantee(t *testing.T) {
	clusters := map[int64]func() *snapshot.Snapshot{}
	for guaranteed := range int64(5) {
		clusters[guaranteed] = withQuota(t, guaranteed, 30)
	}
	rapid.Check(t, func(t *rapid.T) {
		guaranteed := rapid.Int64Range(0, 4).Draw(t, "guaranteed")
		var pinned, others []int
		req := request(rapid.IntRange(1, 8).Draw(t, "members"), func(req *gang.Request) { req.Quota, req.QuotaLimit = "team", quota.Greedy })
		req.MinMember = rapid.IntRange(1, len(req.Members)).Draw(t, "least")
		for i := range req.Members {
			if req.Members[i].NonPreemptible = rapid.Bool().Draw(t, "pinned"); req.Members[i].NonPreemptible {
				pinned = append(pinned, i)
			} else {
				others = append(others, i)
			}
		}
		p, state := inQuota(t, clusters[guaranteed], req)
		all := len(req.Members)
		first := len(pinned)
		if i := slices.IndexFunc(pinned, func(rank int) bool { return rank >= req.MinMember }); i >= 0 {
			first = i // of those that must be placed
		}
		kept := int(min(guaranteed, int64(first)))
		if int64(len(pinned)) <= guaranteed || kept == first || req.MinMember == all {
			require.Len(t, p.Model.Pending, all, "nobody stays out")
			require.Equal(t, int64(len(pinned)) > guaranteed, state != nil)
			return
		}
		want := append(slices.Clone(pinned[:kept]), others...)
		slices.Sort(want)
		for n := kept; len(want) < req.MinMember; n++ { // too few stay: the quota refuses these
			want = append(want, pinned[n])
		}
		require.Equal(t, want, p.Model.Pending)
		require.Equal(t, muster.Resources{"gpu": int64(all)}, p.Demand().Request, "all of them are wanted")
		require.Equal(t, len(want)-len(others) > int(guaranteed), state != nil)
	})
}

// Groups are placed whole or not at all, and of members that differ others count: then nobody stays out for what is not guaranteed.
func TestWhereNobodyStaysOut(t *testing.T) {
	for name, with := range map[string]func(req *gang.Request){
		"alike":   nil,
		"groups":  func(req *gang.Request) { req.Groups = []gang.Groups{{Size: 2}} },
		"differ":  func(req *gang.Request) { req.Members[0].Shape = shape(2) },
		"in part": func(req *gang.Request) { req.Parts = []gang.Part{{Name: "p", MinMember: 1}} },
	} {
		p, state := inQuota(t, withQuota(t, 1, 30), request(6, func(req *gang.Request) {
			req.Quota, req.QuotaLimit, req.MinMember = "team", quota.Greedy, 2
			req.Members[0].NonPreemptible, req.Members[1].NonPreemptible = true, true
			if with != nil {
				with(req)
			}
		}))
		require.Equal(t, name == "alike", len(p.Model.Pending) < 6, name)
		require.Equal(t, name != "alike", state != nil, name)
	}
}

// What a search may take follows from the steps of the request, which have a default and a bound.
func TestStepsOfSearches(t *testing.T) {
	steps := func(asked, bound int) *model.Model {
		return &ready(t, request(4, func(req *gang.Request) { req.Steps = asked })).Again(bounds.Search{Steps: bound}).Model
	}
	require.Equal(t, 1<<16, steps(0, 0).Steps)
	require.Equal(t, 1<<24, steps(1<<30, 0).Steps)
	require.Equal(t, 100, steps(0, 100).Steps)
	require.Equal(t, 50, steps(50, 100).Steps)
	require.False(t, steps(50, 0).Charged)
	require.True(t, steps(50, 100).Charged, "somebody else counts what is spent")
	first := ready(t, request(4, func(req *gang.Request) { req.Steps = 7 }))
	require.Equal(t, 7, first.Model.Steps)
	budget := first.NewBudget()
	require.Equal(t, []int64{128 * 7, 4 * 7, front.LooksInStep * 7}, []int64{budget.Fronts.Left(), budget.Sets.Left(), budget.Packing.Left()})
}
