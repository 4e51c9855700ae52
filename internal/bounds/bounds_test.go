package bounds_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/bounds"
)

// A search has the steps that the request says, or those of a request that says nothing, and no more than there may be; bounds make them
// fewer, never more.
func TestStepsOfSearches(t *testing.T) {
	for _, c := range []struct {
		bound, asked, steps int
		charged             bool
	}{
		{0, 0, 1 << 16, false},
		{0, 7, 7, false},
		{0, 1 << 30, 1 << 24, false},
		{5, 0, 5, true},
		{5, 7, 5, true},
		{9, 7, 7, true},
		{1 << 30, 0, 1 << 16, true},
	} {
		steps, charged := bounds.Search{Steps: c.bound}.Of(c.asked)
		require.Equal(t, c.steps, steps, "%+v", c)
		require.Equal(t, c.charged, charged, "%+v", c)
	}
}
