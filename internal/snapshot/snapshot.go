// Package snapshot answers: what is free, and who runs where, now? A [Snapshot] is a cluster brought inside: nodes have
// dense ids, amounts lie in columns by resource, running members in persistent sets. All snapshots made from one
// cluster share a [Lineage].
//
// Invariants:
//   - Free is allocatable less what the members on the node hold.
//   - Every member stands once in each list that it belongs to: its gang's, its node's, and that of the leaving ones.
//   - Used in a quota is the sum over its members that are not leaving.
//   - Equal amounts, zones and classes are mostly one value, but not always: pointers that differ say nothing.
//
// The build tag `invariants` checks the first two after each change.
//
// Who may write: whoever calls [Snapshot.Fork] writes the fork, until [Snapshot.Succeed] publishes it. A published
// snapshot never changes and is safe for concurrent use; its caches lock themselves.
package snapshot

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync/atomic"

	"github.com/google/btree"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/invariant"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// Snapshot is an immutable snapshot of nodes and running members. It is safe for concurrent use; Update
// returns a new snapshot that shares everything that did not change.
type Snapshot struct {
	Lineage *Lineage
	Static  statics // by node
	// Free has a column for each resource, by node: allocatable less what members hold, negative where a node is
	// over-committed, 0 on an absent node, Boundless for pods where the node does not bound them.
	Free []cow.Column[int64]
	on   cow.Column[hosted] // running members by node
	// Zones are the occupied and free parts of each node's zones; nil where no zones are known.
	Zones cow.Column[*numa.Occupancy]
	Zoned int // number of nodes with a NUMA policy of their own
	Kinds kinds
	feeds feeds
	// Gangs is a persistent ordered set: a fork clones it before it writes.
	Gangs *btree.BTreeG[*GangMembers]
	// anchors are the gangs by the affinity keys of their members; a fork clones this set, too.
	anchors *btree.BTreeG[anchor]
	Closed  closedNodes
	Leaving []*Member        // in the order of CompareMembers
	Quotas  *quota.State     // nil: there are none
	totals  []bigSum         // by resource: what quotas divide; nil if the spec fixes it
	Budgets []cluster.Budget // in natural order of names
	// ManyTaints: a node has so many that what is said about them is better kept.
	ManyTaints bool
	// Reserved is what is held in domains, as who reads it orders it; a fork has it as well, and one that is built anew.
	Reserved []cluster.DomainHold
	Lowest   int64 // at most the priority of every member that is not leaving; MaxInt64 until one has run

	Caches *caches // nil while the snapshot is made as a fork
	// LeftOut is what was left out of the observed change that made the snapshot, see [cluster.Delta].
	LeftOut []error

	// While a snapshot is made:
	touched []int32                  // nodes whose free amounts, zones or static part changed since the fork
	follows bool                     // the caches of the snapshot before hold a victim index: moves are logged
	moved   []int32                  // nodes with other members than at the fork, or members with other profiles
	steps   map[step]*numa.Occupancy // changes of zones that were computed already
	// Changes of the quotas by name, and whether totals is the fork's own.
	ledgers   map[string]*ledger
	totalling bool
}

// caches keep values that plans on a snapshot computed, for later plans. They are safe for concurrent use, and decide
// nothing.
type caches struct {
	Shapes shapeCache
	Spared shapeCache // by shape: slots on the nodes that are not meant for others
	Rooms  shapeCache // by shape and priority: slots once all that may leave, of gangs up to the priority, are gone
	// Of types that only those know who keep them here:
	Others   cow.Memo[[]byte, any]   // by shape: whether a node is meant for others
	Costs    cow.Memo[[]byte, any]   // by gang: what room for it costs
	Leavable cow.Memo[struct{}, any] // who may leave, node by node
	Reserves cow.Memo[any, any]      // by some of what is held in domains: the room for it
	Held     cow.Memo[struct{}, any] // what is held, and what is seen of it; of no later snapshot
	aside    atomic.Pointer[caches]  // what those found who only asked "what if", see Aside
}

// New builds a snapshot. The spec's slices and maps stay the caller's, but labels, taints and trees are shared
// and must not change. Members on nodes that the spec lacks, and nodes of a tree that it lacks, are accepted and
// noted ([Snapshot.Notices]). All defects are returned joined, each an [muster.InvalidError]. O(n log n).
func New(spec cluster.Spec) (*Snapshot, error) { return newWith(spec, nil) }

// newWith is New, with the resources of members that are still to come.
func newWith(spec cluster.Spec, coming []cluster.Running) (*Snapshot, error) {
	defects := checkTrees(spec.Trees)
	if len(defects) > 0 {
		spec.Trees = nil // the nodes have defects of their own
	}
	c := &Snapshot{Lineage: newLineage(spec, coming), Gangs: newGangSet(), anchors: newAnchors(), Caches: &caches{}, Lowest: math.MaxInt64}
	if err := checkCells(spec, len(c.Lineage.Resources)); err != nil {
		return nil, errors.Join(append(defects, err)...)
	}
	n := len(c.Lineage.Names)
	c.Static, c.on, c.Zones = newStatics(n), cow.NewColumn[hosted](n), cow.NewColumn[*numa.Occupancy](n)
	c.Closed.by = cow.NewColumn[int32](n)
	c.Free = make([]cow.Column[int64], len(c.Lineage.Resources))
	for r := range c.Free {
		c.Free[r] = cow.NewColumn[int64](n)
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
	if invariant.On {
		c.checkSnapshot()
	}
	return c, nil
}

// Empty is a snapshot without nodes.
func Empty() *Snapshot {
	return &Snapshot{Lineage: newLineage(cluster.Spec{}, nil), Gangs: newGangSet(), anchors: newAnchors(), Caches: &caches{}, Lowest: math.MaxInt64}
}

// checkSettings returns the defects of the settings of a spec.
func checkSettings(spec cluster.Spec) (defects []error) {
	for _, f := range []struct {
		field string
		value int
	}{{"cluster.KeptShapes", spec.KeptShapes}, {"cluster.KeptSizes", spec.KeptSizes}} {
		if f.value < 0 {
			defects = append(defects, muster.Invalid(f.field, f.value, "negative"))
		}
	}
	if !spec.NUMAExclusive.Known() {
		defects = append(defects, muster.Invalid("cluster.NUMAExclusive", spec.NUMAExclusive, "unknown exclusivity"))
	}
	return defects
}

// checkTrees returns the defects of the trees of a spec.
func checkTrees(list []cluster.NamedTree) (defects []error) {
	before := map[string]bool{}
	for i, t := range list {
		if err := checkTree(i, t, before); err != nil {
			defects = append(defects, err)
		}
	}
	return defects
}

// checkTree is the defect of a tree at its place in a list; before are the names of those before it.
func checkTree(i int, t cluster.NamedTree, before map[string]bool) error {
	bad := func(field, value, reason string) error {
		return &muster.InvalidError{Field: fmt.Sprintf("cluster.Trees[%d]%s", i, field), Value: value, Reason: reason}
	}
	twice := before[t.Name]
	before[t.Name] = true
	switch {
	case t.Tree == nil:
		return bad(".Tree", "", "missing")
	case t.Tree.NumNodes() == 0:
		return bad("", t.Name, "the tree has no nodes")
	case twice:
		return bad(".Name", t.Name, "duplicate name")
	}
	return nil
}

// putNodes checks the nodes of a new cluster and puts them in their places; it returns their defects.
func (c *Snapshot) putNodes(nodes []cluster.Node) (defects []error) {
	bad := func(field, reason string) {
		defects = append(defects, &muster.InvalidError{Field: field, Reason: reason})
	}
	if len(nodes) == 0 {
		bad("cluster.Nodes", "a cluster needs a node")
	}
	classes, id := c.Lineage.nodeClasses(), int32(-1)
	for i := range nodes {
		n := &nodes[i]
		if n.Name == "" {
			bad(fmt.Sprintf("cluster.Nodes[%d].Name", i), "a node has no name")
			if err := n.Allocatable.Validate("node .Allocatable"); err != nil {
				defects = append(defects, err)
			}
			continue
		}
		id, _ = c.Lineage.near(n.Name, id)
		if c.FlagsOf(id)&Present != 0 {
			bad("node "+n.Name, "duplicate name")
		}
		if err := c.putNode(id, n, classes); err != nil {
			defects = append(defects, err)
		}
	}
	return defects
}

// Tree finds a topology by the name that requests use.
func (c *Snapshot) Tree(name string) (cluster.NamedTree, bool) {
	for _, t := range c.Lineage.trees {
		if t.Name == name {
			return t, true
		}
	}
	return cluster.NamedTree{}, false
}

// Trees lists the topologies; the slice is the caller's.
func (c *Snapshot) Trees() []cluster.NamedTree { return slices.Clone(c.Lineage.trees) }

// Notices lists defects that were accepted: members on nodes that were absent when they were given, what was left out of an observed change
// that made the snapshot, nodes of a tree that the snapshot lacks. O(nodes); the slice is the caller's.
func (c *Snapshot) Notices() []string {
	notices := slices.Clone(c.Lineage.notices)
	for _, err := range c.LeftOut {
		notices = append(notices, err.Error())
	}
	for _, v := range c.Lineage.Views {
		for pos := range v.TreePositions() {
			if id := v.Node(pos); c.FlagsOf(id)&Present == 0 {
				notices = append(notices, fmt.Sprintf("node %s of topology %q is not in the cluster", c.Lineage.Names[id], v.Name))
			}
		}
	}
	return notices
}

// Nodes iterates over the nodes in the depth-first order of the first tree, those outside it last. Labels and taints
// are shared, Allocatable is the caller's.
func (c *Snapshot) Nodes() iter.Seq[cluster.Node] {
	return func(yield func(cluster.Node) bool) {
		for pos := range int32(len(c.Lineage.Names)) {
			id := c.Lineage.Views[0].Node(pos)
			s := c.Static.at(id)
			if s.flags&Present != 0 && !yield(c.export(id, s)) {
				return
			}
		}
	}
}

// export is the inverse of putNode: the node as it was given.
func (c *Snapshot) export(id int32, s static) cluster.Node {
	return cluster.Node{
		Name: c.Lineage.Names[id], Labels: s.labels, Taints: s.class.Taints, Allocatable: c.Lineage.allocatable(s.class.allocatable),
		Cordoned: s.flags&Cordoned != 0, NotReady: s.flags&NotReady != 0, NUMA: s.class.Zones.spec(),
	}
}

// FreeOn is the free amounts of a node, negative where it is over-committed, of the resources that the node bounds. It
// is false for an absent node. The map is the caller's. O(resources).
func (c *Snapshot) FreeOn(name string) (muster.Resources, bool) {
	id, ok := c.Lineage.ID(name)
	if !ok || c.FlagsOf(id)&Present == 0 {
		return nil, false
	}
	r := muster.Resources{}
	allocatable := c.Static.ClassOf(id).allocatable
	for i := range allocatable {
		if c.Lineage.bounds(allocatable, i) {
			r[c.Lineage.Resources[i]] = c.Free[i].At(id)
		}
	}
	return r, true
}

// Running iterates over the running members: gangs, then members, in natural order of names.
func (c *Snapshot) Running() iter.Seq[cluster.Running] {
	return func(yield func(cluster.Running) bool) {
		c.Gangs.Ascend(func(g *GangMembers) bool {
			for _, m := range g.Members.All() {
				if !yield(c.ExportMember(m)) {
					return false
				}
			}
			return true
		})
	}
}

// ExportMember is the inverse of newMember: the member as it was given. Resources are a new map; budgets and zones are
// shared.
func (c *Snapshot) ExportMember(m *Member) cluster.Running {
	return cluster.Running{
		Gang: m.Class.Gang, Member: m.Name, Node: c.Lineage.Names[m.Node], Resources: c.Lineage.Held(m.Class.Holds),
		Index: m.Index, Indexed: m.Indexed, AffinityKey: m.Class.AffinityKey, Leaving: m.Leaving, NUMA: m.Placed,
		Quota: m.Class.Quota, NonPreemptible: m.Pinned, Unevictable: m.Class.unevictable, Priority: m.Class.Priority,
		MinMember: m.Class.MinMember, Started: m.Started, End: m.Class.End, Budgets: m.Class.Budgets,
		Tolerated: m.Class.Tolerated, Alone: m.Class.Alone, AloneIn: m.Class.AloneIn,
	}
}

// CheckQuota refuses a quota that members cannot be in: one that is unknown or has children. field names it in the
// error.
func (c *Snapshot) CheckQuota(field, name string) error {
	switch {
	case name == "" || c.Quotas != nil && c.Quotas.IsLeaf(name):
		return nil
	case c.Quotas == nil || !c.Quotas.Has(name):
		return muster.Invalid(field, name, "unknown quota")
	}
	return muster.Invalid(field, name, "members can only be in a quota without children")
}

// MembersOf lists the running members of a gang in natural order of names, leaving ones included. O(log gangs).
func (c *Snapshot) MembersOf(gang string) Members {
	if g, ok := c.Gangs.Get(&GangMembers{Name: gang}); ok {
		return g.Members
	}
	return Members{}
}
