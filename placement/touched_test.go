package placement

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
		cache, want := &shapeCache{}, map[*index][]int32{}
		for range rapid.IntRange(1, 30).Draw(t, "snapshots") {
			var list []*cachedShape
			if old := cache.entries.Load(); old != nil {
				list = *old
			}
			for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "indexes made") {
				fresh := &cachedShape{index: &index{}}
				list, want[fresh.index] = append([]*cachedShape{fresh}, list...), nil
			}
			cache.entries.Store(&list)
			changed := rapid.SliceOfN(rapid.Int32Range(0, int32(nodes)-1), 0, 40).Draw(t, "nodes")
			cache = cache.after(changed, nodes)
			for ix := range want {
				if want[ix] = append(want[ix], changed...); len(want[ix]) > nodes/8+64 {
					delete(want, ix)
				}
			}
			kept := *cache.entries.Load()
			require.Len(t, kept, len(want))
			for _, e := range kept {
				require.Contains(t, want, e.index)
				require.Len(t, want[e.index], e.touched.len())
				require.ElementsMatch(t, want[e.index], e.touched.all())
			}
		}
	})
}

// A change costs the same, however many came before it, and indexes of one age share their log.
func TestTouchedNodesAreNotCopied(t *testing.T) {
	cache := &shapeCache{}
	for range keptShapes {
		var list []*cachedShape
		if old := cache.entries.Load(); old != nil {
			list = slices.Clone(*old)
		}
		list = append(list, &cachedShape{index: &index{}})
		cache.entries.Store(&list)
	}
	changed := []int32{1, 2, 3}
	first := testing.AllocsPerRun(1, func() { cache.after(changed, 1<<20) })
	for range 10_000 {
		cache = cache.after(changed, 1<<20)
	}
	require.LessOrEqual(t, testing.AllocsPerRun(1, func() { cache.after(changed, 1<<20) }), first)
	kept := *cache.entries.Load()
	require.Same(t, kept[0].touched, kept[keptShapes-1].touched)
	require.Equal(t, 30_000, kept[0].touched.len())
}
