package validity_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// parted is the gang of pairs with a member of its own that runs outside and parts: `pair` of job-0 and job-1, and `bundle`, no group, of
// which job-2 and job-3 are cut into groups of one.
func parted(t *testing.T) (cluster.Spec, *gang.Request, *placement.Result) {
	spec := board(t)
	req, res := pairs()
	spec.Running = append(spec.Running, cluster.Running{Gang: "job", Member: "job-9", Node: "n9"})
	req.Groups = nil
	req.Parts = []gang.Part{
		{Name: "pair", Members: []string{"job-1", "job-0"}},
		{Name: "bundle", Members: []string{"job-2", "job-4", "job-3"}, Groups: []gang.Groups{{Size: 1}}, NoGroup: true},
	}
	for i, group := range []int{0, 0, 1, 2} {
		res.Assignments[i].Group = group
	}
	res.Tier, res.Layer, res.Domain, res.Strategy, res.StrategyNumber = 3, "", nil, "/unit", 4
	res.Span = []placement.LayerSpan{{Layer: "spine", Tier: 2, Domains: 1}, {Layer: "unit", Tier: 1, Domains: 2}}
	return spec, req, res
}

func TestCheckSeesDefectsOfParts(t *testing.T) {
	spec, req, res := parted(t)
	require.NoError(t, validity.Check(spec, req, res))
	for _, tc := range []struct {
		want  string
		spoil func(req *gang.Request, res *placement.Result)
	}{
		{"job-2 has group 2, want 1", func(_ *gang.Request, res *placement.Result) { res.Assignments[2].Group = 2 }},
		{"job-0 has group 0, want -1", func(req *gang.Request, _ *placement.Result) { req.Parts[0].NoGroup = true }},
		{"reports group tiers [1], the nodes say [1 0]", func(req *gang.Request, res *placement.Result) {
			req.Parts[1].NoGroup, res.Assignments[3].Group = false, 1
		}},
		{`"" has 5 members, at least 6 are needed`, func(req *gang.Request, _ *placement.Result) { req.MinMember = 6 }},
		{`"pair" has 1 of its own 2 members`, func(_ *gang.Request, res *placement.Result) { res.Assignments = res.Assignments[1:] }},
		{`"pair" has 1 members, at least 2 are needed`, func(req *gang.Request, res *placement.Result) {
			req.Parts[0].MinMember, res.Assignments = 2, res.Assignments[1:]
		}},
		{"job-0 is left out although job-1, which is like it, is placed", func(req *gang.Request, res *placement.Result) {
			req.Parts[0].MinMember, res.Assignments = 1, res.Assignments[1:]
		}},
		{`"" has 1 of its parts, at least 2 are needed`, func(_ *gang.Request, res *placement.Result) { res.Assignments = res.Assignments[2:] }},
		{`"bundle" has 1 of its parts, at least 2 are needed`, func(_ *gang.Request, res *placement.Result) { res.Assignments = res.Assignments[:3] }},
		{"reaches tier 1, must gather at 0", func(req *gang.Request, _ *placement.Result) {
			req.Parts[0].Gather = []gang.Rule{{Layer: "node", Strength: gang.MustGather}, {Layer: "0", Strength: gang.MustGather}}
		}},
		{`has 2 members of "pair", no multiple of 3`, func(req *gang.Request, _ *placement.Result) {
			req.Parts[0].Gather = []gang.Rule{{Layer: "unit", Multiple: 3}}
		}},
		{`in/0/s0/u0/n0 has 1 members of "pair", no multiple of 2`, func(req *gang.Request, _ *placement.Result) {
			req.Parts[0].Gather = []gang.Rule{{Layer: "node", Multiple: 2}}
		}},
		{"outside the tree, which satisfies no hard rule", func(req *gang.Request, _ *placement.Result) {
			req.Parts[0].Members = append(req.Parts[0].Members, "job-9")
			req.Parts[0].Gather = []gang.Rule{{Layer: "unit", Strength: gang.MustGather}}
		}},
		{"the ring of ranks leaves in/1/s0/u0 2 times", func(req *gang.Request, res *placement.Result) {
			req.Parts[0].Members, req.Parts[1].Members = []string{"job-0", "job-1", "job-2", "job-3"}, nil
			res.Assignments[1].Node, res.Assignments[2].Node = "n2", "n1"
			for i := range res.Assignments {
				res.Assignments[i].Group = 0
			}
		}},
	} {
		t.Run(tc.want, func(t *testing.T) {
			spec, req, res := parted(t)
			if tc.want[:8] == "the ring" {
				spec.Running = spec.Running[:2] // with running members ranks do not follow the tree
			}
			tc.spoil(req, res)
			assert.ErrorContains(t, validity.Check(spec, req, res), tc.want)
		})
	}
}

// A part whose rules are in another topology is judged there: here its nodes are in no domain of the gang's own.
func TestLimitsInAnotherTopology(t *testing.T) {
	tree := func(domains ...topology.Domain) *topology.Tree {
		out, err := topology.New(topology.Spec{Roots: domains})
		require.NoError(t, err)
		return out
	}
	spec := cluster.Spec{
		Nodes: []cluster.Node{{Name: "n0"}, {Name: "n1"}, {Name: "n2"}},
		Trees: []cluster.NamedTree{
			{Name: "default", Tree: tree(topology.Domain{Name: "s0", Tier: 1, Nodes: []string{"absent"}})},
			{Name: "power", Tree: tree(topology.Domain{Name: "f0", Tier: 1, Nodes: []string{"n0", "n1"}}, topology.Domain{Name: "f1", Tier: 1, Nodes: []string{"n2"}})},
		},
	}
	req := &gang.Request{
		Name: "job", Shape: gang.Shape{Resources: muster.Resources{"gpu": 0}}, Members: []gang.Member{{Name: "job-0"}, {Name: "job-1"}},
		Parts: []gang.Part{{Name: "pair", Tree: "power", Members: []string{"job-0", "job-1"}, Limits: []gang.Limit{{Kind: gang.Within, Layer: "1", Most: 1}}}},
	}
	result := func(second, feed string) *placement.Result {
		place := placement.GroupPlace{Part: "pair", Tree: "power", Tier: 1, Layer: "1", Domain: []string{feed}}
		if feed == "" {
			place = placement.GroupPlace{Part: "pair", Tree: "power", Tier: 2}
		}
		return &placement.Result{
			Gang: "job", Tree: "default", Tier: 2, GroupTiers: []int{2}, Strategy: "/", StrategyNumber: 3, Elsewhere: []placement.GroupPlace{place},
			Span:        []placement.LayerSpan{{Layer: "1", Tier: 1}},
			Assignments: []placement.Assignment{{Member: "job-0", Node: "n0"}, {Member: "job-1", Rank: 1, Node: second}},
		}
	}
	require.NoError(t, validity.Check(spec, req, result("n1", "f0")))
	require.ErrorContains(t, validity.Check(spec, req, result("n2", "")), "pair Within 1: 2 domains, at most 1")
}

// Groups on nodes that are not equal rank by rank are no units: ranks follow the tree shape by shape.
func TestRingOfGroupsThatDiffer(t *testing.T) {
	spec, two := board(t), gang.Shape{Resources: muster.Resources{"gpu": 2}}
	req, res := pairs()
	req.Groups = []gang.Groups{{Size: 1, Gather: []gang.Rule{{Layer: "node", Strength: gang.MustGather}}}}
	req.Members[1].Shape = &two
	res.WaitsFor, res.GroupTiers, res.Strategy, res.StrategyNumber = nil, []int{0}, "spine/node", 2
	for i, node := range []string{"n2", "n1", "n2", "n3"} {
		res.Assignments[i].Node, res.Assignments[i].Group = node, i
	}
	require.NoError(t, validity.Check(spec, req, res))
	req.Members[1].Shape = nil
	require.ErrorContains(t, validity.Check(spec, req, res), "the ring of ranks leaves in/0/s0/u1/n2 2 times")
}

func TestSelections(t *testing.T) {
	_, req, _ := parted(t)
	var names []string
	for _, m := range req.Members {
		names = append(names, m.Name)
	}
	req.Parts[0].MinMember, req.Parts[1].MinParts, req.MinParts = 1, 1, -1
	whole := validity.Divide(req, nil)
	assert.Equal(t, [][]string{
		{"job-0"},
		{"job-0", "job-1"},
		{"job-2"},
		{"job-0", "job-2"},
		{"job-0", "job-1", "job-2"},
		{"job-3"},
		{"job-0", "job-3"},
		{"job-0", "job-1", "job-3"},
		{"job-2", "job-3"},
		{"job-0", "job-2", "job-3"},
		{"job-0", "job-1", "job-2", "job-3"},
	}, slices.Collect(whole.Selections(names, false)))
	assert.Equal(t, [][]string{{"job-0"}, {"job-2"}, {"job-3"}}, whole.Leasts(names, false))
	req.MinMember = 3
	assert.Equal(t, [][]string{{"job-0", "job-1", "job-2"}, {"job-0", "job-1", "job-3"}, {"job-0", "job-2", "job-3"}}, validity.Divide(req, nil).Leasts(names, false))
}
