package document

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawPlain is what a client may hold.
func drawPlain(t *rapid.T, depth int) any {
	keys := rapid.SampledFrom([]string{"metadata", "managedFields", "resourceVersion", "name", "status", "conditions", "lastProbeTime", "images", "containers", "env", "a"})
	switch n := rapid.IntRange(0, 12).Draw(t, "kind"); {
	case n > 6 && depth < 4:
		out := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(t, "keys") {
			out[keys.Draw(t, "key")] = drawPlain(t, depth+1)
		}
		return out
	case n > 4 && depth < 4:
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			out = append(out, drawPlain(t, depth+1))
		}
		return out
	case n == 0:
		return map[string]string{"a": keys.Draw(t, "text")}
	}
	return rapid.SampledFrom([]any{nil, true, false, "a", "b", "", "7", int64(7), int64(-7), 7.0, 7.5, 0.0, 1e21, -7.0, int64(1) << 60, float64(int64(1) << 60), 7, []string{"a"}}).Draw(t, "scalar")
}

// another is a value with one part of it another one, mostly.
func another(t *rapid.T, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 && rapid.IntRange(0, 5).Draw(t, "inside") > 0 {
			out := maps.Clone(v)
			key := rapid.SampledFrom(slices.Sorted(maps.Keys(v))).Draw(t, "key")
			if out[key] = another(t, v[key]); rapid.IntRange(0, 5).Draw(t, "drops") == 0 {
				delete(out, key)
			}
			return out
		}
	case []any:
		if len(v) > 0 && rapid.Bool().Draw(t, "inside") {
			out := slices.Clone(v)
			out[0] = another(t, v[0])
			return out
		}
	}
	return drawPlain(t, 1)
}

// A value says what equals the one that would be made.
func TestSaysEqualsFromPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := map[string]any{"metadata": drawPlain(t, 1), "status": drawPlain(t, 1)}
		v, err := FromPlain(one)
		require.NoError(t, err)
		require.True(t, v.Says(one))
		other := another(t, one)
		o, err := FromPlain(other)
		require.NoError(t, err)
		require.Equal(t, v.Equal(o), v.Says(other), "%v, %v", one, other)
	})
	v, err := FromPlain(map[string]any{"a": "b"})
	require.NoError(t, err)
	require.False(t, v.Says(map[string]any{"a": make(chan int)}))
}
