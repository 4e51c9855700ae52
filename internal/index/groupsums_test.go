package index

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/layout"
)

// drawGrouping draws a size of groups, and perhaps a cap on their number.
func drawGrouping(t *rapid.T, c *counted) Grouping {
	of := Grouping{Size: rapid.Int64Range(1, 6).Draw(t, "size")}
	if rapid.Bool().Draw(t, "groups apart") {
		of.Cap = Cap{Tier: rapid.Int32Range(0, c.view.RootTop-1).Draw(t, "tier apart"), Most: rapid.Int64Range(1, 3).Draw(t, "groups in a domain")}
	}
	return of
}

// Every number of groups is what counting by hand gives.
func TestGroupSumsEqualCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := draw(t, 4, true)
		of, ix := drawGrouping(t, c), c.build(t, false)
		c.checkGroups(t, ix, newGroupSums(ix, of), of)
	})
}

// checkGroups compares all numbers of groups.
func (c *counted) checkGroups(t require.TestingT, ix *Index, g *GroupSums, of Grouping) {
	v := c.view
	for x := range layout.Vertex(v.NumDomains()) {
		kids := c.children(x)
		for i, tier := range v.TiersBelow(v.TierOf(x)) {
			require.Equal(t, c.groups(of, tier, x), int64(g.Whole[i].At(x)), "groups in domains of tier %d", tier)
			var rest int64
			for _, d := range c.domains(tier, x) {
				rest = max(rest, c.held(d)%of.Size)
			}
			require.Equal(t, rest, int64(g.Rest[i].At(x)))
			if len(kids) > 0 && !v.IsNode(kids[0]) {
				sums := g.SumsOf(v, i, x)
				checkSums(t, &sums, each(kids, func(k layout.Vertex) int64 { return c.groups(of, tier, k) }))
			}
			for j := i + 1; j < len(v.TiersBelow(v.TierOf(x))); j++ {
				c.checkMost(t, g, of, j, i, x)
			}
		}
	}
}

// checkMost compares the most groups below one domain of the gang tier at place i, each in a domain of the tier at place j, and below so many of its children.
func (c *counted) checkMost(t require.TestingT, g *GroupSums, of Grouping, i, j int, x layout.Vertex) {
	tier := c.view.Tiers[j]
	domains := c.domains(c.view.Tiers[i], x)
	if len(c.view.Layers) > PairedLayers {
		require.Equal(t, c.groups(of, tier, x), g.Most(i, j, x))
		return
	}
	inOne := func(d layout.Vertex) int64 { return c.groups(of, tier, d) }
	require.Equal(t, slices.Max(append(each(domains, inOne), 0)), g.Most(i, j, x))
	if i < 2 {
		return
	}
	for _, n := range []int{1, 2, 3, TopSize} {
		var most int64
		for _, d := range domains {
			groups := inOne(d)
			// Where each group lies in a child, so many children hold no more than theirs.
			if kids := c.children(d); c.view.TierOf(d) > tier && len(kids) > 0 && !c.view.IsNode(kids[0]) {
				groups = min(groups, best(each(kids, inOne), n))
			}
			most = max(most, groups)
		}
		require.Equal(t, most, int64(g.Tops[i][j].At(x*TopSize+int32(n)-1)), "in %d children of one domain", n)
	}
}

// Units of several levels are counted as if they were placed: inner ones first, and outer ones of these.
func TestNestedUnitsEqualCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := draw(t, 4, false)
		ix, v := c.build(t, false), c.view
		sizes := []int64{rapid.Int64Range(1, 2).Draw(t, "size")}
		for range rapid.IntRange(1, 2).Draw(t, "levels") {
			sizes = append([]int64{sizes[0] * rapid.Int64Range(2, 3).Draw(t, "times")}, sizes...)
		}
		var levels []*GroupSums
		for _, size := range sizes {
			levels = append(levels, newGroupSums(ix, Grouping{Size: size}))
		}
		nested := NewNested(ix, levels)
		for range 3 { // strategies share what they have in common
			var tiers []int32
			above := len(v.SwitchTiers()) - 1
			for range sizes {
				above = rapid.IntRange(0, above).Draw(t, "place")
				tiers = append(tiers, v.Tiers[above])
			}
			for x := range layout.Vertex(v.NumDomains()) {
				for i, tier := range tiers {
					if v.TierOf(x) > tier {
						require.Equal(t, c.nested(sizes, tiers, i, tier, x), nested.Whole(tiers, i, tier, x), "level %d of %v in tiers %v", i, sizes, tiers)
					}
				}
			}
		}
	})
}

// nested are the units of a level that fit below x, each in a domain of a tier, with all that is in them in domains of their tiers.
func (c *counted) nested(sizes []int64, tiers []int32, i int, tier int32, x layout.Vertex) (n int64) {
	for _, d := range c.domains(tier, x) {
		if i == len(sizes)-1 {
			n += c.held(d) / sizes[i]
		} else {
			n += c.nested(sizes, tiers, i+1, tiers[i+1], d) / (sizes[i] / sizes[i+1])
		}
	}
	return n
}
