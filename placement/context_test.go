package placement_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// A context that is done before anything was searched.
func TestContextIsDone(t *testing.T) {
	c := newCluster(t, board(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := placement.PlanContext(ctx, c, job(2))
	require.ErrorIs(t, err, placement.ErrUnschedulable)
	require.ErrorIs(t, err, context.Canceled)
	require.EqualError(t, err, "search stopped (context canceled), no plan so far")
	_, err = placement.TogetherContext(ctx, c, nil, job(2))
	require.ErrorIs(t, err, context.Canceled)
	last, planned := placement.BatchContext(ctx, c, []*gang.Request{job(2), nil})
	require.Equal(t, c, last)
	require.ErrorIs(t, planned[0].Err, context.Canceled)
	require.Error(t, planned[1].Err)
	require.NotErrorIs(t, planned[1].Err, context.Canceled, "an invalid request stays one")
}

// cancelled is a copy of a request during whose plan the context ends: the host asks no more nodes, but goes on.
func cancelled(t *testing.T, req *gang.Request, after int) (context.Context, *gang.Request) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	own := *req
	own.Eligible = func(string) bool {
		if after--; after < 0 {
			cancel()
		}
		return true
	}
	return ctx, &own
}

// triples are members that come in threes, which fill the devices and CPUs of a node.
func triples(n int) *gang.Request {
	sizes := slices.Repeat([]int{1}, 3*n)
	return gangOfRoles(sizes, func(r int) *gang.Shape {
		a, b := int64(20_000+r/3*7_919%40_000), int64(20_000+r/3*104_729%40_000)
		return &gang.Shape{Resources: muster.Resources{"gpu": []int64{3, 3, 2}[r%3], muster.CPU: []int64{a, b, 128_000 - a - b}[r%3]}}
	})
}

// A context that ends during a plan leaves what is found without search, or a refusal that says so.
func TestContextEndsASearch(t *testing.T) {
	spec := crowdSpec(t, 64)
	ctx, req := cancelled(t, triples(32), 0)
	res, err := placement.PlanContext(ctx, newCluster(t, spec), req)
	require.NoError(t, err)
	require.NoError(t, validity.Check(spec, req, res))

	ctx, req = cancelled(t, triples(480), 0)
	_, err = placement.PlanContext(ctx, newCluster(t, crowdSpec(t, 512)), req)
	require.ErrorIs(t, err, placement.ErrUnschedulable)
	require.ErrorIs(t, err, context.Canceled)
	var why *placement.Unschedulable
	require.ErrorAs(t, err, &why)
	require.False(t, why.Proven)
	require.True(t, why.AtLeast)
	require.Greater(t, why.Fits, 1300, "what is known to fit is counted")
	require.ErrorContains(t, err, "search stopped (context canceled), no plan so far: insufficient slots, at least 1")
}

// Until it ends, a context changes nothing.
func TestContextChangesNothing(t *testing.T) {
	c := newCluster(t, crowdSpec(t, 64))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, req := range []*gang.Request{crowdGang(1, 12, 1), crowdGang(6, 3, 2), crowdGang(43, 3, 3), crowdGang(15, 8, 3)} {
		want, wantErr := placement.Plan(c, req)
		got, err := placement.PlanContext(ctx, c, req)
		require.Equal(t, want, got)
		if wantErr != nil {
			require.EqualError(t, err, wantErr.Error())
		}
	}
}

// What a queue has planned stands; the rest is refused.
func TestContextEndsABatch(t *testing.T) {
	c := newCluster(t, crowdSpec(t, 64))
	named := func(name string, req *gang.Request) *gang.Request {
		req.Name = name
		return req
	}
	ctx, second := cancelled(t, named("second", crowdGang(1, 12, 1)), 0)
	last, planned := placement.BatchContext(ctx, c, []*gang.Request{named("first", crowdGang(1, 12, 1)), second, named("third", crowdGang(1, 12, 1))})
	require.NoError(t, planned[0].Err)
	require.NoError(t, planned[1].Err, "what is found before the context is looked at again is a plan")
	require.ErrorIs(t, planned[2].Err, context.Canceled)
	require.NotEqual(t, c, last)
}

// A context that ends while victims are sought leaves a set that was found, or a refusal that says so.
func TestContextEndsTheSearchForVictims(t *testing.T) {
	spec := crowdSpec(t, 64)
	for i, n := range spec.Nodes {
		for k := range 2 { // gangs of four on four nodes, eight devices each
			spec.Running = append(spec.Running, cluster.Running{
				Gang: fmt.Sprint("g", (i+k*13)%64/4), Member: fmt.Sprint("m", i, k), Node: n.Name, Resources: muster.Resources{"gpu": 4},
			})
		}
	}
	for i := range spec.Running {
		spec.Running[i].MinMember = 8
	}
	ctx, req := cancelled(t, crowdGang(1, 20, 8), 0)
	req.Priority = 1
	res, err := placement.PlanContext(ctx, newCluster(t, spec), req)
	require.NoError(t, err, "the first sets are tried")
	require.NoError(t, validity.Check(spec, req, res))
	require.NotEmpty(t, res.Victims)
	require.False(t, res.Preemption.Proven)
}
