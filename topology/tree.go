// Package topology answers: which nodes are behind one switch, and how far apart are two nodes?
//
// A [Tree] is a forest of domains (spines, leaves, units; blocks and racks; HyperNodes) under one nameless root, with
// nodes below the lowest domains. [FromLabels] builds it from labels of nodes, [FromHyperNodes] from HyperNodes,
// [FromJSON] from a JSON list, [New] from any other source.
//
// Of every tree holds: a domain has either child domains or nodes; a node is in one domain; a child's tier is below its
// parent's; the children and the nodes of a domain are intervals of ids, in the order of paths. A tree never changes
// after it is built, so any number of goroutines may use it. A question that names no cost is O(1).
package topology

import (
	"iter"
	"slices"

	"github.com/muster-sched/muster"
)

// DomainID names a domain of one tree. Ids are dense. They go level by level from the root, and within a level in the
// order of paths, so that a parent's id is smaller than its children's and the children of a domain are an interval.
type DomainID int32

// NodeID names a node of one tree. Ids are dense and depth-first in the order of paths, so that the nodes below any
// domain are an interval.
type NodeID int32

// Root is the nameless domain above all roots of a topology. It has no layer and satisfies no hard rule.
const Root DomainID = 0

// NoDomain is the parent of the root.
const NoDomain DomainID = -1

// Layer is a level of the tree. Tier 0 is the node; a smaller tier is a tighter network.
type Layer struct {
	// Name is empty where the source gives the tier alone.
	Name string
	// Tier is 0 for the node, and rises with the distance in the network.
	Tier int
}

// domain is one row of the tree: intervals of children and nodes, both half open.
type domain struct {
	name                  string
	parent                DomainID
	firstChild, lastChild DomainID
	firstNode, lastNode   NodeID
	tier                  int32
}

// Tree is an immutable topology, safe for concurrent use. A nil Tree and the zero one are the topology without nodes, as
// [New] makes it of an empty [Spec]: a root with nothing below it. Of an id that the tree does not have every answer is
// empty: no interval, no name, [NoDomain], tier and distance -1.
type Tree struct {
	layers    []Layer // switch layers, tiers ascending
	nodeLayer string
	domains   []domain
	nodes     []string
	leafOf    []DomainID // by node
	byName    nameIndex  // over nodes
	outside   []string
	absent    []string
}

// empty stands for the nil Tree and the zero one.
var empty = &Tree{domains: []domain{{parent: NoDomain, tier: 1}}, byName: indexNames(nil, nil)}

func (t *Tree) orEmpty() *Tree {
	if t == nil || len(t.domains) == 0 {
		return empty
	}
	return t
}

// Equal says whether two trees have the same layers, domains and nodes, and know of the same nodes outside and absent. O(nodes).
func (t *Tree) Equal(o *Tree) bool {
	t, o = t.orEmpty(), o.orEmpty()
	return t == o || t.nodeLayer == o.nodeLayer && slices.Equal(t.layers, o.layers) && slices.Equal(t.domains, o.domains) &&
		slices.Equal(t.nodes, o.nodes) && slices.Equal(t.outside, o.outside) && slices.Equal(t.absent, o.absent)
}

// nowhere is the row of a domain that the tree does not have.
var nowhere = domain{parent: NoDomain, tier: -1}

// row finds a domain.
func (t *Tree) row(d DomainID) *domain {
	t = t.orEmpty()
	if !t.has(d) {
		return &nowhere
	}
	return &t.domains[d]
}

func (t *Tree) has(d DomainID) bool   { return d >= 0 && int(d) < len(t.domains) }
func (t *Tree) hasNode(n NodeID) bool { return n >= 0 && int(n) < len(t.nodes) }

// Layers lists the switch layers that the tree uses, lowest tier first; tiers may be missing. The slice is the
// caller's. O(layers).
func (t *Tree) Layers() []Layer { return slices.Clone(t.orEmpty().layers) }

// NodeLayer is the name that the source gives to tier 0, empty if none.
func (t *Tree) NodeLayer() string { return t.orEmpty().nodeLayer }

// RootTier is the tier of the nameless root: one above the highest layer.
func (t *Tree) RootTier() int { return int(t.row(Root).tier) }

// Layer finds a layer by its name; the node layer is tier 0. O(layers).
func (t *Tree) Layer(name string) (Layer, bool) {
	if t == nil || name == "" {
		return Layer{}, false
	}
	if name == t.nodeLayer {
		return Layer{Name: name}, true
	}
	for _, l := range t.layers {
		if l.Name == name {
			return l, true
		}
	}
	return Layer{}, false
}

// LayerName is the name of the layer with this tier, empty if it has none. O(layers).
func (t *Tree) LayerName(tier int) string {
	if tier == 0 {
		return t.NodeLayer()
	}
	for _, l := range t.orEmpty().layers {
		if l.Tier == tier {
			return l.Name
		}
	}
	return ""
}

// Len is the number of domains, the root included. Ids run from 0 to Len-1.
func (t *Tree) Len() int { return len(t.orEmpty().domains) }

// NumNodes is the number of nodes. Ids run from 0 to NumNodes-1.
func (t *Tree) NumNodes() int { return len(t.orEmpty().nodes) }

// Parent is the domain above d, NoDomain for the root.
func (t *Tree) Parent(d DomainID) DomainID { return t.row(d).parent }

// Children is the interval [first, last) of the domains directly below d, in the order of paths; it is empty for a
// domain that holds nodes.
func (t *Tree) Children(d DomainID) (first, last DomainID) {
	row := t.row(d)
	return row.firstChild, row.lastChild
}

// Nodes is the interval [first, last) of all nodes below d.
func (t *Tree) Nodes(d DomainID) (first, last NodeID) {
	row := t.row(d)
	return row.firstNode, row.lastNode
}

// Tier is the tier of d.
func (t *Tree) Tier(d DomainID) int { return int(t.row(d).tier) }

// Name is the last element of the path of d, empty for the root.
func (t *Tree) Name(d DomainID) string { return t.row(d).name }

// Path is the names from below the root down to d; it identifies d. O(depth); the slice is the caller's.
func (t *Tree) Path(d DomainID) []string {
	if t = t.orEmpty(); d <= Root || !t.has(d) {
		return nil
	}
	path := make([]string, 0, 8)
	for ; d > Root; d = t.domains[d].parent {
		path = append(path, t.domains[d].name)
	}
	slices.Reverse(path)
	return path
}

// NodeName is the name of n.
func (t *Tree) NodeName(n NodeID) string {
	if t = t.orEmpty(); !t.hasNode(n) {
		return ""
	}
	return t.nodes[n]
}

// Leaf is the domain directly above n; the root in a topology without switches.
func (t *Tree) Leaf(n NodeID) DomainID {
	if t = t.orEmpty(); !t.hasNode(n) {
		return NoDomain
	}
	return t.leafOf[n]
}

// Node finds a node by name. O(1) expected.
func (t *Tree) Node(name string) (NodeID, bool) {
	t = t.orEmpty()
	i, ok := t.byName.find(t.nodes, name)
	if !ok {
		return 0, false
	}
	return NodeID(i), true
}

// Find returns the domain with this path; without names the root. O(depth * log children).
func (t *Tree) Find(path ...string) (DomainID, bool) {
	t = t.orEmpty()
	d := Root
	for _, name := range path {
		first, last := t.Children(d)
		i, ok := slices.BinarySearchFunc(t.domains[first:last], name, func(c domain, name string) int {
			return muster.CompareNatural(c.name, name)
		})
		if !ok {
			return NoDomain, false
		}
		d = first + DomainID(i)
	}
	return d, true
}

// Outside lists nodes of the input that the tree has no place for (a missing label, matched by no domain), in natural
// order. The slice belongs to the tree.
func (t *Tree) Outside() []string { return t.orEmpty().outside }

// Absent lists nodes that the tree's source names but the input lacks, in natural order. They are not in the tree. The
// slice belongs to the tree.
func (t *Tree) Absent() []string { return t.orEmpty().absent }

// LCA is the lowest domain above all the nodes; the root if none are given, [NoDomain] if the tree lacks one of them.
// O(nodes + depth).
func (t *Tree) LCA(nodes ...NodeID) DomainID {
	if len(nodes) == 0 {
		return Root
	}
	lo, hi := slices.Min(nodes), slices.Max(nodes)
	if t = t.orEmpty(); !t.hasNode(lo) || !t.hasNode(hi) {
		return NoDomain
	}
	d := t.leafOf[lo]
	for t.domains[d].lastNode <= hi {
		d = t.domains[d].parent
	}
	return d
}

// Above is the lowest domain above both a and b, or the one of them that lies above the other; [NoDomain] if the tree lacks
// one of them. O(depth).
func (t *Tree) Above(a, b DomainID) DomainID {
	if t = t.orEmpty(); !t.has(a) || !t.has(b) {
		return NoDomain
	}
	for a != b {
		if a > b { // ids grow downwards, so the larger one is not above the smaller
			a = t.domains[a].parent
		} else {
			b = t.domains[b].parent
		}
	}
	return a
}

// Distance is the number of hops between two nodes through their lowest common domain: 0 for one node, 2 for two
// nodes of one domain, -1 if the tree lacks one of them. O(depth).
func (t *Tree) Distance(a, b NodeID) int {
	if t = t.orEmpty(); !t.hasNode(a) || !t.hasNode(b) {
		return -1
	}
	if a == b {
		return 0
	}
	return t.DomainDistance(t.leafOf[a], t.leafOf[b]) + 2
}

// DomainDistance is the number of hops between two domains through their lowest common one. A node counts as one hop
// below its leaf: from a rack to a node of another rack of the same zone are 3. -1 if the tree lacks one of them. O(depth).
func (t *Tree) DomainDistance(a, b DomainID) int {
	t = t.orEmpty()
	top := t.Above(a, b)
	if top == NoDomain {
		return -1
	}
	return t.depth(a) + t.depth(b) - 2*t.depth(top)
}

func (t *Tree) depth(d DomainID) int {
	n := 0
	for ; d > Root; d = t.domains[d].parent {
		n++
	}
	return n
}

// All iterates over the domains depth-first in the order of paths, the root first. O(1) for each step on average.
func (t *Tree) All() iter.Seq[DomainID] {
	known := t.orEmpty()
	return func(yield func(DomainID) bool) {
		for d := Root; d != NoDomain && yield(d); d = known.next(d) {
		}
	}
}

// next is the domain after d in depth-first order, NoDomain after the last.
func (t *Tree) next(d DomainID) DomainID {
	if first, last := t.Children(d); first < last {
		return first
	}
	for ; d != Root; d = t.domains[d].parent {
		if d+1 < t.domains[t.domains[d].parent].lastChild {
			return d + 1
		}
	}
	return NoDomain
}
