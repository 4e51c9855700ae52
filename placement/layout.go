package placement

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"sync"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/topology"
)

// vertex is a domain or a node of a [view]: domains first, level by level, then nodes by position. A parent comes
// before its children, and the children of a vertex are an interval, in the order of paths.
type vertex = int32

const rootVertex vertex = 0

// view is one topology as the planner sees it: the tree with the nameless root at vertex 0, and one more domain,
// outside, the root's last child, that holds the nodes the tree lacks. It is shared by all snapshots of a lineage.
type view struct {
	name string
	tree *topology.Tree

	// By domain.
	parent           []vertex
	tier             []int32
	firstKid, endKid []vertex // children: domains, or nodes
	firstPos, endPos []int32  // positions of the nodes below
	source           []topology.DomainID

	outside vertex
	nodes   int32 // number of positions
	// order maps positions to the cluster's nodes, nil where they are the same.
	order   []int32
	posOf   []int32 // the inverse
	leafOf  []vertex
	layers  []topology.Layer
	tiers   []int32 // 0, the layers' tiers, the root's, ascending
	places  []int16 // of low tiers among these
	rootTop int32   // tier of the root
	upTo    []int   // by place in tiers below the root's: behind the last domain above the tier
	// kidsUpTo is, by the same place, behind the last child of these that is a domain.
	kidsUpTo []int
	// gaps has, by place of a tier, for the domains above it: 1 where all children are domains of that tier, 2 where all
	// children have the gap 1, else 0.
	gaps [][]int8
	// starts has, by place in tiers, where the domains of the tier begin that are nodes or hold any; it is made when asked for.
	starts struct {
		sync.Once
		byTier [][]int32
	}
}

// noSource marks a domain that the tree does not know: its nodes hang right below the root.
const noSource topology.DomainID = -1

// newView lays out a tree over the cluster's nodes, those of the tree that the cluster lacks included. The ids of the
// nodes, by which names are listed, follow the first tree: near is nil for it, and finds the nodes of another one by name,
// looking beside the one that was found last. O(n + domains), beside the sorting of nodes that another tree lacks.
func newView(name string, tree *topology.Tree, names []string, near func(name string, last int32) (int32, bool)) *view {
	v := &view{name: name, tree: tree, layers: tree.Layers(), rootTop: int32(tree.RootTier()), nodes: int32(len(names))}
	v.tiers = []int32{0}
	for _, l := range v.layers {
		v.tiers = append(v.tiers, int32(l.Tier))
	}
	v.tiers = append(v.tiers, v.rootTop)
	for t := range min(v.rootTop+1, 256) {
		i, exact := slices.BinarySearch(v.tiers, t)
		if !exact {
			i--
		}
		v.places = append(v.places, int16(i))
	}
	if near != nil {
		v.placeNodes(names, near)
	}
	v.placeDomains()
	for _, t := range v.switchTiers() {
		above, kids := 0, 0
		for d := range v.numDomains() {
			if v.tier[d] <= t {
				continue
			}
			above = d + 1
			if !v.isNode(v.firstKid[d]) {
				kids = max(kids, int(v.endKid[d]))
			}
		}
		v.upTo, v.kidsUpTo, v.gaps = append(v.upTo, above), append(v.kidsUpTo, kids), append(v.gaps, v.gapsAbove(t, above))
	}
	return v
}

// placeNodes finds the order of the nodes where it is not that of their ids.
func (v *view) placeNodes(names []string, near func(name string, last int32) (int32, bool)) {
	inTree := v.tree.NumNodes()
	v.order = make([]int32, 0, len(names))
	v.posOf = make([]int32, len(names))
	for i := range v.posOf {
		v.posOf[i] = -1
	}
	last := int32(-1)
	for n := range inTree {
		i, _ := near(v.tree.NodeName(topology.NodeID(n)), last)
		last = i
		v.posOf[i] = int32(n)
		v.order = append(v.order, i)
	}
	var rest []int32
	for i, pos := range v.posOf {
		if pos < 0 {
			rest = append(rest, int32(i))
		}
	}
	slices.SortFunc(rest, func(a, b int32) int { return muster.CompareNatural(names[a], names[b]) })
	for _, i := range rest {
		v.posOf[i] = int32(len(v.order))
		v.order = append(v.order, i)
	}
	for pos, i := range v.order {
		if int32(pos) != i {
			return
		}
	}
	v.order, v.posOf = nil, nil
}

// placeDomains copies the tree's domains, with the outside domain put behind the roots. A topology without any switch
// layer has nodes right below the root; they get a nameless domain of their own, so that no vertex holds both.
func (v *view) placeDomains() {
	t := v.tree
	firstRoot, endRoot := t.Children(topology.Root)
	roots := int(endRoot - firstRoot)
	bare := roots == 0 && t.NumNodes() > 0
	if bare {
		roots = 1
	}
	n := t.Len() + roots - int(endRoot-firstRoot) + 1
	v.outside = vertex(roots) + 1
	at := func(d topology.DomainID) vertex {
		if d >= endRoot && d != topology.Root {
			return vertex(d) + 1
		}
		return vertex(d)
	}
	v.parent, v.tier = make([]vertex, n), make([]int32, n)
	v.firstKid, v.endKid = make([]vertex, n), make([]vertex, n)
	v.firstPos, v.endPos = make([]int32, n), make([]int32, n)
	v.source = make([]topology.DomainID, n)
	v.leafOf = make([]vertex, v.nodes)
	for d := topology.Root + 1; int(d) < t.Len(); d++ {
		x := at(d)
		lo, hi := t.Nodes(d)
		v.set(x, at(t.Parent(d)), int32(t.Tier(d)), int32(lo), int32(hi), d)
		first, end := t.Children(d)
		v.firstKid[x], v.endKid[x] = at(first), at(first)+vertex(end-first)
		if first == end {
			v.holdNodes(x)
		}
	}
	inTree := int32(t.NumNodes())
	v.set(rootVertex, -1, v.rootTop, 0, v.nodes, topology.Root)
	v.firstKid[rootVertex], v.endKid[rootVertex] = 1, v.outside+1
	if bare {
		v.set(1, rootVertex, v.rootTop, 0, inTree, noSource)
		v.holdNodes(1)
	}
	v.set(v.outside, rootVertex, v.rootTop, inTree, v.nodes, noSource)
	v.holdNodes(v.outside)
}

func (v *view) set(x, parent vertex, tier, first, end int32, source topology.DomainID) {
	v.parent[x], v.tier[x], v.source[x] = parent, tier, source
	v.firstPos[x], v.endPos[x] = first, end
}

// named is x, or the root in place of a domain that the tree does not know.
func (v *view) named(x vertex) vertex {
	if !v.isNode(x) && v.source[x] == noSource {
		return rootVertex
	}
	return x
}

// holdNodes makes the nodes below x its children.
func (v *view) holdNodes(x vertex) {
	v.firstKid[x], v.endKid[x] = v.nodeVertex(v.firstPos[x]), v.nodeVertex(v.endPos[x])
	for pos := v.firstPos[x]; pos < v.endPos[x]; pos++ {
		v.leafOf[pos] = x
	}
}

func (v *view) numDomains() int             { return len(v.parent) }
func (v *view) isNode(x vertex) bool        { return int(x) >= len(v.parent) }
func (v *view) nodeVertex(pos int32) vertex { return vertex(len(v.parent)) + pos }
func (v *view) position(x vertex) int32     { return x - vertex(len(v.parent)) }

// kids is the interval of the children of a domain.
func (v *view) kids(x vertex) (first, end vertex) { return v.firstKid[x], v.endKid[x] }

// above is the domain that x lies in, -1 for the root.
func (v *view) above(x vertex) vertex {
	if v.isNode(x) {
		return v.leafOf[v.position(x)]
	}
	return v.parent[x]
}

// tierOf is the tier of a domain or node.
func (v *view) tierOf(x vertex) int32 {
	if v.isNode(x) {
		return 0
	}
	return v.tier[x]
}

// first is the first position below x; among vertices none of which lies below another it gives the order of paths.
func (v *view) first(x vertex) int32 {
	if v.isNode(x) {
		return v.position(x)
	}
	return v.firstPos[x]
}

// endOf is behind the last position below x.
func (v *view) endOf(x vertex) int32 {
	if v.isNode(x) {
		return v.position(x) + 1
	}
	return v.endPos[x]
}

// comparePaths orders vertices none of which lies below another by their paths.
func (v *view) comparePaths(a, b vertex) int { return cmp.Compare(v.first(a), v.first(b)) }

// contains says whether x lies below d or is d. Both being domains of nodes, intervals decide, but two domains of
// equal interval (a chain) are told apart by walking up.
func (v *view) contains(d, x vertex) bool {
	for ; x >= 0; x = v.above(x) {
		if x == d {
			return true
		}
	}
	return false
}

// lca is the lowest vertex above or at both.
func (v *view) lca(a, b vertex) vertex {
	for a != b {
		if a > b { // ids grow downwards, so the larger one is not above the smaller
			a = v.above(a)
		} else {
			b = v.above(b)
		}
	}
	return a
}

// highest is the highest vertex of a tier or below that is x or above it; x is one.
func (v *view) highest(x vertex, tier int32) vertex {
	for up := v.above(x); up >= 0 && v.tierOf(up) <= tier; up = v.above(up) {
		x = up
	}
	return x
}

// lowest is the lowest vertex above all positions. Vertices are intervals of positions, so the first and the last
// decide.
func (v *view) lowest(positions []int32) vertex {
	return v.lca(v.nodeVertex(slices.Min(positions)), v.nodeVertex(slices.Max(positions)))
}

// node is the cluster's id of the node at a position.
func (v *view) node(pos int32) int32 {
	if v.order == nil {
		return pos
	}
	return v.order[pos]
}

// at is the position of a cluster's node.
func (v *view) at(node int32) int32 {
	if v.posOf == nil {
		return node
	}
	return v.posOf[node]
}

// path is the names from below the root down to x; nodes outside the tree hang below the root.
func (v *view) path(x vertex, name func(node int32) string) []string {
	if !v.isNode(x) {
		if v.named(x) == rootVertex {
			return nil
		}
		return v.tree.Path(v.source[x])
	}
	pos := v.position(x)
	return append(v.path(v.leafOf[pos], name), name(v.node(pos)))
}

// layerName is the name of the layer of a tier as strategies print it: `node` for tier 0, the tier's number where the
// layer has no name, empty for the root.
func (v *view) layerName(tier int32) string {
	switch {
	case tier >= v.rootTop:
		return ""
	case tier == 0:
		return "node"
	}
	if name := v.tree.LayerName(int(tier)); name != "" {
		return name
	}
	return strconv.Itoa(int(tier))
}

// gapsAbove finds the gaps of the first n domains to the domains of tier t below them.
func (v *view) gapsAbove(t int32, n int) []int8 {
	gaps := make([]int8, n)
	for x := vertex(n) - 1; x >= 0; x-- {
		lo, end := v.kids(x)
		if v.tier[x] <= t || lo == end {
			continue
		}
		if v.isNode(lo) {
			gaps[x] = 1
			continue
		}
		var seen [3]bool
		for c := lo; c < end; c++ {
			switch first, last := v.kids(c); {
			case first == last: // nothing below
			case v.tier[c] <= t:
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

// switchTiers are the tiers in use below the root's: 0 and those of the layers.
func (v *view) switchTiers() []int32 { return v.tiers[:len(v.tiers)-1] }

// treePositions iterates over the positions of the tree's own nodes.
func (v *view) treePositions() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for pos := range v.firstPos[v.outside] {
			if !yield(pos) {
				return
			}
		}
	}
}

// domainsOf lists the domains of tier t below the root: the maximal vertices of tier t or less, in the order of paths.
// O(domains, and nodes that are among them).
func (v *view) domainsOf(t int32) (out []vertex) {
	var walk func(x vertex)
	walk = func(x vertex) {
		if v.tierOf(x) <= t {
			out = append(out, x)
			return
		}
		lo, end := v.kids(x)
		for c := lo; c < end; c++ {
			walk(c)
		}
	}
	walk(rootVertex)
	return out
}

// intervals lists, by place in tiers, the first positions of the domains of each tier, ascending; the next one's is the end. O(nodes * tiers) the first
// time.
func (v *view) intervals() [][]int32 {
	v.starts.Do(func() {
		for _, t := range v.tiers {
			var starts []int32
			for _, d := range v.domainsOf(t) {
				if first := v.first(d); v.isNode(d) || first < v.endPos[d] {
					starts = append(starts, first)
				}
			}
			v.starts.byTier = append(v.starts.byTier, starts)
		}
	})
	return v.starts.byTier
}
