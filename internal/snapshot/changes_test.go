package snapshot

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
	"github.com/muster-sched/muster/topology"
)

// model is a cluster that is changed in the dullest way: nodes and members by name.
type model struct {
	tree    cluster.NamedTree
	quotas  *quota.Tree
	nodes   map[string]cluster.Node
	running map[cluster.MemberRef]cluster.Running
	demand  map[string]muster.Resources
	budgets map[string]int
}

// names are those of the nodes that there may be; the last one is in no tree.
var names = []string{"n-0", "n-1", "n-2", "n-3", "n-4", "n-5"}

// treeOf has two racks, in which the nodes come in some order.
func treeOf(t require.TestingT, order []string) cluster.NamedTree {
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}, Roots: []topology.Domain{
		{Name: "rack-0", Tier: 1, Nodes: order[:2]}, {Name: "rack-1", Tier: 1, Nodes: order[2:]},
	}})
	require.NoError(t, err)
	return cluster.NamedTree{Tree: tree}
}

func drawModel(t *rapid.T) *model {
	m := &model{
		tree: treeOf(t, names[:5]), nodes: map[string]cluster.Node{}, running: map[cluster.MemberRef]cluster.Running{},
		demand: map[string]muster.Resources{}, budgets: map[string]int{"kept": 1},
	}
	for _, name := range names {
		if rapid.IntRange(0, 4).Draw(t, "there") > 0 || name == names[0] {
			m.nodes[name] = drawNode(t, name)
		}
	}
	for i := range rapid.IntRange(0, 8).Draw(t, "run") {
		r := drawRunning(t, i)
		if _, there := m.nodes[r.Node]; there {
			m.running[refOf(r)] = r
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "quotas") > 0 {
		tree, err := quota.New([]quota.Spec{{Name: "a", Min: muster.Resources{"gpu": 3}}, {Name: "b", Min: muster.Resources{"gpu": 2}}})
		require.NoError(t, err)
		m.quotas = tree
	} else {
		for ref, r := range m.running {
			r.Quota = ""
			m.running[ref] = r
		}
	}
	return m
}

func drawNode(t *rapid.T, name string) cluster.Node {
	n := cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": rapid.Int64Range(1, 4).Draw(t, "devices"), muster.CPU: 8}}
	switch rapid.IntRange(0, 5).Draw(t, "state") {
	case 0:
		n.Cordoned = true
	case 1:
		n.NotReady = true
	case 2:
		n.NUMA = &cluster.NUMA{Policy: numa.SingleNUMANode, Zones: []numa.Zone{{Allocatable: muster.Resources{"gpu": 2}}, {ID: 1, Allocatable: muster.Resources{"gpu": 2}}}}
	case 3:
		n.Allocatable["nic"] = 1
	}
	return n
}

func drawRunning(t *rapid.T, i int) cluster.Running {
	r := cluster.Running{
		Gang: rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "gang"), Member: fmt.Sprint("m-", i), Node: rapid.SampledFrom(names).Draw(t, "node"),
		Resources: muster.Resources{"gpu": rapid.Int64Range(1, 2).Draw(t, "holds")}, Priority: rapid.Int64Range(0, 2).Draw(t, "priority"),
		MinMember: rapid.IntRange(-1, 2).Draw(t, "least"), Leaving: rapid.IntRange(0, 5).Draw(t, "leaves") == 0,
		AffinityKey: rapid.SampledFrom([]string{"", "key"}).Draw(t, "key"), Quota: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "quota"),
		NonPreemptible: rapid.IntRange(0, 4).Draw(t, "pinned") == 0, Alone: rapid.SampledFrom([]string{"", "", "", "node", "rack"}).Draw(t, "alone"),
		Tolerated: rapid.IntRange(0, 3).Draw(t, "tolerated") == 0,
	}
	if rapid.Bool().Draw(t, "budget") {
		r.Budgets = []string{"kept"}
	}
	if rapid.IntRange(0, 2).Draw(t, "zone") == 0 {
		r.NUMA = &numa.Placed{Policy: numa.SingleNUMANode, Shares: []numa.Share{{Zone: rapid.IntRange(0, 1).Draw(t, "in"), Resources: r.Resources}}}
	}
	return r
}

func refOf(r cluster.Running) cluster.MemberRef {
	return cluster.MemberRef{Gang: r.Gang, Member: r.Member}
}

func (m *model) spec() cluster.Spec {
	spec := cluster.Spec{Trees: []cluster.NamedTree{m.tree}, Quotas: m.quotas}
	for _, name := range slices.Sorted(maps.Keys(m.nodes)) {
		spec.Nodes = append(spec.Nodes, m.nodes[name])
	}
	spec.Running = slices.SortedFunc(maps.Values(m.running), func(a, b cluster.Running) int {
		return cmp.Or(cmp.Compare(b.Gang, a.Gang), cmp.Compare(a.Member, b.Member))
	})
	for name, allowed := range m.budgets {
		spec.Budgets = append(spec.Budgets, cluster.Budget{Name: name, Allowed: allowed})
	}
	if m.quotas != nil {
		spec.Demand = m.demand
	}
	return spec
}

// on are the members on a node.
func (m *model) on(node string) (out []cluster.Running) {
	for _, r := range m.running {
		if r.Node == node {
			out = append(out, r)
		}
	}
	return out
}

// takes says whether a node has room for a member, in its zone, too.
func (m *model) takes(r cluster.Running) bool {
	n, there := m.nodes[r.Node]
	if !there {
		return false
	}
	free, zone := n.Allocatable["gpu"]-r.Resources["gpu"], int64(2)
	for _, other := range m.on(r.Node) {
		if free -= other.Resources["gpu"]; r.NUMA != nil && other.NUMA != nil && r.NUMA.Shares[0].Zone == other.NUMA.Shares[0].Zone {
			zone -= other.Resources["gpu"]
		}
	}
	return free >= 0 && (n.NUMA == nil || r.NUMA == nil || zone >= r.Resources["gpu"])
}

// change applies a change as its comments say; nil: it cannot be applied.
func (m *model) change(d *cluster.Delta) *model {
	next := *m
	next.nodes, next.running, next.demand, next.budgets = maps.Clone(m.nodes), maps.Clone(m.running), maps.Clone(m.demand), maps.Clone(m.budgets)
	for _, ref := range d.Remove {
		if _, runs := next.running[ref]; !runs {
			return nil
		}
		delete(next.running, ref)
	}
	for _, ref := range d.Leaving {
		r, runs := next.running[ref]
		if r.Leaving = true; !runs {
			return nil
		}
		next.running[ref] = r
	}
	for gang, least := range d.Minima {
		runs := false
		for ref, r := range next.running {
			if ref.Gang == gang {
				r.MinMember, runs = least, true
				next.running[ref] = r
			}
		}
		if !runs {
			return nil
		}
	}
	for _, name := range d.RemoveNodes {
		if _, there := next.nodes[name]; !there || len(next.on(name)) > 0 {
			return nil
		}
		delete(next.nodes, name)
	}
	for _, n := range d.SetNodes {
		next.nodes[n.Name] = n
	}
	for _, r := range d.Place {
		if _, runs := next.running[refOf(r)]; runs || !next.takes(r) {
			return nil
		}
		next.running[refOf(r)] = r
	}
	next.set(d)
	return &next
}

// set changes what cannot fail.
func (m *model) set(d *cluster.Delta) {
	if len(d.Trees) > 0 {
		m.tree = d.Trees[0]
	}
	maps.Copy(m.demand, d.Demand)
	for _, b := range d.Budgets {
		m.budgets[b.Name] = b.Allowed
	}
}

// observe applies a change that has happened: what can be so is so then, and left counts what cannot be.
func (m *model) observe(d *cluster.Delta) (next *model, left int) {
	next = &model{m.tree, m.quotas, maps.Clone(m.nodes), maps.Clone(m.running), maps.Clone(m.demand), maps.Clone(m.budgets)}
	for _, ref := range d.Remove {
		delete(next.running, ref)
	}
	for _, ref := range d.Leaving { // of those that ran before
		if r, runs := next.running[ref]; runs {
			r.Leaving = true
			next.running[ref] = r
		}
	}
	for ref, r := range next.running {
		if least, told := d.Minima[ref.Gang]; told {
			r.MinMember = least
			next.running[ref] = r
		}
	}
	for _, name := range d.RemoveNodes {
		delete(next.nodes, name)
	}
	for _, n := range d.SetNodes {
		next.nodes[n.Name] = n
	}
	for _, r := range d.Place {
		if _, there := next.nodes[r.Node]; there {
			next.running[refOf(r)] = r
			continue
		}
		if left++; next.running[refOf(r)].Node != r.Node {
			delete(next.running, refOf(r)) // it is somewhere else
		}
	}
	for ref, r := range next.running {
		if _, there := next.nodes[r.Node]; !there {
			delete(next.running, ref)
			left++
		}
	}
	next.set(d)
	return next, left
}

// drawChange draws a change that can often be applied.
func drawChange(t *rapid.T, m *model, at int) (d cluster.Delta) {
	all := slices.SortedFunc(maps.Keys(m.running), func(a, b cluster.MemberRef) int {
		return cmp.Or(cmp.Compare(a.Gang, b.Gang), cmp.Compare(a.Member, b.Member))
	})
	all = append(all, cluster.MemberRef{Gang: "x", Member: "nobody"})
	some := func(what string) (out []cluster.MemberRef) {
		for range max(0, rapid.IntRange(-2, 2).Draw(t, what)) {
			if ref := rapid.SampledFrom(all).Draw(t, "member"); !slices.Contains(out, ref) {
				out = append(out, ref)
			}
		}
		return out
	}
	d.Remove, d.Leaving = some("removed"), some("leaving")
	if rapid.IntRange(0, 4).Draw(t, "minima") == 0 {
		d.Minima = map[string]int{rapid.SampledFrom([]string{"x", "y"}).Draw(t, "of"): rapid.IntRange(-1, 3).Draw(t, "minimum")}
	}
	if rapid.IntRange(0, 4).Draw(t, "trees") == 0 {
		d.Trees = []cluster.NamedTree{treeOf(t, rapid.Permutation(names[:5]).Draw(t, "order"))}
	}
	if name := rapid.SampledFrom(names[1:]).Draw(t, "node"); rapid.IntRange(0, 3).Draw(t, "node goes") == 0 {
		d.RemoveNodes = []string{name}
	} else if rapid.IntRange(0, 2).Draw(t, "node set") == 0 {
		d.SetNodes = []cluster.Node{drawNode(t, name)}
	}
	for i := range max(0, rapid.IntRange(-1, 2).Draw(t, "placed")) {
		r := drawRunning(t, 10*at+i)
		if m.quotas == nil {
			r.Quota = ""
		}
		if rapid.IntRange(0, 4).Draw(t, "again") == 0 && !slices.Contains(d.Leaving, all[0]) && all[0].Member != "nobody" {
			r.Gang, r.Member = all[0].Gang, all[0].Member
		}
		if !slices.ContainsFunc(d.Place, func(o cluster.Running) bool { return refOf(o) == refOf(r) }) {
			d.Place = append(d.Place, r)
		}
	}
	if m.quotas != nil && rapid.IntRange(0, 3).Draw(t, "demand") == 0 {
		d.Demand = map[string]muster.Resources{"a": {"gpu": rapid.Int64Range(0, 5).Draw(t, "pending")}}
	}
	if rapid.IntRange(0, 3).Draw(t, "budgets") == 0 {
		d.Budgets = []cluster.Budget{{Name: rapid.SampledFrom([]string{"kept", "other"}).Draw(t, "budget"), Allowed: rapid.IntRange(-1, 2).Draw(t, "allowed")}}
	}
	return d
}

// stated is all that a snapshot says, by names.
type stated struct {
	nodes   []cluster.Node
	running []cluster.Running
	by      map[string]any // facts by name
}

func stateOf(t require.TestingT, c *Snapshot) stated {
	s := stated{slices.Collect(c.Nodes()), slices.Collect(c.Running()), map[string]any{"zoned": c.Zoned, "closed": c.Closed.Any(), "trees": len(c.Trees())}}
	slices.SortFunc(s.nodes, func(a, b cluster.Node) int { return cmp.Compare(a.Name, b.Name) })
	for _, n := range s.nodes {
		id, there := c.Lineage.ID(n.Name)
		require.True(t, there)
		require.Equal(t, n, NodeAt(c, id))
		free, _ := c.FreeOn(n.Name)
		maps.DeleteFunc(free, func(_ string, amount int64) bool { return amount == 0 }) // of what no node has any more
		on := []string{}
		for m := range MembersOn(c, id) {
			on = append(on, m.Class.Gang+" "+m.Name)
		}
		slices.Sort(on)
		s.by["on "+n.Name] = []any{free, on, c.Closed.By(id), c.FlagsOf(id), len(c.sortedOn(id))}
		if zones := c.Zones.At(id); zones != nil {
			s.by["zones of "+n.Name] = fmt.Sprint(zones.Hosts(0), zones.Hosts(1), zones.Lack(numa.Placed{Shares: []numa.Share{{Resources: muster.Resources{"gpu": 2}}}}))
		}
		s.by["place of "+n.Name] = c.View("").Path(c.View("").NodeVertex(c.View("").At(id)), func(int32) string { return n.Name })
	}
	c.Gangs.Ascend(func(g *GangMembers) bool {
		s.by["gang "+g.Name] = []int64{g.Priority, int64(g.Least), int64(g.Staying), int64(g.Members.Len())}
		return true
	})
	var keyed, leaving []string
	c.EachWithKey("key", func(m *Member) { keyed = append(keyed, m.Class.Gang+" "+m.Name) })
	for _, m := range c.Leaving {
		leaving = append(leaving, m.Class.Gang+" "+m.Name)
	}
	s.by["keyed"], s.by["leaving"], s.by["budgets"] = keyed, leaving, c.Budgets
	for _, name := range []string{"a", "b"} {
		if c.Quotas != nil {
			used, pinned, _ := c.Quotas.Usage(name)
			s.by["quota "+name] = fmt.Sprint(used, pinned, c.Quotas.Share(name))
		}
	}
	return s
}

// A snapshot that comes about by changes is the one that is made anew, what cannot be is refused as a whole, or left out alone where it has
// happened, and the snapshots before stay as they are.
func TestChangedSnapshotsEqualNewOnes(t *testing.T) {
	refused, leftOut := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		c, err := New(m.spec())
		if err != nil {
			t.Skip("zones of a node may not be told of")
		}
		history, states := []*Snapshot{c}, []stated{stateOf(t, c)}
		for i := range rapid.IntRange(1, 5).Draw(t, "changes") {
			d := drawChange(t, m, i+1)
			var next *model
			left := 0
			if d.Observed = rapid.Bool().Draw(t, "observed"); d.Observed {
				next, left = m.observe(&d)
			} else {
				next = m.change(&d)
			}
			after, err := c.Update(d)
			if next == nil {
				var conflict *cluster.ConflictError
				require.ErrorAs(t, err, &conflict, "%+v", d)
				refused++
				continue
			}
			require.NoError(t, err, "%+v", d)
			require.Len(t, after.LeftOut, left, "%+v: %v", d, after.LeftOut)
			leftOut += left
			anew, err := New(next.spec())
			require.NoError(t, err)
			require.Equal(t, stateOf(t, anew), stateOf(t, after), "%+v", d)
			c, m = after, next
			history, states = append(history, c), append(states, stateOf(t, c))
		}
		for i, old := range history {
			require.Equal(t, states[i], stateOf(t, old))
		}
	})
	require.Positive(t, refused)
	require.Positive(t, leftOut)
}
