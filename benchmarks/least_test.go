package benchmarks_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/gang"
)

// The spans of gangs that are too large for all layers at once: children and grandchildren are the least that any placement in any domain of the tier
// uses, and no layer makes the whole larger than the largest vertices of each layer do.
func TestSpansOfLargeGangs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSeries(t)
		own := s.plan(t)
		if s.members()*len(s.spec.Nodes) <= 2048 {
			t.Skip("all layers are compared at once")
		}
		by, layer := s.slots(), 4-own.tier
		var least []int
		for d, room := range by[layer] {
			if room < s.members() {
				continue
			}
			span := leastSpan(by, layer, d, s.members())[s.members()]
			if span = span[:min(2, len(span))]; least == nil || slices.Compare(span, least) < 0 {
				least = span
			}
		}
		require.Equal(t, least, own.used[layer:layer+len(least)], "%v", s)
		other := s.largestFirst(own)
		require.LessOrEqual(t, slices.Compare(own.used[:], other.used[:]), 0, "%v: the largest first uses %v, not %v", s, other.used, own.used)
	})
}

// The spans of large gangs in groups, each in one unit and none on one node, down to the units: children and grandchildren are the least that any placement
// in any domain of the tier uses, and no layer makes the whole larger than the largest vertices of each layer by the groups that they hold.
func TestSpansOfLargeGangsInGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSeries(t)
		size, by := rapid.IntRange(9, 14).Draw(t, "size of groups"), s.slots()
		for d := range by[3] {
			by[3][d] /= size
		}
		s.sumAbove(&by, 3)
		groups := min(by[0][0], s.members()/size)
		if groups == 0 || groups*size*len(s.spec.Nodes) <= 2048 {
			return // all layers are compared at once, or there is no room
		}
		s.request.Members = s.request.Members[:groups*size]
		s.request.Groups = []gang.Groups{{Size: size, Gather: []gang.Rule{{Layer: "unit", Strength: gang.MustGather}}}}
		own := s.plan(t)
		by[4] = by[3] // groups end in units
		layer, least := 4-own.tier, []int(nil)
		for d, room := range by[layer] {
			if room < groups {
				continue
			}
			span := leastSpan(by, layer, d, groups)[groups]
			if span = span[:min(2, max(0, 3-layer))]; least == nil || slices.Compare(span, least) < 0 {
				least = span
			}
		}
		require.Equal(t, least, own.used[layer:layer+len(least)], "%v in groups of %d", s, size)
		other := s.largestOf(own, by, groups, 3)
		require.LessOrEqual(t, slices.Compare(own.used[:3], other.used[:3]), 0, "%v: the largest first uses %v, not %v", s, other.used, own.used)
	})
}

// drawSeries draws a cluster of three layers and what is free on its nodes, and a gang that no unit holds.
func drawSeries(t *rapid.T) series {
	shape := benchmarks.Shape{Slots: 8}
	for _, most := range []int{3, 3, 5, 6} {
		shape.Fan = append(shape.Fan, rapid.IntRange(1, most).Draw(t, "children"))
	}
	full := rapid.IntRange(0, 5).Draw(t, "full")
	var free []int
	room := 0
	for range shape.NumNodes() {
		n := max(0, rapid.IntRange(-full, 8).Draw(t, "free"))
		free, room = append(free, n), room+n
	}
	if room == 0 {
		t.Skip("no room")
	}
	s := withFree(t, shape, free)
	s.request = jobOf(rapid.IntRange(min(room, 10), min(room, 200)).Draw(t, "members"), 1)
	return s
}

func (s series) members() int { return len(s.request.Members) }

// String is what is free on the nodes, and the tree.
func (s series) String() string {
	return fmt.Sprintf("%d members, %v below each, free %v", s.members(), s.shape.Fan, s.slots()[4])
}

// leastSpan has, for each number of members up to most, the least span of a domain of a layer in all layers below it, nil where it does not hold so many.
// It looks at every number for every child.
func leastSpan(by [5][]int, layer, d, most int) [][]int {
	out := make([][]int, most+1)
	if layer == 4 {
		for n := range min(by[4][d], most) + 1 {
			out[n] = []int{}
		}
		return out
	}
	below := len(by[layer+1]) / len(by[layer])
	out[0] = make([]int, 4-layer)
	for c := d * below; c < (d+1)*below; c++ {
		inner := leastSpan(by, layer+1, c, min(most, by[layer+1][c]))
		next := slices.Clone(out)
		for n := range out {
			for k := 1; k < len(inner) && n+k <= most; k++ {
				if out[n] == nil || inner[k] == nil {
					continue
				}
				span := append([]int{1}, inner[k]...)
				for i := range span {
					span[i] += out[n][i]
				}
				if next[n+k] == nil || slices.Compare(span, next[n+k]) < 0 {
					next[n+k] = span
				}
			}
		}
		out = next
	}
	return out
}
