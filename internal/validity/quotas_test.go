package validity_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/quota"
)

// The plan of pairs takes four devices of its quota, in which y runs already.
func TestQuotasBindPlans(t *testing.T) {
	gpus := func(n int64) muster.Resources { return muster.Resources{"gpu": n} }
	for _, c := range []struct {
		about string
		org   quota.Spec
		team  quota.Spec
		limit quota.Limit
		total int64
		want  string // empty: valid
	}{
		{"room for all", quota.Spec{Max: gpus(9)}, quota.Spec{Max: gpus(5)}, "", 10, ""},
		{"the leaf's share", quota.Spec{Max: gpus(9)}, quota.Spec{Max: gpus(4)}, "", 10, "quota team: 1 gpu in use and 4 new, of 4"},
		{"the share of the quota above", quota.Spec{Max: gpus(4)}, quota.Spec{Max: gpus(9)}, "", 10, "quota org: 1 gpu in use and 4 new, of 4"},
		{"the total", quota.Spec{Max: gpus(9)}, quota.Spec{Max: gpus(9)}, quota.Fair, 4, "quota team: 1 gpu in use and 4 new, of 4"},
		{"greedy: not the total", quota.Spec{Max: gpus(9)}, quota.Spec{Max: gpus(9)}, quota.Greedy, 4, ""},
		{"greedy: the inherited maximum", quota.Spec{Max: gpus(4)}, quota.Spec{Min: gpus(0)}, quota.Greedy, 10, "quota team: 1 gpu in use and 4 new, of 4"},
		{"two are not preemptible", quota.Spec{Min: gpus(2)}, quota.Spec{Min: gpus(2)}, "", 10, "quota team: 1 gpu not preemptible and 2 new, of 2 guaranteed"},
		{"nobody speaks of devices", quota.Spec{Max: muster.Resources{"cpu": 1}}, quota.Spec{}, "", 0, ""},
	} {
		spec := board(t)
		c.org.Name, c.team.Name, c.team.Parent = "org", "team", "org"
		tree, err := quota.New([]quota.Spec{c.org, c.team})
		require.NoError(t, err, c.about)
		spec.Quotas, spec.Total = tree, gpus(c.total)
		for i := range spec.Running { // one of them leaves
			spec.Running[i].Quota, spec.Running[i].NonPreemptible = "team", true
		}
		req, res := pairs()
		req.Quota, req.QuotaLimit = "team", c.limit
		if len(c.team.Min) > 0 && c.team.Min["gpu"] > 0 {
			req.Members[0].NonPreemptible, req.Members[3].NonPreemptible = true, true
		}
		if err = validity.Check(spec, req, res); c.want == "" {
			assert.NoError(t, err, c.about)
		} else {
			assert.ErrorContains(t, err, c.want, c.about)
		}
	}
}

func TestQuotaState(t *testing.T) {
	spec := board(t)
	s, err := validity.QuotaState(&spec)
	require.NoError(t, err)
	require.Nil(t, s)
	spec.Quotas, err = quota.New([]quota.Spec{{Name: "team", Max: muster.Resources{"gpu": 9, "cpu": 1}}})
	require.NoError(t, err)
	spec.Demand = map[string]muster.Resources{"team": {"gpu": 3}}
	spec.Running = append(spec.Running, cluster.Running{Gang: "z", Member: "z-0", Node: "n1", Resources: muster.Resources{"gpu": 2, "cpu": 1}, Quota: "team"})
	s, err = validity.QuotaState(&spec)
	require.NoError(t, err)
	require.Equal(t, muster.Resources{"gpu": 9, "cpu": 0}, s.Total(), "one device is held outside all quotas, another one by who leaves")
	used, pinned, demand := s.Usage("team")
	require.Equal(t, []int64{2, 0, 3}, []int64{used["gpu"], pinned["gpu"], demand["gpu"]})
	require.Equal(t, muster.Resources{"gpu": 3}, validity.Ask(&gang.Request{
		Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}, Members: make([]gang.Member, 3),
	}, make([]gang.Member, 3)).Request)
}
