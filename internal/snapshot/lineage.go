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

// Lineage is what all snapshots of a lineage share: the names of nodes and resources and the layout of the trees.
type Lineage struct {
	trees     []cluster.NamedTree
	Views     []*layout.View
	Names     []string
	outside   *topology.Tree // the nodes that the first tree lacks, to find them by name
	Resources []string
	pods      int // their place among the resources
	notices   []string

	cloning sync.Mutex // cloning gangs writes to the original

	Exclusive             numa.Exclusive // of members with a policy of their own that do not say
	fixedTotal            bool           // what quotas divide is given
	KeptShapes, KeptSizes int
	Clock                 cow.Clock // of the uses of shapes and group sizes
	Scratch               sync.Pool
}

// newLineage gives nodes their dense ids: those of the first tree depth-first, then all others in natural order.
func newLineage(spec cluster.Spec) *Lineage {
	f := &Lineage{trees: slices.Clone(spec.Trees), Resources: resourceNames(spec), Exclusive: spec.NUMAExclusive}
	f.KeptShapes, f.KeptSizes = cmp.Or(spec.KeptShapes, keptShapes), cmp.Or(spec.KeptSizes, keptSizes)
	f.pods = f.resource(muster.Pods)
	f.nameNodes(spec.Nodes)
	for i, t := range f.trees {
		f.Views = append(f.Views, layout.New(t.Name, t.Tree, f.Names, f.placing(i)))
	}
	if len(f.Views) == 0 {
		bare, _ := topology.New(topology.Spec{}) // an empty topology has no defect
		f.Views = append(f.Views, layout.New("", bare, f.Names, nil))
	}
	return f
}

// nameNodes names the nodes of the trees and the others in the order of their ids.
func (f *Lineage) nameNodes(nodes []cluster.Node) {
	f.outside, _ = topology.New(topology.Spec{}) // neither it nor the one below has a defect
	if len(f.trees) > 0 {
		t := f.trees[0].Tree
		f.Names = make([]string, t.NumNodes())
		for i := range f.Names {
			f.Names[i] = t.NodeName(topology.NodeID(i))
		}
	}
	var rest []string
	last := int32(-1)
	add := func(name string) {
		if id, ok := f.near(name, last); ok {
			last = id
		} else if name != "" {
			rest = append(rest, name)
		}
	}
	for i := 1; i < len(f.trees); i++ {
		t := f.trees[i].Tree
		for n := range t.NumNodes() {
			add(t.NodeName(topology.NodeID(n)))
		}
	}
	for i := range nodes {
		add(nodes[i].Name)
	}
	if len(rest) > 0 {
		f.outside, _ = topology.New(topology.Spec{Nodes: rest}) // sorts, and takes each name once
		for i := range f.outside.NumNodes() {
			f.Names = append(f.Names, f.outside.NodeName(topology.NodeID(i)))
		}
	}
}

// ID finds a node by name: the ids follow the first tree, which has a table of its names. O(1) expected.
func (f *Lineage) ID(name string) (int32, bool) {
	inTree := 0
	if len(f.trees) > 0 {
		if id, ok := f.trees[0].Tree.Node(name); ok {
			return int32(id), true
		}
		inTree = f.trees[0].Tree.NumNodes()
	}
	id, ok := f.outside.Node(name)
	if !ok {
		return -1, false
	}
	return int32(inTree) + int32(id), true
}

// placing finds nodes of a tree by name; nil for the first tree, which the ids follow.
func (f *Lineage) placing(tree int) func(name string, last int32) (int32, bool) {
	if tree == 0 {
		return nil
	}
	return f.near
}

// near finds a node by name that is likely to be the one that was asked for last or the next one.
func (f *Lineage) near(name string, last int32) (int32, bool) {
	for id := last + 1; id >= max(last, 0); id-- {
		if int(id) < len(f.Names) && f.Names[id] == name {
			return id, true
		}
	}
	return f.ID(name)
}

// NodeName is the name of a node.
func (f *Lineage) NodeName(id int32) string { return f.Names[id] }

// View is the topology of this name, nil if there is none.
func (c *Snapshot) View(name string) *layout.View {
	i := slices.IndexFunc(c.Lineage.Views, func(v *layout.View) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return c.Lineage.Views[i]
}
