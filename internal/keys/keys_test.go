package keys_test

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/keys"
)

// A key that is not sorted has a feature of its own: without one no shortcut would refuse it.
func TestEachKeyHasAFeature(t *testing.T) {
	seen := features.Set(0)
	for k, row := range keys.Table {
		require.NotEmpty(t, row.Domain, "row %d", k)
		require.NotEmpty(t, row.Set, "row %d", k)
		require.Equal(t, row.Sorted, row.Needs == 0, "row %d", k)
		require.Zero(t, seen&row.Needs, "row %d has the feature of another one", k)
		require.Zero(t, row.Needs&(row.Needs-1), "row %d", k)
		seen |= row.Needs
	}
}

// Keys may tell places apart where their features are; those of nodes alone not in a gang of several shapes.
func TestKeysOfFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, set := features.Set(rapid.Uint64Max(uint64(features.All)).Draw(t, "features")), keys.Set(0)
		for k, row := range keys.Table {
			if f&row.Needs == row.Needs && (!row.Nodes || f&features.Roles == 0) {
				set |= 1 << k
			}
		}
		require.Equal(t, set, keys.Of(f))
	})
}

// A set is cut in two at a key, and goes from its first key to its last.
func TestSetsAreCutAtAKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := keys.Set(1<<keys.Count - 1)
		set, at := keys.Set(rapid.Uint16Max(uint16(all)).Draw(t, "set")), keys.Key(rapid.Uint8Max(uint8(keys.Count)-1).Draw(t, "at"))
		require.Equal(t, set, set.Before(at)|set.From(at))
		for left := set.Before(at); left != 0; left &= left - 1 {
			require.Less(t, left.First(), at)
		}
		for left := set.From(at); left != 0; left &= left - 1 {
			require.GreaterOrEqual(t, left.First(), at)
		}
		require.Equal(t, set.Without(at), set.Before(at)|set.From(at+1))
	})
}

// Policies differ in what they ask for, and each but BestFit has a feature of its own.
func TestRulesOfPolicies(t *testing.T) {
	require.Zero(t, keys.RulesOf(gang.BestFit))
	seen := features.Set(0)
	for _, policy := range []gang.Policy{gang.Spread, gang.Balanced, gang.ByScore} {
		f := keys.RulesOf(policy).Feature
		require.True(t, f != 0 && seen&f == 0, "%s", policy)
		seen |= f
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64Range(-2, 2).Draw(t, "a"), rapid.Int64Range(-2, 2).Draw(t, "b")
		require.Equal(t, cmp.Compare(a, b), keys.RulesOf(gang.Balanced).CompareSlots(a, b))
		require.Equal(t, cmp.Compare(b, a), keys.RulesOf(gang.Spread).CompareSlots(a, b))
	})
}
