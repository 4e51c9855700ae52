package scenario

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/reference"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
)

// answer is what Plan returned, in a form that can be compared.
type answer struct {
	Result *placement.Result
	Error  string
	Why    *placement.Unschedulable
	Nodes  placement.NodeCauses
}

func answerOf(res *placement.Result, err error) answer {
	a := answer{Result: res}
	if err != nil {
		a.Error = err.Error()
	}
	var why *placement.Unschedulable
	if errors.As(err, &why) {
		a.Nodes = why.Nodes()
		a.Why = &placement.Unschedulable{
			Gang: why.Gang, Refuser: why.Refuser, Rule: why.Rule, Wanted: why.Wanted, Fits: why.Fits, Tiers: why.Tiers,
			Proven: why.Proven, RefusedBy: why.RefusedBy,
		}
	}
	return a
}

// runs is how often every plan is made again.
const runs = 20

// check holds what is true of every plan: the arguments stay as they were, the answer is the same in every run, for
// every order of the input, on a snapshot that nothing was planned on before and without an index, and it is valid.
func check(t testing.TB, c snapshot, build func() *gang.Request, res *placement.Result, err error) {
	t.Helper()
	want, before, req := answerOf(res, err), c.dump(), build()
	for range runs {
		again, err := placement.Plan(c.Cluster, req)
		require.Equal(t, want, answerOf(again, err), "equal arguments, another answer")
	}
	require.Equal(t, plain(build()), plain(req), "Plan changed the request")
	require.Equal(t, before, c.dump(), "Plan changed the cluster")

	for name, permute := range permutations {
		other, err := placement.NewCluster(permute(c.dump()))
		require.NoError(t, err)
		cold, err := placement.Plan(other, build())
		require.Equal(t, want, answerOf(cold, err), "another answer on a new cluster, input %s", name)
	}
	counted, err2 := placement.Plan(c.Cluster, reference.WithoutIndex(*build()))
	require.Equal(t, want, answerOf(counted, err2), "another answer without an index")
	if res != nil {
		require.NoError(t, validity.Check(c.dump(), build(), res), "the plan is not valid")
	}
	if req := build(); len(req.Refused) > 0 || req.Slots != nil {
		return // see TestRefusedNodes of the reference, TestSlotsOfTheHost of placement
	}
	var refused *placement.Unschedulable
	if errors.As(err, &refused) && refused.Behind != "" {
		return // see TestNobodyDelaysAHolder of the reference
	}
	if len(c.DomainHolds()) > 0 {
		return // see TestHoldsInDomains of the reference
	}
	if c.Len() <= referenceNodes && (res != nil || refused != nil) {
		compare(t, reference.Input{Spec: validity.Seen(c.dump(), build()), Request: *build()}, want)
	}
}

// referenceNodes bounds the clusters that the reference solver enumerates.
const referenceNodes = 16

// compare asks the reference solver, which enumerates everything.
func compare(t testing.TB, in reference.Input, got answer) {
	t.Helper()
	if reference.HasParts(&in) {
		compareParts(t, in, got.Result)
		return
	}
	best, err := reference.SolveBest(in)
	if errors.Is(err, reference.ErrTooMany) {
		return
	}
	require.NoError(t, err)
	if best.Victims != nil {
		require.NotNil(t, got.Result, "the reference finds victims: %s", best.Text())
		require.NotEmpty(t, got.Result.Victims, "the reference finds victims: %s", best.Text())
		require.NoError(t, best.CheckVictims(got.Result), "the reference finds other victims: %s", best.Text())
		return
	}
	want := best.Answer
	require.Equal(t, want.Placed, got.Result != nil, "the reference places it, the planner does not, or the other way")
	switch {
	case !want.Placed:
		require.Equal(t, want.Fits, got.Why.Fits, "the reference says how many fit")
	default:
		require.Empty(t, got.Result.Victims, "the reference finds no victims")
		require.Equal(t, want.Assignments, got.Result.Assignments, "the reference has another plan")
		require.ElementsMatch(t, want.WaitsFor, got.Result.WaitsFor, "the reference waits for others")
	}
}

// compareParts holds what of a gang in parts is placed, and how well, against the best there is.
func compareParts(t testing.TB, in reference.Input, res *placement.Result) {
	t.Helper()
	in, err := reference.WithKept(in)
	best := &reference.Parted{}
	if err == nil {
		best, err = reference.SolveParts(in)
	}
	if errors.Is(err, reference.ErrTooMany) || errors.Is(err, reference.ErrFurther) {
		return
	}
	require.NoError(t, err)
	if !best.Placed {
		require.True(t, res == nil || len(res.Victims) > 0, "placed, and nothing fits")
		return
	}
	require.NotNil(t, res, "refused, and %v fit", best.Selection)
	if best.Waits {
		return
	}
	var placed []string
	for _, a := range res.Assignments {
		placed = append(placed, a.Member)
	}
	outside, worth, err := reference.StrategyOf(&in, res)
	require.NoError(t, err)
	require.False(t, best.Spared && reference.TakesOthers(&in, best.Selection, res), "it takes nodes meant for others, and need not")
	got := reference.Parted{Placed: true, Selection: placed, Outside: outside, Worth: worth, Spared: best.Spared}
	require.Equal(t, *best, got, "the reference has another plan")
}

// snapshot is a cluster, and what it does not show of its own.
type snapshot struct {
	*placement.Cluster
	exclusive numa.Exclusive
	total     muster.Resources
}

// dump is everything that a snapshot knows.
func (c snapshot) dump() cluster.Spec {
	spec := cluster.Spec{NUMAExclusive: c.exclusive, Budgets: c.Budgets()}
	spec.Trees = c.Trees()
	spec.Nodes = slices.Collect(c.Nodes())
	spec.Running, spec.Holds = slices.Collect(c.Running()), c.Holds()
	spec.DomainHolds = c.DomainHolds()
	if q := c.Quotas(); q != nil {
		spec.Quotas, spec.Total, spec.Demand = q.Tree(), c.total, map[string]muster.Resources{}
		for _, name := range q.Quotas() {
			if q.IsLeaf(name) {
				_, _, spec.Demand[name] = q.Usage(name)
			}
		}
	}
	return spec
}

// permutations are orders in which the same cluster can be given.
var permutations = map[string]func(cluster.Spec) cluster.Spec{
	"in order": func(s cluster.Spec) cluster.Spec { return s },
	"reversed": func(s cluster.Spec) cluster.Spec {
		slices.Reverse(s.Nodes)
		slices.Reverse(s.Running)
		for i := range s.Nodes {
			if n := s.Nodes[i].NUMA; n != nil {
				zones := slices.Clone(n.Zones)
				slices.Reverse(zones)
				s.Nodes[i].NUMA = &cluster.NUMA{Zones: zones, Policy: n.Policy, InUse: n.InUse}
			}
		}
		return s
	},
	"interleaved": func(s cluster.Spec) cluster.Spec {
		s.Nodes, s.Running = interleave(s.Nodes), interleave(s.Running)
		return s
	},
}

// interleave puts every second element first.
func interleave[T any](list []T) []T {
	var odd, even []T
	for i, v := range list {
		if i%2 == 1 {
			odd = append(odd, v)
		} else {
			even = append(even, v)
		}
	}
	return append(odd, even...)
}

// plain is the request without its functions, which cannot be compared.
func plain(req *gang.Request) gang.Request {
	p := *req
	v := reflect.ValueOf(&p).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Func {
			f.SetZero()
		}
	}
	return p
}
