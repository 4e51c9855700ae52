package cow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a memo adopts is there without being made, and brought up to date as in the other; what it has itself stays.
func TestMemosAdoptWhatTheyLack(t *testing.T) {
	clock := &Clock{}
	first, aside := &Memo[int, tally]{}, &Memo[int, tally]{}
	asked(first, clock, 8, 1, 10)
	asked(first, clock, 8, 2, 10)
	asked(aside, clock, 8, 2, 99) // another value, which tells whose it is
	later := &Memo[int, tally]{}
	first.PassOn(later, []int32{5}, 100)
	same := func(a, b int) bool { return a == b }
	aside.Adopt(later, same)
	aside.Adopt(&Memo[int, tally]{}, same)
	got, made := asked(aside, clock, 8, 1, 0)
	require.Equal(t, tally{1, 15}, got)
	require.False(t, made)
	got, made = asked(aside, clock, 8, 2, 0)
	require.Equal(t, tally{2, 99}, got)
	require.False(t, made)
}
