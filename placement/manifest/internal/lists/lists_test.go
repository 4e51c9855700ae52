package lists_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest/internal/lists"
)

func TestLists(t *testing.T) {
	var numbers map[string]int
	lists.Enter(&numbers, "a", 1)
	require.Equal(t, map[string]int{"a": 3, "b": 1}, lists.Add(numbers, map[string]int{"a": 2, "b": 1}))
	require.Nil(t, lists.Add[string](nil, nil))
	require.Equal(t, map[string]int{"b": 1}, lists.Add(nil, map[string]int{"b": 1}))
	require.Equal(t, []int{1, 3, 2}, lists.Without([]int{1, 2, 3, 2}, 2))
	require.Equal(t, []int{1}, lists.Without([]int{1}, 2))
}
