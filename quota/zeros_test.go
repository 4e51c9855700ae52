package quota_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/zeros"
	"github.com/muster-sched/muster/quota"
)

// Nothing that is asked of nil or zero trees and states, or about quotas that there are not, does harm.
func TestZeroValuesDoNoHarm(t *testing.T) {
	state := departments(t, nil)
	zeros.Walk(t, (*quota.Tree)(nil), &quota.Tree{}, state.Tree())
	zeros.Walk(t, (*quota.State)(nil), &quota.State{}, state)
	zeros.Walk(t, quota.New, quota.Limit(""), quota.Limit("unknown"))
}

// A nil state and the zero one have no quotas and nothing to divide: all that names a quota is refused, as of an empty tree.
func TestZeroStateHasNoQuotas(t *testing.T) {
	empty, err := quota.New(nil)
	require.NoError(t, err)
	want, err := empty.State(nil)
	require.NoError(t, err)
	for _, tree := range []*quota.Tree{nil, {}} {
		s, err := tree.State(muster.Resources{muster.CPU: 1})
		require.NoError(t, err)
		require.Equal(t, want.Total(), s.Total())
	}
	for _, s := range []*quota.State{nil, {}} {
		require.Empty(t, s.Quotas())
		require.Empty(t, s.Total())
		require.Empty(t, s.Tree().Quotas())
		_, wanted := want.Use("a", nil, nil)
		require.Error(t, wanted)
		_, got := s.Use("a", nil, nil)
		require.Equal(t, wanted, got)
		_, wanted = want.Admit(quota.Ask{Quota: "a"}, quota.Fair)
		require.Error(t, wanted)
		_, got = s.Admit(quota.Ask{Quota: "a"}, quota.Fair)
		require.Equal(t, wanted, got)
		ok, err := s.Reclaims(quota.Ask{}, nil)
		require.NoError(t, err)
		require.True(t, ok)
	}
}
