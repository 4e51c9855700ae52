// Package layout answers: where in the tree does a node lie? A [View] is a topology as intervals: vertices are numbered so
// that the children of a vertex, and the nodes below it, stand next to each other. Every package of the search speaks of
// vertices and positions; names come back at the border only.
//
// Invariants: domains come before nodes, parents before children, siblings in the order of paths; vertex 0 is the nameless
// root, its last child holds the nodes outside the tree. A View never changes.
package layout

import (
	"slices"
	"sync"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/topology"
)

// Inside is what two vertices have in common: the lower of them, if one lies in the other.
func (v *View) Inside(x, y Vertex) (Vertex, bool) {
	if v.Contains(x, y) {
		return y, true
	}
	return x, v.Contains(y, x)
}

// Vertex is a domain or a node of a [view]: domains first, level by level, then nodes by position. A parent comes
// before its children, and the children of a vertex are an interval, in the order of paths.
type Vertex = int32

// Root is the nameless root.
const Root Vertex = 0

// View is one topology as the planner sees it: the tree with the nameless root at vertex 0, and one more domain,
// outside, the root's last child, that holds the nodes the tree lacks. It is shared by all snapshots of a lineage.
type View struct {
	Name string
	Tree *topology.Tree

	// By domain.
	Parent           []Vertex
	Tier             []int32
	FirstKid, endKid []Vertex // children: domains, or nodes
	FirstPos, EndPos []int32  // positions of the nodes below
	source           []topology.DomainID

	Outside Vertex
	Nodes   int32 // number of positions
	// Order maps positions to the cluster's nodes, nil where they are the same.
	Order   []int32
	posOf   []int32 // the inverse
	LeafOf  []Vertex
	Layers  []topology.Layer
	Tiers   []int32 // 0, the layers' tiers, the root's, ascending
	places  []int16 // of low tiers among these
	RootTop int32   // tier of the root
	UpTo    []int   // by place in tiers below the root's: behind the last domain above the tier
	// KidsUpTo is, by the same place, behind the last child of these that is a domain.
	KidsUpTo []int
	// Gaps has, by place of a tier, for the domains above it: 1 where all children are domains of that tier, 2 where all
	// children have the gap 1, else 0.
	Gaps [][]int8
	// starts has, by place in tiers, where the domains of the tier begin that are nodes or hold any; it is made when asked for.
	starts struct {
		sync.Once
		byTier [][]int32
	}
}

// noSource marks a domain that the tree does not know: its nodes hang right below the root.
const noSource topology.DomainID = -1

// New lays out a tree over the cluster's nodes, those of the tree that the cluster lacks included. The ids of the
// nodes, by which names are listed, follow the first tree: near is nil for it, and finds the nodes of another one by name,
// looking beside the one that was found last. O(n + domains), beside the sorting of nodes that another tree lacks.
func New(name string, tree *topology.Tree, names []string, near func(name string, last int32) (int32, bool)) *View {
	v := &View{Name: name, Tree: tree, Layers: tree.Layers(), RootTop: int32(tree.RootTier()), Nodes: int32(len(names))}
	v.Tiers = []int32{0}
	for _, l := range v.Layers {
		v.Tiers = append(v.Tiers, int32(l.Tier))
	}
	v.Tiers = append(v.Tiers, v.RootTop)
	for t := range min(v.RootTop+1, 256) {
		i, exact := slices.BinarySearch(v.Tiers, t)
		if !exact {
			i--
		}
		v.places = append(v.places, int16(i))
	}
	if near != nil {
		v.placeNodes(names, near)
	}
	v.placeDomains()
	for _, t := range v.SwitchTiers() {
		above, kids := 0, 0
		for d := range v.NumDomains() {
			if v.Tier[d] <= t {
				continue
			}
			above = d + 1
			if !v.IsNode(v.FirstKid[d]) {
				kids = max(kids, int(v.endKid[d]))
			}
		}
		v.UpTo, v.KidsUpTo, v.Gaps = append(v.UpTo, above), append(v.KidsUpTo, kids), append(v.Gaps, v.gapsAbove(t, above))
	}
	return v
}

// placeNodes finds the order of the nodes where it is not that of their ids.
func (v *View) placeNodes(names []string, near func(name string, last int32) (int32, bool)) {
	inTree := v.Tree.NumNodes()
	v.Order = make([]int32, 0, len(names))
	v.posOf = make([]int32, len(names))
	for i := range v.posOf {
		v.posOf[i] = -1
	}
	last := int32(-1)
	for n := range inTree {
		i, _ := near(v.Tree.NodeName(topology.NodeID(n)), last)
		last = i
		v.posOf[i] = int32(n)
		v.Order = append(v.Order, i)
	}
	var rest []int32
	for i, pos := range v.posOf {
		if pos < 0 {
			rest = append(rest, int32(i))
		}
	}
	slices.SortFunc(rest, func(a, b int32) int { return muster.CompareNatural(names[a], names[b]) })
	for _, i := range rest {
		v.posOf[i] = int32(len(v.Order))
		v.Order = append(v.Order, i)
	}
	for pos, i := range v.Order {
		if int32(pos) != i {
			return
		}
	}
	v.Order, v.posOf = nil, nil
}

// placeDomains copies the tree's domains, with the outside domain put behind the roots. A topology without any switch
// layer has nodes right below the root; they get a nameless domain of their own, so that no vertex holds both.
func (v *View) placeDomains() {
	t := v.Tree
	firstRoot, endRoot := t.Children(topology.Root)
	roots := int(endRoot - firstRoot)
	bare := roots == 0 && t.NumNodes() > 0
	if bare {
		roots = 1
	}
	n := t.Len() + roots - int(endRoot-firstRoot) + 1
	v.Outside = Vertex(roots) + 1
	at := func(d topology.DomainID) Vertex {
		if d >= endRoot && d != topology.Root {
			return Vertex(d) + 1
		}
		return Vertex(d)
	}
	v.Parent, v.Tier = make([]Vertex, n), make([]int32, n)
	v.FirstKid, v.endKid = make([]Vertex, n), make([]Vertex, n)
	v.FirstPos, v.EndPos = make([]int32, n), make([]int32, n)
	v.source = make([]topology.DomainID, n)
	v.LeafOf = make([]Vertex, v.Nodes)
	for d := topology.Root + 1; int(d) < t.Len(); d++ {
		x := at(d)
		lo, hi := t.Nodes(d)
		v.set(x, at(t.Parent(d)), int32(t.Tier(d)), int32(lo), int32(hi), d)
		first, end := t.Children(d)
		v.FirstKid[x], v.endKid[x] = at(first), at(first)+Vertex(end-first)
		if first == end {
			v.holdNodes(x)
		}
	}
	inTree := int32(t.NumNodes())
	v.set(Root, -1, v.RootTop, 0, v.Nodes, topology.Root)
	v.FirstKid[Root], v.endKid[Root] = 1, v.Outside+1
	if bare {
		v.set(1, Root, v.RootTop, 0, inTree, noSource)
		v.holdNodes(1)
	}
	v.set(v.Outside, Root, v.RootTop, inTree, v.Nodes, noSource)
	v.holdNodes(v.Outside)
}

func (v *View) set(x, parent Vertex, tier, first, end int32, source topology.DomainID) {
	v.Parent[x], v.Tier[x], v.source[x] = parent, tier, source
	v.FirstPos[x], v.EndPos[x] = first, end
}

// Named is x, or the root in place of a domain that the tree does not know.
func (v *View) Named(x Vertex) Vertex {
	if !v.IsNode(x) && v.source[x] == noSource {
		return Root
	}
	return x
}

// holdNodes makes the nodes below x its children.
func (v *View) holdNodes(x Vertex) {
	v.FirstKid[x], v.endKid[x] = v.NodeVertex(v.FirstPos[x]), v.NodeVertex(v.EndPos[x])
	for pos := v.FirstPos[x]; pos < v.EndPos[x]; pos++ {
		v.LeafOf[pos] = x
	}
}
