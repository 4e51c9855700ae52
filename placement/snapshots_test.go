package placement_test

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// model is a cluster that is changed in the dullest way; a snapshot must equal the cluster that is built from it.
type model struct {
	trees     []cluster.NamedTree
	exclusive numa.Exclusive
	nodes     map[string]cluster.Node
	running   map[cluster.MemberRef]cluster.Running
}

func newModel(spec cluster.Spec) model {
	m := model{spec.Trees, spec.NUMAExclusive, map[string]cluster.Node{}, map[cluster.MemberRef]cluster.Running{}}
	for _, n := range spec.Nodes {
		m.nodes[n.Name] = n
	}
	for _, r := range spec.Running {
		if _, ok := m.nodes[r.Node]; ok {
			m.running[refOf(r)] = r
		}
	}
	return m
}

func refOf(r cluster.Running) cluster.MemberRef {
	return cluster.MemberRef{Gang: r.Gang, Member: r.Member}
}

func (m model) spec() cluster.Spec {
	spec := cluster.Spec{Trees: m.trees, NUMAExclusive: m.exclusive}
	for _, name := range slices.Sorted(maps.Keys(m.nodes)) {
		spec.Nodes = append(spec.Nodes, m.nodes[name])
	}
	spec.Running = slices.SortedFunc(maps.Values(m.running), func(a, b cluster.Running) int {
		return cmp.Or(cmp.Compare(b.Gang, a.Gang), cmp.Compare(a.Member, b.Member))
	})
	return spec
}

// gang lists the running members of a gang, in any order.
func (m model) gang(name string) (refs []cluster.MemberRef) {
	for ref := range m.running {
		if ref.Gang == name {
			refs = append(refs, ref)
		}
	}
	return refs
}

// update is Delta as its comments say; false if it cannot be applied.
func (m model) update(d cluster.Delta) (model, bool) {
	next := model{m.trees, m.exclusive, maps.Clone(m.nodes), maps.Clone(m.running)}
	for _, ref := range d.Remove {
		if _, ok := next.running[ref]; !ok {
			return m, false
		}
		delete(next.running, ref)
	}
	for _, gang := range d.RemoveGangs {
		refs := next.gang(gang)
		if len(refs) == 0 {
			return m, false
		}
		for _, ref := range refs {
			delete(next.running, ref)
		}
	}
	leaving := slices.Clone(d.Leaving)
	for _, gang := range d.LeavingGangs {
		refs := next.gang(gang)
		if leaving = append(leaving, refs...); len(refs) == 0 {
			return m, false
		}
	}
	for _, ref := range leaving {
		r, ok := next.running[ref]
		if !ok {
			return m, false
		}
		r.Leaving = true
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
			return m, false
		}
	}
	next.trees = slices.Clone(m.trees)
	for _, t := range d.Trees {
		i := slices.IndexFunc(next.trees, func(old cluster.NamedTree) bool { return old.Name == t.Name })
		if i < 0 {
			next.trees = append(next.trees, t)
		} else {
			next.trees[i] = t
		}
	}
	for _, name := range d.RemoveNodes {
		if _, ok := next.nodes[name]; !ok || len(next.on(name)) > 0 {
			return m, false
		}
		delete(next.nodes, name)
	}
	fresh := map[string]bool{}
	for _, n := range d.SetNodes {
		if fresh[n.Name] {
			return m, false
		}
		fresh[n.Name], next.nodes[n.Name] = true, n
		for _, r := range next.on(n.Name) {
			if !hasZonesOf(n, r) {
				return m, false
			}
		}
	}
	for _, r := range d.Place {
		if _, runs := next.running[refOf(r)]; runs || !next.fits(r) {
			return m, false
		}
		next.running[refOf(r)] = r
	}
	return next, true
}

func (m model) on(node string) (out []cluster.Running) {
	for _, r := range m.running {
		if r.Node == node {
			out = append(out, r)
		}
	}
	return out
}

func (m model) fits(r cluster.Running) bool {
	n, ok := m.nodes[r.Node]
	for name, amount := range r.Resources {
		free, named := n.Allocatable[name]
		for _, other := range m.on(r.Node) {
			free -= other.Resources[name]
		}
		ok = ok && (amount <= free || amount == 0 || !named && name == muster.Pods)
	}
	return ok && hasZonesOf(n, r) && m.hasRoomInZones(n, r)
}

// drawMoved is a tree in which a node is elsewhere: in another domain, outside, or in the place of another one; or a domain has another
// name, so that its nodes are in another order.
func drawMoved(t *rapid.T, tree *topology.Tree, node func() string) *topology.Tree {
	spec := tree.Spec()
	var lists []*[]string
	var domains []*topology.Domain
	var collect func(list []topology.Domain)
	collect = func(list []topology.Domain) {
		for i := range list {
			domains = append(domains, &list[i])
			if len(list[i].Children) == 0 {
				lists = append(lists, &list[i].Nodes)
			}
			collect(list[i].Children)
		}
	}
	if collect(spec.Roots); len(lists) == 0 {
		return tree
	}
	from, to := rapid.SampledFrom(lists).Draw(t, "from"), rapid.SampledFrom(lists).Draw(t, "to")
	switch change := rapid.IntRange(0, 4).Draw(t, "change"); {
	case change == 0:
		rapid.SampledFrom(domains).Draw(t, "renamed").Name += "'"
	case change == 1: // a node that some tree lacked
		name := node()
		if _, in := tree.Node(name); !in {
			*to = append(*to, name)
		}
	case len(*from) == 0:
	default:
		i := rapid.IntRange(0, len(*from)-1).Draw(t, "moved")
		name := (*from)[i]
		*from = slices.Delete(slices.Clone(*from), i, i+1)
		if change > 2 || tree.NumNodes() == 1 {
			*to = append(*to, name)
		}
	}
	moved, err := topology.New(spec)
	require.NoError(t, err)
	return moved
}

func compareRefs(a, b cluster.MemberRef) int {
	return cmp.Or(cmp.Compare(a.Gang, b.Gang), cmp.Compare(a.Member, b.Member))
}

func drawNode(t *rapid.T, name string) cluster.Node {
	n := cluster.Node{Name: name, Allocatable: drawAmounts(t, 4), NUMA: drawZones(t)}
	if n.Allocatable[muster.Pods] == math.MaxInt64 {
		delete(n.Allocatable, muster.Pods) // means the same
	}
	n.Labels = map[string]string{"kind": rapid.SampledFrom([]string{"a", "b"}).Draw(t, "kind")}
	switch rapid.IntRange(0, 9).Draw(t, "state") {
	case 7:
		n.Cordoned = true
	case 8:
		n.NotReady = true
	case 9:
		n.Taints = []gang.Taint{{Key: "t", Effect: rapid.SampledFrom([]gang.Effect{gang.NoSchedule, gang.PreferNoSchedule}).Draw(t, "effect")}}
	}
	return n
}

// drawAmounts draws up to so many slots of the drawn gangs' resources, seldom of another one or as much as there is.
func drawAmounts(t *rapid.T, slots int64) muster.Resources {
	n := rapid.Int64Range(0, slots).Draw(t, "amount")
	r := muster.Resources{"gpu": n, muster.CPU: 1000 * n}
	for _, name := range []string{muster.Pods, muster.Pods, muster.Memory, "fpga"} {
		if rapid.IntRange(0, 5).Draw(t, name) == 5 {
			r[name] = rapid.SampledFrom([]int64{0, 1, 2, 1 << 62, math.MaxInt64}).Draw(t, "amount")
		}
	}
	for name, amount := range r {
		if amount == 0 && name != muster.Pods {
			delete(r, name) // reads back as not named
		}
	}
	return r
}

// Snapshots that come about by any changes equal the cluster that is built anew, a change that cannot be applied changes
// nothing, and old snapshots stay as they are.
func TestSnapshotsEqualNewClusters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawInput(t)
		names := []string{"x1", "x2"}
		for _, n := range spec.Nodes {
			names = append(names, n.Name)
		}
		if len(spec.Nodes) > 2 { // the tree has places for nodes that come later
			spec.Nodes = spec.Nodes[:len(spec.Nodes)-rapid.IntRange(0, 2).Draw(t, "absent")]
		}
		c, m := newCluster(t, spec), newModel(spec)
		reqs := further(req)
		type past struct {
			c     *placement.Cluster
			state state
			plan  answer
		}
		history := []past{{c, stateOf(c), plan(c, req)}}
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			c, m = step(t, c, m, req, names)
			if rapid.IntRange(0, 2).Draw(t, "look later") == 2 {
				continue // what is cached lags behind by more than one change
			}
			requireSame(t, newCluster(t, m.spec()), c, reqs, "built anew, and changed")
			history = append(history, past{c, stateOf(c), plan(c, req)})
		}
		for i, p := range history {
			require.Equal(t, p.state, stateOf(p.c), "snapshot %d has changed", i)
			require.Equal(t, p.plan, plan(p.c, req), "snapshot %d plans otherwise", i)
		}
	})
}

// step changes snapshot and model alike.
func step(t *rapid.T, c *placement.Cluster, m model, req *gang.Request, names []string) (*placement.Cluster, model) {
	var d cluster.Delta
	var next *placement.Cluster
	var err error
	switch rapid.IntRange(0, 3).Draw(t, "step") {
	case 0:
		d, next, err = stepApply(c, m, req)
	case 1:
		gang := rapid.SampledFrom([]string{"ns/other", "ns/job", "ns/z"}).Draw(t, "gang")
		for _, ref := range slices.SortedFunc(maps.Keys(m.running), compareRefs) {
			if ref.Gang == gang {
				d.Remove = append(d.Remove, ref)
			}
		}
		if next, err = c.Release(gang); rapid.Bool().Draw(t, "gangs") {
			next, err = c.ReleaseGangs(gang)
		}
		if len(d.Remove) == 0 {
			requireConflict(t, err)
			return c, m
		}
	default:
		d = drawDelta(t, m, names)
		if d.Observed = rapid.Bool().Draw(t, "observed"); d.Observed {
			next, err = c.Update(d)
			require.NoError(t, err, "%+v", d)
			return next, m.observe(d)
		}
		next, err = c.Update(d)
	}
	changed, ok := m.update(d)
	if sumOverflows(changed) {
		require.Error(t, err)
		return c, m
	}
	require.Equal(t, ok, err == nil, "%+v: %v", d, err)
	if !ok {
		require.Nil(t, next)
		var invalid *muster.InvalidError
		if !errors.As(err, &invalid) {
			requireConflict(t, err)
		}
		return c, m
	}
	return next, changed
}

// ofGang lists the members of a gang that run.
func (m model) ofGang(name string) (out []cluster.MemberRef) {
	for ref := range m.running {
		if ref.Gang == name {
			out = append(out, ref)
		}
	}
	return out
}

// stepApply plans the gang, on what is free now, and applies that.
func stepApply(c *placement.Cluster, m model, req *gang.Request) (d cluster.Delta, next *placement.Cluster, err error) {
	now := *req
	now.IgnoreLeaving = true
	res, err := placement.Plan(c, &now)
	if err != nil {
		next, err = c.Update(d)
		return d, next, err
	}
	least := req.MinMember
	if total := len(req.Members) + len(m.ofGang(req.Name)); least == 0 && total > 1 {
		least = total
	}
	members := map[string]*gang.Member{}
	for i := range req.Members {
		members[req.Members[i].Name] = &req.Members[i]
	}
	for _, a := range res.Assignments {
		d.Place = append(d.Place, cluster.Running{
			Gang: req.Name, Member: a.Member, Node: a.Node, AffinityKey: req.AffinityKey, NUMA: a.NUMA,
			Priority: req.Priority, MinMember: least,
			Resources: validity.ShapeOf(req, members[a.Member]).Resources,
			Index:     members[a.Member].Index, Indexed: members[a.Member].Indexed,
			Alone: aloneIn(c, req), AloneIn: req.Tree, Tolerated: req.Tolerated,
		})
	}
	next, err = c.Apply(res)
	return d, next, err
}
