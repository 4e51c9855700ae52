package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Lone pods are some of the gangs, at the load that was asked for; without any nothing is said of them.
func TestSimulateLonePods(t *testing.T) {
	args := []string{"-fabric", "2x4", "-gangs", "400", "-largest", "8"}
	out := simulated(t, append(args, "-lone", "90")...)
	require.Contains(t, out, "\nseed 1, load 85, lone 90, discipline next-that-fits, ")
	require.Equal(t, simulated(t, args...), simulated(t, append(args, "-lone", "0")...))
	require.NotContains(t, simulated(t, args...), "lone")
	rows := tableOf(t, simulated(t, append(args, "-sweep", "lone=0,90", "-o", "csv")...))
	require.Equal(t, []string{"0", "90"}, []string{rows[0]["lone"], rows[1]["lone"]})
	require.NotEqual(t, rows[0]["reached"], rows[1]["reached"])
	require.Contains(t, simulated(t, append(args, "-lone", "90", "-o", "json")...), `"load":85,"lone":90,"longer":1,`)
	pairs := simulated(t, append(args, "-sweep", "lone=0,90", "-sweep", "seed=1,2", "-sweep", "placer=muster,muster-spread", "-paired", "-o", "json")...)
	require.Equal(t, 2, strings.Count(pairs, `"lone":90`), "one way of two placers each")
}

// Plans by another policy have a place wherever Muster has one, and never a wider one; on nodes that pods take in parts they differ.
func TestSimulatePolicies(t *testing.T) {
	rows := tableOf(t, simulated(t, "-fabric", "2x2x4", "-gangs", "300", "-lone", "80", "-load", "110", "-largest", "8", "-o", "csv",
		"-sweep", "placer=muster,muster-spread,muster-balanced,muster-score-best-fit,muster-fgd"))
	require.Len(t, rows, 5)
	means := map[string]bool{}
	for _, r := range rows {
		require.Equal(t, []string{"0", "0", "0"}, []string{r["refused"], r["wider"], r["unasked"]}, r)
		require.Equal(t, r["placer"] == byMuster, r["placed"] == "0", r)
		means[r["mean"]] = true
	}
	require.GreaterOrEqual(t, len(means), 3, "spread, slots and scores")
}
