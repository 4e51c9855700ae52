package snapshot

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/cow"
)

// Static is the part of a node that rarely changes. A node of a tree that the cluster lacks is absent: it keeps its id and
// takes nobody. The zero value is an absent node.
type Static struct {
	Labels map[string]string
	Flags  NodeFlags
	Class  *nodeClass
}

// NodeFlags are the properties of a node that every plan reads.
type NodeFlags uint8

// The flags of a node.
const (
	Present NodeFlags = 1 << iota
	Cordoned
	NotReady
	Tainted
	Zoned // its own NUMA policy binds members
)

// nodeClass is shared by nodes that are equal but for names, labels and flags. It never changes.
type nodeClass struct {
	allocatable []int64 // by resource
	Taints      []gang.Taint
	Zones       *ZoneClass // nil: no zones are known
}

var noClass = &nodeClass{} // of absent nodes

// statics are the static parts by node id, in three columns: plans read the flags of all nodes, the rest of few.
type statics struct {
	Flags   cow.Column[NodeFlags]
	classes cow.Column[*nodeClass] // nil where absent
	labels  cow.Column[map[string]string]
}

func newStatics(n int) statics {
	return statics{cow.NewColumn[NodeFlags](n), cow.NewColumn[*nodeClass](n), cow.NewColumn[map[string]string](n)}
}

func (s *statics) fork() statics { return statics{s.Flags.Fork(), s.classes.Fork(), s.labels.Fork()} }

func (s *statics) At(id int32) Static {
	n := Static{s.labels.At(id), s.Flags.At(id), s.classes.At(id)}
	if n.Class == nil {
		n.Class = noClass
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

func (s *statics) set(id int32, n Static) {
	s.Flags.Set(id, n.Flags)
	s.classes.Set(id, n.Class)
	if n.Labels != nil || s.labels.At(id) != nil { // nodes without labels need no page
		s.labels.Set(id, n.Labels)
	}
}

// FlagsOf are the flags of a node without the rest. O(1).
func (c *Snapshot) FlagsOf(id int32) NodeFlags { return c.Static.Flags.At(id) }

// nodeClasses finds the classes of nodes, so that equal ones are one. One change writes it.
type nodeClasses struct {
	amounts *Vectors
	classes map[*int64][]*nodeClass // by the vector of allocatable amounts
}

func (l *Lineage) nodeClasses() *nodeClasses {
	return &nodeClasses{l.Amounts(), map[*int64][]*nodeClass{}}
}

// of is the class of a node, a new one if there is none yet; old is its class before. The error names the field.
func (k *nodeClasses) of(n *cluster.Node, old *nodeClass) (*nodeClass, error) {
	v := k.amounts.Vector(n.Allocatable, Boundless)
	if v == nil {
		return nil, n.Allocatable.Validate("node " + n.Name + ".Allocatable")
	}
	if old != nil && slices.Equal(old.allocatable, v) && old.is(n) {
		return old, nil
	}
	const tried = 8 // where taints or zones differ from node to node, they are not shared
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

// sameTaints tells nil from empty, so that nodes read back as they were given.
func sameTaints(a, b []gang.Taint) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }

// putNode sets a node's static part and its free amounts, as if nothing ran on it.
func (c *Snapshot) putNode(id int32, n *cluster.Node, classes *nodeClasses) error {
	class, err := classes.of(n, c.Static.classes.At(id))
	if err != nil {
		return err
	}
	s := Static{Labels: n.Labels, Class: class, Flags: Present}
	if n.Cordoned {
		s.Flags |= Cordoned
	}
	if n.NotReady {
		s.Flags |= NotReady
	}
	if len(n.Taints) > 0 {
		s.Flags |= Tainted
	}
	if n.NUMA != nil && n.NUMA.Policy != "" {
		s.Flags |= Zoned
	}
	c.setZones(id, class.Zones)
	reduce(c.ownTotals(), c.Static.ClassOf(id).allocatable)
	raise(c.ownTotals(), class.allocatable)
	c.Static.set(id, s)
	c.touch(id)
	for r, amount := range s.Class.allocatable {
		if c.Free[r].At(id) != amount {
			c.Free[r].Set(id, amount)
		}
	}
	return nil
}

// changeNodes removes, replaces and adds nodes. Where the lineage knows all of them c itself changes, else a new snapshot
// is built.
func (c *Snapshot) changeNodes(remove []string, set []cluster.Node) (*Snapshot, error) {
	for _, name := range remove {
		id, ok := c.Lineage.ID(name)
		if !ok || c.FlagsOf(id)&Present == 0 {
			return nil, &cluster.ConflictError{Node: name, Reason: "the node is not in the cluster"}
		}
		if on := c.membersOn(id); len(on) > 0 {
			return nil, &cluster.ConflictError{Node: name, Gang: on[0].Class.Gang, Member: on[0].Name, Reason: "a member runs on the node"}
		}
		c.setZones(id, nil)
		reduce(c.ownTotals(), c.Static.ClassOf(id).allocatable)
		c.Static.set(id, Static{})
		c.touch(id)
		for r := range c.Free {
			c.Free[r].Set(id, 0)
		}
	}
	seen := make(map[string]bool, len(set))
	for i := range set {
		if seen[set[i].Name] {
			return nil, &muster.InvalidError{Field: "node " + set[i].Name, Reason: "duplicate name"}
		}
		seen[set[i].Name] = true
	}
	if !c.hasPlacesFor(set) {
		return c.rebuild(set, seen)
	}
	classes := c.Lineage.nodeClasses()
	for i := range set {
		if err := c.setNode(&set[i], classes); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// setNode replaces a node and takes from it again what its members hold.
func (c *Snapshot) setNode(n *cluster.Node, classes *nodeClasses) error {
	id, _ := c.Lineage.ID(n.Name)
	if err := c.putNode(id, n, classes); err != nil {
		return err
	}
	for _, m := range c.membersOn(id) {
		if err := c.hold(m); err != nil {
			return err
		}
	}
	return nil
}

// hasPlacesFor says whether the lineage knows the nodes and their resources.
func (c *Snapshot) hasPlacesFor(nodes []cluster.Node) bool {
	for i := range nodes {
		if _, ok := c.Lineage.ID(nodes[i].Name); !ok {
			return false
		}
		for name := range nodes[i].Allocatable {
			if c.Lineage.resource(name) < 0 {
				return false
			}
		}
	}
	return true
}

// rebuild makes the cluster anew, with nodes added or replaced; fresh has their names.
func (c *Snapshot) rebuild(nodes []cluster.Node, fresh map[string]bool) (*Snapshot, error) {
	spec := cluster.Spec{
		Trees: c.Lineage.trees, Running: slices.Collect(c.Running()), NUMAExclusive: c.Lineage.Exclusive,
		KeptShapes: c.Lineage.KeptShapes, KeptSizes: c.Lineage.KeptSizes, Budgets: c.Budgets,
	}
	for n := range c.Nodes() {
		if !fresh[n.Name] {
			spec.Nodes = append(spec.Nodes, n)
		}
	}
	spec.Nodes = append(spec.Nodes, nodes...)
	describeQuotas(c, &spec)
	next, err := New(spec)
	if err != nil {
		return nil, fmt.Errorf("nodes cannot be changed: %w", err)
	}
	next.Lineage.notices = c.Lineage.notices // of members that were dropped then, and are not in the spec
	return next, nil
}
