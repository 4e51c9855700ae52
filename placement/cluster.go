package placement

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/google/btree"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// Cluster is an immutable snapshot of nodes and running members. It is safe for concurrent use; Apply, Release and
// Update return new snapshots that share what did not change.
type Cluster struct {
	*fabric
	static statics
	// free has a column for each resource: allocatable minus what runs, negative where a node is over-committed.
	free []column[int64]
	on   column[hosted] // running members by node
	// zones are what the nodes have free in their zones; nil: no zones are known.
	zones column[*numa.Occupancy]
	zoned int // nodes with a NUMA policy of their own
	// gangs is a persistent ordered set: a snapshot clones it before it changes its copy.
	gangs *btree.BTreeG[*gangMembers]
	// anchors are the gangs by the affinity keys of their members; as persistent.
	anchors *btree.BTreeG[anchor]
	leaving []*member    // in the order of gang, then name
	quotas  *quota.State // nil: there are none
	totals  []bigSum     // what they divide, by resource, unless it is fixed
	budgets []Budget     // in natural order of names
	lowest  int64        // no member that may be a victim has, or had, a lower priority

	cache   *shapeCache
	rosters *rosterCache
	// While a snapshot is made:
	touched []int32 // nodes changed since the fork
	follows bool    // there is a roster to go on with
	moved   []int32 // nodes with other members than at the fork, or of gangs that changed
	steps   map[step]*numa.Occupancy
	// What it takes of the quotas, and whether their total changes.
	ledgers   map[string]*ledger
	totalling bool
}

// NewCluster builds a snapshot. The spec's slices and maps stay the caller's, but labels, taints and trees are shared
// and must not change. Members on nodes that the spec lacks, and nodes of a tree that it lacks, are accepted and
// noted ([Cluster.Notices]). All defects are returned joined, each an [muster.InvalidError]. O(n log n).
func NewCluster(spec Spec) (*Cluster, error) {
	defects := checkTrees(spec.Trees)
	if len(defects) > 0 {
		spec.Trees = nil // the nodes have defects of their own
	}
	c := &Cluster{fabric: newFabric(spec), gangs: newGangSet(), anchors: newAnchors(), cache: &shapeCache{}, rosters: &rosterCache{}, lowest: math.MaxInt64}
	n := len(c.names)
	c.static, c.on, c.zones = newStatics(n), newColumn[hosted](n), newColumn[*numa.Occupancy](n)
	c.free = make([]column[int64], len(c.resources))
	for r := range c.free {
		c.free[r] = newColumn[int64](n)
	}
	if err := c.newQuotas(spec); err != nil {
		defects = append(defects, err)
	}
	if err := c.setBudgets(spec.Budgets); err != nil {
		defects = append(defects, err)
	}
	defects = append(append(c.putNodes(spec.Nodes), defects...), checkSettings(spec)...)
	if err := errors.Join(defects...); err != nil {
		return nil, err
	}
	if err := c.placeAll(spec.Running); err != nil {
		return nil, err
	}
	if err := c.book(); err != nil {
		return nil, err
	}
	c.steps = nil
	c.checkSnapshot()
	return c, nil
}

// checkSettings returns what is wrong with the settings of a spec.
func checkSettings(spec Spec) (defects []error) {
	for _, f := range []struct {
		field string
		value int
	}{{"cluster.KeptShapes", spec.KeptShapes}, {"cluster.KeptSizes", spec.KeptSizes}} {
		if f.value < 0 {
			defects = append(defects, invalid(f.field, f.value, "negative"))
		}
	}
	if !spec.NUMAExclusive.Known() {
		defects = append(defects, invalid("cluster.NUMAExclusive", spec.NUMAExclusive, "unknown exclusivity"))
	}
	return defects
}

// checkTrees returns what is wrong with the trees of a spec.
func checkTrees(list []NamedTree) (defects []error) {
	bad := func(field, value, reason string) {
		defects = append(defects, &muster.InvalidError{Field: field, Value: value, Reason: reason})
	}
	trees := map[string]bool{}
	for i, t := range list {
		field := fmt.Sprintf("cluster.Trees[%d]", i)
		switch {
		case t.Tree == nil:
			bad(field+".Tree", "", "missing")
		case t.Tree.NumNodes() == 0:
			bad(field, t.Name, "the tree has no nodes")
		}
		if trees[t.Name] {
			bad(field+".Name", t.Name, "duplicate name")
		}
		trees[t.Name] = true
	}
	return defects
}

// putNodes checks the nodes of a new cluster and puts them in their places; it returns what is wrong with them.
func (c *Cluster) putNodes(nodes []Node) (defects []error) {
	bad := func(field, reason string) {
		defects = append(defects, &muster.InvalidError{Field: field, Reason: reason})
	}
	if len(nodes) == 0 {
		bad("cluster.Nodes", "a cluster needs a node")
	}
	pool, id := c.kinder(), int32(-1)
	for i := range nodes {
		n := &nodes[i]
		if n.Name == "" {
			bad(fmt.Sprintf("cluster.Nodes[%d].Name", i), "a node has no name")
			if err := n.Allocatable.Validate("node .Allocatable"); err != nil {
				defects = append(defects, err)
			}
			continue
		}
		id, _ = c.near(n.Name, id)
		if c.flagsOf(id)&present != 0 {
			bad("node "+n.Name, "duplicate name")
		}
		if err := c.putNode(id, n, pool); err != nil {
			defects = append(defects, err)
		}
	}
	return defects
}

// Tree finds a topology by the name that requests use.
func (c *Cluster) Tree(name string) (NamedTree, bool) {
	for _, t := range c.trees {
		if t.Name == name {
			return t, true
		}
	}
	return NamedTree{}, false
}

// NUMAExclusive is the default of the snapshot, see [Spec].
func (c *Cluster) NUMAExclusive() numa.Exclusive { return c.exclusive }

// Trees lists the topologies; the slice is the caller's.
func (c *Cluster) Trees() []NamedTree { return slices.Clone(c.trees) }

// Notices lists what was accepted but matters: members on nodes that were absent when they were given, zones of which
// members held more than there is, nodes of a tree that the snapshot lacks. O(nodes); the slice is the caller's.
func (c *Cluster) Notices() []string {
	notices := slices.Clone(c.notices)
	for _, v := range c.views {
		for pos := range v.treePositions() {
			if id := v.node(pos); c.flagsOf(id)&present == 0 {
				notices = append(notices, fmt.Sprintf("node %s of topology %q is not in the cluster", c.names[id], v.name))
			}
		}
	}
	return notices
}

// Len is the number of nodes.
func (c *Cluster) Len() int {
	n := 0
	for range c.Nodes() {
		n++
	}
	return n
}

// Nodes iterates over the nodes in the depth-first order of the first tree, those outside it last. Labels and taints are
// shared, Allocatable is the caller's.
func (c *Cluster) Nodes() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for id := range int32(len(c.names)) {
			s := c.static.at(id)
			if s.flags&present != 0 && !yield(c.export(id, s)) {
				return
			}
		}
	}
}

func (c *Cluster) export(id int32, s node) Node {
	return Node{
		Name: c.names[id], Labels: s.labels, Taints: s.taints, Allocatable: c.fabric.allocatable(s.allocatable),
		Cordoned: s.flags&cordoned != 0, NotReady: s.flags&notReady != 0, NUMA: s.zoning.spec(),
	}
}

// Free is what is left on a node: negative where it is over-committed, without the resources that the node does not
// bound. The map is the caller's.
func (c *Cluster) Free(name string) (muster.Resources, bool) {
	id, ok := c.id(name)
	if !ok || c.flagsOf(id)&present == 0 {
		return nil, false
	}
	r := muster.Resources{}
	allocatable := c.static.at(id).allocatable
	for i := range allocatable {
		if c.bounds(allocatable, i) {
			r[c.resources[i]] = c.free[i].at(id)
		}
	}
	return r, true
}

// Running iterates over the running members: gangs, then members, in natural order of names.
func (c *Cluster) Running() iter.Seq[Running] {
	return func(yield func(Running) bool) {
		c.gangs.Ascend(func(g *gangMembers) bool {
			for _, m := range g.members {
				if !yield(c.exportMember(m)) {
					return false
				}
			}
			return true
		})
	}
}

func (c *Cluster) exportMember(m *member) Running {
	return Running{
		Gang: m.gang, Member: m.name, Node: c.names[m.node], Resources: c.held(m.holds),
		Index: m.index, Indexed: m.indexed, AffinityKey: m.affinityKey, Leaving: m.leaving, NUMA: m.placed,
		Quota: m.quota, NonPreemptible: m.pinned, Unevictable: m.unevictable, Priority: m.priority, MinMember: m.least,
		Started: m.started, Budgets: m.budgets,
	}
}
