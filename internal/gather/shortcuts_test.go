//go:build invariants

package gather

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/spec"
)

// shortcuts are those that an engine of equal groups, and what it asks, may take.
var shortcuts = []features.Shortcut{
	features.ExtraPlain, features.ExtraExact, features.KeptIndex, features.CountGroups, features.PlainBest, features.GroupBest, features.AllWorse,
	features.IndexedSpan, features.FewestBelow, features.IsWider, features.FillPlain, features.PickBelow, features.FillZoned, features.PlaceGroups,
	features.PlaceSplit, features.ShortTier,
}

// Without each of the shortcuts the answers are what they are, and so they are with a feature that nobody knows, for which none is taken. Each is taken
// for some models.
func TestShortcutsChangeNoAnswer(t *testing.T) {
	trial, memory, gen := &features.Trial, &model.Memory{}, rapid.Custom(spec.Draw)
	defer func() {
		trial.Extra.Store(0)
		trial.Off.Store(0)
	}()
	for seed := range 1500 {
		m := gen.Example(seed)
		before := timesTaken()
		trial.Extra.Store(uint64(features.Unknown))
		require.NoError(t, engine.Differs(m, memory), "model %d with an unknown feature", seed)
		trial.Extra.Store(0)
		require.Equal(t, before, timesTaken(), "model %d: shortcuts that were taken with an unknown feature", seed)
		require.NoError(t, engine.Differs(m, memory), "model %d", seed)
		now := timesTaken()
		for _, s := range shortcuts {
			if now[s] == before[s] {
				continue // without it all is the same
			}
			trial.Off.Store(1 << s)
			require.NoError(t, engine.Differs(m, memory), "model %d without %s", seed, features.Table[s].Function)
			trial.Off.Store(0)
		}
	}
	for _, s := range shortcuts {
		t.Logf("%8d %s", trial.Taken[s].Load(), features.Table[s].Function)
		require.Positive(t, trial.Taken[s].Load(), "%s was taken for no model", features.Table[s].Function)
	}
}

// timesTaken is how often each shortcut was taken so far.
func timesTaken() (out [features.Count]uint64) {
	for i := range out {
		out[i] = features.Trial.Taken[i].Load()
	}
	return out
}
