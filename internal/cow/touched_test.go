package cow

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What changed since an index was made is what all snapshots since have changed, until it is too much to follow.
func TestTouchedNodesAreThoseSinceTheIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 2000).Draw(t, "nodes in all")
		cache, want := &Memo[[]byte, *int]{}, map[*int][]int32{}
		for range rapid.IntRange(1, 30).Draw(t, "snapshots") {
			var list []*memoized[[]byte, *int]
			if old := cache.entries.Load(); old != nil {
				list = *old
			}
			for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "indexes made") {
				fresh := &memoized[[]byte, *int]{value: new(int)}
				list, want[fresh.value] = append([]*memoized[[]byte, *int]{fresh}, list...), nil
			}
			cache.entries.Store(&list)
			changed := rapid.SliceOfN(rapid.Int32Range(0, int32(nodes)-1), 0, 40).Draw(t, "nodes")
			cache = passed(cache, changed, nodes/8+64)
			for ix := range want {
				if want[ix] = append(want[ix], changed...); len(want[ix]) > nodes/8+64 {
					delete(want, ix)
				}
			}
			kept := *cache.entries.Load()
			require.Len(t, kept, len(want))
			for _, e := range kept {
				require.Contains(t, want, e.value)
				require.Len(t, want[e.value], e.touched.len())
				require.ElementsMatch(t, want[e.value], e.touched.all())
			}
		}
	})
}

// A change costs the same, however many came before it, and indexes of one age share their log.
func TestTouchedNodesAreNotCopied(t *testing.T) {
	cache := &Memo[[]byte, *int]{}
	for range 8 {
		var list []*memoized[[]byte, *int]
		if old := cache.entries.Load(); old != nil {
			list = slices.Clone(*old)
		}
		list = append(list, &memoized[[]byte, *int]{value: new(int)})
		cache.entries.Store(&list)
	}
	changed := []int32{1, 2, 3}
	first := testing.AllocsPerRun(10, func() { passed(cache, changed, 1<<17) })
	for range 10_000 {
		cache = passed(cache, changed, 1<<17)
	}
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { passed(cache, changed, 1<<17) }), first)
	kept := *cache.entries.Load()
	require.Same(t, kept[0].touched, kept[8-1].touched)
	require.Equal(t, 30_000, kept[0].touched.len())
}

// passed is the memo of the next snapshot.
func passed(cache *Memo[[]byte, *int], changed []int32, most int) *Memo[[]byte, *int] {
	next := &Memo[[]byte, *int]{}
	cache.PassOn(next, changed, most)
	return next
}
