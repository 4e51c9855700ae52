package render

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement"
)

// The tier of a layer without a name is never a number alone.
func TestLayersWithoutNames(t *testing.T) {
	require.Equal(t, "in domain core/s1 of tier 1", inDomain("1", 1, []string{"core", "s1"}))
	require.Equal(t, "in leaf s1", inDomain("leaf", 1, []string{"s1"}))
	require.Equal(t, "in node n1", inDomain("", 0, []string{"n1"}))
	require.Equal(t, "in 7 s1", inDomain("7", 1, []string{"s1"}), "the name of a layer")
	for want, r := range map[string]placement.Result{
		"tier 2/tier 1":   {Strategy: "2/1", Layer: "2", Tier: 2},
		"leaf/node":       {Strategy: "leaf/node", Layer: "leaf", Tier: 2},
		"tier 2/unit":     {Strategy: "2/unit", Layer: "2", Tier: 2},
		"a.io/1/unit":     {Strategy: "a.io/1/unit", Layer: "a.io/1", Tier: 2},
		"/tier 2":         {Strategy: "/2", Tier: 3},
		"leaf/node/other": {Strategy: "leaf/node/other", Layer: "rack", Tier: 1},
	} {
		require.Equal(t, want, strategyWords(&r))
	}
	for want, rule := range map[string]string{
		"MustGather tier 2": "MustGather 2", "MustGather leaf": "MustGather leaf", "Apart tier 2 at most 3": "Apart 2 at most 3", "multiple 4 at tier 1": "multiple 4 at 1",
		"multiple 4 at node": "multiple 4 at node", "minMember": "minMember", "": "", "MustGather tier 2 of power for part a": "MustGather 2 of power for part a",
	} {
		require.Equal(t, want, ruleWords(rule))
	}
}
