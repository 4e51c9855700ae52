package manifest_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang/permit"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/topology"
)

// mirror is what a host knows from changes alone.
type mirror struct {
	cluster *placement.Cluster
	gangs   map[string]toldGang
	demand  map[string]muster.Resources
	budgets map[string]cluster.Budget
	lives   map[string]map[string]bool // by gang, then member: whether it has a node; plain pods are gangs of themselves
	permits *permit.Lifecycle
}

// followLives follows what happens to gangs and their pods: a lifecycle takes it, and in the end it is known of every pod that waits or runs.
func (m *mirror) followLives(t require.TestingT, c *manifest.Changes, in *manifest.Input, present map[string]map[string]any) {
	for _, e := range c.Events {
		next, _, err := m.permits.Step(e)
		require.NoError(t, err, "%+v", e)
		m.permits = next
		of := cmp.Or(e.Gang, "pod "+e.Member)
		if m.lives[of] == nil {
			m.lives[of] = map[string]bool{}
		}
		_, known := m.lives[of][e.Member]
		switch e.Kind {
		case permit.MemberSeen:
			require.False(t, known, "%+v", e)
			m.lives[of][e.Member] = false
		case permit.MemberBound:
			require.False(t, m.lives[of][e.Member], "%+v", e)
			m.lives[of][e.Member] = true
		case permit.MemberDeleted:
			require.True(t, known, "%+v", e)
			delete(m.lives[of], e.Member)
		case permit.GangDeleted:
			require.Empty(t, m.lives[of], "%+v", e)
			delete(m.lives, of)
		}
	}
	bound := func(gang, member string) (bound, known bool) { // of a gang, or of a pod that is one of itself
		if bound, known = m.lives[gang][member]; !known {
			bound, known = m.lives["pod "+gang][gang]
		}
		return bound, known
	}
	for _, r := range in.Spec.Running {
		namespace, _, _ := strings.Cut(r.Gang, "/")
		if present["/Pod/"+namespace+"/"+r.Member] != nil {
			runs, _ := bound(r.Gang, r.Member)
			require.True(t, runs, "%s %s runs", r.Gang, r.Member)
		}
	}
	for _, g := range in.Gangs {
		for _, member := range g.Request.Members {
			if _, _, ok := g.Pod(member.Name); ok {
				runs, known := bound(g.Request.Name, member.Name)
				require.True(t, known && !runs, "%s %s waits", g.Request.Name, member.Name)
			}
		}
	}
}

func newMirror() *mirror {
	return &mirror{gangs: map[string]toldGang{}, demand: map[string]muster.Resources{}, budgets: map[string]cluster.Budget{}, lives: map[string]map[string]bool{}, permits: &permit.Lifecycle{}}
}

// followSums follows what is counted over all gangs; a quota that asks for nothing is as good as one that is not named.
func (m *mirror) followSums(t require.TestingT, c *manifest.Changes, in *manifest.Input) {
	if c.Rebuild {
		m.demand, m.budgets = map[string]muster.Resources{}, map[string]cluster.Budget{}
		c = &manifest.Changes{Delta: cluster.Delta{Demand: in.Spec.Demand, Budgets: in.Spec.Budgets}}
	}
	maps.Copy(m.demand, c.Delta.Demand)
	some := func(all map[string]muster.Resources) map[string]muster.Resources {
		out := map[string]muster.Resources{}
		for name, asks := range all {
			if asks = maps.Clone(asks); len(asks) > 0 {
				maps.DeleteFunc(asks, func(_ string, n int64) bool { return n == 0 })
				out[name] = asks
			}
		}
		maps.DeleteFunc(out, func(_ string, asks muster.Resources) bool { return len(asks) == 0 })
		return out
	}
	require.Equal(t, some(in.Spec.Demand), some(m.demand), "demand by changes")
	for _, b := range c.Delta.Budgets {
		m.budgets[b.Name] = b
	}
	for _, b := range in.Spec.Budgets {
		require.Equal(t, b, m.budgets[b.Name], "budgets by changes")
	}
}

func (m *mirror) follow(t require.TestingT, c *manifest.Changes, in *manifest.Input) {
	for _, name := range c.Gone {
		require.Contains(t, m.gangs, name, "gone, but was never there")
		delete(m.gangs, name)
	}
	for _, g := range c.Gangs {
		m.gangs[g.Request.Name] = tellGang(g)
	}
	want := map[string]toldGang{}
	for _, g := range in.Gangs {
		want[g.Request.Name] = tellGang(g)
	}
	require.Equal(t, want, m.gangs, "gangs by changes")
	m.followSums(t, c, in)

	fresh, err := placement.NewCluster(in.Spec)
	if err != nil { // the store has no nodes, or defects of the library's own
		m.cluster = nil
		return
	}
	if m.cluster != nil && !c.Rebuild {
		next, err := m.cluster.Update(c.Delta)
		require.NoError(t, err)
		require.Empty(t, next.LeftOut())
		requireSame(t, fresh, next)
	}
	m.cluster = fresh
}

// requireSame compares what there is in two clusters.
func requireSame(t require.TestingT, want, got *placement.Cluster) {
	nodes := func(c *placement.Cluster) map[string]cluster.Node {
		out := map[string]cluster.Node{}
		for n := range c.Nodes() {
			out[n.Name] = n
		}
		return out
	}
	require.Equal(t, nodes(want), nodes(got), "nodes by changes")
	trees := func(c *placement.Cluster) map[string]*topology.Tree {
		out := map[string]*topology.Tree{}
		for _, t := range c.Trees() {
			out[t.Name] = t.Tree
		}
		return out
	}
	require.True(t, maps.EqualFunc(trees(want), trees(got), (*topology.Tree).Equal), "trees by changes")
	require.Equal(t, slices.Collect(want.Running()), slices.Collect(got.Running()), "members by changes")
	require.Equal(t, want.Holds(), got.Holds(), "holds by changes")
	for name := range nodes(want) {
		require.Equal(t, freeOn(want, name), freeOn(got, name), name)
	}
}

// freeOn is what is free of a node; a resource that none has left is as good as one that is unknown.
func freeOn(c *placement.Cluster, name string) muster.Resources {
	free, _ := c.Free(name)
	maps.DeleteFunc(free, func(_ string, n int64) bool { return n == 0 })
	return free
}

// agrees compares a store, whose changes the mirror follows, with what Read reads.
func (m *mirror) agrees(t require.TestingT, store *manifest.Store, present map[string]map[string]any, opt manifest.Options) {
	changes := store.Changes()
	got := store.Input()
	list := []any{}
	for _, id := range slices.Sorted(maps.Keys(present)) {
		list = append(list, present[id])
	}
	data, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": list})
	require.NoError(t, err)
	want, err := manifest.Read([]manifest.File{{Name: "in.json", Data: data}}, opt)
	if asked := new(muster.InvalidError); errors.As(err, &asked) && strings.HasPrefix(asked.Field, "options") {
		require.Regexp(t, `options\.Layers|layers rack are not`, strings.Join(got.Notices, "\n"), "no node has the label, at the moment")
	} else if err != nil {
		told := tellInput(got).Defects
		for line := range strings.SplitSeq(withoutPlaces(err.Error()), "\n") {
			require.Contains(t, told, line)
		}
	} else {
		require.Equal(t, tellInput(want), tellInput(got))
	}
	m.follow(t, changes, got)
	m.followLives(t, changes, got, present)
	for _, g := range got.Gangs {
		for _, member := range g.Request.Members {
			if namespace, name, ok := g.Pod(member.Name); ok {
				require.NotNil(t, present["/Pod/"+namespace+"/"+name], name)
			}
		}
	}
}
