package layout

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A census counts what a tally counts, and the domains that have somebody; those that it was forked from stay as they were.
func TestCensusCountsAsATally(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawLaid(t).view
		if v.Nodes == 0 {
			return
		}
		all, want := []*Census{NewCensus(v)}, []map[int32]int32{{}}
		for range rapid.IntRange(1, 6).Draw(t, "forks") {
			from := rapid.IntRange(0, len(all)-1).Draw(t, "from")
			next, counts := all[from].Fork(), map[int32]int32{}
			for pos, n := range want[from] {
				counts[pos] = n
			}
			for range rapid.IntRange(0, 6).Draw(t, "changes") {
				pos := rapid.Int32Range(0, v.Nodes-1).Draw(t, "position")
				n := rapid.Int32Range(-counts[pos], 3).Draw(t, "more")
				next.Add(pos, n)
				counts[pos] += n
			}
			all, want = append(all, next), append(want, counts)
		}
		for i, c := range all {
			tally, some := Tally{}, false
			for pos, n := range want[i] {
				tally.Add(v, v.NodeVertex(pos), int64(n))
				if n > 0 {
					require.Equal(t, lowestOf(v, want[i]), c.Lowest(pos))
					some = true
				}
			}
			require.Equal(t, some, c.Any())
			var each []int32
			for x := range Vertex(v.NumDomains()) + v.Nodes {
				each = append(each, int32(c.At(x)))
			}
			for x := range Vertex(len(each)) {
				require.Equal(t, each[x:], c.AppendTo(nil, x, Vertex(len(each))))
			}
			used := map[int32]int{}
			for x := range Vertex(v.NumDomains()) + v.Nodes {
				require.Equal(t, tally.At(x), c.At(x))
				if !v.IsNode(x) && tally.At(x) > 0 {
					used[v.TierOf(x)]++
				}
			}
			for _, tier := range v.SwitchTiers()[1:] {
				require.Equal(t, used[tier], c.Used(tier))
			}
		}
	})
	var nobody *Census
	require.False(t, nobody.Any())
	require.Zero(t, nobody.Used(1))
	require.Equal(t, []int32{7, 0, 0}, nobody.AppendTo([]int32{7}, 1, 3))
}

// lowestOf is the lowest vertex above those who are counted, -1 if nobody is.
func lowestOf(v *View, counts map[int32]int32) Vertex {
	lowest := Vertex(-1)
	for pos, n := range counts {
		switch {
		case n == 0:
		case lowest < 0:
			lowest = v.NodeVertex(pos)
		default:
			lowest = v.LCA(lowest, v.NodeVertex(pos))
		}
	}
	return lowest
}
