package gather

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/spec"
)

// Vertices of one layer come in the order of paths, whether those below one parent are next to each other or not.
func TestByPathSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := spec.Draw(t)
		positions := make([]int32, m.View.Nodes)
		for i := range positions {
			positions[i] = int32(i)
		}
		if rapid.Bool().Draw(t, "mixed") {
			positions = rapid.Permutation(positions).Draw(t, "positions")
		}
		var list []chosen
		for _, pos := range positions {
			list = append(list, chosen{m.View.NodeVertex(pos), int64(pos)})
		}
		got := byPath(&ask{m: m, scratch: &scratch{}}, list, nil)
		slices.SortFunc(list, func(a, b chosen) int { return cmp.Compare(a.slots, b.slots) })
		require.Equal(t, list, got)
	})
}
