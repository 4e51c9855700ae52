//go:build invariants

package reference

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/features"
)

// A feature that nobody has heard of is refused by every shortcut, and none of them by itself changes a plan: with the unknown one, and with each shortcut
// left out, plans are what they are. Each of them is taken for some clusters.
func TestShortcutsChangeNoPlan(t *testing.T) {
	var taken [features.Count]uint64
	for name, draw := range map[string]func(*rapid.T) Input{
		"one shape": mixed(drawWithQuotas), "parts": mixed(drawParts), "pairs": mixed(drawPairs), "roles": mixed(drawRoles), "few domains": mixed(drawFewDomains),
		"few domains without groups": mixed(func(t *rapid.T) Input {
			in := drawFewDomains(t)
			in.Request.Groups = nil
			return in
		}),
		"uneven": mixed(drawUneven), "losses": mixed(drawLoss), "victims": drawCoupled,
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in := draw(t)
				want := tried(in, 0, 0, &taken)
				var none [features.Count]uint64
				require.Equal(t, want, tried(in, features.Unknown, 0, &none), "with an unknown feature\n%s", in.Text())
				require.Zero(t, none, "shortcuts that were taken for a problem with an unknown feature")
				for s := range features.Count {
					require.Equal(t, want, tried(in, 0, 1<<s, &none), "without %s\n%s", features.Table[s].Function, in.Text())
				}
			})
		})
	}
	for s, n := range taken {
		t.Logf("%8d %s", n, features.Table[s].Function)
		if n == 0 {
			t.Errorf("%s was taken for no cluster", features.Table[s].Function)
		}
	}
}

// tried is the plan of an input whose problem has features beside its own, without some shortcuts. What was taken is added up.
func tried(in Input, extra features.Set, off uint64, taken *[features.Count]uint64) string {
	trial := &features.Trial
	trial.Extra.Store(uint64(extra))
	trial.Off.Store(off)
	for i := range trial.Taken {
		trial.Taken[i].Store(0)
	}
	res, err := plan(in, &in.Request)
	for i := range trial.Taken {
		taken[i] += trial.Taken[i].Load()
	}
	trial.Extra.Store(0)
	trial.Off.Store(0)
	return fmt.Sprintln(resultText(res, err))
}
