package hitting

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The smallest set, and of these the first, among all; what is spared leaves none that could be.
func TestFewestIsTheSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classOf := rapid.SliceOfN(rapid.Int32Range(0, 4), 1, 9).Draw(t, "classes")
		for i, c := range classOf { // numbered in the order of their first elements
			classOf[i] = int32(slices.Index(classOf, c))
		}
		f := NewFewest(classOf, 10_000, nil)
		// A set helps if it has as many of each class as one of these.
		var enough [][]int32
		for range rapid.IntRange(1, 4).Draw(t, "sets") {
			var counts []int32
			for _, size := range f.Sizes {
				counts = append(counts, rapid.Int32Range(0, size).Draw(t, "enough"))
			}
			enough = append(enough, counts)
		}
		helps := func(counts []int32) bool {
			return slices.ContainsFunc(enough, func(least []int32) bool {
				for c, n := range least {
					if counts[c] < n {
						return false
					}
				}
				return true
			})
		}
		f = NewFewest(classOf, 10_000, helps)
		slices.SortFunc(enough, func(a, b []int32) int {
			x, y := f.Elements(a), f.Elements(b)
			if len(x) != len(y) {
				return len(x) - len(y)
			}
			return slices.Compare(x, y)
		})
		require.Equal(t, enough[0], f.Search())
		spared := f.Spare(f.Sizes)
		require.True(t, helps(spared))
		for c := range spared {
			if spared[c] > 0 {
				spared[c]--
				require.False(t, helps(spared))
				spared[c]++
			}
		}
	})
}

// Who may ask no more answers nothing.
func TestFewestStops(t *testing.T) {
	classOf := make([]int32, 30)
	for i := range classOf {
		classOf[i] = int32(i)
	}
	asked := 0
	half := func(counts []int32) bool { // any half helps: there are too many to try
		asked++
		n := int32(0)
		for _, c := range counts {
			n += c
		}
		return n >= 15
	}
	f := NewFewest(classOf, 200, half)
	require.Nil(t, f.Search())
	require.Equal(t, 200, asked)
	f.Asks = 200
	require.Len(t, f.Elements(f.Spare(f.Sizes)), 15)
}
