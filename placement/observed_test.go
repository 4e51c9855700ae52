package placement_test

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
)

// observe is an observed Delta as its comment says.
func (m model) observe(d cluster.Delta) model {
	next := model{m.trees, m.exclusive, maps.Clone(m.nodes), maps.Clone(m.running)}
	for _, ref := range d.Remove {
		delete(next.running, ref)
	}
	for _, gang := range d.RemoveGangs {
		for _, ref := range next.gang(gang) {
			delete(next.running, ref)
		}
	}
	set := map[string]bool{}
	for _, n := range d.SetNodes {
		if !set[n.Name] && next.sound(n, next.on(n.Name)...) {
			set[n.Name], next.nodes[n.Name] = true, n
		}
	}
	for _, name := range d.RemoveNodes {
		if !set[name] {
			delete(next.nodes, name)
		}
	}
	told, come := map[cluster.MemberRef]bool{}, []cluster.Running(nil)
	for _, r := range d.Place {
		old, runs := next.running[refOf(r)]
		_, there := next.nodes[r.Node]
		switch {
		case told[refOf(r)]:
		case !there:
			if old.Node != r.Node {
				delete(next.running, refOf(r))
			}
		case !runs || !reflect.DeepEqual(old, r):
			delete(next.running, refOf(r))
			come = append(come, r)
		}
		told[refOf(r)] = true
	}
	for ref, r := range next.running {
		least, is := d.Minima[ref.Gang]
		if r.Leaving = r.Leaving || slices.Contains(d.Leaving, ref) || slices.Contains(d.LeavingGangs, ref.Gang); is {
			r.MinMember = least
		}
		if next.running[ref] = r; next.nodes[r.Node].Name == "" {
			delete(next.running, ref)
		}
	}
	next.trees = m.withTrees(d.Trees)
	for _, r := range come {
		if next.sound(next.nodes[r.Node], append(next.on(r.Node), r)...) {
			next.running[refOf(r)] = r
		}
	}
	return next
}

// sound says whether a node has the zones of some members, and their sums do not overflow.
func (m model) sound(n cluster.Node, members ...cluster.Running) bool {
	held := muster.Resources{}
	for _, r := range members {
		if !hasZonesOf(n, r) {
			return false
		}
		for name, amount := range r.Resources {
			if _, named := n.Allocatable[name]; name == muster.Pods && !named {
				continue
			}
			if amount > math.MaxInt64-held[name] {
				return false
			}
			held[name] += amount
		}
	}
	return true
}

// withTrees are the topologies with others in their place.
func (m model) withTrees(set []cluster.NamedTree) []cluster.NamedTree {
	trees := slices.Clone(m.trees)
	for _, t := range set {
		if i := slices.IndexFunc(trees, func(old cluster.NamedTree) bool { return old.Name == t.Name }); i >= 0 {
			trees[i] = t
		} else {
			trees = append(trees, t)
		}
	}
	return trees
}

// What was seen of a gang that a host has placed is done already; what was decided is whole or not at all, as ever.
func TestObservedBesideApply(t *testing.T) {
	c := newCluster(t, board(t))
	res := mustPlan(t, c, job(3))
	applied, err := c.Apply(res)
	require.NoError(t, err)
	var d cluster.Delta
	for _, a := range res.Assignments {
		d.Place = append(d.Place, cluster.Running{Gang: "job", Member: a.Member, Node: a.Node, Resources: gpus(1), MinMember: 3, Index: a.Rank})
	}
	d.Remove = []cluster.MemberRef{ref("job", "job-2"), ref("never", "ran")}
	d.Place = d.Place[:2]
	_, err = applied.Update(d)
	requireConflict(t, err)
	d.Observed = true
	next, err := applied.Update(d)
	require.NoError(t, err)
	require.Empty(t, next.LeftOut())
	require.Len(t, slices.Collect(next.Running()), 3, "two of the gang, and the one that was there")

	// The same again changes nothing.
	again, err := next.Update(d)
	require.NoError(t, err)
	require.Equal(t, stateOf(next), stateOf(again))
}

// Over-commitment is taken and told. What comes after it on that node is taken, too: nobody needs another cluster.
func TestObservedOvercommitment(t *testing.T) {
	c := newCluster(t, board(t))
	place := func(gang, node string) cluster.Delta {
		return cluster.Delta{Observed: true, Place: []cluster.Running{{Gang: gang, Member: "m", Node: node, Resources: gpus(2)}}}
	}
	c, err := c.Update(place("a", "n0"))
	require.NoError(t, err)
	require.Equal(t, []string{"node n0: members hold 1 more gpu than it has"}, c.Notices())
	c, err = c.Update(place("b", "n0"))
	require.NoError(t, err)
	free, _ := c.Free("n0")
	require.Equal(t, gpus(-3), free)
	_, err = c.Update(cluster.Delta{Place: place("c", "n0").Place})
	requireConflict(t, err)
	c, err = c.Update(cluster.Delta{Observed: true, Remove: []cluster.MemberRef{ref("a", "m"), ref("b", "m"), ref("b", "m")}})
	require.NoError(t, err)
	require.Empty(t, c.Notices())
	free, _ = c.Free("n0")
	require.Equal(t, gpus(1), free)
	// It is elsewhere now than it was.
	c, err = c.Update(place("x", "n1"))
	require.NoError(t, err)
	d := place("x", "n2")
	c, err = c.Update(d)
	require.NoError(t, err)
	require.Len(t, c.RunningOn("n2"), 1)
	require.Empty(t, c.RunningOn("n1"))
}

// What cannot be is left out alone and named, once; all else of the change is taken.
func TestObservedLeavesOut(t *testing.T) {
	spec := board(t)
	spec.Quotas = teams(t)
	c := newCluster(t, spec)
	at := func(gang, node string, amount int64) cluster.Running {
		return cluster.Running{Gang: gang, Member: "m", Node: node, Resources: gpus(amount)}
	}
	inQuota := func(quota string, amount int64) cluster.Running {
		r := at(quota, "n3", amount)
		r.Quota, r.Resources = quota, muster.Resources{"gpu": amount}
		return r
	}
	quotas := []cluster.Running{inQuota("team", math.MaxInt64), inQuota("nobody", 1), inQuota("org", 1)}
	second := inQuota("team", 5)
	second.Member, second.Node = "second", "n2"
	next, err := c.Update(cluster.Delta{
		Observed:    true,
		Trees:       []cluster.NamedTree{{Name: "empty"}},
		SetNodes:    []cluster.Node{{Name: "n1", Allocatable: gpus(8)}, {Name: "n1"}, {}, {Name: "n2", Allocatable: gpus(-1)}},
		RemoveNodes: []string{"n0", "gone", "n1"},
		Place: slices.Concat([]cluster.Running{
			at("good", "n1", 3), at("good", "n1", 1), at("", "n1", 1), at("lost", "n0", 1), at("lower", "n1", -1), at("huge", "n1", math.MaxInt64),
		}, quotas, []cluster.Running{second}),
		Demand:  map[string]muster.Resources{"team": gpus(1), "unknown": gpus(1)},
		Budgets: []cluster.Budget{{Name: "c", Allowed: 1}, {Name: "c"}, {}},
	})
	require.NoError(t, err)
	var texts []string
	for _, err := range next.LeftOut() {
		texts = append(texts, err.Error())
	}
	require.Equal(t, []string{
		`node n1: duplicate name`,
		`cluster.SetNodes: a node has no name`,
		`node n2.Allocatable.gpu "-1": negative amount`,
		`running member good m: duplicate name`,
		`running member  m: a running member needs a gang and a name`,
		`conflict: node n0, member lost m: the node is not in the cluster`,
		`running member lower m.Resources.gpu "-1": negative amount`,
		`running member nobody m.Quota "nobody": unknown quota`,
		`running member org m.Quota "org": members can only be in a quota without children`,
		`conflict: node n0, member x x-0: the node is not in the cluster`,
		`cluster.Trees[0].Tree: missing`,
		`quota "unknown": unknown quota`,
		`cluster.Budgets[1].Name "c": duplicate name`,
		`cluster.Budgets[2].Name: a budget has no name`,
		`running member huge m.Resources.gpu "9223372036854775807": the sum on node n1 overflows`,
		`running member team second.Resources.gpu "5": the sum in quota team overflows`,
	}, texts)
	require.Subset(t, next.Notices(), texts)
	free, _ := next.Free("n1")
	require.Equal(t, gpus(5), free)
	require.Equal(t, []cluster.Budget{{Name: "b", Allowed: 1}, {Name: "c", Allowed: 1}}, next.Budgets())
	_, _, demand := next.Quotas().Usage("team")
	require.Equal(t, gpus(1), demand)
	again, err := next.Update(cluster.Delta{})
	require.NoError(t, err)
	require.Empty(t, again.LeftOut())
}

// A resource that no node has yet is held all the same, and counts once a node has it.
func TestObservedResourceOfNoNode(t *testing.T) {
	c := newCluster(t, board(t))
	r := cluster.Running{Gang: "g", Member: "m", Node: "n1", Resources: muster.Resources{"fpga": 1}}
	c, err := c.Update(cluster.Delta{Observed: true, Place: []cluster.Running{r}})
	require.NoError(t, err)
	require.Equal(t, []string{"node n1: members hold 1 more fpga than it has"}, c.Notices())
	c, err = c.Update(cluster.Delta{SetNodes: []cluster.Node{{Name: "n1", Allocatable: muster.Resources{"fpga": 2}}}})
	require.NoError(t, err)
	free, _ := c.Free("n1")
	require.Equal(t, int64(1), free["fpga"])
}

// Who is told twice is where he is told first, even where he was there before.
func TestObservedTwice(t *testing.T) {
	c := newCluster(t, board(t))
	at := func(node string) cluster.Running {
		return cluster.Running{Gang: "x", Member: "x-0", Node: node, Resources: gpus(1)}
	}
	next, err := c.Update(cluster.Delta{Observed: true, Place: []cluster.Running{at("n0"), at("n1")}})
	require.NoError(t, err)
	require.Len(t, next.LeftOut(), 1)
	require.Equal(t, stateOf(c), stateOf(next))
}

// Of whole gangs that go or leave what is so already is no error where it was observed, and is one where a host decides it.
func TestGangsLeaveByName(t *testing.T) {
	spec := board(t)
	c := newCluster(t, spec)
	for _, d := range []cluster.Delta{
		{RemoveGangs: []string{"nobody"}},
		{LeavingGangs: []string{"nobody"}},
		{RemoveGangs: []string{"x", "x"}},
		{RemoveGangs: []string{"x"}, LeavingGangs: []string{"x"}},
		{RemoveGangs: []string{"x"}, Leaving: []cluster.MemberRef{ref("x", "x-0")}},
	} {
		_, err := c.Update(d)
		requireConflict(t, err)
		d.Observed = true
		next, err := c.Update(d)
		require.NoError(t, err)
		require.Empty(t, next.LeftOut())
	}
	leaving, err := c.Update(cluster.Delta{LeavingGangs: []string{"x", "x"}, Leaving: []cluster.MemberRef{ref("x", "x-0")}})
	require.NoError(t, err)
	for r := range leaving.Running() {
		require.True(t, r.Leaving || r.Gang != "x", r.Member)
	}
	gone, err := leaving.ReleaseGangs("x")
	require.NoError(t, err)
	released, err := c.Release("x")
	require.NoError(t, err)
	require.Equal(t, stateOf(released), stateOf(gone))
}
