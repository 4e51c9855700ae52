// What is a node, apart from what runs on it, and how do nodes change?

package snapshot

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/match"
)

// static is the part of a node that members do not change. A node of a tree that the cluster lacks is absent: it keeps
// its id and takes nobody. The zero value is an absent node.
type static struct {
	labels map[string]string // shared with the caller who gave them
	flags  NodeFlags         // 0: absent
	class  *nodeClass        // nil in the zero value; at returns noClass instead
}

// NodeFlags are the properties of a node that every plan reads.
type NodeFlags uint8

// The flags of a node.
const (
	Present NodeFlags = 1 << iota
	Cordoned
	NotReady
	Tainted
	Zoned  // its own NUMA policy binds members
	closed // members of some gang are alone in a domain that it is in
)

// nodeClass is the part that nodes share if they differ in nothing but names, labels and flags. It never changes.
type nodeClass struct {
	allocatable []int64 // by resource, pods Boundless if not given; empty only in noClass
	Taints      []gang.Taint
	Zones       *ZoneClass // nil: no zones are known
	Kind        *Kind      // nil only in noClass
	devices     []int32    // resources of which nodes have any
}

var noClass = &nodeClass{} // of absent nodes

// statics are the static parts by node id, in three columns: a plan that counts slots reads the flags of all nodes, but
// classes and labels of few.
type statics struct {
	Flags   cow.Column[NodeFlags]
	classes cow.Column[*nodeClass]        // nil where absent
	labels  cow.Column[map[string]string] // nil: none
}

func newStatics(n int) statics {
	return statics{cow.NewColumn[NodeFlags](n), cow.NewColumn[*nodeClass](n), cow.NewColumn[map[string]string](n)}
}

// fork shares all three columns. O(1).
func (s *statics) fork() statics { return statics{s.Flags.Fork(), s.classes.Fork(), s.labels.Fork()} }

// at is the static part of a node. O(1).
func (s *statics) at(id int32) static {
	n := static{s.labels.At(id), s.Flags.At(id), s.classes.At(id)}
	if n.class == nil {
		n.class = noClass
	}
	return n
}

// ClassOf is the class of a node without the rest. O(1).
func (s *statics) ClassOf(id int32) *nodeClass {
	if class := s.classes.At(id); class != nil {
		return class
	}
	return noClass
}

// set replaces the static part of a node in a fork.
func (s *statics) set(id int32, n static) {
	s.Flags.Set(id, n.flags)
	s.classes.Set(id, n.class)
	if n.labels != nil || s.labels.At(id) != nil { // nodes without labels need no page
		s.labels.Set(id, n.labels)
	}
}

// FlagsOf are the flags of a node without the rest. O(1).
func (c *Snapshot) FlagsOf(id int32) NodeFlags { return c.Static.Flags.At(id) }

// LabelsOf are the labels of a node, shared with the caller who gave them. O(1).
func (c *Snapshot) LabelsOf(id int32) map[string]string { return c.Static.labels.At(id) }

// nodeClasses finds the classes of nodes during one change, so that most equal nodes share one. It is not safe for
// concurrent use.
type nodeClasses struct {
	amounts *Vectors
	classes map[*int64][]*nodeClass // by the address of the vector of allocatable amounts
}

func (l *Lineage) nodeClasses() *nodeClasses {
	return &nodeClasses{l.Amounts(), map[*int64][]*nodeClass{}}
}

// of is the class of a node, a new one if there is none yet. old is its class before, nil if it had none: a node that
// is sent again without a change keeps it. The error names the field.
// O(resources), and for a few classes the comparison of taints and zones.
func (k *nodeClasses) of(n *cluster.Node, old *nodeClass) (*nodeClass, error) {
	v := k.amounts.Vector(n.Allocatable, Boundless)
	if v == nil {
		return nil, n.Allocatable.Validate("node " + n.Name + ".Allocatable")
	}
	if old != nil && slices.Equal(old.allocatable, v) && old.is(n) {
		return old, nil
	}
	const tried = 8 // the last few; where taints or zones differ from node to node, they are not shared
	// Equal amounts mostly have one address, so this list has the classes that differ in taints or zones alone.
	list := k.classes[&v[0]]
	for _, old := range list[max(0, len(list)-tried):] {
		if old.is(n) {
			return old, nil
		}
	}
	fresh := &nodeClass{allocatable: v, Taints: n.Taints}
	if n.NUMA != nil {
		var err error
		if fresh.Zones, err = NewZoneClass(n.NUMA); err != nil {
			return nil, below("node "+n.Name+".NUMA", err)
		}
	}
	k.classes[&v[0]] = append(list, fresh)
	return fresh, nil
}

// is says whether a node with the same allocatable amounts is of the class.
func (c *nodeClass) is(n *cluster.Node) bool {
	return sameTaints(c.Taints, n.Taints) && sameZones(c.Zones.spec(), n.NUMA)
}

// sameTaints says whether taints are equal; nil and empty differ, so that nodes read back as they were given.
func sameTaints(a, b []gang.Taint) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }

// putNode sets a node's static part, its zones and its free amounts, as if nothing ran on it; setNode takes from it
// again what its members hold. The total that quotas divide loses the node's old amounts and gets its new ones.
func (c *Snapshot) putNode(id int32, n *cluster.Node, classes *nodeClasses) error {
	class, err := classes.of(n, c.Static.classes.At(id))
	if err != nil {
		return err
	}
	if class.Kind == nil { // nobody has seen it yet
		class.Kind, class.devices = c.Kinds.of(c.Lineage, class), c.Lineage.devicesOf(class.allocatable)
	}
	s := static{labels: n.Labels, class: class, flags: Present}
	if n.Cordoned {
		s.flags |= Cordoned
	}
	if n.NotReady {
		s.flags |= NotReady
	}
	if len(n.Taints) > 0 {
		s.flags |= Tainted
		c.ManyTaints = c.ManyTaints || match.ManyTaints(n.Taints)
	}
	if n.NUMA != nil && n.NUMA.Policy != "" {
		s.flags |= Zoned
	}
	if c.Closed.By(id) > 0 {
		s.flags |= closed
	}
	c.setZones(id, class.Zones) // reads the flags before, as the next lines read the class before
	c.Kinds.count(c.Static.ClassOf(id).Kind, -1)
	c.Kinds.count(class.Kind, 1)
	c.feeds.count(c.Lineage, c.Static.ClassOf(id), false)
	c.feeds.count(c.Lineage, class, true)
	reduce(c.ownTotals(), c.Static.ClassOf(id).allocatable)
	raise(c.ownTotals(), class.allocatable)
	c.Static.set(id, s)
	c.touch(id)
	// A node that does not bound pods has Boundless of them, and nobody takes from these: see bounds.
	for r, amount := range s.class.allocatable {
		if c.Free[r].At(id) != amount { // else the page stays shared
			c.Free[r].Set(id, amount)
		}
	}
	return nil
}

// changeNodes removes, replaces and adds nodes of a fork, and returns the snapshot to go on with: the fork itself where
// the lineage knows all nodes and resources, else a snapshot built anew, with a lineage of its own. Only a node without
// members can be removed; leaving members count.
func (c *Snapshot) changeNodes(remove []string, set []cluster.Node, coming []cluster.Running) (*Snapshot, error) {
	for _, name := range remove {
		id, ok := c.Lineage.ID(name)
		if !ok || c.FlagsOf(id)&Present == 0 {
			return nil, &cluster.ConflictError{Node: name, Reason: "the node is not in the cluster"}
		}
		if on := c.sortedOn(id); len(on) > 0 {
			return nil, &cluster.ConflictError{Node: name, Gang: on[0].Class.Gang, Member: on[0].Name, Reason: "a member runs on the node"}
		}
		// The node becomes absent: zero amounts, no zones, no part of the total.
		c.setZones(id, nil)
		c.Kinds.count(c.Static.ClassOf(id).Kind, -1)
		c.feeds.count(c.Lineage, c.Static.ClassOf(id), false)
		reduce(c.ownTotals(), c.Static.ClassOf(id).allocatable)
		c.Static.set(id, static{})
		c.touch(id)
		for r := range c.Free {
			c.Free[r].Set(id, 0)
		}
	}
	// A node may be removed and set again in one change. It may not be set twice: which one should count?
	seen := make(map[string]bool, len(set))
	for i := range set {
		if seen[set[i].Name] {
			return nil, &muster.InvalidError{Field: "node " + set[i].Name, Reason: "duplicate name"}
		}
		seen[set[i].Name] = true
	}
	if !c.hasPlacesFor(set, coming) {
		return c.rebuild(c.Lineage.trees, set, seen, coming)
	}
	classes := c.Lineage.nodeClasses()
	for i := range set {
		if err := c.setNode(&set[i], classes); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// setNode replaces a node and takes from it again what its members hold, which may over-commit it. The error is a
// defect of the node, or a sum that overflows. O(members on the node).
func (c *Snapshot) setNode(n *cluster.Node, classes *nodeClasses) error {
	id, _ := c.Lineage.ID(n.Name)
	if err := c.putNode(id, n, classes); err != nil {
		return err
	}
	// Their entries in quotas and lists stay: the members themselves have not changed.
	for _, m := range c.sortedOn(id) {
		if err := c.hold(m); err != nil {
			return err
		}
	}
	return nil
}

// hasPlacesFor says whether the lineage knows the nodes, their resources and those of members that come. If it does not, ids or columns are
// missing, and no fork can have more of them than its lineage.
func (c *Snapshot) hasPlacesFor(nodes []cluster.Node, coming []cluster.Running) bool {
	knows := func(r muster.Resources) bool {
		for name := range r {
			if c.Lineage.resource(name) < 0 {
				return false
			}
		}
		return true
	}
	for i := range nodes {
		if _, ok := c.Lineage.ID(nodes[i].Name); !ok || !knows(nodes[i].Allocatable) {
			return false
		}
	}
	return !slices.ContainsFunc(coming, func(r cluster.Running) bool { return !knows(r.Resources) })
}

// rebuild makes the cluster anew, with other trees, and nodes added or replaced, whose names are in fresh, for members
// that come. It reads the fork, where members have left already, and writes a spec that New takes. O(n log n) for all
// nodes and members.
func (c *Snapshot) rebuild(trees []cluster.NamedTree, nodes []cluster.Node, fresh map[string]bool, coming []cluster.Running) (*Snapshot, error) {
	spec := cluster.Spec{
		Trees: trees, Running: slices.Collect(c.Running()), NUMAExclusive: c.Lineage.Exclusive,
		KeptShapes: c.Lineage.KeptShapes, KeptSizes: c.Lineage.KeptSizes, Budgets: c.Budgets,
	}
	for n := range c.Nodes() {
		if !fresh[n.Name] {
			spec.Nodes = append(spec.Nodes, n)
		}
	}
	spec.Nodes = append(spec.Nodes, nodes...)
	describeQuotas(c, &spec)
	next, err := newWith(spec, coming)
	if err != nil {
		return nil, fmt.Errorf("the cluster cannot be changed: %w", err)
	}
	next.Lineage.notices = c.Lineage.notices // of members on absent nodes: these were dropped, so the spec lacks them
	return next, nil
}
