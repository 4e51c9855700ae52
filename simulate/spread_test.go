package simulate

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Quantiles are those of all numbers, rounded up by at most one part in 64.
func TestQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Spread
		numbers := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 200), rapid.Int64Range(0, 1<<40)), 1, 60).Draw(t, "numbers")
		for _, n := range numbers {
			s.add(n)
		}
		s.close()
		slices.Sort(numbers)
		require.Equal(t, numbers[len(numbers)-1], s.Max)
		for _, q := range []struct {
			percent int
			is      int64
		}{{50, s.P50}, {95, s.P95}, {99, s.P99}} {
			exact := numbers[(len(numbers)*q.percent+99)/100-1]
			require.GreaterOrEqual(t, q.is, exact)
			require.LessOrEqual(t, q.is-exact, exact/64)
		}
	})
}

// A merged spread is that of all numbers, and leaves the other one as it is.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all, a, b Spread
		draw := rapid.SliceOf(rapid.OneOf(rapid.Int64Range(0, 200), rapid.Int64Range(0, 1<<40)))
		for _, n := range draw.Draw(t, "a") {
			a.add(n)
			all.add(n)
		}
		for _, n := range draw.Draw(t, "b") {
			b.add(n)
			all.add(n)
		}
		a.close()
		b.close()
		all.close()
		was := slices.Clone(b.counts)
		a.Merge(&b)
		require.Equal(t, all, a)
		a.add(1)
		require.Equal(t, was, b.counts)
	})
}
