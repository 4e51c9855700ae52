// Is what parts say of their members and groups what lies in them?

package model_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
)

// A part has the members of all parts in it, outer ones first, whose lowest rank is its own.
func TestPartsHaveTheirMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawParts(t)
		spans := false
		for _, a := range d.parts {
			var inside []*model.Part
			a.Each(func(b *model.Part) { inside = append(inside, b) })
			require.Equal(t, slices.DeleteFunc(slices.Clone(d.parts), func(b *model.Part) bool { return !lies(b, a) }), inside)
			want := d.allIn(a)
			require.Equal(t, want, a.All())
			require.Equal(t, slices.Min(append(want, math.MaxInt)), a.First())
			require.Equal(t, !a.Bundle && a.OtherTree == nil, a.InTree())
			spans = spans || a.OtherTree != nil && !a.Bundle
		}
		require.Equal(t, spans, d.SpansTrees())
	})
}

// A limit speaks of members, or of groups a number of levels below its part, where bundles are no level, or of those that it lists.
func TestGroupsThatLimitsCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawParts(t)
		check := func(a *model.Part, l limits.OnPart) {
			if l.Depth == 0 {
				require.Equal(t, a.All(), a.LimitedBy(l))
				return
			}
			var want []*model.Part
			var ranks []int
			for _, b := range d.parts {
				if counts(a, l, b) {
					want, ranks = append(want, b), append(ranks, d.allIn(b)...)
				}
			}
			require.Equal(t, want, a.Counted(l))
			require.Equal(t, ranks, a.LimitedBy(l))
		}
		for _, a := range d.parts {
			for depth := range 4 {
				check(a, limits.OnPart{Depth: depth})
			}
			for _, l := range a.Limits {
				check(a, l)
			}
		}
	})
}

// The lowest vertex above members in another topology is within every one that holds them all. Under a hard rule nodes outside reach the root.
func TestLowestInOtherTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawParts(t)
		v := drawOtherTree(t, d.View, "feeds")
		at := d.PositionsByRank()
		for rank := range at {
			if rapid.IntRange(0, 3).Draw(t, "is placed") > 0 {
				at[rank] = drawPosition(t, d.View)
			}
		}
		for _, a := range d.parts {
			if a.OtherTree == nil {
				a.OtherTree = v
			}
			there, outside := []layout.Vertex{}, false
			for _, rank := range d.allIn(a) {
				if at[rank] >= 0 {
					x := a.OtherTree.NodeVertex(a.OtherTree.At(d.View.Node(at[rank])))
					there = append(there, x)
					outside = outside || a.OtherTree.Contains(a.OtherTree.Outside, x)
				}
			}
			got := d.LowestInOtherTree(a, at)
			switch {
			case len(there) == 0:
				require.Negative(t, got)
				continue
			case outside && a.Gather.Hard:
				require.Equal(t, layout.Root, got)
				continue
			}
			holdsAll := func(x layout.Vertex) bool {
				return !slices.ContainsFunc(there, func(y layout.Vertex) bool { return !a.OtherTree.Contains(x, y) })
			}
			require.True(t, holdsAll(got))
			for x := range layout.Vertex(a.OtherTree.NumDomains()) + a.OtherTree.Nodes {
				require.True(t, !holdsAll(x) || a.OtherTree.Contains(x, got), "vertex %d is lower than %d", x, got)
			}
		}
	})
}
