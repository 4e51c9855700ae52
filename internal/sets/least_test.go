package sets

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// leastByTrial is what leastSum finds, by trying every pick.
func leastByTrial(sizes []int64, size int, need int64) []int64 {
	var best []int64
	var walk func(from int, picked []int64, sum int64)
	walk = func(from int, picked []int64, sum int64) {
		if len(picked) == size {
			if sum >= need && (best == nil || betterPick(picked, best)) {
				best = slices.Clone(picked)
			}
			return
		}
		for i := from; i < len(sizes); i++ {
			walk(i+1, append(picked, sizes[i]), sum+sizes[i])
		}
	}
	walk(0, nil, 0)
	return best
}

// betterPick compares sums, then the values from the largest down.
func betterPick(a, b []int64) bool {
	sum := func(list []int64) (n int64) {
		for _, v := range list {
			n += v
		}
		return n
	}
	return cmp.Or(cmp.Compare(sum(a), sum(b)), slices.Compare(a, b)) < 0
}

func TestLeastSumEqualsTrial(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		largest := rapid.SampledFrom([]int64{3, 9, 40, 200, 1000}).Draw(t, "largest")
		sizes := rapid.SliceOfN(rapid.Int64Range(1, largest), 1, 12).Draw(t, "sizes")
		slices.SortFunc(sizes, func(a, b int64) int { return cmp.Compare(b, a) })
		var total int64
		for _, v := range sizes {
			total += v
		}
		need := rapid.Int64Range(1, total).Draw(t, "need")
		size, sum := 0, int64(0)
		for sum < need {
			sum, size = sum+sizes[size], size+1
		}
		l := &LeastSum{}
		l.Reset()
		for _, v := range sizes {
			l.Add(v)
		}
		var got []int64
		for i, n := range l.Pick(size, need) {
			got = append(got, slices.Repeat([]int64{l.Values[i]}, n)...)
		}
		require.Equal(t, leastByTrial(sizes, size, need), got, "%d of %v for %d", size, sizes, need)
	})
}
