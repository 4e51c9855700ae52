package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNothingIsLost(t *testing.T) {
	for seed := range uint64(4) {
		var first, second bytes.Buffer
		require.NoError(t, run(&first, 2_500, seed), "seed %d", seed)
		require.NoError(t, run(&second, 2_500, seed))
		require.Equal(t, first.String(), second.String(), "the same seed, the same run")
		require.NotContains(t, first.String(), "evicted 0,")
		require.NotContains(t, first.String(), "waited for them 0")
	}
}
