package placement_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// A gang that was placed as a whole lies as its plan says, and nowhere better; once others are gone there may be a better place.
func TestStandingOfWhatWasPlaced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawInput(t)
		c := newCluster(t, spec)
		req.Preempt.ForTier = ""
		res, err := placement.Plan(c, req)
		if err != nil || len(res.Victims)+len(res.WaitsFor) > 0 || len(validity.Own(&spec, req)) > 0 || !res.Proven {
			t.Skip("nothing is placed on what is free")
		}
		next, err := c.Apply(res)
		require.NoError(t, err)
		g, err := placement.Standing(next, req)
		require.NoError(t, err)
		require.Equal(t, len(res.Assignments), g.Members)
		require.Equal(t, req.Name, g.Gang)
		require.Equal(t, res.Tree, g.Tree)
		requirePosition(t, res, &g.Now)
		require.Zero(t, g.Wider, "%+v", g)
		require.Equal(t, g.Now.Strategy, g.Best.Strategy)
		requireMoves(t, next, req, g)
	})
}

// requirePosition compares a position with what a plan says.
func requirePosition(t require.TestingT, res *placement.Result, at *placement.Position) {
	require.Equal(t, res.Tier, at.Tier)
	require.Equal(t, res.Layer, at.Layer)
	require.Equal(t, res.Domain, at.Domain)
	require.Equal(t, res.Strategy, at.Strategy)
	require.Equal(t, res.StrategyNumber, at.StrategyNumber)
	require.Equal(t, res.Span, at.Span)
	require.Len(t, at.Groups, len(res.GroupTiers))
	for i, tier := range res.GroupTiers {
		l := at.Groups[i]
		require.Equal(t, tier, l.Within[len(l.Within)-1].Tier)
		require.Equal(t, l.Groups, l.Within[len(l.Within)-1].Groups)
	}
}

// requireMoves says that the best place holds the gang once it is gone from where it is.
func requireMoves(t require.TestingT, c *placement.Cluster, req *gang.Request, g *placement.RunningGang) {
	if g.Moves == nil {
		require.Equal(t, g.Now, g.Best)
		return
	}
	spec := validity.Describe(c)
	spec.Trees = c.Trees()
	moved := gang.Request{
		Name: g.Gang, Tree: g.Tree, Shape: req.Shape, Gather: req.Gather, Groups: req.Groups, PP: req.PP, DP: req.DP, Exclude: req.Exclude,
		AffinityKey: req.AffinityKey, Policy: req.Policy, Eligible: req.Eligible, Score: req.Score, NeverPreempts: true,
	}
	spec.Running = slices.DeleteFunc(spec.Running, func(r cluster.Running) bool {
		if r.Gang != g.Gang || r.Leaving {
			return false
		}
		moved.Members = append(moved.Members, gang.Member{Name: r.Member, Index: r.Index, Indexed: r.Indexed})
		if len(req.Shape.Resources) == 0 {
			moved.Members[len(moved.Members)-1].Shape = &gang.Shape{Resources: r.Resources}
		}
		return true
	})
	require.Len(t, g.Moves, len(moved.Members))
	best, err := placement.Plan(newCluster(t, spec), &moved)
	require.NoError(t, err)
	require.Equal(t, g.Moves, best.Assignments)
	requirePosition(t, best, &g.Best)
	require.NoError(t, validity.Check(spec, &moved, best))
}

// By its name alone a gang lies in the lowest domain above its nodes, and the best place is where it would be planned as it is.
func TestStandingByName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, _ := drawInput(t)
		if len(spec.Running) == 0 {
			t.Skip("nobody runs")
		}
		name := spec.Running[rapid.IntRange(0, len(spec.Running)-1).Draw(t, "gang")].Gang
		tree := rapid.SampledFrom(append(spec.Trees, make([]cluster.NamedTree, bit(len(spec.Trees) == 0))...)).Draw(t, "of tree")
		c := newCluster(t, spec)
		var on []string
		for _, r := range spec.Running {
			if r.Gang == name && !r.Leaving {
				on = append(on, r.Node)
			}
		}
		req := &gang.Request{Name: name, Tree: tree.Name}
		g, err := placement.Standing(c, req)
		if len(on) == 0 {
			var invalid *muster.InvalidError
			require.ErrorAs(t, err, &invalid)
			return
		}
		require.NoError(t, err)
		require.Equal(t, len(on), g.Members)
		path := pathOf(tree, on[0])
		for _, node := range on[1:] {
			path = path[:common(path, pathOf(tree, node))]
		}
		require.Equal(t, path, append([]string{}, g.Now.Domain...))
		require.GreaterOrEqual(t, g.Now.Tier, g.Best.Tier, "without rules tighter is better")
		require.Equal(t, g.Wider > 0, g.Now.Tier > g.Best.Tier)
		requireMoves(t, c, req, g)
	})
}

// pathOf is where a node is in a tree, outside of it: itself.
func pathOf(tree cluster.NamedTree, node string) []string {
	for d := range tree.Tree.All() {
		first, end := tree.Tree.Nodes(d)
		if kids, last := tree.Tree.Children(d); kids < last {
			continue
		}
		for ; first < end; first++ {
			if tree.Tree.NodeName(first) == node {
				return append(tree.Tree.Path(d), node)
			}
		}
	}
	return []string{node}
}

func common(a, b []string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// A gang of two groups over two racks, one of which has room for all since another gang has gone.
func TestStandingOfAGangThatCouldMove(t *testing.T) {
	spec := board(t)
	for i, node := range []string{"n1", "n2", "n2", "n3"} {
		spec.Running = append(spec.Running, cluster.Running{
			Gang: "ns/wide", Member: string(rune('a' + i)), Index: i, Indexed: true, Node: node, Resources: muster.Resources{"gpu": 1},
		})
	}
	g, err := placement.Standing(newCluster(t, spec), &gang.Request{Name: "ns/wide", PP: 2})
	require.NoError(t, err)
	require.Equal(t, &placement.RunningGang{
		Gang: "ns/wide", Members: 4, Wider: 1, Proven: true,
		Now: placement.Position{
			Tier: 2, Layer: "block", Domain: []string{"b0"}, Strategy: "block/block", StrategyNumber: 3,
			Span: []placement.LayerSpan{{Layer: "rack", Tier: 1, Domains: 2}},
			Groups: []placement.GroupLevel{{Groups: 2, Within: []placement.GroupsWithin{
				{Tier: 1, Layer: "rack", Groups: 1}, {Tier: 2, Layer: "block", Groups: 2},
			}}},
		},
		Best: placement.Position{
			Tier: 1, Layer: "rack", Domain: []string{"b0", "r1"}, Strategy: "rack/node", StrategyNumber: 1,
			Groups: []placement.GroupLevel{{Groups: 2, Within: []placement.GroupsWithin{{Tier: 0, Layer: "node", Groups: 2}}}},
		},
		Moves: []placement.Assignment{
			{Member: "a", Rank: 0, Group: 0, Node: "n2"},
			{Member: "b", Rank: 1, Group: 0, Node: "n2"},
			{Member: "c", Rank: 2, Group: 1, Node: "n3"},
			{Member: "d", Rank: 3, Group: 1, Node: "n3"},
		},
	}, g)
}

// A gang of which nobody stays has no place, nor has one whose rules are not for this cluster.
func TestStandingRefuses(t *testing.T) {
	c := newCluster(t, board(t))
	for _, req := range []*gang.Request{
		nil, {}, {Name: "y"}, {Name: "x", Tree: "second"}, {Name: "x", Gather: []gang.Rule{{Layer: "hall", Strength: gang.MustGather}}},
	} {
		_, err := placement.Standing(c, req)
		var invalid *muster.InvalidError
		require.ErrorAs(t, err, &invalid)
	}
	_, err := placement.Standing(nil, &gang.Request{Name: "x"})
	require.ErrorContains(t, err, "cluster")
}
