package quota_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/quota"
)

// Every defect of a tree is reported, with quota and field.
func TestAllDefectsAreReported(t *testing.T) {
	_, err := quota.New([]quota.Spec{
		{Name: ""},
		{Name: "a", Max: gpus(2), Min: gpus(3)},
		{Name: "a"},
		{Name: "b", Parent: "nobody", Weight: gpus(-1)},
		{Name: "c", Parent: "d"},
		{Name: "d", Parent: "e"},
		{Name: "e", Parent: "d"},
		{Name: "f", Parent: "a", Max: muster.Resources{"cpu": 1}, Min: gpus(math.MaxInt64)},
		{Name: "g", Parent: "a", Min: gpus(math.MaxInt64)},
	})
	require.EqualError(t, err, `quota a.min.nvidia.com/gpu "3": above the max of 2
quota b.weight.nvidia.com/gpu "-1": negative amount
quota .name: the quota at 0 has no name
quota a.name "a": duplicate name
quota b.parent "nobody": unknown quota
quota d.parent "e": the quota lies below itself
quota a.min.nvidia.com/gpu "3": the minima of the children add up to 9223372036854775807
quota f.max.cpu "1": the max of the parent a lacks this resource`)
}

func TestBadUse(t *testing.T) {
	tree, err := quota.New([]quota.Spec{{Name: "org", Max: gpus(8)}, {Name: "team", Parent: "org", Max: gpus(8)}})
	require.NoError(t, err)
	_, err = tree.State(gpus(-1))
	require.EqualError(t, err, `total.nvidia.com/gpu "-1": negative amount`)
	s, err := tree.State(gpus(8))
	require.NoError(t, err)
	for _, bad := range []struct {
		quota        string
		used, pinned muster.Resources
		message      string
	}{
		{"org", gpus(1), nil, `quota org.used.nvidia.com/gpu "1": members can only be in a quota without children`},
		{"nobody", gpus(1), nil, `quota "nobody": unknown quota`},
		{"team", gpus(-1), nil, `quota team.used.nvidia.com/gpu "-1": negative amount`},
		{"team", gpus(1), gpus(2), `quota team.nonPreemptible.nvidia.com/gpu "2": above what is used`},
	} {
		_, err = s.Use(bad.quota, bad.used, bad.pinned)
		require.EqualError(t, err, bad.message)
	}
	_, err = s.Release("team", gpus(1), nil)
	require.EqualError(t, err, `quota team.used.nvidia.com/gpu "1": more than is in use`)
	full, err := s.Use("team", gpus(math.MaxInt64), nil)
	require.NoError(t, err)
	_, err = full.Use("team", gpus(1), nil)
	require.EqualError(t, err, `quota team.used.nvidia.com/gpu "1": the sum overflows`)
	refusal, err := full.Admit(quota.Ask{Quota: "team", Request: gpus(math.MaxInt64)}, quota.Fair)
	require.NoError(t, err)
	require.Equal(t, int64(math.MaxInt64), refusal.Short[0].By, "as much as an amount can be")
	_, err = s.Admit(quota.Ask{Quota: "team", Request: gpus(1)}, "all")
	require.EqualError(t, err, `limit "all": unknown limit`)
}

// Quotas that speak of nothing bind nothing.
func TestQuotasWithoutAmounts(t *testing.T) {
	tree, err := quota.New([]quota.Spec{{Name: "org"}, {Name: "team", Parent: "org"}, {Name: "other"}})
	require.NoError(t, err)
	s, err := tree.State(gpus(8))
	require.NoError(t, err)
	s.Shares(func(_ string, share muster.Resources) { require.Empty(t, share) })
	ask := quota.Ask{Quota: "team", Request: gpus(9), Pinned: gpus(9)}
	for _, limit := range []quota.Limit{quota.Fair, quota.Borrow, quota.Greedy} {
		refusal, err := s.Admit(ask, limit)
		require.NoError(t, err)
		require.Nil(t, refusal)
	}
	legal, err := s.Reclaims(ask, []quota.Eviction{{Quota: "other", Held: gpus(1)}})
	require.NoError(t, err)
	require.False(t, legal, "nobody is over a min")
}

// What raises a share is said, and does.
func TestExplain(t *testing.T) {
	tree, err := quota.New([]quota.Spec{
		{Name: "all", Max: gpus(4)}, {Name: "budget", Min: gpus(1), Max: gpus(20)}, {Name: "idle", Max: gpus(8)}, {Name: "none", Min: gpus(1), Max: gpus(8), Weight: gpus(0)},
	})
	require.NoError(t, err)
	s, err := tree.State(gpus(12))
	require.NoError(t, err)
	for name, demand := range map[string]int64{"all": 9, "budget": 20, "idle": 1, "none": 2} {
		s, err = s.WithDemand(name, gpus(demand))
		require.NoError(t, err)
	}
	got := map[string]quota.Raise{}
	for _, name := range tree.Quotas() {
		got[name] = s.Explain(name)[0].Raise
	}
	require.Equal(t, map[string]quota.Raise{"all": quota.RaiseBudget, "budget": quota.RaiseBudget, "idle": quota.RaiseDemand, "none": quota.RaiseWeight}, got)
	s, err = s.WithTotal(gpus(100))
	require.NoError(t, err)
	require.Equal(t, quota.RaiseMax, s.Explain("all")[0].Raise)
	require.Nil(t, s.Explain("nobody"))
}

// What is pending keeps of a guarantee what could start with it.
func TestQueueKeepsWhatCanStart(t *testing.T) {
	tree, err := quota.New([]quota.Spec{{Name: "a", Min: gpus(2), Max: gpus(10)}, {Name: "b", Min: gpus(4), Max: gpus(10)}})
	require.NoError(t, err)
	s, err := tree.State(gpus(10))
	require.NoError(t, err)
	s, err = s.WithDemand("b", gpus(13))
	require.NoError(t, err)
	borrows := func(queue ...quota.Pending) int {
		told, err := s.WithQueue(queue)
		require.NoError(t, err)
		told, err = told.Wanting(quota.Ask{Quota: "a", Request: gpus(10)})
		require.NoError(t, err)
		for most := 10; ; most-- {
			refusal, err := told.Admit(quota.Ask{Quota: "a", Request: gpus(int64(most))}, quota.Borrow)
			require.NoError(t, err)
			if refusal == nil {
				return most
			}
		}
	}
	require.Equal(t, 10, borrows(), "nobody waits in b")
	require.Equal(t, 10, borrows(quota.Pending{Quota: "b", Member: gpus(5), Members: 1}), "a member of five cannot start with four")
	require.Equal(t, 7, borrows(quota.Pending{Quota: "b", Member: gpus(3), Members: 1}, quota.Pending{Quota: "b", Member: gpus(5), Members: 1}))
	require.Equal(t, 6, borrows(quota.Pending{Quota: "b", Member: gpus(2), Members: 5, MinMember: 2}), "two of five may start")
	_, err = s.WithQueue([]quota.Pending{{Quota: "nobody"}})
	require.EqualError(t, err, `queue[0]: quota "nobody": unknown quota`)
}

// Who has all that it asks for may be the last one to get a unit: then rounding takes it back from there.
func TestLastUnitIsTakenBack(t *testing.T) {
	specs := []quota.Spec{{Name: "a", Max: gpus(26), Weight: gpus(10)}}
	for _, name := range []string{"b", "c", "d", "e", "f"} {
		specs = append(specs, quota.Spec{Name: name, Max: gpus(9), Weight: gpus(1)})
	}
	tree, err := quota.New(specs)
	require.NoError(t, err)
	s, err := tree.State(gpus(39))
	require.NoError(t, err)
	for _, q := range specs {
		s, err = s.WithDemand(q.Name, q.Max)
		require.NoError(t, err)
	}
	var got []int64
	for _, name := range tree.Quotas() {
		got = append(got, s.Share(name)["nvidia.com/gpu"])
	}
	require.Equal(t, []int64{25, 3, 3, 3, 3, 2}, got, "the 26th unit of a is due at 2.55, the third ones of the others at 2.5")
}

func TestBelow(t *testing.T) {
	tree := departments(t, nil).Tree()
	for _, c := range []struct {
		name, above string
		below       bool
	}{
		{"vision", "research", true},
		{"vision", "vision", true},
		{"research", "vision", false},
		{"vision", "serving", false},
		{"maps", "", true},
		{"", "", true},
		{"", "maps", false},
		{"nobody", "", false},
		{"vision", "nobody", false},
		{"nobody", "nobody", false},
	} {
		require.Equal(t, c.below, tree.Below(c.name, c.above), "%s below %s", c.name, c.above)
	}
}
