package kinds

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/limits"
)

// Each kind of limit that is told is one that is read; one that nobody knows reads as Apart.
func TestKindsOfLimitsAreTold(t *testing.T) {
	for kind := range limitWords {
		is, _ := limits.IsKind(kind)
		require.True(t, is, kind)
		require.Equal(t, gang.Limit{Kind: kind, Layer: "leaf", Most: 2}, Limit(string(kind)+" leaf at most 2"))
		require.Equal(t, gang.Limit{Kind: kind, Layer: "leaf"}, Limit(string(kind)+" leaf"))
	}
	require.Zero(t, Limit("MustGather leaf"))
	for want, l := range map[string]gang.Limit{
		", no two in one leaf":                            {Kind: gang.Apart, Layer: "leaf", Most: 1},
		", no more than 2 in one leaf":                    {Kind: gang.Apart, Layer: "leaf", Most: 2},
		" alone in their leaf":                            {Kind: gang.Alone, Layer: "leaf"},
		", in no more than 2 domains of layer leaf":       {Kind: gang.Within, Layer: "leaf", Most: 2},
		", no more than 3 in one layer that is not there": {Kind: "Unknown", Layer: "layer that is not there", Most: 3},
	} {
		require.Equal(t, want, LimitPhrase(l, ""))
	}
	require.Equal(t, ", no two of its pairs in one leaf", LimitPhrase(gang.Limit{Kind: gang.Apart, Layer: "leaf", Most: 1}, "pairs"))
	require.Equal(t, ", each of its pairs alone in one leaf", LimitPhrase(gang.Limit{Kind: gang.Alone, Layer: "leaf"}, "pairs"))
}
