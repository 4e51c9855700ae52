package reference

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Clusters of the sequences behind MUSTER_CLUSTERS that differed once, until draws change: then the numbers say nothing any more.
func TestClustersThatDiffered(t *testing.T) {
	hard := func(in Input) ([]string, error) { return sameAsHard(in, planOfParts) }
	for _, tc := range []struct {
		draw  func(*rapid.T) Input
		check func(Input) ([]string, error)
		seeds []int
	}{
		{mixed(drawWithQuotas), planAgrees, []int{25626}},                                                                                              // a limit on numbers that is only preferred, in outer groups: which solver is asked
		{mixed(drawPreferringParts), hard, []int{44464, 61041}},                                                                                        // a looser limit than need be; not supported
		{mixed(drawPreferringParts), partsAgree, []int{52086}},                                                                                         // proven without an index alone
		{func(t *rapid.T) Input { return asGangs(mixed(drawPreferringParts)(t)) }, togetherAgrees, []int{54241}},                                       // not supported
		{mixedWithVictims(drawPartVictims), partVictimsAgree, []int{40646}},                                                                            // somebody could be spared
		{mixedWithVictims(drawUncoupled), func(in Input) ([]string, error) { return preemptionAgrees(in, !isCoupled(&in)) }, []int{736, 29432, 38730}}, // groups of one shape are no units
	} {
		gen := rapid.Custom(tc.draw)
		for _, seed := range tc.seeds {
			_, err := bounded(tc.check)(gen.Example(seed))
			require.NoError(t, err, fmt.Sprint("cluster ", seed))
		}
	}
}
