package placement

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/google/btree"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/topology"
)

// Cluster is an immutable snapshot of nodes and running members. It is safe for concurrent use; Apply, Release and
// Update return new snapshots that share what did not change.
type Cluster struct {
	*fabric
	static column[node]
	// free has a column for each resource: allocatable minus what runs, negative where a node is over-committed.
	free []column[int64]
	on   column[[]*member] // running members by node
	// gangs is a persistent ordered set: a snapshot clones it before it changes its copy.
	gangs   *btree.BTreeG[*gangMembers]
	leaving []*member // in the order of gang, then name

	cache   *shapeCache
	touched []int32 // nodes changed since the fork, while a snapshot is made
}

// fabric is what all snapshots of a lineage share: the names of nodes and resources and the layout of the trees.
type fabric struct {
	trees     []NamedTree
	views     []*view
	names     []string
	byName    []int32 // nodes sorted bytewise by name
	resources []string
	notices   []string

	cloning sync.Mutex // cloning gangs writes to the original
	scratch sync.Pool
}

// node is the part of a [Node] that rarely changes. A node of a tree that the cluster lacks is absent: it has its
// place and takes nobody.
type node struct {
	labels      map[string]string
	allocatable []int64 // by resource; shared by equal nodes
	taints      []gang.Taint
	flags       nodeFlags
}

type nodeFlags uint8

const (
	present nodeFlags = 1 << iota
	cordoned
	notReady
	tainted
)

// member is a running member. It is never changed, only replaced.
type member struct {
	gang, name  string
	node        int32
	index       int
	indexed     bool
	leaving     bool
	affinityKey string
	holds       []int64 // by resource; shared by equal members
}

// gangMembers are the running members of one gang in natural order of names.
type gangMembers struct {
	name    string
	members []*member
}

func newGangSet() *btree.BTreeG[*gangMembers] {
	return btree.NewG(32, func(a, b *gangMembers) bool { return muster.CompareNatural(a.name, b.name) < 0 })
}

// NewCluster builds a snapshot. The spec's slices and maps stay the caller's, but labels, taints and trees are shared
// and must not change. Members on nodes that the spec lacks, and nodes of a tree that it lacks, are accepted and
// noted ([Cluster.Notices]). All defects are returned joined, each an [muster.InvalidError]. O(n log n).
func NewCluster(spec Spec) (*Cluster, error) {
	if err := checkSpec(spec); err != nil {
		return nil, err
	}
	c := &Cluster{fabric: newFabric(spec), gangs: newGangSet(), cache: &shapeCache{}}
	n := len(c.names)
	c.static, c.on = newColumn[node](n), newColumn[[]*member](n)
	c.free = make([]column[int64], len(c.resources))
	for r := range c.free {
		c.free[r] = newColumn[int64](n)
	}
	pool := amounts{}
	for i := range spec.Nodes {
		id, _ := c.id(spec.Nodes[i].Name)
		c.putNode(id, &spec.Nodes[i], pool)
	}
	if err := c.placeAll(spec.Running, pool); err != nil {
		return nil, err
	}
	c.checkSnapshot()
	return c, nil
}

func checkSpec(spec Spec) error {
	var errs []error
	bad := func(field, value, reason string) {
		errs = append(errs, &muster.InvalidError{Field: field, Value: value, Reason: reason})
	}
	if len(spec.Nodes) == 0 {
		bad("cluster.Nodes", "", "a cluster needs a node")
	}
	seen := make(map[string]bool, len(spec.Nodes))
	for i := range spec.Nodes {
		n := &spec.Nodes[i]
		switch {
		case n.Name == "":
			bad(fmt.Sprintf("cluster.Nodes[%d].Name", i), "", "a node has no name")
		case seen[n.Name]:
			bad("node "+n.Name, "", "duplicate name")
		}
		seen[n.Name] = true
		if err := checkAmounts("node "+n.Name+".Allocatable", n.Allocatable); err != nil {
			errs = append(errs, err)
		}
	}
	trees := map[string]bool{}
	for i, t := range spec.Trees {
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
	return errors.Join(errs...)
}

// newFabric gives nodes their dense ids: those of the first tree depth-first, then all others in natural order.
func newFabric(spec Spec) *fabric {
	f := &fabric{trees: slices.Clone(spec.Trees)}
	known := make(map[string]bool, len(spec.Nodes))
	var rest []string
	add := func(name string, tree bool) {
		if known[name] {
			return
		}
		known[name] = true
		if tree {
			f.names = append(f.names, name)
		} else {
			rest = append(rest, name)
		}
	}
	for i, t := range f.trees {
		for n := range t.Tree.NumNodes() {
			add(t.Tree.NodeName(topology.NodeID(n)), i == 0)
		}
	}
	for i := range spec.Nodes {
		add(spec.Nodes[i].Name, false)
	}
	slices.SortFunc(rest, muster.CompareNatural)
	f.names = append(f.names, rest...)
	f.byName = make([]int32, len(f.names))
	for i := range f.byName {
		f.byName[i] = int32(i)
	}
	slices.SortFunc(f.byName, func(a, b int32) int { return strings.Compare(f.names[a], f.names[b]) })
	f.resources = resourceNames(spec)
	for _, t := range f.trees {
		f.views = append(f.views, newView(t, f.names, f.id))
	}
	if len(f.views) == 0 {
		bare, _ := topology.New(topology.Spec{}) // an empty topology has no defect
		f.views = append(f.views, newView(NamedTree{Tree: bare}, f.names, f.id))
	}
	return f
}

// id finds a node by name. O(log n).
func (f *fabric) id(name string) (int32, bool) {
	i, ok := slices.BinarySearchFunc(f.byName, name, func(id int32, name string) int {
		return strings.Compare(f.names[id], name)
	})
	if !ok {
		return -1, false
	}
	return f.byName[i], true
}

func (f *fabric) nodeName(id int32) string { return f.names[id] }

// resource finds a resource's column, -1 if no node has it.
func (f *fabric) resource(name string) int {
	i, ok := slices.BinarySearchFunc(f.resources, name, muster.CompareNatural)
	if !ok {
		return -1
	}
	return i
}

// putNode sets a node's static part and its free amounts, as if nothing ran on it.
func (c *Cluster) putNode(id int32, n *Node, pool amounts) {
	s := node{labels: n.Labels, taints: n.Taints, flags: present}
	s.allocatable = pool.vector(c.fabric, n.Allocatable, boundlessPods)
	if n.Cordoned {
		s.flags |= cordoned
	}
	if n.NotReady {
		s.flags |= notReady
	}
	if len(n.Taints) > 0 {
		s.flags |= tainted
	}
	c.static.set(id, s)
	c.touch(id)
	for r, amount := range s.allocatable {
		c.free[r].set(id, amount)
	}
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

// Trees lists the topologies; the slice is the caller's.
func (c *Cluster) Trees() []NamedTree { return slices.Clone(c.trees) }

// Notices lists what was accepted but matters: members on nodes that were absent when they were given, nodes of a tree
// that the snapshot lacks. O(nodes); the slice is the caller's.
func (c *Cluster) Notices() []string {
	notices := slices.Clone(c.notices)
	for _, v := range c.views {
		for pos := range v.treePositions() {
			if id := v.node(pos); c.static.at(id).flags&present == 0 {
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
		Cordoned: s.flags&cordoned != 0, NotReady: s.flags&notReady != 0,
	}
}

// Free is what is left on a node: negative where it is over-committed, without the resources that the node does not
// bound. The map is the caller's.
func (c *Cluster) Free(name string) (muster.Resources, bool) {
	id, ok := c.id(name)
	if !ok || c.static.at(id).flags&present == 0 {
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
		Index: m.index, Indexed: m.indexed, AffinityKey: m.affinityKey, Leaving: m.leaving,
	}
}

// membersOf lists the running members of a gang, nil if none.
func (c *Cluster) membersOf(gang string) []*member {
	if g, ok := c.gangs.Get(&gangMembers{name: gang}); ok {
		return g.members
	}
	return nil
}
