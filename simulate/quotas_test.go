package simulate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
	"github.com/muster-sched/muster/simulate"
)

// shared are two quotas which may borrow from each other up to a maximum.
func shared(t require.TestingT, least, most int64) *quota.Tree {
	tree, err := quota.New([]quota.Spec{
		{Name: "a", Min: muster.Resources{"gpu": least}, Max: muster.Resources{"gpu": most}}, {Name: "b", Min: muster.Resources{"gpu": least}, Max: muster.Resources{"gpu": most}},
	})
	require.NoError(t, err)
	return tree
}

// withQuotas is a cluster of racks with quotas.
func withQuotas(t testing.TB, tree *quota.Tree, n, nodes int) *placement.Cluster {
	t.Helper()
	of := racks(t, n, nodes)
	spec := cluster.Spec{Quotas: tree, Trees: of.Trees()}
	for node := range of.Nodes() {
		spec.Nodes = append(spec.Nodes, node)
	}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	return c
}

// within is a job in a quota.
func within(quota string, j simulate.Job) simulate.Job {
	j.Request.Quota = quota
	return j
}

// A quota keeps gangs off until it changes, and what waits in one of them is told to the others: these may not borrow then what it wants of its own.
func TestQuotas(t *testing.T) {
	s := &starts{simulate.Muster{}, map[string]int64{}}
	jobs := func() simulate.Stream {
		return of(within("a", job("a1", 3, 0, 10)), within("a", job("a2", 1, 0, 10)), within("b", job("b1", 1, 0, 10)))
	}
	opt := simulate.Options{Cluster: withQuotas(t, shared(t, 1, 2), 1, 4), Jobs: jobs(), Placer: s, Quotas: []simulate.QuotaChange{{From: 50, Quotas: shared(t, 1, 3)}}}
	r, err := simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, []int64{60, 10, 10}, []int64{s.at["a1"], s.at["a2"], s.at["b1"]})
	require.Equal(t, []int{0, 3}, []int{r.NeverFit, r.Ended})
	opt.Quotas, opt.Jobs = nil, jobs()
	r, err = simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, []int{r.NeverFit, r.Ended}, "no quota lets it in")
	opt = simulate.Options{Cluster: withQuotas(t, shared(t, 2, 4), 1, 4), Placer: s, Jobs: of(
		within("a", job("a0", 3, 0, 10)), within("b", job("b0", 2, 1, 10)), within("a", job("a1", 1, 1, 10)),
	)}
	_, err = simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, []int64{10, 20, 20}, []int64{s.at["a0"], s.at["b0"], s.at["a1"]}, "a1 is above what a may use while b0 wants its own")
}

// A gang whose quota has less than its minimum takes it back from those that have borrowed it.
func TestQuotasReclaim(t *testing.T) {
	s := &starts{simulate.Muster{}, map[string]int64{}}
	opt := simulate.Options{Cluster: withQuotas(t, shared(t, 2, 4), 1, 4), Placer: s, Victims: true, Jobs: of(
		within("a", job("a0", 2, 0, 10)), within("a", job("a1", 2, 0, 10)), within("b", job("b0", 2, 4, 10)),
	)}
	r, err := simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, int64(14), s.at["b0"])
	require.Equal(t, []int{1, 2, 3}, []int{r.EvictedGangs, r.EvictedMembers, r.Ended})
}

// What cannot be is named by its field.
func TestQuotaDefects(t *testing.T) {
	c := withQuotas(t, shared(t, 1, 2), 1, 4)
	run := func(changes ...simulate.QuotaChange) error {
		_, err := simulate.Run(simulate.Options{Cluster: c, Jobs: of(within("a", job("a", 1, 0, 9))), Quotas: changes})
		return err
	}
	other, err := quota.New([]quota.Spec{{Name: "c"}})
	require.NoError(t, err)
	require.EqualError(t, run(simulate.QuotaChange{From: 5, Quotas: other}, simulate.QuotaChange{From: 4, Quotas: other}), `options.Quotas[1].From "4": before the one in front of it`)
	require.EqualError(t, run(simulate.QuotaChange{Total: gpu}), `options.Quotas[0].Quotas: missing`)
	require.EqualError(t, run(simulate.QuotaChange{From: 5, Quotas: other}), `quotas from 5 on: running member a a-0.Quota "a": unknown quota`)
}
