package snapshot

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A snapshot in which some members are lowered is the one that is made anew with them so, and the one before stays as it is.
func TestLoweredEqualsNewOnes(t *testing.T) {
	lowered := 0
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		c, err := New(m.spec())
		if err != nil {
			t.Skip("zones of a node may not be told of")
		}
		before := stateOf(t, c)
		next := *m
		next.running = maps.Clone(m.running)
		var members []*Member
		for r := range c.Running() {
			if r.Leaving || !rapid.Bool().Draw(t, "lowered") {
				continue
			}
			members = append(members, c.Member(r.Gang, r.Member))
			r.Priority, r.MinMember, r.Quota, r.Budgets, r.Started = -7, -1, "", nil, 0
			next.running[refOf(r)] = r
		}
		members = rapid.Permutation(members).Draw(t, "in any order")
		given := slices.Clone(members)
		after, err := Lowered(c, members, -7)
		require.NoError(t, err)
		anew, err := New(next.spec())
		require.NoError(t, err)
		require.Equal(t, stateOf(t, anew), stateOf(t, after))
		require.Equal(t, before, stateOf(t, c))
		require.Equal(t, given, members)
		if lowered += len(members); len(members) > 0 {
			require.LessOrEqual(t, after.Lowest, int64(-7))
		}
	})
	require.Positive(t, lowered)
}
