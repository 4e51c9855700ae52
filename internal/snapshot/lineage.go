// What do all snapshots of a cluster have in common? Names, ids, and the layout of the trees.

package snapshot

import (
	"cmp"
	"slices"
	"sync"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/topology"
)

// Lineage is shared by all snapshots made from one cluster: the names of nodes and resources, and the layout of the
// trees. Once the first of them is published, nothing in it changes but its clock, pool and lock.
type Lineage struct {
	trees     []cluster.NamedTree
	Views     []*layout.View
	Names     []string       // of nodes, by id
	first     *topology.Tree // finds, by name, the nodes that came first: those of what was the first tree then
	outside   *topology.Tree // finds, by name, all others
	Resources []string       // by id, in natural order
	pods, cpu int            // ids of the resources
	notices   []string       // see [Snapshot.Notices]

	cloning *sync.Mutex // to clone a btree writes to the original, which lineages of other trees share

	Exclusive             numa.Exclusive // the default, see [cluster.Spec]
	fixedTotal            bool           // the spec gives the total of the quotas
	KeptShapes, KeptSizes int
	Clock                 cow.Clock      // of the uses of shapes and group sizes
	resourceIDs           map[string]int // of the resources, where they are many; else nil
	Scratch               sync.Pool
}

// newLineage is that of a spec, with the resources of members that are still to come. It gives nodes their dense ids:
// those of the first tree depth-first, then all others in natural order.
func newLineage(spec cluster.Spec, coming []cluster.Running) *Lineage {
	l := &Lineage{trees: slices.Clone(spec.Trees), Resources: resourceNames(spec, coming), Exclusive: spec.NUMAExclusive, cloning: &sync.Mutex{}}
	l.KeptShapes, l.KeptSizes = cmp.Or(spec.KeptShapes, keptShapes), cmp.Or(spec.KeptSizes, keptSizes)
	if len(l.Resources) > fewResources {
		l.resourceIDs = make(map[string]int, len(l.Resources))
		for i, name := range l.Resources {
			l.resourceIDs[name] = i
		}
	}
	l.pods, l.cpu = l.resource(muster.Pods), l.resource(muster.CPU)
	l.nameNodes(spec.Nodes)
	for i, t := range l.trees {
		l.Views = append(l.Views, layout.New(t.Name, t.Tree, l.Names, l.placing(i, t.Tree)))
	}
	if len(l.Views) == 0 {
		bare, _ := topology.New(topology.Spec{}) // an empty topology has no defect
		l.Views = append(l.Views, layout.New("", bare, l.Names, nil))
	}
	return l
}

// nameNodes names all nodes in the order of their ids: nodes of other trees, and nodes in no tree, come after the first
// tree's.
func (l *Lineage) nameNodes(nodes []cluster.Node) {
	l.outside, _ = topology.New(topology.Spec{}) // neither it nor the one below has a defect
	l.first = l.outside
	if len(l.trees) > 0 {
		t := l.trees[0].Tree
		l.first = t
		l.Names = make([]string, t.NumNodes())
		for i := range l.Names {
			l.Names[i] = t.NodeName(topology.NodeID(i))
		}
	}
	var rest []string
	last := int32(-1)
	add := func(name string) {
		if id, ok := l.near(name, last); ok {
			last = id
		} else if name != "" {
			rest = append(rest, name)
		}
	}
	for i := 1; i < len(l.trees); i++ {
		t := l.trees[i].Tree
		for n := range t.NumNodes() {
			add(t.NodeName(topology.NodeID(n)))
		}
	}
	for i := range nodes {
		add(nodes[i].Name)
	}
	if len(rest) > 0 {
		l.outside, _ = topology.New(topology.Spec{Nodes: rest}) // sorts, and takes each name once
		for i := range l.outside.NumNodes() {
			l.Names = append(l.Names, l.outside.NodeName(topology.NodeID(i)))
		}
	}
}

// ID finds a node by name, -1 and false if there is none. The ids follow the tree that came first, which has a table of its
// names, and then the tree of the others. O(1) expected.
func (l *Lineage) ID(name string) (int32, bool) {
	if id, ok := l.first.Node(name); ok {
		return int32(id), true
	}
	id, ok := l.outside.Node(name)
	if !ok {
		return -1, false
	}
	return int32(l.first.NumNodes()) + int32(id), true
}

// placing are the ids of the nodes of a tree; nil for the first one, which the ids follow.
func (l *Lineage) placing(i int, t *topology.Tree) []int32 {
	if i == 0 {
		return nil
	}
	order, _ := l.ids(t)
	return order
}

// ids are those of the nodes of a tree, in its order; false if one has none.
func (l *Lineage) ids(t *topology.Tree) ([]int32, bool) {
	order, last := make([]int32, t.NumNodes(), max(t.NumNodes(), len(l.Names))), int32(-1)
	for n := range order {
		name, id := t.NodeName(topology.NodeID(n)), last+1
		if int(id) >= len(l.Names) || l.Names[id] != name { // mostly it is the next one
			var ok bool
			if id, ok = l.ID(name); !ok {
				return nil, false
			}
		}
		order[n], last = id, id
	}
	return order, true
}

// near is ID with a guess: last is the answer before, -1 at first. Often the same node is asked for again, or the next
// one.
func (l *Lineage) near(name string, last int32) (int32, bool) {
	for id := last + 1; id >= max(last, 0); id-- {
		if int(id) < len(l.Names) && l.Names[id] == name {
			return id, true
		}
	}
	return l.ID(name)
}

// NodeName is the name of a node.
func (l *Lineage) NodeName(id int32) string { return l.Names[id] }

// View is the topology of this name, nil if there is none.
func (c *Snapshot) View(name string) *layout.View {
	i := slices.IndexFunc(c.Lineage.Views, func(v *layout.View) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return c.Lineage.Views[i]
}
