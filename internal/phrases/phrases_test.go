package phrases

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
)

func TestCountsAndLists(t *testing.T) {
	require.Equal(t, "1 node", Count(1, "node"))
	require.Equal(t, "0 nodes", Count(0, "node"))
	for want, names := range map[string][]string{
		"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b, c and d": {"a", "b", "c", "d"}, "a, b, c and 2 more": {"a", "b", "c", "d", "e"},
	} {
		require.Equal(t, want, Named(names))
	}
	require.Equal(t, "a, b, c, d and e", List([]string{"a", "b", "c", "d", "e"}))
}

func TestLayersWithoutNames(t *testing.T) {
	for layer, want := range map[string]string{"leaf": "leaf", "2": "domain of tier 2", "tier 12": "domain of tier 12", "": "", "2a": "2a"} {
		require.Equal(t, want, Layer(layer))
	}
}

// Amounts are exact: a unit is taken only where nothing is left over.
func TestAmounts(t *testing.T) {
	for _, c := range []struct {
		resource string
		n        int64
		want     string
	}{
		{"cpu", 160_000, "160 CPU"},
		{"cpu", 1500, "1500m CPU"},
		{"memory", 1440 << 30, "1440Gi memory"},
		{"memory", 1<<20 + 1, "1048577 memory"},
		{"memory", 0, "0 memory"},
		{"ephemeral-storage", 1 << 60, "1Ei ephemeral-storage"},
		{"hugepages-2Mi", 2 << 20, "2Mi hugepages-2Mi"},
		{"gpu", 1024, "1024 gpu"},
		{"gpu", Unlimited, "all gpu"},
	} {
		require.Equal(t, c.want, AmountOf(c.resource, c.n))
	}
	require.Equal(t, []string{"4 gpu", "2 CPU", "1Ki memory"}, Amounts(muster.Resources{"cpu": 2000, "gpu": 4, "memory": 1024}))
}
