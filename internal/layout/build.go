package layout

import (
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/topology"
)

// noSource marks a domain that the tree does not know.
const noSource topology.DomainID = -1

// New lays out a tree over the cluster's nodes; names lists these by id, with the nodes of the tree that the cluster
// lacks. order has the ids of the tree's nodes, in its order; nil: they are the first ids. The view keeps it.
// O(n + domains * tiers), beside sorting the nodes that the tree lacks.
func New(name string, tree *topology.Tree, names []string, order []int32) *View {
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
	if order != nil {
		v.placeNodes(names, order)
	}
	v.placeDomains()
	for _, t := range v.SwitchTiers() {
		above, even := 0, true // the end of the domains above t
		for d := range v.NumDomains() {
			if v.Tier[d] <= t {
				continue
			}
			above = d + 1
			for c := v.firstKid[d]; c < v.endKid[d] && even && Vertex(d) != v.Outside; c++ {
				even = v.TierOf(c) >= t
			}
		}
		v.Even = append(v.Even, even)
		v.UpTo, v.Gaps = append(v.UpTo, above), append(v.Gaps, v.gapsAbove(t, above))
	}
	return v
}

// placeNodes orders the nodes: the tree's nodes first, in its order, then the others by name. If that is the order of
// ids, the tables stay nil.
func (v *View) placeNodes(names []string, order []int32) {
	v.Order = slices.Grow(order, len(names)-len(order))
	v.posOf = make([]int32, len(names))
	for pos, i := range order {
		v.posOf[i] = int32(pos) + 1 // 0: not in the tree
	}
	var rest []int32
	for i := range v.posOf {
		if v.posOf[i]--; v.posOf[i] < 0 {
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

// placeDomains copies the tree's domains and puts Outside behind the roots. A topology without switch layers has nodes
// right below the root: they get a nameless domain of their own, so that no vertex holds domains and nodes.
//
// order: tree.1
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
	v.firstKid, v.endKid = make([]Vertex, n), make([]Vertex, n)
	v.FirstPos, v.EndPos = make([]int32, n), make([]int32, n)
	v.source = make([]topology.DomainID, n)
	v.LeafOf = make([]Vertex, v.Nodes)
	for d := topology.Root + 1; int(d) < t.Len(); d++ {
		x := at(d)
		lo, hi := t.Nodes(d)
		v.set(x, at(t.Parent(d)), int32(t.Tier(d)), int32(lo), int32(hi), d)
		first, end := t.Children(d)
		v.firstKid[x], v.endKid[x] = at(first), at(first)+Vertex(end-first)
		if first == end {
			v.holdNodes(x)
		}
	}
	inTree := int32(t.NumNodes())
	v.set(Root, -1, v.RootTop, 0, v.Nodes, topology.Root)
	v.firstKid[Root], v.endKid[Root] = 1, v.Outside+1
	if bare {
		v.set(1, Root, v.RootTop, 0, inTree, noSource)
		v.holdNodes(1)
	}
	v.set(v.Outside, Root, v.RootTop, inTree, v.Nodes, noSource)
	v.holdNodes(v.Outside)
}

// set enters a domain with the positions [first, end) of the nodes below it.
func (v *View) set(x, parent Vertex, tier, first, end int32, source topology.DomainID) {
	v.Parent[x], v.Tier[x], v.source[x] = parent, tier, source
	v.FirstPos[x], v.EndPos[x] = first, end
}

// holdNodes makes the nodes below x its children.
func (v *View) holdNodes(x Vertex) {
	v.firstKid[x], v.endKid[x] = v.NodeVertex(v.FirstPos[x]), v.NodeVertex(v.EndPos[x])
	for pos := v.FirstPos[x]; pos < v.EndPos[x]; pos++ {
		v.LeafOf[pos] = x
	}
}

// gapsAbove finds the gaps of the first n domains to the domains of tier t below them; see [View].Gaps. Children come
// behind their parents, so they are done before. O(domains).
func (v *View) gapsAbove(t int32, n int) []int8 {
	gaps := make([]int8, n)
	for x := Vertex(n) - 1; x >= 0; x-- {
		lo, end := v.Kids(x)
		if v.Tier[x] <= t || lo == end {
			continue
		}
		if v.IsNode(lo) {
			gaps[x] = 1
			continue
		}
		var seen [3]bool
		for c := lo; c < end; c++ {
			switch first, last := v.Kids(c); {
			case first == last: // nothing below
			case v.Tier[c] <= t:
				seen[0] = true
			case gaps[c] == 1:
				seen[1] = true
			default:
				seen[2] = true
			}
		}
		switch seen {
		case [3]bool{true, false, false}:
			gaps[x] = 1
		case [3]bool{false, true, false}:
			gaps[x] = 2
		}
	}
	return gaps
}
