package validity_test

import (
	"fmt"
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

// board is a spine of two units of two nodes with two slots each, and one node outside:
//
//	s0
//	  u0  n0: x leaving, y   n1
//	  u1  n2                 n3
//	outside n9
func board(t *testing.T) cluster.Spec {
	tree, err := topology.New(topology.Spec{
		Layers: []topology.Layer{{Name: "unit", Tier: 1}, {Name: "spine", Tier: 2}},
		Roots: []topology.Domain{{Name: "s0", Tier: 2, Children: []topology.Domain{
			{Name: "u0", Tier: 1, Nodes: []string{"n0", "n1"}}, {Name: "u1", Tier: 1, Nodes: []string{"n2", "n3"}},
		}}},
	})
	require.NoError(t, err)
	spec := cluster.Spec{Trees: []cluster.NamedTree{{Tree: tree}}}
	for _, name := range []string{"n0", "n1", "n2", "n3", "n9"} {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 2}})
	}
	one := muster.Resources{"gpu": 1, muster.Pods: 1}
	spec.Running = []cluster.Running{
		{Gang: "x", Member: "x-0", Node: "n0", Resources: one, Leaving: true},
		{Gang: "y", Member: "y-0", Node: "n0", Resources: one},
	}
	return spec
}

// pairs is a gang of four in groups of two and its plan: one pair on n0 and n1, which waits, one on n2.
func pairs() (*gang.Request, *placement.Result) {
	req := &gang.Request{
		Name:   "job",
		Shape:  gang.Shape{Resources: muster.Resources{"gpu": 1}},
		Groups: []gang.Groups{{Size: 2}},
	}
	res := &placement.Result{
		Gang: "job", Tier: 2, Layer: "spine", Domain: []string{"s0"}, GroupTiers: []int{1},
		Strategy: "spine/unit", StrategyNumber: 2,
		Span: []placement.LayerSpan{{Layer: "unit", Tier: 1, Domains: 2}},
		WaitsFor: []placement.Waited{{
			MemberRef: cluster.MemberRef{Gang: "x", Member: "x-0"}, Node: "n0",
		}},
	}
	for i, node := range []string{"n0", "n1", "n2", "n2"} {
		name := fmt.Sprintf("job-%d", i)
		req.Members = append(req.Members, gang.Member{Name: name})
		res.Assignments = append(res.Assignments, placement.Assignment{Member: name, Rank: i, Group: i / 2, Node: node})
	}
	return req, res
}

func TestCheckSeesDefects(t *testing.T) {
	req, res := pairs()
	require.NoError(t, validity.Check(board(t), req, res))
	must := func(layer string) []gang.Rule { return []gang.Rule{{Layer: layer, Strength: gang.MustGather}} }
	type args struct {
		spec *cluster.Spec
		req  *gang.Request
		res  *placement.Result
	}
	for _, tc := range []struct {
		want  string
		spoil func(a args)
	}{
		{"job-3 is no member of the request", func(a args) { a.req.Members = a.req.Members[:3] }},
		{"job-0 is placed twice", func(a args) { a.res.Assignments[1] = a.res.Assignments[0] }},
		{"has rank 1, want 0", func(a args) { a.res.Assignments[0].Rank = 1 }},
		{"has group 1, want 0", func(a args) { a.res.Assignments[0].Group = 1 }},
		{"which does not exist", func(a args) { a.res.Assignments[0].Node = "n7" }},
		{"3 members in the end, want at least 4", func(a args) { a.res.Assignments = a.res.Assignments[:3] }},
		{"rank 2 is placed, and not all of its group of 2", func(a args) { a.req.MinMember, a.res.Assignments = 2, a.res.Assignments[:3] }},
		{"job-0 is left out although job-1, which is like it, is placed", func(a args) { a.req.MinMember, a.res.Assignments = 2, a.res.Assignments[1:] }},
		{"job-2 is on n2: cordoned", func(a args) { a.spec.Nodes[2].Cordoned = true }},
		{"job-2 is on n2: eligible", func(a args) { a.req.Exclude = []string{"n2"} }},
		{"job-2 is on n2, which is refused for it", func(a args) { a.req.Refused = []gang.Refusal{{Member: "job-2", Node: "n2"}} }},
		{"n2: too little gpu", func(a args) { a.spec.Nodes[2].Allocatable["gpu"] = 1 }},
		{"n1: more members than the host has slots for", func(a args) {
			a.req.Slots = func(node string) int { return map[string]int{"n0": 1, "n2": 2}[node] }
		}},
		{"n0: too little gpu", func(a args) { a.res.WaitsFor = nil }},
		{"n2: too little cpu", func(a args) { a.req.Shape.Resources["cpu"] = 1 }},
		{"y-0, which is not leaving", func(a args) { a.res.WaitsFor[0].MemberRef = cluster.MemberRef{Gang: "y", Member: "y-0"} }},
		{"waits for x x-0 without need", func(a args) { a.spec.Nodes[0].Allocatable["gpu"] = 3 }},
		{"leaving members are to be ignored", func(a args) { a.req.IgnoreLeaving = true }},
		{"reaches tier 2, must gather at 1", func(a args) { a.req.Gather = must("unit") }},
		{"reaches tier 1, must gather at 0", func(a args) { a.req.Groups[0].Gather = must("0") }},
		{"outside the tree, which satisfies no hard rule", func(a args) {
			a.req.Groups[0].Gather = must("spine")
			a.res.Assignments[2].Node, a.res.Assignments[3].Node = "n9", "n9"
		}},
		{"has 1 members, no multiple of 2", func(a args) { a.req.Gather = []gang.Rule{{Layer: "0", Multiple: 2}} }},
		{"reports tier 1", func(a args) { a.res.Tier = 1 }},
		{"reports group tiers [0]", func(a args) { a.res.GroupTiers[0] = 0 }},
		{"reports strategy 3", func(a args) { a.res.StrategyNumber = 3 }},
		{"reports span", func(a args) { a.res.Span[0].Domains = 1 }},
		{"leaves in/1/s0/u0 2 times", func(a args) {
			a.res.Assignments[1].Node, a.res.Assignments[2].Node = "n2", "n1"
			a.res.GroupTiers, a.res.Strategy, a.res.StrategyNumber = nil, "spine", 3
			a.req.Groups = nil
			for i := range a.res.Assignments {
				a.res.Assignments[i].Group = -1
			}
		}},
	} {
		t.Run(tc.want, func(t *testing.T) {
			spec := board(t)
			req, res := pairs()
			tc.spoil(args{&spec, req, res})
			assert.ErrorContains(t, validity.Check(spec, req, res), tc.want)
		})
	}
}

// A plan that keeps a preferred limit may wait for members that only this one turns out; else it has no need to.
func TestCheckKnowsWhomPreferredLimitsTurnOut(t *testing.T) {
	spec := board(t)
	spec.Nodes[0].Allocatable["gpu"] = 3
	req, res := pairs()
	req.Limits = []gang.Limit{{Kind: gang.Alone, Layer: "0", Preferred: true}}
	require.ErrorContains(t, validity.Check(spec, req, res), "waits for x x-0 without need", "y stays")
	spec.Running = spec.Running[:1]
	require.NoError(t, validity.Check(spec, req, res))
}

func TestCheckSnapshotSeesDefects(t *testing.T) {
	require.NoError(t, validity.CheckSnapshot(board(t)))
	spec := board(t)
	spec.Running = append(spec.Running, spec.Running[0])
	spec.Running = append(spec.Running, cluster.Running{Gang: "z", Member: "z-0", Node: "n8"})
	spec.Nodes = append(spec.Nodes, spec.Nodes[4])
	err := validity.CheckSnapshot(spec)
	for _, want := range []string{"x x-0 runs twice", `z z-0 runs on "n8"`, "n9 is there twice", "over-committed: gpu by 1"} {
		assert.ErrorContains(t, err, want)
	}
}

func TestCheckAppliedSeesDefects(t *testing.T) {
	before, _, res := crowded(t)
	res.Assignments = res.Assignments[2:]
	applied := func() cluster.Spec {
		after := before
		after.Running, after.Budgets = slices.Clone(before.Running), []cluster.Budget{{Name: "budget", Allowed: -1}}
		for i := 2; i < 4; i++ {
			after.Running[i].Leaving, after.Running[i].Resources = true, muster.Resources{muster.Pods: 1}
		}
		for _, a := range res.Assignments {
			after.Running = append(after.Running, cluster.Running{Gang: "job", Member: a.Member, Node: a.Node, Resources: muster.Resources{"gpu": 1}})
		}
		return after
	}
	require.NoError(t, validity.CheckApplied(before, applied(), res))
	for _, tc := range []struct {
		want  string
		spoil func(after *cluster.Spec)
	}{
		{"v v-9 is gone", func(s *cluster.Spec) { s.Running = slices.Delete(s.Running, 2, 3) }},
		{"v v-9 was evicted", func(s *cluster.Spec) { s.Running[2].Leaving = false }},
		{"v v-9 was evicted", func(s *cluster.Spec) { s.Running[2].Node = "n3" }},
		{"v v-9 was evicted", func(s *cluster.Spec) { s.Running[2].Resources = muster.Resources{"cpu": 1} }},
		{"budget budget allowed 1, 2 left, it allows 1", func(s *cluster.Spec) { s.Budgets[0].Allowed = 1 }},
		{"y y-0 was", func(s *cluster.Spec) { s.Running[1].Leaving = true }},
		{"job-3 does not run on n2", func(s *cluster.Spec) { s.Running[len(s.Running)-1].Node = "n3" }},
		{"n2 is over-committed: gpu by 1", func(s *cluster.Spec) { s.Running[2].Resources = muster.Resources{"gpu": 1} }},
		{"members run, of 6 before", func(s *cluster.Spec) {
			s.Running = append(s.Running, cluster.Running{Gang: "z", Member: "z-0", Node: "n3"})
		}},
	} {
		after := applied()
		tc.spoil(&after)
		assert.ErrorContains(t, validity.CheckApplied(before, after, res), tc.want)
	}
}

func TestRanks(t *testing.T) {
	member := func(name string, index int) gang.Member {
		return gang.Member{Name: name, Index: index, Indexed: index >= 0}
	}
	req := &gang.Request{Members: []gang.Member{member("b-10", -1), member("b-9", -1), member("a", 3), member("z", 1)}}
	assert.Equal(t, map[string]int{"z": 0, "a": 1, "b-9": 2, "b-10": 3}, validity.Ranks(req, nil))
	req.Groups = []gang.Groups{{Size: 2}}
	assert.Equal(t, map[string]int{"b-9": 0, "z": 1, "b-10": 2, "a": 3}, validity.Ranks(req, nil), "the index is the rank")
	own := []cluster.Running{{Member: "old", Index: 3, Indexed: true}}
	assert.Equal(t, map[string]int{"z": 0, "a": 1, "old": 2, "b-9": 3, "b-10": 4}, validity.Ranks(req, own), "3 is there twice")
}
