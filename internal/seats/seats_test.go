package seats_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/seats"
)

func TestSeat(t *testing.T) {
	for name, tc := range map[string]struct {
		places  []int32
		refused [][]int32
		want    []int
		stuck   *seats.Stuck
	}{
		"nobody":                            {want: []int{}},
		"nothing is refused":                {places: []int32{3, 3, 7}, want: []int{0, 1, 2}},
		"a node of somebody else":           {places: []int32{3, 3, 7}, refused: [][]int32{{7}, {9}, {3}}, want: []int{0, 1, 2}},
		"the next one comes before":         {places: []int32{3, 7, 8, 9}, refused: [][]int32{{3, 3}}, want: []int{1, 0, 2, 3}},
		"the node after that of others":     {places: []int32{3, 3, 3, 7}, refused: [][]int32{nil, {3}}, want: []int{0, 3, 1, 2}},
		"three change in a ring":            {places: []int32{3, 7, 8}, refused: [][]int32{{3, 8}, {7, 3}, {8}}, want: []int{1, 2, 0}},
		"a node that lies twice in the row": {places: []int32{3, 7, 3}, refused: [][]int32{nil, {7}}, want: []int{0, 2, 1}},
		"one who may be nowhere": {
			places: []int32{3, 7}, refused: [][]int32{nil, {7, 3}},
			stuck: &seats.Stuck{Members: []int{1}, Nodes: []int32{3, 7}, Seated: 1},
		},
		"three for two places": {
			places: []int32{3, 7, 8, 3}, refused: [][]int32{{8, 7}, {7, 8}, {7, 8}},
			stuck: &seats.Stuck{Members: []int{0, 1, 2}, Nodes: []int32{7, 8}, Seated: 3},
		},
		"all on one node": {
			places: []int32{3, 3}, refused: [][]int32{{3}},
			stuck: &seats.Stuck{Members: []int{0}, Nodes: []int32{3}, Seated: 1},
		},
	} {
		got, stuck := seats.Seat(tc.places, tc.refused)
		require.Equal(t, tc.stuck, stuck, name)
		require.Equal(t, tc.want, got, name)
	}
}

// Of all permutations that keep members off their refused nodes the first one is taken; if there is none, those who are
// stuck are too many for the places that they may take.
func TestSeatEqualsPermutations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "members")
		places := rapid.SliceOfN(rapid.Int32Range(0, 4), n, n).Draw(t, "places")
		refused := rapid.SliceOfN(rapid.SliceOfN(rapid.Int32Range(0, 5), 0, 5), 0, n).Draw(t, "refused")
		before := slices.Clone(places)
		got, stuck := seats.Seat(places, refused)
		require.Equal(t, before, places)
		bars := func(i int, node int32) bool { return i < len(refused) && slices.Contains(refused[i], node) }
		want, most := firstPermutation(places, bars)
		if want != nil {
			require.Nil(t, stuck)
			require.Equal(t, want, got)
			return
		}
		require.Nil(t, got)
		require.Equal(t, most, stuck.Seated)
		require.True(t, slices.IsSorted(stuck.Members))
		open := 0
		for _, node := range places {
			some := slices.ContainsFunc(stuck.Members, func(i int) bool { return !bars(i, node) })
			require.Equal(t, !some, slices.Contains(stuck.Nodes, node))
			if some {
				open++
			}
		}
		require.Less(t, open, len(stuck.Members))
		require.NotEmpty(t, stuck.Nodes)
	})
}

// firstPermutation is the first one, by enumeration, and how many members can be seated at once.
func firstPermutation(places []int32, bars func(i int, node int32) bool) (first []int, most int) {
	used, at := make([]bool, len(places)), make([]int, 0, len(places))
	var walk func(i, seated int)
	walk = func(i, seated int) {
		if i == len(places) {
			if most = max(most, seated); seated == i && first == nil {
				first = slices.Clone(at)
			}
			return
		}
		for s, node := range places {
			if !used[s] && !bars(i, node) {
				used[s], at = true, append(at, s)
				walk(i+1, seated+1)
				used[s], at = false, at[:len(at)-1]
			}
		}
		at = append(at, -1)
		walk(i+1, seated)
		at = at[:len(at)-1]
	}
	walk(0, 0)
	return first, most
}

// Thousands change places without a search for each of them.
func TestSeatMany(t *testing.T) {
	const n = 20_000
	places, refused := make([]int32, n), make([][]int32, n)
	for i := range places {
		places[i], refused[i] = int32(i/4), []int32{int32(i / 4), int32(i/4 + 1)}
	}
	got, stuck := seats.Seat(places, refused)
	require.Nil(t, stuck)
	for i, s := range got {
		require.NotContains(t, refused[i], places[s])
	}
}
