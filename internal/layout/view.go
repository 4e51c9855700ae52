package layout

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/topology"
)

// Named is x, or the root in place of a domain that the tree does not know: its nodes hang right below the root there.
func (v *View) Named(x Vertex) Vertex {
	if !v.IsNode(x) && v.source[x] == noSource {
		return Root
	}
	return x
}

// NumDomains is the number of domains; the vertices from there on are nodes.
func (v *View) NumDomains() int { return len(v.Parent) }

// IsNode tells nodes from domains.
func (v *View) IsNode(x Vertex) bool { return int(x) >= len(v.Parent) }

// NodeVertex is the node at a position.
func (v *View) NodeVertex(pos int32) Vertex { return Vertex(len(v.Parent)) + pos }

// Position is the inverse of NodeVertex.
func (v *View) Position(x Vertex) int32 { return x - Vertex(len(v.Parent)) }

// Kids is the interval of the children of a domain.
func (v *View) Kids(x Vertex) (first, end Vertex) { return v.firstKid[x], v.endKid[x] }

// HoldsNodes says whether the children of a domain are nodes.
func (v *View) HoldsNodes(x Vertex) bool { return v.IsNode(v.firstKid[x]) }

// Above is the domain that x lies in, -1 for the root.
func (v *View) Above(x Vertex) Vertex {
	if v.IsNode(x) {
		return v.LeafOf[v.Position(x)]
	}
	return v.Parent[x]
}

// TierOf is the tier of a domain or node.
func (v *View) TierOf(x Vertex) int32 {
	if v.IsNode(x) {
		return 0
	}
	return v.Tier[x]
}

// First is the first position below x. It gives the order of paths of vertices that do not lie below each other.
func (v *View) First(x Vertex) int32 {
	if v.IsNode(x) {
		return v.Position(x)
	}
	return v.FirstPos[x]
}

// EndOf is the position behind the last one below x.
func (v *View) EndOf(x Vertex) int32 {
	if v.IsNode(x) {
		return v.Position(x) + 1
	}
	return v.EndPos[x]
}

// ComparePaths is below 0 if a comes before b in the order of paths. Neither may lie below the other. O(1).
//
// order: domain.7
func (v *View) ComparePaths(a, b Vertex) int { return cmp.Compare(v.First(a), v.First(b)) }

// Contains says whether x lies below d or is d. It walks up: intervals do not tell apart a domain and its only child.
// O(depth).
func (v *View) Contains(d, x Vertex) bool {
	for ; x >= 0; x = v.Above(x) {
		if x == d {
			return true
		}
	}
	return false
}

// LCA is the lowest vertex above or at both. O(depth).
func (v *View) LCA(a, b Vertex) Vertex {
	for a != b {
		if a > b { // parents come first, so the larger is not above the smaller
			a = v.Above(a)
		} else {
			b = v.Above(b)
		}
	}
	return a
}

// Highest is the highest vertex, x or above it, of at most this tier. x itself must be of at most this tier. O(depth).
func (v *View) Highest(x Vertex, tier int32) Vertex {
	for up := v.Above(x); up >= 0 && v.TierOf(up) <= tier; up = v.Above(up) {
		x = up
	}
	return x
}

// Lowest is the lowest vertex above all positions, of which there must be one. Vertices are intervals of positions, so
// the first and the last decide. O(positions + depth).
func (v *View) Lowest(positions []int32) Vertex {
	return v.LCA(v.NodeVertex(slices.Min(positions)), v.NodeVertex(slices.Max(positions)))
}

// Node is the cluster's id of the node at a position.
func (v *View) Node(pos int32) int32 {
	if v.Order == nil {
		return pos
	}
	return v.Order[pos]
}

// At is the position of a cluster's node.
func (v *View) At(node int32) int32 {
	if v.posOf == nil {
		return node
	}
	return v.posOf[node]
}

// Path lists the names from below the root down to x; nodes outside the tree hang right below the root.
func (v *View) Path(x Vertex, name func(node int32) string) []string {
	if !v.IsNode(x) {
		if v.Named(x) == Root {
			return nil
		}
		return v.Tree.Path(v.source[x])
	}
	pos := v.Position(x)
	return append(v.Path(v.LeafOf[pos], name), name(v.Node(pos)))
}

// Find is the inverse of Path for the domains and nodes of the tree: a domain of this path, else a node in the domain above; id finds a node
// by its name. False: the tree has neither, or the path is empty. O(depth * log children).
func (v *View) Find(path []string, id func(name string) (int32, bool)) (Vertex, bool) {
	if len(path) == 0 {
		return Root, false
	}
	if d, ok := v.Tree.Find(path...); ok {
		return v.vertexOf(d), true
	}
	last := len(path) - 1
	d, ok := v.Tree.Find(path[:last]...)
	node, known := id(path[last])
	if !ok || !known {
		return Root, false
	}
	pos := v.At(node)
	if pos >= v.FirstPos[v.Outside] || v.Named(v.LeafOf[pos]) != v.vertexOf(d) {
		return Root, false
	}
	return v.NodeVertex(pos), true
}

// vertexOf is the vertex of a domain of the tree. Behind the roots stands at most one domain that the tree does not know, Outside beside it.
func (v *View) vertexOf(d topology.DomainID) Vertex {
	if v.source[d] == d {
		return Vertex(d)
	}
	return Vertex(d) + 1
}

// LayerName is the name of the layer of a tier as strategies print it: `node` for tier 0, the tier's number where the
// layer has no name, empty for the root.
func (v *View) LayerName(tier int32) string {
	switch {
	case tier >= v.RootTop:
		return ""
	case tier == 0:
		return "node"
	}
	if name := v.Tree.LayerName(int(tier)); name != "" {
		return name
	}
	return strconv.Itoa(int(tier))
}

// TierNamed resolves a layer: a name, else a tier in digits; false if it is neither. "node" is tier 0 unless the topology calls its
// nodes otherwise; digits above the root's tier count as that.
func (v *View) TierNamed(layer string) (int32, bool) {
	if l, ok := v.Tree.Layer(layer); ok {
		return int32(l.Tier), true
	}
	if layer == "node" && v.Tree.NodeLayer() == "" {
		return 0, true
	}
	if n, err := strconv.ParseUint(layer, 10, 31); err == nil {
		return min(int32(n), v.RootTop), true
	}
	return 0, false
}

// UnknownLayer is the error about a layer that the topology does not have, in a field: it lists those that it has, widest first.
func (v *View) UnknownLayer(field, layer string) error {
	var names []string
	for _, l := range slices.Backward(v.Tree.Layers()) {
		names = append(names, cmp.Or(l.Name, strconv.Itoa(l.Tier)))
	}
	names = append(names, cmp.Or(v.Tree.NodeLayer(), "node"))
	return muster.Invalid(field, layer, "unknown layer: not one of "+strings.Join(names, ", "))
}

// DomainAt is the domain of a tier that a position lies in: the highest vertex of at most that tier, never the root nor all that is
// outside the tree. O(depth).
func (v *View) DomainAt(pos, tier int32) Vertex {
	return v.Highest(v.NodeVertex(pos), min(tier, v.RootTop-1))
}

// SwitchTiers are the tiers in use below the root's: 0 and those of the layers.
func (v *View) SwitchTiers() []int32 { return v.Tiers[:len(v.Tiers)-1] }

// TreePositions iterates over the positions of the tree's own nodes.
func (v *View) TreePositions() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for pos := range v.FirstPos[v.Outside] {
			if !yield(pos) {
				return
			}
		}
	}
}

// DomainsOf lists the domains of a tier: the highest vertices of tier t or less, in the order of paths. Where a branch
// has no domain of tier t itself, a lower one stands for it. O(domains, and nodes that are among them).
//
// order: tree.2
func (v *View) DomainsOf(t int32) (out []Vertex) {
	var walk func(x Vertex)
	walk = func(x Vertex) {
		if v.TierOf(x) <= t {
			out = append(out, x)
			return
		}
		lo, end := v.Kids(x)
		for c := lo; c < end; c++ {
			walk(c)
		}
	}
	walk(Root)
	return out
}

// Intervals lists, by place in Tiers, the first positions of the domains of each tier, ascending; the next one's is the
// end, and empty ones are left out. O(nodes * tiers) the first time.
func (v *View) Intervals() [][]int32 {
	v.starts.Do(func() {
		for _, t := range v.Tiers {
			var starts []int32
			for _, d := range v.DomainsOf(t) {
				if first := v.First(d); v.IsNode(d) || first < v.EndPos[d] {
					starts = append(starts, first)
				}
			}
			v.starts.byTier = append(v.starts.byTier, starts)
		}
	})
	return v.starts.byTier
}

// LowestOf is the lowest vertex above the positions of some ranks, -1 if none of them has one; at is by rank.
func (v *View) LowestOf(ranks []int, at []int32) Vertex {
	first, last := int32(-1), int32(-1)
	for _, rank := range ranks {
		if pos := at[rank]; pos >= 0 {
			if first < 0 {
				first, last = pos, pos
			}
			first, last = min(first, pos), max(last, pos)
		}
	}
	if first < 0 {
		return -1
	}
	return v.LCA(v.NodeVertex(first), v.NodeVertex(last))
}

// TierIndex is the place of a tier in Tiers. One that is not in use counts as the next lower one, a negative one as -1.
func (v *View) TierIndex(t int32) int {
	if 0 <= t && int(t) < len(v.places) {
		return int(v.places[t])
	}
	i, exact := slices.BinarySearch(v.Tiers, t)
	if !exact {
		i--
	}
	return i
}

// TiersBelow lists the tiers in use below a tier, ascending.
func (v *View) TiersBelow(t int32) []int32 { return v.Tiers[:v.TierIndex(t-1)+1] }
