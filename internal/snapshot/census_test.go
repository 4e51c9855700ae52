package snapshot

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/topology"
)

// counted is the census of a gang as text, and which tiers it reaches in blocks.
func counted(c *Snapshot, gang string, v *layout.View) string {
	g, runs := c.Gangs.Get(&GangMembers{Name: gang})
	if !runs {
		return "nobody"
	}
	census, blocks := g.Census(v, 8, 4)
	if census == nil {
		return "not in rank order"
	}
	out := fmt.Sprintln(v.Name, census.Lowest(v.At(g.Members.At(0).Node)))
	for x := range layout.Vertex(v.NumDomains()) + v.Nodes {
		if n := census.At(x); n > 0 {
			out += fmt.Sprintln(x, n)
		}
	}
	for _, t := range v.SwitchTiers()[1:] {
		out += fmt.Sprintln("tier", t, census.Used(t))
	}
	for n := range g.Members.Len() {
		for level := range 2 {
			out += fmt.Sprintln(blocks.Reached(level, n))
		}
	}
	return out
}

// allCounted are the censuses of both gangs in both topologies.
func allCounted(c *Snapshot) (out string) {
	for _, gang := range []string{"a", "b"} {
		for _, v := range c.Lineage.Views {
			out += counted(c, gang, v)
		}
	}
	return out
}

// drawCounted is a member of a gang on one of the nodes; few are out of rank order, or leave.
func drawCounted(t *rapid.T, gang string, member, nodes int) cluster.Running {
	r := cluster.Running{Gang: gang, Member: fmt.Sprint("m", member), Node: fmt.Sprint("n", rapid.IntRange(0, nodes-1).Draw(t, "node")), MinMember: -1}
	if rapid.IntRange(0, 39).Draw(t, "sets apart") == 20 {
		r.MinMember, r.Priority = rapid.IntRange(0, 2).Draw(t, "minimum"), int64(rapid.IntRange(-1, 1).Draw(t, "priority"))
	}
	if gang == "a" { // those of b have none
		if r.Index, r.Indexed = member, true; rapid.IntRange(0, 299).Draw(t, "another index") == 150 {
			r.Index = 0
		}
	}
	r.Leaving = rapid.IntRange(0, 299).Draw(t, "leaves") == 150
	return r
}

// drawCountedChange is a change of some members of two gangs: those that run go, leave or come back elsewhere, others come.
func drawCountedChange(t *rapid.T, c *Snapshot, nodes int) (d cluster.Delta) {
	for _, gang := range []string{"a", "b"} {
		if c.MembersOf(gang).Len() > 0 && rapid.IntRange(0, 19).Draw(t, "whole gang") == 19 {
			if rapid.Bool().Draw(t, "leaves") {
				d.LeavingGangs = append(d.LeavingGangs, gang)
			} else {
				d.RemoveGangs = append(d.RemoveGangs, gang)
			}
			continue
		}
		changed := map[int]bool{}
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			i := rapid.IntRange(0, 79).Draw(t, "member")
			ref := cluster.MemberRef{Gang: gang, Member: fmt.Sprint("m", i)}
			was := c.Member(gang, ref.Member)
			switch {
			case changed[i]:
			case was == nil:
				d.Place = append(d.Place, drawCounted(t, gang, i, nodes))
			case !was.Leaving && rapid.IntRange(0, 9).Draw(t, "stays a while") == 9:
				d.Leaving = append(d.Leaving, ref)
			default:
				if d.Remove = append(d.Remove, ref); was.Leaving || rapid.Bool().Draw(t, "comes back") {
					d.Place = append(d.Place, drawCounted(t, gang, i, nodes))
				}
			}
			changed[i] = true
		}
	}
	return d
}

// The census of a gang that came about by any changes is that of a cluster built afresh. Snapshots before a change keep theirs, though many ask at
// once, and whoever asked before.
func TestCensusFollowsChanges(t *testing.T) {
	const nodes = 6 // the last one is in the second topology alone
	names := []string{"n0", "n1", "n2", "n3", "n4"}
	other, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "zone", Tier: 1}}, Roots: []topology.Domain{
		{Name: "z0", Tier: 1, Nodes: []string{"n5", "n0"}}, {Name: "z1", Tier: 1, Nodes: []string{"n3", "n1"}},
	}})
	require.NoError(t, err)
	followed, cut := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		spec := cluster.Spec{Trees: []cluster.NamedTree{treeOf(t, names), {Name: "zones", Tree: other}}}
		for i := range nodes {
			spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("n", i), Allocatable: muster.Resources{"gpu": 8}})
		}
		for i := range rapid.IntRange(keptFrom-2, keptFrom+8).Draw(t, "running") {
			spec.Running = append(spec.Running, drawCounted(t, "a", i, nodes), drawCounted(t, "b", i, nodes))
		}
		c, err := New(spec)
		require.NoError(t, err)
		all, want := []*Snapshot{c}, []string(nil)
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			if asked := rapid.IntRange(0, 3).Draw(t, "asked"); asked == 3 {
				allCounted(c)
			} else if asked > 0 {
				counted(c, "a", c.Lineage.Views[0])
				counted(c, "b", c.Lineage.Views[0])
			}
			c, err = c.Update(drawCountedChange(t, c, nodes))
			require.NoError(t, err)
			c.Gangs.Ascend(func(g *GangMembers) bool {
				afresh := newGangMembers(g.Name, g.Members)
				require.Equal(t, []any{afresh.Staying, afresh.Least, afresh.Priority, afresh.inRankOrder}, []any{g.Staying, g.Least, g.Priority, g.inRankOrder})
				return true
			})
			if g, runs := c.Gangs.Get(&GangMembers{Name: "a"}); runs && g.inRankOrder && g.held.Load() != nil {
				followed++
				if kept := g.cut.Load(); g.Members.Len() >= keptFrom && kept != nil && kept.same >= 8 {
					cut++
				}
			}
			all = append(all, c)
		}
		for _, c := range all {
			spec.Running = slices.Collect(c.Running())
			afresh, err := New(spec)
			require.NoError(t, err)
			want = append(want, allCounted(afresh))
		}
		var asking sync.WaitGroup
		got := make([][]string, 2)
		for g := range got {
			asking.Go(func() {
				for _, c := range all {
					got[g] = append(got[g], allCounted(c))
				}
			})
		}
		asking.Wait()
		require.Equal(t, want, got[0])
		require.Equal(t, want, got[1])
	})
	require.Positive(t, followed, "a change is followed")
	require.Positive(t, cut, "and so are blocks")
}

// What is kept of a gang follows its own changes in what these touch, and nothing of it refers to a member.
func TestCensusIsKept(t *testing.T) {
	spec := cluster.Spec{Nodes: []cluster.Node{{Name: "n", Allocatable: muster.Resources{"gpu": 8}}}}
	for i := range 2 * keptFrom {
		spec.Running = append(spec.Running, cluster.Running{Gang: "g", Member: fmt.Sprint("m", i), Node: "n"})
	}
	c, err := New(spec)
	require.NoError(t, err)
	gang := func(c *Snapshot) *GangMembers { g, _ := c.Gangs.Get(&GangMembers{Name: "g"}); return g }
	v := c.Lineage.Views[0]
	first, _ := gang(c).Census(v)
	again, _ := gang(c).Census(v)
	require.Same(t, first, again)
	other, err := c.Update(cluster.Delta{Place: []cluster.Running{{Gang: "x", Member: "m", Node: "n"}}})
	require.NoError(t, err)
	again, _ = gang(other).Census(v)
	require.Same(t, first, again, "another gang changed")
	for i := range keptFrom {
		c, err = c.Update(cluster.Delta{Remove: []cluster.MemberRef{{Gang: "g", Member: fmt.Sprint("m", i)}}})
		require.NoError(t, err)
		if kept := gang(c).held.Load(); i < keptFrom/3 {
			require.Same(t, first, kept.census)
			require.Equal(t, i+1, kept.since.total)
		}
	}
	require.Nil(t, gang(c).held.Load(), "it lags far behind")
	last, _ := gang(c).Census(v)
	require.EqualValues(t, keptFrom, last.At(layout.Root))
	require.EqualValues(t, 2*keptFrom, first.At(layout.Root))
}
