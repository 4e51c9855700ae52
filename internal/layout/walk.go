package layout

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
)

// NumDomains is the number of vertices that are no nodes, root and outside included.
func (v *View) NumDomains() int { return len(v.Parent) }

// IsNode says whether a vertex is a node.
func (v *View) IsNode(x Vertex) bool { return int(x) >= len(v.Parent) }

// NodeVertex is the vertex of the node at a position.
func (v *View) NodeVertex(pos int32) Vertex { return Vertex(len(v.Parent)) + pos }

// Position is the inverse of NodeVertex.
func (v *View) Position(x Vertex) int32 { return x - Vertex(len(v.Parent)) }

// Kids is the interval of the children of a domain.
func (v *View) Kids(x Vertex) (first, end Vertex) { return v.FirstKid[x], v.endKid[x] }

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

// First is the first position below x; among vertices none of which lies below another it gives the order of paths.
func (v *View) First(x Vertex) int32 {
	if v.IsNode(x) {
		return v.Position(x)
	}
	return v.FirstPos[x]
}

// EndOf is behind the last position below x.
func (v *View) EndOf(x Vertex) int32 {
	if v.IsNode(x) {
		return v.Position(x) + 1
	}
	return v.EndPos[x]
}

// ComparePaths orders vertices none of which lies below another by their paths.
func (v *View) ComparePaths(a, b Vertex) int { return cmp.Compare(v.First(a), v.First(b)) }

// Contains says whether x lies below d or is d. Both being domains of nodes, intervals decide, but two domains of
// equal interval (a chain) are told apart by walking up.
func (v *View) Contains(d, x Vertex) bool {
	for ; x >= 0; x = v.Above(x) {
		if x == d {
			return true
		}
	}
	return false
}

// Lca is the lowest vertex above or at both.
func (v *View) Lca(a, b Vertex) Vertex {
	for a != b {
		if a > b { // ids grow downwards, so the larger one is not above the smaller
			a = v.Above(a)
		} else {
			b = v.Above(b)
		}
	}
	return a
}

// Highest is the highest vertex of a tier or below that is x or above it; x is one.
func (v *View) Highest(x Vertex, tier int32) Vertex {
	for up := v.Above(x); up >= 0 && v.TierOf(up) <= tier; up = v.Above(up) {
		x = up
	}
	return x
}

// Lowest is the lowest vertex above all positions. Vertices are intervals of positions, so the first and the last
// decide.
func (v *View) Lowest(positions []int32) Vertex {
	return v.Lca(v.NodeVertex(slices.Min(positions)), v.NodeVertex(slices.Max(positions)))
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

// Path is the names from below the root down to x; nodes outside the tree hang below the root.
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

// gapsAbove finds the gaps of the first n domains to the domains of tier t below them.
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

// DomainsOf lists the domains of tier t below the root: the maximal vertices of tier t or less, in the order of paths.
// O(domains, and nodes that are among them).
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

// Intervals lists, by place in tiers, the first positions of the domains of each tier, ascending; the next one's is the end. O(nodes * tiers) the first
// time.
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

// LowestOf is the lowest vertex above the positions of some ranks, -1 if they have none.
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
	return v.Lca(v.NodeVertex(first), v.NodeVertex(last))
}

// TierIndex is the place of a tier among those in use; a tier that no layer has counts as the next lower one, one below all
// as -1.
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
