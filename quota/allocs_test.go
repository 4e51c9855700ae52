//go:build !race

// The race detector drops what questions reuse.

package quota_test

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/quota"
)

// What a scheduler asks again and again of a state that knows its shares allocates nothing.
func TestQuestionsAllocateNothing(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection drops what questions reuse
	s := departments(t, map[string]int64{"vision": 1, "speech": 6, "search": 2, "maps": 5})
	s, err := s.WithDemand("vision", gpus(2))
	require.NoError(t, err)
	ask, evictions := quota.Ask{Quota: "vision", Request: gpus(1)}, []quota.Eviction{{Quota: "speech", Held: gpus(1)}, {Quota: "speech", Held: gpus(1)}}
	for _, limit := range []quota.Limit{quota.Fair, quota.Borrow, quota.Greedy} {
		require.Zero(t, testing.AllocsPerRun(10, func() {
			if refusal, err := s.Admit(ask, limit); refusal != nil || err != nil {
				t.Error(refusal, err)
			}
		}), limit)
	}
	require.Zero(t, testing.AllocsPerRun(10, func() {
		if legal, err := s.Reclaims(ask, evictions); !legal || err != nil {
			t.Error(legal, err)
		}
		if taken, err := s.BelowMin(ask, evictions); taken != nil || err != nil {
			t.Error(taken, err)
		}
		if resource, ok := s.OverMin("speech", "vision", ask.Request, evictions[0].Held); !ok {
			t.Error(resource)
		}
	}))
}
