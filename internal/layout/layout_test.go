package layout

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Vertices are numbered so that children and positions are intervals; each has the place that a tree of pointers gives
// it.
func TestVerticesHaveTheirPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLaid(t)
		v := l.view
		require.Equal(t, len(l.all), v.NumDomains()+int(v.Nodes))
		require.Equal(t, l.at[l.all[0].children[len(l.all[0].children)-1]], v.Outside)
		for x, n := range l.all {
			x := Vertex(x)
			require.Equal(t, n.node >= 0, v.IsNode(x))
			require.Equal(t, n.tier, v.TierOf(x))
			above := Vertex(-1)
			if n.above != nil {
				above = l.at[n.above]
			}
			require.Equal(t, above, v.Above(x))
			below := n.nodes()
			require.Equal(t, len(below), int(v.EndOf(x)-v.First(x)))
			for i, node := range below {
				require.Equal(t, l.at[node], v.NodeVertex(v.First(x)+int32(i)))
			}
			if n.node < 0 {
				first, end := v.Kids(x)
				require.Equal(t, len(n.children) == 0 || n.children[0].node >= 0, v.HoldsNodes(x))
				require.Equal(t, len(n.children), int(end-first))
				for i, child := range n.children {
					require.Equal(t, l.at[child], first+Vertex(i))
				}
			}
			named := x
			if n.name == "" {
				named = Root
			}
			require.Equal(t, named, v.Named(x))
			var path []string
			for _, up := range slices.Backward(n.upwards()) {
				if up.name != "" {
					path = append(path, up.name)
				}
			}
			require.Equal(t, path, v.Path(x, func(id int32) string { return l.names[id] }))
		}
		for pos, n := range l.nodes {
			pos := int32(pos)
			require.Equal(t, n.node, v.Node(pos))
			require.Equal(t, pos, v.At(n.node))
			require.Equal(t, pos, v.Position(v.NodeVertex(pos)))
			require.Equal(t, l.at[n.above], v.LeafOf[pos])
		}
		inTree := []int32{}
		for pos := range int32(len(l.nodes)) - int32(len(l.all[v.Outside].nodes())) {
			inTree = append(inTree, pos)
		}
		require.Equal(t, inTree, slices.AppendSeq([]int32{}, v.TreePositions()))
	})
}

// What two vertices have to do with each other is what their ways up to the root say.
func TestPairsOfVertices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLaid(t)
		for x, a := range l.all {
			for y, b := range l.all {
				x, y := Vertex(x), Vertex(y)
				contains, inside := slices.Contains(b.upwards(), a), slices.Contains(a.upwards(), b)
				require.Equal(t, contains, l.view.Contains(x, y))
				common := slices.DeleteFunc(a.upwards(), func(n *naive) bool { return !slices.Contains(b.upwards(), n) })
				require.Equal(t, l.at[common[0]], l.view.LCA(x, y))
				if !contains && !inside && len(a.nodes()) > 0 && len(b.nodes()) > 0 {
					order := l.all[0].below()
					want := cmp.Compare(slices.Index(order, a), slices.Index(order, b))
					require.Equal(t, want, l.view.ComparePaths(x, y))
				}
			}
			for _, tier := range l.tiers {
				want := slices.DeleteFunc(a.upwards(), func(n *naive) bool { return n.tier > tier })
				if len(want) > 0 {
					require.Equal(t, l.at[want[len(want)-1]], l.view.Highest(Vertex(x), tier))
				}
			}
		}
	})
}

// The lowest vertex above some nodes is the lowest one that all of their ways up have.
func TestLowestVertexAboveNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLaid(t)
		if len(l.nodes) == 0 {
			return
		}
		position := rapid.Int32Range(0, int32(len(l.nodes))-1)
		byRank := rapid.SliceOfN(rapid.OneOf(position, rapid.Just(int32(-1))), 1, 6).Draw(t, "positions by rank")
		ranks := rapid.SliceOfN(rapid.IntRange(0, len(byRank)-1), 0, 6).Draw(t, "ranks")
		var positions []int32
		for _, rank := range ranks {
			if byRank[rank] >= 0 {
				positions = append(positions, byRank[rank])
			}
		}
		want := Vertex(-1)
		if len(positions) > 0 {
			common := l.nodes[positions[0]].upwards()
			for _, pos := range positions {
				common = slices.DeleteFunc(common, func(n *naive) bool { return !slices.Contains(l.nodes[pos].upwards(), n) })
			}
			want = l.at[common[0]]
			require.Equal(t, want, l.view.Lowest(positions))
		}
		require.Equal(t, want, l.view.LowestOf(ranks, byRank))
	})
}

// Tiers are found by their number, and the domains of each are the highest vertices that are no higher.
func TestTiersAndTheirDomains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLaid(t)
		v := l.view
		require.Equal(t, l.tiers, v.Tiers)
		require.Equal(t, l.tiers[:len(l.tiers)-1], v.SwitchTiers())
		for _, tier := range append([]int32{-1, 2, 255, 256, 300, v.RootTop + 5}, l.tiers...) {
			count := 0 // of tiers up to this one
			for count < len(l.tiers) && l.tiers[count] <= tier {
				count++
			}
			require.Equal(t, count-1, v.TierIndex(tier))
			lower := slices.DeleteFunc(slices.Clone(l.tiers), func(o int32) bool { return o >= tier })
			require.Equal(t, lower, append([]int32{}, v.TiersBelow(tier)...))
			if tier < 0 {
				continue
			}
			require.Equal(t, l.vertices(l.domainsOf(tier)), append([]Vertex{}, v.DomainsOf(tier)...))
		}
		for range 2 { // made, and kept
			for i, starts := range v.Intervals() {
				want := []int32{}
				for _, d := range l.domainsOf(l.tiers[i]) {
					if nodes := d.nodes(); len(nodes) > 0 {
						want = append(want, v.Position(l.at[nodes[0]]))
					}
				}
				require.Equal(t, want, append([]int32{}, starts...))
			}
		}
	})
}

// Domains above a tier come first; their gap to the tier is the number of steps down to it, where that is one or two.
func TestGaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLaid(t)
		v := l.view
		require.Len(t, v.Gaps, len(l.tiers)-1)
		for i, tier := range v.SwitchTiers() {
			upTo := 0
			for x, n := range l.all {
				if n.tier > tier {
					upTo = x + 1
				}
			}
			require.Equal(t, upTo, v.UpTo[i])
			want := []int8{}
			for _, n := range l.all[:upTo] {
				gap := int8(0)
				if n.tier > tier {
					gap = gapTo(n, tier)
				}
				want = append(want, gap)
			}
			require.Equal(t, want, v.Gaps[i])
			lower := func(d Vertex) bool { return v.TierOf(d) < tier && d != v.Outside && v.Above(d) != v.Outside }
			require.Equal(t, !slices.ContainsFunc(v.DomainsOf(tier), lower), v.Even[i])
		}
	})
}

// gapTo is the gap of a domain to a lower tier.
func gapTo(n *naive, tier int32) int8 {
	count := func(holds func(*naive) bool) (met int) {
		for _, child := range n.children {
			if (child.node >= 0 || len(child.children) > 0) && holds(child) {
				met++
			}
		}
		return met
	}
	all := count(func(*naive) bool { return true })
	switch {
	case all == 0:
		return 0
	case all == count(func(c *naive) bool { return c.tier <= tier }):
		return 1
	case all == count(func(c *naive) bool { return c.tier > tier && gapTo(c, tier) == 1 }):
		return 2
	}
	return 0
}

// A layer is called by its name, else by its tier; nodes and the root have words of their own.
func TestLayerNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawLaid(t).view
		require.Equal(t, "node", v.LayerName(0))
		require.Empty(t, v.LayerName(v.RootTop))
		for _, l := range v.Layers {
			want := l.Name
			if want == "" {
				want = fmt.Sprint(l.Tier)
			}
			require.Equal(t, want, v.LayerName(int32(l.Tier)))
		}
	})
}

// What is counted at a domain is counted at all domains above it.
func TestVerticesAboveDomains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLaid(t)
		chosen := rapid.SliceOfN(rapid.Int32Range(0, int32(l.view.NumDomains())-1), 0, 6).Draw(t, "domains")
		want, count := map[Vertex]int64{}, Tally{}
		for _, x := range chosen {
			for _, up := range l.all[x].upwards() {
				want[l.at[up]] += int64(x) + 1
			}
			count.Add(l.view, x, int64(x)+1)
		}
		for x := range l.all {
			require.Equal(t, want[Vertex(x)], count.At(Vertex(x)))
			require.Zero(t, Tally(nil).At(Vertex(x)))
		}
	})
}
