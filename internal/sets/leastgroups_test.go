package sets

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/index"
)

// leastGroupsByTrial is what leastGroups finds, by trying every set of children, the smallest first.
func leastGroupsByTrial(slots []int64, size, short, n int64) []int64 {
	suffices := func(set []int64) bool {
		var groups int64
		beside := short == 0
		for _, s := range set {
			if s < size && (short == 0 || s < short) {
				return false // it takes nothing
			}
			groups, beside = groups+s/size, beside || s%size >= short
		}
		return groups > n || groups == n && beside
	}
	for count := 1; count <= len(slots); count++ {
		var best []int64
		var walk func(from int, set []int64)
		walk = func(from int, set []int64) {
			if len(set) == count {
				if suffices(set) && (best == nil || betterPick(set, best)) {
					best = slices.Clone(set)
				}
				return
			}
			for i := from; i < len(slots); i++ {
				walk(i+1, append(set, slots[i]))
			}
		}
		if walk(0, nil); best != nil {
			return best
		}
	}
	return nil
}

func TestLeastGroupsEqualsTrial(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 6).Draw(t, "size")
		short := rapid.Int64Range(0, size-1).Draw(t, "short")
		slots := rapid.SliceOfN(rapid.Int64Range(0, size*rapid.Int64Range(1, 5).Draw(t, "most")), 1, 11).Draw(t, "slots")
		slices.SortFunc(slots, func(a, b int64) int { return cmp.Compare(b, a) })
		var sums []int32
		var sum, groups int64
		for _, s := range slots {
			sum, groups = sum+s, groups+s/size
			sums = append(sums, int32(sum))
		}
		if short > 0 {
			groups-- // one is to spare
		}
		if groups < 1 {
			t.Skip("no room")
		}
		n := rapid.Int64Range(1, groups).Draw(t, "groups")
		l := &LeastGroups{}
		require.True(t, l.Begin(&index.ChildSums{Run: sums, Len: int32(len(sums))}, size, short, n))
		var got []int64
		for _, i := range l.Pick() {
			got = append(got, l.Slots[i])
		}
		require.Equal(t, leastGroupsByTrial(slots, size, short, n), got, "%d groups of %d and one of %d in %v", n, size, short, slots)
	})
}
