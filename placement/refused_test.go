package placement_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

func refuse(member, node string) gang.Refusal { return gang.Refusal{Member: member, Node: node} }

// A host plans, asks its filters, and plans again with what they refused: it comes to an end, and the plan is carried out.
func TestHostsFilterMemberByMember(t *testing.T) {
	c := fleet(t, 512)
	filter := func(member, node string) bool { // the volumes of every third member are on every other node
		var m, n int
		_, _ = fmt.Sscanf(member, "job-%d", &m)
		_, _ = fmt.Sscanf(node, "node-%d", &n)
		return m%3 > 0 || n%2 == m%2
	}
	req := job(24)
	req.Groups = []gang.Groups{{Size: 12}}
	first := mustPlan(t, c, req)
	for round := 1; ; round++ {
		require.Less(t, round, 200)
		before := slices.Clone(req.Refused)
		res := mustPlan(t, c, req)
		require.Equal(t, before, req.Refused)
		refused := 0
		for _, a := range res.Assignments {
			if !filter(a.Member, a.Node) {
				req.Refused = append(req.Refused, refuse(a.Member, a.Node))
				refused++
			}
		}
		if refused > 0 {
			continue
		}
		require.Equal(t, first.Tier, res.Tier)
		require.Equal(t, first.GroupTiers, res.GroupTiers)
		next, err := c.Apply(res)
		require.NoError(t, err)
		require.Equal(t, c.Len(), next.Len())
		return
	}
}

// Pairs cost what it takes to read them, and an exchange.
func TestManyRefusedNodes(t *testing.T) {
	c := fleet(t, 4096)
	req := job(1024)
	first := mustPlan(t, c, req)
	for i, a := range first.Assignments {
		for k := range 64 {
			req.Refused = append(req.Refused, refuse(a.Member, first.Assignments[(i+k)%1024].Node))
		}
	}
	res := mustPlan(t, c, req)
	require.ElementsMatch(t, nodesOf(first), nodesOf(res))
	require.Equal(t, first.Span, res.Span)
	require.True(t, res.Proven)
	refused := map[gang.Refusal]bool{}
	for _, r := range req.Refused {
		refused[r] = true
	}
	for _, a := range res.Assignments {
		require.False(t, refused[refuse(a.Member, a.Node)])
	}
}

// Where the gang would lie best, nobody is on a node refused for him; if that takes more than an exchange, it stays where it is.
func TestStandingWithRefusedNodes(t *testing.T) {
	spec := board(t)
	spec.Running = nil
	req := job(2)
	req.Shape.Resources, req.Exclude = gpus(2), []string{"n0", "n2"}
	c := newCluster(t, spec)
	c, err := c.Apply(mustPlan(t, c, req))
	require.NoError(t, err)
	req.Exclude = nil
	for _, tc := range []struct {
		refused []gang.Refusal
		moves   []string
		proven  bool
	}{
		{nil, []string{"n0", "n1"}, true},
		{[]gang.Refusal{refuse("job-0", "n0")}, []string{"n1", "n0"}, true},
		{[]gang.Refusal{refuse("job-0", "n0"), refuse("job-1", "n0")}, []string{"n2", "n3"}, true},
		{[]gang.Refusal{refuse("job-0", "n0"), refuse("job-0", "n1")}, nil, false},
	} {
		req.Refused = tc.refused
		g, err := placement.Standing(c, req)
		require.NoError(t, err)
		require.Equal(t, tc.proven, g.Proven, tc.refused)
		require.Equal(t, tc.moves, nodesOf(&placement.Result{Assignments: g.Moves}), tc.refused)
	}
}

func TestRefusedNodesAreNotSupported(t *testing.T) {
	c := newCluster(t, board(t))
	req := job(1)
	req.Refused = []gang.Refusal{refuse("job-0", "n0")}
	n := 0
	for res, err := range placement.Candidates(c, req) {
		require.Nil(t, res)
		require.ErrorIs(t, err, muster.ErrNotSupported)
		require.ErrorContains(t, err, "request.Refused")
		n++
	}
	require.Equal(t, 1, n)
}

// A refusal for want of an exchange says that it proves nothing, and so does the explanation.
func TestRefusedNodesProveNothing(t *testing.T) {
	c := newCluster(t, board(t))
	req := job(2)
	for _, node := range []string{"n0", "n1", "n2", "n3", "n9"} {
		req.Refused = append(req.Refused, refuse("job-1", node))
	}
	_, err := placement.Plan(c, req)
	var why *placement.Unschedulable
	require.ErrorAs(t, err, &why)
	require.Equal(t, placement.Unschedulable{
		Gang: "job", Refuser: placement.RefuserRule, Rule: placement.RuleRefused, Wanted: 2, Fits: 1, AtLeast: true,
	}, placement.Unschedulable{
		Gang: why.Gang, Refuser: why.Refuser, Rule: why.Rule, Wanted: why.Wanted, Fits: why.Fits, AtLeast: why.AtLeast,
		Proven: why.Proven, Stopped: why.Stopped, Tiers: why.Tiers,
	})
	require.Equal(t, 5, why.Nodes().Total)
	e := placement.Explain(c, req, placement.ExplainOptions{})
	require.Equal(t, placement.VerdictRefused, e.Verdict)
	require.Equal(t, explain.CodeRule, e.Facts[0].Code)
	require.False(t, e.Facts[0].Proven)

	for _, node := range []string{"n0", "n1", "n2", "n3", "n9"} {
		req.Refused = append(req.Refused, refuse("job-0", node))
	}
	_, err = placement.Plan(c, req)
	require.ErrorAs(t, err, &why)
	require.True(t, why.Proven, "all nodes are refused for all: none is left")
	require.Equal(t, []placement.CauseCount{{Cause: "eligible", Nodes: 5}}, why.Nodes().Rejected)
}
