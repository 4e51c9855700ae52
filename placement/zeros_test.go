package placement_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/zeros"
	"github.com/muster-sched/muster/placement"
)

// Nothing that is asked of nil and zero values does harm, be it in a cluster without nodes or in one that has some.
func TestZeroValuesDoNoHarm(t *testing.T) {
	zeros.Package(
		t, placement.Cluster{}, placement.Result{}, placement.Unschedulable{}, placement.Place{}, placement.Fit{},
		placement.NewCluster, placement.Plan, placement.Candidates, placement.Batch, placement.Together,
		placement.PlanContext, placement.BatchContext, placement.TogetherContext, placement.Explain, placement.ExplainContext,
		placement.MaxFit, placement.Standing, placement.Places, placement.Earliest, placement.EarliestContext, placement.EarliestAll, placement.EarliestAllContext, placement.Start{},
		placement.BatchBy, placement.BatchByContext,
		placement.Moves, placement.MovesContext, placement.Move{}, placement.MoveCost{},
	)
	c := newCluster(t, board(t))
	zeros.Walk(
		t, c.Tree, c.Free, c.Node, c.RunningOn, c.Apply, c.Release, c.Update,
		func(req *gang.Request) (*placement.Result, error) { return placement.Plan(c, req) },
		func(queue []*gang.Request) { placement.Batch(c, queue) },
		func(queue []*gang.Request, opt placement.BatchOptions) { placement.BatchBy(c, queue, opt) },
		func(req *gang.Request, opt placement.ExplainOptions) { placement.Explain(c, req, opt) },
		func(res *placement.Result) { _, _ = placement.Places(c, res) },
		func(q placement.FitQuestion) { _, _ = placement.MaxFit(c, q) },
		func(req *gang.Request) { _, _ = placement.Standing(c, req) },
		func(req *gang.Request, opt placement.EarliestOptions) { _, _ = placement.Earliest(c, req, opt) },
		func(goal placement.MoveGoal, opt placement.MovesOptions) { _, _ = placement.Moves(c, goal, opt) },
		func(queue []*gang.Request, opt placement.EarliestOptions) { placement.EarliestAll(c, queue, opt) },
		func(tree string, shape *gang.Shape) { _, _ = c.Domains(tree, shape) },
		func(gather []gang.Rule, requests []*gang.Request) { _, _ = placement.Together(c, gather, requests...) },
	)
}

// Nobody is placed on a cluster that NewCluster did not make, and nothing changes in one; what is asked of it has an error.
func TestClustersThatNobodyMade(t *testing.T) {
	req := job(2)
	for _, c := range []*placement.Cluster{nil, {}} {
		_, err := placement.Plan(c, req)
		require.ErrorContains(t, err, "cluster")
		_, err = placement.Together(c, nil, req)
		require.ErrorContains(t, err, "cluster")
		last, planned := placement.Batch(c, []*gang.Request{req, nil})
		require.Equal(t, c, last)
		require.Len(t, planned, 2)
		require.ErrorContains(t, planned[0].Err, "cluster")
		require.Error(t, planned[1].Err)
		for res, err := range placement.Candidates(c, req) {
			require.Nil(t, res)
			require.ErrorContains(t, err, "cluster")
		}
		_, err = c.Update(cluster.Delta{})
		require.ErrorContains(t, err, "cluster")
		_, err = c.Apply(&placement.Result{})
		require.ErrorContains(t, err, "cluster")
		require.Zero(t, c.Len())
		require.Empty(t, c.Trees())
		_, ok := c.Free("n0")
		require.False(t, ok)
	}
}
