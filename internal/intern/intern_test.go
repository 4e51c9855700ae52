package intern

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// All of them number keys as a search through a list of the keys so far does.
func TestEqualKeysHaveOneNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var (
			texts   Keys[int64]
			lists   Lists
			vectors Vectors
			pairs   = NewClasses(2)
			first   [4][][]int64
		)
		number := func(i int, key []int64) (id int, fresh bool) {
			if id = slices.IndexFunc(first[i], func(other []int64) bool { return slices.Equal(key, other) }); id < 0 {
				first[i], fresh = append(first[i], key), true
				id = len(first[i]) - 1
			}
			return id, fresh
		}
		list := rapid.SliceOfN(rapid.Int64Range(-1, 2), 2, 5) // two free amounts, and what is on the node
		for range rapid.IntRange(1, 2_000).Draw(t, "keys") {
			key := list.Draw(t, "key")
			id, fresh := texts.Of(key[0])
			wantID, wantFresh := number(0, key[:1])
			require.Equal(t, []any{wantID, wantFresh}, []any{id, fresh})
			id, fresh = lists.Of(key)
			wantID, wantFresh = number(1, key)
			require.Equal(t, []any{wantID, wantFresh}, []any{id, fresh})
			wantID, _ = number(2, key)
			require.Equal(t, wantID, vectors.Of(key))
			wantID, _ = number(3, key)
			require.EqualValues(t, wantID, pairs.Of(key[:2], key[2:]))
		}
		require.Equal(t, len(first[0]), texts.Len())
		require.Equal(t, first[2], vectors.List)
		require.Equal(t, len(first[3]), pairs.Len())
		for id, key := range first[3] {
			free, on := pairs.At(int32(id))
			require.Equal(t, key, slices.Concat(free, on))
			require.Len(t, free, 2)
		}
	})
}

// What is kept is a copy, and room that was made does not change numbers.
func TestKeysAreCopied(t *testing.T) {
	classes, list := NewClasses(1), []int64{1, 2}
	classes.Of(list[:1], list[1:])
	classes.Reserve(1_000, 1_000)
	list[0], list[1] = 3, 4
	free, on := classes.At(0)
	require.Equal(t, []int64{1}, free)
	require.Equal(t, []int64{2}, on)
	require.EqualValues(t, 1, classes.Of(list[:1], list[1:]))
	require.EqualValues(t, 0, classes.Of([]int64{1}, []int64{2}))
}
