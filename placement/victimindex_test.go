package placement

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/topology"
)

// written is a roster in words: its ids depend on what was read before.
func (r *victimIndex) written() (out []string) {
	for at, p := range r.pages {
		for i := range p.ends {
			lo, end := p.of(i)
			for ; lo < end; lo++ {
				s := r.profiles[p.profiles[lo]]
				out = append(out, fmt.Sprint(at*cow.PageSize+i, s.priority, s.holds, s.tied, p.starts[lo]))
			}
		}
		out = append(out, fmt.Sprint(p.counts))
	}
	return out
}

// drawRunning draws a member of a few gangs, whose members differ in priority, or a plain pod; tied: perhaps one on whom others depend.
func drawRunning(t *rapid.T, id, nodes int, tied bool) Running {
	r := Running{
		Member: "pod-" + strconv.Itoa(id), Node: "node-" + strconv.Itoa(rapid.IntRange(0, nodes-1).Draw(t, "node")),
		Resources: muster.Resources{"gpu": rapid.Int64Range(1, 2).Draw(t, "gpus")}, Started: rapid.Int64Range(0, 3).Draw(t, "started"),
		Priority: rapid.Int64Range(0, 2).Draw(t, "priority"),
	}
	r.Gang = r.Member
	if of := rapid.IntRange(0, 6).Draw(t, "gang"); of < 3 {
		r.Gang = "gang-" + strconv.Itoa(of)
	}
	switch what := rapid.IntRange(0, 12).Draw(t, "what"); {
	case what == 0 && tied:
		r.MinMember = 1
	case what == 1 && tied:
		r.Budgets = []string{"budget"}
	case what == 2:
		r.Unevictable = true
	case what == 3:
		r.NonPreemptible = true
	case what == 4:
		r.Leaving = true
	}
	return r
}

// drawCrowd draws a cluster of three layers.
func drawCrowd(t *rapid.T, nodes int, tied bool) Spec {
	var spec Spec
	roots := []topology.Domain{}
	for n := range nodes {
		spec.Nodes = append(spec.Nodes, Node{Name: "node-" + strconv.Itoa(n), Allocatable: muster.Resources{"gpu": 8}})
		if n%12 == 0 {
			roots = append(roots, topology.Domain{Name: fmt.Sprint("block-", n), Tier: 2})
		}
		block := &roots[len(roots)-1]
		if n%4 == 0 {
			block.Children = append(block.Children, topology.Domain{Name: fmt.Sprint("rack-", n), Tier: 1})
		}
		rack := &block.Children[len(block.Children)-1]
		rack.Nodes = append(rack.Nodes, spec.Nodes[n].Name)
	}
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}, {Name: "block", Tier: 2}}, Roots: roots})
	require.NoError(t, err)
	spec.Trees = []NamedTree{{Tree: tree}}
	for id := range rapid.IntRange(0, 6*nodes).Draw(t, "members") {
		spec.Running = append(spec.Running, drawRunning(t, id, nodes, tied))
	}
	return spec
}

// drawStep draws a change of the members of a crowd: some leave, some are about to, some come.
func drawStep(t *rapid.T, c *Snapshot, next *int, nodes int) (d Delta) {
	for r := range c.Running() {
		ref := MemberRef{Gang: r.Gang, Member: r.Member}
		switch rapid.IntRange(0, 40).Draw(t, "goes") {
		case 0:
			d.Remove = append(d.Remove, ref)
		case 1:
			d.Leaving = append(d.Leaving, ref)
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, "come") {
		r := drawRunning(t, *next, nodes, true)
		*next++
		if n, ok := c.FreeOn(r.Node); ok && n["gpu"] >= 8 { // sure to fit beside three others
			d.Place = append(d.Place, r)
		}
	}
	return d
}

// A roster that follows the snapshots is the one that is read anew, whoever comes and goes, and whatever that makes of the gangs of others.
func TestRosterFollowsSnapshots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 150).Draw(t, "nodes")
		spec := drawCrowd(t, nodes, true)
		c, err := NewSnapshot(spec)
		require.NoError(t, err)
		next := len(spec.Running)
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			if rapid.Bool().Draw(t, "read") {
				c.victimIndex()
			}
			c, err = c.Update(drawStep(t, c, &next, nodes))
			require.NoError(t, err)
			require.Nil(t, c.moved)
		}
		require.Equal(t, c.newVictimIndex().written(), c.victimIndex().written())
	})
}

// Kinds that nobody has any more do not pile up.
func TestRosterForgets(t *testing.T) {
	c, err := NewSnapshot(Spec{Nodes: []Node{{Name: "a", Allocatable: muster.Resources{"gpu": 1 << 40}}}})
	require.NoError(t, err)
	most := 0
	for i := range int64(5000) {
		c, err = c.Update(Delta{Place: []Running{{Gang: "g", Member: "m", Node: "a", Resources: muster.Resources{"gpu": i}}}})
		require.NoError(t, err)
		most = max(most, len(c.victimIndex().profiles))
		c, err = c.Release("g")
		require.NoError(t, err)
	}
	require.Less(t, most, 1200)
}

// Many may ask the snapshots of one lineage at once, while others derive new ones.
func TestRostersAreConcurrent(t *testing.T) {
	spec := Spec{}
	for n := range 200 {
		spec.Nodes = append(spec.Nodes, Node{Name: "node-" + strconv.Itoa(n), Allocatable: muster.Resources{"gpu": 8}})
	}
	c, err := NewSnapshot(spec)
	require.NoError(t, err)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			at := c
			for i := range 20 {
				r := Running{
					Gang: fmt.Sprint("gang-", g), Member: strconv.Itoa(i), Node: "node-" + strconv.Itoa(9*i), Priority: int64(-i),
					Resources: muster.Resources{"gpu": int64(1 + i%(3+g))},
				}
				next, err := at.Update(Delta{Place: []Running{r}})
				if !assert.NoError(t, err) || !assert.Equal(t, next.newVictimIndex().written(), next.victimIndex().written()) {
					return
				}
				at = next
				c.victimIndex()
			}
		})
	}
	all.Wait()
}

// Where victims leave one by one the search that tells nodes apart by classes finds the very set of the one that reads all members.
func TestOneByOneIsAsTogether(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 40).Draw(t, "nodes")
		spec := drawCrowd(t, nodes, false)
		c, err := NewSnapshot(spec)
		require.NoError(t, err)
		req := &gang.Request{Name: "preemptor", Priority: rapid.Int64Range(1, 3).Draw(t, "preemptor's priority")}
		req.Shape.Resources = muster.Resources{"gpu": rapid.Int64Range(1, 8).Draw(t, "asks")}
		for i := range rapid.IntRange(1, 12).Draw(t, "wanted") {
			req.Members = append(req.Members, gang.Member{Name: strconv.Itoa(i)})
		}
		if layer := rapid.SampledFrom([]string{"", "rack", "block"}).Draw(t, "within"); layer != "" {
			req.Gather = []gang.Rule{{Layer: layer, Strategy: gang.MustGather}}
		}
		if size := rapid.IntRange(0, 3).Draw(t, "group"); size > 0 && size <= len(req.Members) {
			req.Groups = []gang.Groups{{Size: size}}
		}
		if rapid.Bool().Draw(t, "other order") {
			req.Preempt.Order = rapid.Permutation(gang.Costs()).Draw(t, "order")
		}
		p, err := newProblem(c, req)
		require.NoError(t, err)
		p.leavingGone = true
		if p.leastAndMore() != nil {
			return // it fits without
		}
		one, all := newEvicting(p), newEvicting(p)
		if one == nil {
			return
		}
		got, ok := one.oneByOne()
		if !ok {
			return
		}
		want := all.together()
		got.Steps, want.Steps = 0, 0
		require.Equal(t, one.named(got.Gone), all.named(want.Gone))
		got.Gone, want.Gone = nil, nil
		require.Equal(t, want, got)
		if want.Found {
			found++
		}
	})
	require.True(t, found > 0 || testing.Short(), "some draws have victims")
}

// named are the names of candidates, sorted.
func (e *evicting) named(set []int32) (out []string) {
	for _, i := range set {
		out = append(out, e.members[i].name)
	}
	slices.Sort(out)
	return out
}
