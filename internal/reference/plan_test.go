package reference

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// Every plan equals the reference's: members, strategy, domain, counts, assignments, what it waits for.
func TestPlanEqualsReference(t *testing.T) { holdsFor(t, Small, planAgrees) }

// holdsFor checks random clusters, and so many more as MUSTER_CLUSTERS says, such as 100000.
func holdsFor(t *testing.T, sizes Sizes, check func(Input) error) {
	rapid.Check(t, func(t *rapid.T) {
		in := DrawInput(t, sizes)
		if err := check(in); err != nil {
			t.Fatalf("%v\n%s", err, in.Text())
		}
	})
	clusters, _ := strconv.Atoi(os.Getenv("MUSTER_CLUSTERS"))
	if clusters == 0 {
		return
	}
	gen := rapid.Custom(func(t *rapid.T) Input { return DrawInput(t, sizes) })
	var next, differ atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for seed := next.Add(1); seed <= int64(clusters) && differ.Load() < 3; seed = next.Add(1) {
				in := gen.Example(int(seed))
				if err := check(in); err != nil {
					differ.Add(1)
					t.Errorf("seed %d: %v\n%s", seed, err, in.Text())
				}
			}
		})
	}
	workers.Wait()
	if differ.Load() == 0 {
		t.Logf("%d clusters agree", clusters)
	}
}

// planAgrees plans the input and compares the result with the reference's answer; the error shows both.
func planAgrees(in Input) error {
	want, err := Solve(in)
	if err != nil {
		return err
	}
	res, refusal := plan(in)
	if err := difference(in, want, res, refusal); err != nil {
		return fmt.Errorf("%w\nreference: %splan: %s", err, want.Text(), resultText(res, refusal))
	}
	return nil
}

// plan makes an error of a panic, so that the cluster is shown.
func plan(in Input) (res *placement.Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the planner panics: %v", r)
		}
	}()
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return nil, err
	}
	return placement.Plan(c, &in.Request)
}

// difference is what the plan has otherwise than the reference; validity of the plan included.
func difference(in Input, want *Answer, res *placement.Result, err error) error {
	if err != nil || !want.Placed {
		return refusalDifference(want, err)
	}
	if err := validity.Check(in.Spec, &in.Request, res); err != nil {
		return fmt.Errorf("not valid: %w", err)
	}
	s, err := newSolver(&in)
	if err != nil {
		return err
	}
	worth := []int{s.gang.worth(res.Tier)}
	for i, tier := range res.GroupTiers {
		worth = append(worth, s.levels[i].rules.worth(tier))
	}
	switch {
	case want.Worth != nil && !slices.Equal(worth, want.Worth):
		return fmt.Errorf("strategy %v, want %v", worth, want.Worth)
	case want.Partial:
		return nil
	case len(res.Assignments) != want.Members:
		return fmt.Errorf("%d members, want %d", len(res.Assignments), want.Members)
	case len(res.Domain) < len(want.Domain) || !slices.Equal(res.Domain[:len(want.Domain)], want.Domain):
		return fmt.Errorf("domain %v, want it in %v", res.Domain, want.Domain)
	}
	for _, node := range in.Spec.Nodes {
		n := 0
		for _, a := range res.Assignments {
			n += bit(a.Node == node.Name)
		}
		if n != want.Counts[node.Name] {
			return fmt.Errorf("%d members on %s, want %d", n, node.Name, want.Counts[node.Name])
		}
	}
	if !slices.Equal(res.Assignments, want.Assignments) {
		return fmt.Errorf("assignments differ")
	}
	if !slices.Equal(byName(res.WaitsFor), byName(want.WaitsFor)) {
		return fmt.Errorf("waits for %v, want %v", res.WaitsFor, want.WaitsFor)
	}
	return nil
}

func refusalDifference(want *Answer, err error) error {
	var refusal *placement.Unschedulable
	switch {
	case err == nil:
		return errors.New("placed, want unschedulable")
	case !errors.As(err, &refusal):
		return fmt.Errorf("another error than Unschedulable: %w", err)
	case want.Placed:
		return errors.New("refused, want a plan")
	case refusal.Fits != want.Fits && !want.Partial:
		return fmt.Errorf("%d fit, want %d", refusal.Fits, want.Fits)
	}
	return nil
}

func byName(waits []placement.Waited) []placement.Waited {
	return slices.SortedFunc(slices.Values(waits), func(a, b placement.Waited) int {
		return cmp.Or(cmp.Compare(a.Gang, b.Gang), cmp.Compare(a.Member, b.Member))
	})
}

func resultText(res *placement.Result, err error) string {
	if err != nil {
		return err.Error() + "\n"
	}
	return fmt.Sprintf("strategy %d %q, tier %d %v, groups %v, span %v\n  %v\n  waits for %v\n", res.StrategyNumber,
		res.Strategy, res.Tier, res.Domain, res.GroupTiers, res.Span, res.Assignments, res.WaitsFor)
}

// The comparison sees a plan that differs from the best one, even where it is valid.
func TestDifferenceIsSeen(t *testing.T) {
	in := Input{Spec: cluster(t, "block spine", "s0/b0: n1=1 n2=1 n3=1"), Request: job(2)}
	want, err := Solve(in)
	require.NoError(t, err)
	res := &placement.Result{
		Gang: "job", Tier: 1, Layer: "block", Domain: []string{"s0", "b0"}, Strategy: "block", StrategyNumber: 1,
		Assignments: []placement.Assignment{
			{Member: "job-0", Rank: 0, Group: -1, Node: "n1"}, {Member: "job-1", Rank: 1, Group: -1, Node: "n2"},
		},
	}
	require.NoError(t, difference(in, want, res, nil))
	res.Assignments[1].Node = "n3"
	require.NoError(t, validity.Check(in.Spec, &in.Request, res))
	require.EqualError(t, difference(in, want, res, nil), "0 members on n2, want 1")
	require.Error(t, difference(in, want, nil, &placement.Unschedulable{}))
}
