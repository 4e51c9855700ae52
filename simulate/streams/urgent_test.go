package streams

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// As many gangs are urgent as that is asked for, nearly, and nothing else about them changes; equal seeds draw the same ones.
func TestUrgent(t *testing.T) {
	g := generated()
	g.Jobs = 10_000
	urgent := func(percent int64) (all []bool, n int) {
		at := []int64{}
		for j, err := range Urgent(g.Stream(), percent, 7) {
			require.NoError(t, err)
			all, at = append(all, j.Request.Priority == 1), append(at, j.Arrives)
			n += int(j.Request.Priority)
		}
		i := 0
		for j := range g.Stream() {
			require.Equal(t, j.Arrives, at[i])
			i++
		}
		return all, n
	}
	_, none := urgent(0)
	some, n := urgent(20)
	again, _ := urgent(20)
	_, all := urgent(100)
	require.Equal(t, []int{0, 10_000}, []int{none, all})
	require.InDelta(t, 2000, n, 120)
	require.Equal(t, some, again)
}
