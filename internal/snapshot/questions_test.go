package snapshot

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/quota"
)

// rackOf is where a node stands: a rack, or alone outside the tree.
func (m *model) rackOf(node string) string {
	for _, rack := range m.tree.Tree.Spec().Roots {
		if slices.Contains(rack.Nodes, node) {
			return rack.Name
		}
	}
	return node
}

// closes is the domain that a member closes, and whether a node lies in it.
func (m *model) closes(r cluster.Running, node string) (domain string, has bool) {
	switch r.Alone {
	case "node":
		return r.Node, r.Node == node
	case "rack":
		return m.rackOf(r.Node), m.rackOf(r.Node) == m.rackOf(node)
	}
	return "", false
}

// closedBy lists the gangs that close a node, each once for each of its domains.
func (m *model) closedBy(node string) (gangs []string) {
	domains := map[string]bool{}
	for _, r := range m.spec().Running {
		if domain, has := m.closes(r, node); has && !domains[r.Gang+" "+domain] {
			domains[r.Gang+" "+domain] = true
			gangs = append(gangs, r.Gang)
		}
	}
	slices.Sort(gangs)
	return gangs
}

// unwelcome says why a member may not be where it is, for the others.
func (m *model) unwelcome(r cluster.Running) string {
	for _, gang := range m.closedBy(r.Node) {
		if gang != r.Gang && !r.Tolerated {
			return "members of " + gang + " are alone here"
		}
	}
	for _, o := range m.running {
		if _, near := m.closes(r, o.Node); near && o.Gang != r.Gang && !o.Tolerated {
			return "members of another gang run where this one must be alone"
		}
	}
	return ""
}

// Who is near, and who closes a node, is what going through all members says.
func TestCompanyEqualsCounting(t *testing.T) {
	seen := map[string]int{}
	onDraw := func(t *rapid.T) {
		m := drawModel(t)
		c, err := New(m.spec())
		require.NoError(t, err)
		for name := range m.nodes {
			id, _ := c.Lineage.ID(name)
			require.Len(t, m.closedBy(name), int(c.Closed.By(id)), name)
			for _, gone := range []bool{false, true} {
				others := slices.ContainsFunc(m.on(name), func(r cluster.Running) bool { return r.Gang != "x" && !r.Tolerated && !(gone && r.Leaving) })
				require.Equal(t, others, c.Lineage.HasOthers(c, id, func(m *Member) bool { return m.Class.Gang == "x" }, gone))
			}
		}
		for _, r := range m.running {
			why := c.Member(r.Gang, r.Member).Unwelcome(c)
			require.Equal(t, m.unwelcome(r), why, "%+v", r)
			seen[why]++
		}
		closed := map[int32]int32{}
		c.Lineage.CountClosed(closed, c.MembersOf("x").All(), nil)
		for name := range m.nodes {
			id, _ := c.Lineage.ID(name)
			own := slices.DeleteFunc(m.closedBy(name), func(gang string) bool { return gang != "x" })
			require.Len(t, own, int(closed[id]))
		}
		c.Lineage.CountClosed(closed, c.MembersOf("x").All(), c.MembersOf("x").All())
		for _, n := range closed {
			require.LessOrEqual(t, n, int32(2), "what others of the gang close is not counted")
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 { // each answer is rare
			onDraw(t)
		}
	})
	require.Len(t, seen, 5, "nothing, three gangs, and members of others: %v", seen)
}

// What budgets allow once some members are gone is counted member by member.
func TestBudgetsAfterEqualCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		c, err := New(m.spec())
		require.NoError(t, err)
		var away []*Member
		allowed, counts := m.budgets["kept"], false
		for _, r := range m.running {
			if rapid.Bool().Draw(t, "away") {
				away = append(away, c.Member(r.Gang, r.Member))
				if len(r.Budgets) > 0 && !r.Leaving {
					allowed, counts = allowed-1, true
				}
			}
		}
		var want []cluster.Budget
		if counts {
			want = []cluster.Budget{{Name: "kept", Allowed: allowed}}
		}
		require.Equal(t, want, c.BudgetsAfter(away))
	})
}

// widthOf is 0 on one node, 1 in a rack, 2 beyond; below 0: fewer than two stay.
func (m *model) widthOf(gang string) int {
	width, first := -1, ""
	for _, r := range m.running {
		switch {
		case r.Gang != gang || r.Leaving:
		case first == "":
			first = r.Node
		case r.Node == first:
			width = max(width, 0)
		case m.rackOf(r.Node) == m.rackOf(first):
			width = max(width, 1)
		default:
			width = 2
		}
	}
	return width
}

// A gang whose members are wider apart than they were is told of, with both tiers.
func TestDegradedEqualsLooking(t *testing.T) {
	told := 0
	onDraw := func(t *rapid.T) {
		m := drawModel(t)
		before, err := New(m.spec())
		require.NoError(t, err)
		next := *m
		if next.tree = treeOf(t, rapid.Permutation(names[:5]).Draw(t, "order")); rapid.Bool().Draw(t, "one comes") {
			r := drawRunning(t, 9)
			if _, there := m.nodes[r.Node]; there && next.takes(r) && m.quotas != nil {
				changed := m.change(&cluster.Delta{Place: []cluster.Running{r}})
				next.running = changed.running
			}
		}
		after, err := New(next.spec())
		require.NoError(t, err)
		var want []cluster.Degraded
		for _, gang := range []string{"x", "y", "z"} {
			if was, now := m.widthOf(gang), next.widthOf(gang); was >= 0 && now > was {
				want = append(want, cluster.Degraded{Gang: gang, From: was, To: now})
			}
		}
		require.Equal(t, want, Degraded(before, after))
		told += len(want)
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 { // few gangs are wider apart
			onDraw(t)
		}
	})
	require.Positive(t, told)
}

// Quotas of a snapshot divide more with more nodes, unless the host says what they divide; usage stays.
func TestTotalOfQuotas(t *testing.T) {
	tree, err := quota.New([]quota.Spec{{Name: "a", Max: muster.Resources{"gpu": 50}}})
	require.NoError(t, err)
	spec := cluster.Spec{
		Quotas: tree, Nodes: []cluster.Node{{Name: "n", Allocatable: muster.Resources{"gpu": 4}}},
		Running: []cluster.Running{{Gang: "g", Member: "m", Node: "n", Quota: "a", Resources: muster.Resources{"gpu": 1}}},
	}
	for name, tc := range map[string]struct {
		change func(s *cluster.Spec)
		want   int64
	}{
		"what nodes have":    {func(*cluster.Spec) {}, 12},
		"what the host says": {func(s *cluster.Spec) { s.Total = muster.Resources{"gpu": 5} }, 5},
	} {
		s := spec
		tc.change(&s)
		s.Demand = map[string]muster.Resources{"a": {"gpu": 100}}
		c, err := New(s)
		require.NoError(t, err)
		more, err := WithTotalOf(c, c, 0, 2)
		require.NoError(t, err)
		require.Equal(t, tc.want, more.Quotas.Share("a")["gpu"], name)
		used, _, _ := more.Quotas.Usage("a")
		require.EqualValues(t, 1, used["gpu"])
		aside := Aside(c)
		require.NotSame(t, c.Caches, aside.Caches)
		require.Same(t, aside.Caches, Aside(c).Caches, "the second one finds what the first one left")
	}
}

// Members of a list are met node by node, each once.
func TestByNode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b ByNode
		for range 2 {
			m := drawModel(t)
			c, err := New(m.spec())
			require.NoError(t, err)
			var list []*Member
			for _, r := range m.running {
				list = append(list, c.Member(r.Gang, r.Member))
			}
			got := map[string]int{}
			b.Each(c, slices.All(list), func(id int32, on []*Member) {
				name := c.Lineage.Names[id]
				require.Zero(t, got[name], "a node comes once")
				got[name] = len(on)
				require.Len(t, m.on(name), len(on))
			})
			for name := range m.nodes {
				require.Len(t, m.on(name), got[name])
			}
		}
	})
}

// What is wrong with a cluster is told by the field.
func TestDefectsAreToldByField(t *testing.T) {
	for want, change := range map[string]func(s *cluster.Spec){
		"cluster.KeptShapes":      func(s *cluster.Spec) { s.KeptShapes = -1 },
		"cluster.NUMAExclusive":   func(s *cluster.Spec) { s.NUMAExclusive = "odd" },
		"cluster.Trees[0]":        func(s *cluster.Spec) { s.Trees = []cluster.NamedTree{{}} },
		"cluster.Budgets[0].Name": func(s *cluster.Spec) { s.Budgets = []cluster.Budget{{}} },
		"cluster.Budgets[1].Name": func(s *cluster.Spec) { s.Budgets = []cluster.Budget{{Name: "a"}, {Name: "a"}} },
		"cluster.Quotas":          func(s *cluster.Spec) { s.Demand = map[string]muster.Resources{"a": nil} },
		"Quota":                   func(s *cluster.Spec) { s.Running[0].Quota = "none" },
		"needs a gang and a name": func(s *cluster.Spec) { s.Running[0].Member = "" },
		"duplicate name":          func(s *cluster.Spec) { s.Running = append(s.Running, s.Running[0]) },
		"unknown policy":          func(s *cluster.Spec) { s.Nodes[0].NUMA = &cluster.NUMA{Policy: "odd"} },
	} {
		spec := cluster.Spec{
			Nodes:   []cluster.Node{{Name: "n", Allocatable: muster.Resources{"gpu": 4}}},
			Running: []cluster.Running{{Gang: "g", Member: "m", Node: "n"}},
		}
		change(&spec)
		_, err := New(spec)
		require.ErrorContains(t, err, want, fmt.Sprint(want))
	}
}
