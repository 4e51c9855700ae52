package outcome_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/outcome"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

// inHall is the problem of members m0, m1, ... on two rows of two racks of two nodes, a1 to d2, and a node outside. Two feeds, of the nodes 1
// and 2 of each rack, are another topology. Perhaps one member runs.
func inHall(t *testing.T, members int, with func(req *gang.Request), running ...string) *problem.Problem {
	t.Helper()
	spec, feeds, rows := cluster.Spec{}, make([]topology.Domain, 2), make([]topology.Domain, 2)
	for i, rack := range []string{"a", "b", "c", "d"} {
		d := topology.Domain{Name: rack, Tier: 1}
		for k := range feeds {
			name := fmt.Sprint(rack, k+1)
			d.Nodes, feeds[k].Nodes = append(d.Nodes, name), append(feeds[k].Nodes, name)
			feeds[k].Name, feeds[k].Tier = fmt.Sprint("feed-", k+1), 1
			spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 4}})
		}
		rows[i/2].Name, rows[i/2].Tier, rows[i/2].Children = fmt.Sprint("row-", i/2), 2, append(rows[i/2].Children, d)
	}
	spec.Nodes = append(spec.Nodes, cluster.Node{Name: "outside"})
	for _, s := range []struct {
		name string
		topology.Spec
	}{
		{"default", topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}, {Name: "row", Tier: 2}}, Roots: rows}},
		{"feeds", topology.Spec{Layers: []topology.Layer{{Name: "feed", Tier: 1}}, Roots: feeds}},
	} {
		tree, err := topology.New(s.Spec)
		require.NoError(t, err)
		spec.Trees = append(spec.Trees, cluster.NamedTree{Name: s.name, Tree: tree})
	}
	for i, node := range running {
		spec.Running = append(spec.Running, cluster.Running{Gang: "g", Member: fmt.Sprint("m", members+i), Node: node})
	}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	req := &gang.Request{Name: "g", Tree: "default", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}}
	for i := range members {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("m", i)})
	}
	if with != nil {
		with(req)
	}
	p, err := problem.New(c, req, nil, bounds.Search{})
	require.NoError(t, err)
	p.Ready()
	return p
}

// at are the positions of nodes.
func at(p *problem.Problem, nodes ...string) (out []int32) {
	for _, n := range nodes {
		id, _ := p.Snapshot.Lineage.ID(n)
		out = append(out, p.Model.View.At(id))
	}
	return out
}

// Once the gang is placed, as many must run together as it says; without a word all, and a single member is a plain pod.
func TestGangLeast(t *testing.T) {
	require.Equal(t, 0, outcome.GangLeast(inHall(t, 1, nil)))
	require.Equal(t, 2, outcome.GangLeast(inHall(t, 1, nil, "a1")))
	require.Equal(t, 3, outcome.GangLeast(inHall(t, 3, nil)))
	require.Equal(t, 2, outcome.GangLeast(inHall(t, 3, func(req *gang.Request) { req.MinMember = 2 })))
	p := inHall(t, 3, func(req *gang.Request) { req.Parts = []gang.Part{{Name: "a", Members: []string{"m0", "m1"}}} }, "a1")
	require.Zero(t, outcome.GangLeast(p), "no selection may start")
	p.Parts.Minimal = model.Selection{true, false, true}
	require.Equal(t, 3, outcome.GangLeast(p), "of parts the selections say it, and one runs")
}

// Groups reach the tier of the lowest domain above their members, level by level, and in another topology the lowest one there.
func TestReachOfGroups(t *testing.T) {
	p := inHall(t, 4, func(req *gang.Request) { req.Groups = []gang.Groups{{Size: 2}} })
	require.Equal(t, []int32{2}, outcome.ReachedByGroups(p, at(p, "a1", "a2", "b1", "a1")))
	p = inHall(t, 5, func(req *gang.Request) {
		req.Parts = []gang.Part{
			{Name: "a", Members: []string{"m0", "m1", "m5"}, Parts: []gang.Part{{Name: "b", Members: []string{"m2"}}}},
			{Name: "c", Members: []string{"m3", "m4"}, Tree: "feeds", Gather: []gang.Rule{{Layer: "feed", Strength: gang.MustGather}}},
		}
	}, "a2")
	reached := func(nodes ...string) []int32 { return outcome.ReachedByGroups(p, at(p, nodes...)) }
	require.Equal(t, []int32{1, 0}, reached("a1", "a1", "a2", "b1", "b1"), "a is in its rack, with who runs; c is on a node")
	require.Equal(t, []int32{3, 0}, reached("a1", "a1", "c1", "b1", "b1"))
	require.Equal(t, []int32{2, 0}, reached("a1", "b1", "a2", "b1", "b1"))
	require.Equal(t, []int32{1, 0}, reached("a1"), "the rest is nowhere")
	require.Equal(t, append(at(p, "a1", "b1"), -1, -1, -1, at(p, "a2")[0]), outcome.AllByRank(p, at(p, "a1", "b1")))
	c := p.Model.Gang.Parts[1]
	in := func(nodes ...string) layout.Vertex {
		return p.Model.LowestInOtherTree(c, outcome.AllByRank(p, at(p, nodes...)))
	}
	require.Equal(t, c.OtherTree.DomainAt(c.OtherTree.At(0), 1), in("a1", "a1", "a1", "a1", "d1"), "both are on nodes of feed 1")
	require.Equal(t, layout.Root, in("a1", "a1", "a1", "a1", "d2"))
	require.Equal(t, layout.Root, in("a1", "a1", "a1", "outside", "outside"), "nodes outside satisfy no hard rule")
	require.Negative(t, in("a1"))
}

// Members are in the innermost part that the request names, and in groups that are numbered level by level.
func TestMembersAreInGroups(t *testing.T) {
	p := inHall(t, 9, func(req *gang.Request) {
		req.MinMember, req.MinParts = 2, -1
		req.Parts = []gang.Part{
			{Name: "a", Members: []string{"m3", "m1"}, MinMember: 1, Parts: []gang.Part{{Name: "b", Members: []string{"m4"}}}},
			{Name: "c", NoGroup: true, MinParts: -1, Parts: []gang.Part{{Name: "d", Members: []string{"m5", "later"}, Tree: "feeds"}}},
			{Name: "e", Members: []string{"m6", "m7", "m8"}, MinParts: 1, Groups: []gang.Groups{{Size: 2}}},
		}
	}, "b2")
	parts, groups := outcome.Memberships(p)
	require.Equal(t, []string{"", "a", "", "a", "b", "d", "e", "e", "e", ""}, parts)
	require.Equal(t, [][]int{nil, {0}, nil, {0}, {0, 0}, {1}, {2, 1}, {2, 1}, {2, 2}, nil}, groups)
}
