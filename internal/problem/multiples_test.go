package problem

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// A least common multiple is capped before it overflows.
func TestLeastCommonMultipleIsBounded(t *testing.T) {
	require.Equal(t, int64(12), lcm(4, 6))
	require.Equal(t, int64(maxMultiple), lcm(2, math.MaxInt64))
	require.Equal(t, int64(maxMultiple), lcm(math.MaxInt64, 3))
}
