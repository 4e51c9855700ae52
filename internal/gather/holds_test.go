package gather

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/index"
)

// What children add up to, where their domain holds no more than so many, is what a list of the parts that they add has.
func TestHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Int64Range(1, 6), 1, 6).Draw(t, "children")
		most := rapid.Int64Range(1, 30).Draw(t, "most")
		slices.SortFunc(sizes, descending)
		var run []int32
		var parts []int64
		sum := int64(0)
		for _, n := range sizes {
			if sum < most {
				parts = append(parts, min(n, most-sum))
			}
			sum += n
			run = append(run, int32(sum))
		}
		h := upTo(index.ChildSums{Run: run, Len: int32(len(run))}, most)
		require.Len(t, parts, int(h.sums.Len))
		sum = 0
		for i, n := range parts {
			sum += n
			require.Equal(t, sum, h.of(int32(i+1)))
			require.Equal(t, int32(i+1), h.fewest(sum))
		}
		for price := int64(1); price <= 7; price++ {
			count, worth := int32(0), int64(0)
			for _, n := range parts {
				if n >= price {
					count++
				}
				worth += max(0, n-price)
			}
			require.Equal(t, count, h.atLeast(price))
			require.Equal(t, worth, h.worthAt(price))
		}
	})
}
