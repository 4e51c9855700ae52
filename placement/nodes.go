package placement

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/cow"
)

// node is the part of a [Node] that rarely changes. A node of a tree that the cluster lacks is absent: it has its
// place and takes nobody. The zero value is an absent node.
type node struct {
	labels map[string]string
	flags  nodeFlags
	class  *nodeClass
}

type nodeFlags uint8

const (
	present nodeFlags = 1 << iota
	cordoned
	notReady
	tainted
	zoned // its own NUMA policy binds members
)

// nodeClass is what many nodes have in common.
type nodeClass struct {
	allocatable []int64 // by resource
	taints      []gang.Taint
	zones       *zoneClass // nil: no zones are known
}

var noClass = &nodeClass{} // of absent nodes

// statics are nodes by id, apart by how often they are read and how much of them is the same.
type statics struct {
	flags   cow.Column[nodeFlags]
	classes cow.Column[*nodeClass] // nil where absent
	labels  cow.Column[map[string]string]
}

func newStatics(n int) statics {
	return statics{cow.NewColumn[nodeFlags](n), cow.NewColumn[*nodeClass](n), cow.NewColumn[map[string]string](n)}
}

func (s *statics) fork() statics { return statics{s.flags.Fork(), s.classes.Fork(), s.labels.Fork()} }

func (s *statics) at(id int32) node {
	n := node{s.labels.At(id), s.flags.At(id), s.classes.At(id)}
	if n.class == nil {
		n.class = noClass
	}
	return n
}

// classOf is the kind of a node without the rest. O(1).
func (s *statics) classOf(id int32) *nodeClass {
	if k := s.classes.At(id); k != nil {
		return k
	}
	return noClass
}

func (s *statics) set(id int32, n node) {
	s.flags.Set(id, n.flags)
	s.classes.Set(id, n.class)
	if n.labels != nil || s.labels.At(id) != nil { // nodes without labels need no page
		s.labels.Set(id, n.labels)
	}
}

// flagsOf is the flags of a node without the rest. O(1).
func (c *Snapshot) flagsOf(id int32) nodeFlags { return c.static.flags.At(id) }

// nodeClasses finds the kinds of nodes, so that equal ones are one.
type nodeClasses struct {
	amounts *amounts
	classes map[*int64][]*nodeClass // by the vector of what is allocatable
}

func (f *lineage) nodeClasses() *nodeClasses {
	return &nodeClasses{f.amounts(), map[*int64][]*nodeClass{}}
}

// of is the kind of a node, if need be a new one; old is what the node was before. The error names the field.
func (k *nodeClasses) of(n *Node, old *nodeClass) (*nodeClass, error) {
	v := k.amounts.vector(n.Allocatable, boundless)
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
	fresh := &nodeClass{allocatable: v, taints: n.Taints}
	if n.NUMA != nil {
		var err error
		if fresh.zones, err = newZoneClass(n.NUMA); err != nil {
			return nil, below("node "+n.Name+".NUMA", err)
		}
	}
	k.classes[&v[0]] = append(list, fresh)
	return fresh, nil
}

// is says whether a node with the same allocatable is of the kind.
func (k *nodeClass) is(n *Node) bool {
	return sameTaints(k.taints, n.Taints) && sameZones(k.zones.spec(), n.NUMA)
}

// sameTaints tells nil from empty, so that nodes read back as they were given.
func sameTaints(a, b []gang.Taint) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }

// putNode sets a node's static part and its free amounts, as if nothing ran on it.
func (c *Snapshot) putNode(id int32, n *Node, pool *nodeClasses) error {
	kind, err := pool.of(n, c.static.classes.At(id))
	if err != nil {
		return err
	}
	s := node{labels: n.Labels, class: kind, flags: present}
	if n.Cordoned {
		s.flags |= cordoned
	}
	if n.NotReady {
		s.flags |= notReady
	}
	if len(n.Taints) > 0 {
		s.flags |= tainted
	}
	if n.NUMA != nil && n.NUMA.Policy != "" {
		s.flags |= zoned
	}
	c.setZones(id, kind.zones)
	c.countTotal(c.static.classOf(id).allocatable, -1)
	c.countTotal(kind.allocatable, 1)
	c.static.set(id, s)
	c.touch(id)
	for r, amount := range s.class.allocatable {
		if c.free[r].At(id) != amount {
			c.free[r].Set(id, amount)
		}
	}
	return nil
}

// changeNodes removes, replaces and adds nodes. Nodes that have their place already change in it.
func (c *Snapshot) changeNodes(remove []string, set []Node) (*Snapshot, error) {
	for _, name := range remove {
		id, ok := c.lineage.id(name)
		if !ok || c.flagsOf(id)&present == 0 {
			return nil, &ConflictError{Node: name, Reason: "the node is not in the cluster"}
		}
		if on := c.membersOn(id); len(on) > 0 {
			return nil, &ConflictError{Node: name, Gang: on[0].class.gang, Member: on[0].name, Reason: "a member runs on the node"}
		}
		c.setZones(id, nil)
		c.countTotal(c.static.classOf(id).allocatable, -1)
		c.static.set(id, node{})
		c.touch(id)
		for r := range c.free {
			c.free[r].Set(id, 0)
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
	pool := c.lineage.nodeClasses()
	for i := range set {
		if err := c.setNode(&set[i], pool); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// setNode puts a node in its place, below the members that run on it.
func (c *Snapshot) setNode(n *Node, pool *nodeClasses) error {
	id, _ := c.lineage.id(n.Name)
	if err := c.putNode(id, n, pool); err != nil {
		return err
	}
	for _, m := range c.membersOn(id) {
		if err := c.hold(m); err != nil {
			return err
		}
	}
	return nil
}

// hasPlacesFor says whether the nodes and their resources are known to the layout.
func (c *Snapshot) hasPlacesFor(nodes []Node) bool {
	for i := range nodes {
		if _, ok := c.lineage.id(nodes[i].Name); !ok {
			return false
		}
		for name := range nodes[i].Allocatable {
			if c.lineage.resource(name) < 0 {
				return false
			}
		}
	}
	return true
}

// rebuild makes the cluster anew, with nodes added or replaced; fresh has their names.
func (c *Snapshot) rebuild(nodes []Node, fresh map[string]bool) (*Snapshot, error) {
	spec := Spec{Trees: c.lineage.trees, Running: slices.Collect(c.Running()), NUMAExclusive: c.lineage.exclusive, KeptShapes: c.lineage.keptShapes, KeptSizes: c.lineage.keptSizes, Budgets: c.budgets}
	for n := range c.Nodes() {
		if !fresh[n.Name] {
			spec.Nodes = append(spec.Nodes, n)
		}
	}
	spec.Nodes = append(spec.Nodes, nodes...)
	c.describeQuotas(&spec)
	next, err := NewSnapshot(spec)
	if err != nil {
		return nil, fmt.Errorf("nodes cannot be changed: %w", err)
	}
	next.lineage.notices = c.lineage.notices // what was not accepted then is not in the snapshot
	return next, nil
}
