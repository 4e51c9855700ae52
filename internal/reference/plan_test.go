package reference

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// Every plan equals the reference's: members, strategy, domain, counts, assignments, what it waits for.
func TestPlanEqualsReference(t *testing.T) { holdsFor(t, mixed(drawWithQuotas), planAgrees) }

// holdsFor checks random clusters, and so many more as MUSTER_CLUSTERS says, such as 100000, of a sequence that begins at MUSTER_FIRST.
// The check also says what kinds of cluster it has seen.
func holdsFor(t *testing.T, draw func(*rapid.T) Input, check func(Input) (kinds []string, err error)) {
	check = bounded(check)
	var all, leftOut atomic.Int64
	defer func() {
		if n := leftOut.Load(); n > 1+all.Load()/mostLeftOut {
			t.Errorf("%d of %d clusters were left out, as they take too many steps", n, all.Load())
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t)
		all.Add(1)
		switch _, err := check(in); {
		case errors.Is(err, ErrTooMany):
			leftOut.Add(1)
		case err != nil:
			t.Fatalf("%v\n%s", err, in.Text())
		}
	})
	clusters, _ := strconv.Atoi(os.Getenv("MUSTER_CLUSTERS"))
	if clusters == 0 {
		return
	}
	first, _ := strconv.Atoi(os.Getenv("MUSTER_FIRST"))
	first = max(1, first)
	gen := rapid.Custom(draw)
	var next, differ atomic.Int64
	next.Store(int64(first) - 1)
	var workers sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]int{}
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for seed := next.Add(1); seed < int64(first+clusters) && differ.Load() < 3; seed = next.Add(1) {
				in := gen.Example(int(seed))
				all.Add(1)
				kinds, err := check(in)
				switch {
				case errors.Is(err, ErrTooMany):
					leftOut.Add(1)
					kinds = []string{"left out"}
				case err != nil:
					differ.Add(1)
					t.Errorf("seed %d: %v\n%s", seed, err, in.Text())
				}
				mu.Lock()
				for _, kind := range slices.Concat(kinds, limitKinds(&in)) {
					seen[kind]++
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	if differ.Load() == 0 {
		t.Logf("%d clusters agree", clusters)
		for _, kind := range slices.Sorted(maps.Keys(seen)) {
			t.Logf("%7d %s", seen[kind], kind)
		}
	}
}

// An enumeration of more steps than these is left out, and a test fails where more than one in so many clusters are. Steps are counted, so that
// it takes no luck.
const (
	mostSteps   = 2_000_000
	mostLeftOut = 50
)

// bounded ends a check once its enumerations take too many steps.
func bounded(check func(Input) ([]string, error)) func(Input) ([]string, error) {
	return func(in Input) (kinds []string, err error) {
		left := mostSteps
		in.left = &left
		defer func() {
			switch r := recover(); r {
			case nil:
			case ErrTooMany:
				err = ErrTooMany
			default:
				panic(r)
			}
		}()
		return check(in)
	}
}

// planAgrees plans the input, with an index of the shape and without, and compares the result with the reference's answer; the error shows both.
func planAgrees(in Input) ([]string, error) {
	if HasParts(&in) {
		kinds, err := partsAgree(in)
		return append(kinds, "by parts"), err
	}
	want, err := Solve(in)
	if err != nil {
		return nil, err
	}
	for path, req := range map[string]*gang.Request{"indexed": &in.Request, "plain": WithoutIndex(in.Request)} {
		res, refusal := plan(in, req)
		if err := difference(in, want, res, refusal); err != nil {
			return nil, fmt.Errorf("%s path: %w\nreference: %splan: %s", path, err, want.Text(), resultText(res, refusal))
		}
	}
	begun, err := kinds(&in, want)
	return slices.Concat(begun, shortKinds(&in, want), zoneKinds(&in, want), quotaKinds(&in, want), sparingKinds(&in, want)), err
}

// sparingKinds says of clusters in which some but not all nodes are meant for others than the members whether these were left out.
func sparingKinds(in *Input, a *Answer) []string {
	shapes := []*gang.Shape{&in.Request.Shape}
	for i := range in.Request.Members {
		if s := in.Request.Members[i].Shape; s != nil {
			shapes = append(shapes, s)
		}
	}
	others := 0
	for i := range in.Spec.Nodes {
		others += bit(slices.ContainsFunc(shapes, func(s *gang.Shape) bool { return validity.MeantForOthers([]*gang.Shape{s}, &in.Spec.Nodes[i]) }))
	}
	if others == 0 || others == len(in.Spec.Nodes) || !a.Placed {
		return nil
	}
	kind := "with nodes meant for others"
	out := []string{kind}
	for _, k := range []struct {
		name  string
		holds bool
	}{
		{", left out", a.Spared},
		{", left out, one shape in groups", a.Spared && len(in.Request.Groups) > 0 && len(shapes) == 1},
		{", left out, several shapes", a.Spared && len(shapes) > 1},
		{", left out, waiting", a.Spared && len(a.WaitsFor) > 0},
		{", left out, waiting, and further members", a.Spared && len(a.WaitsFor) > 0 && a.Members > a.Wanted},
		{", left out, partly outside the tree", a.Spared && a.Outside > 0},
		{", left out, policy " + string(in.Request.Policy), a.Spared && in.Request.Policy != ""},
		{", taken, as the strategy needs them", !a.Spared && !in.Request.TakesAnyNode},
		{", taken, as the request says", in.Request.TakesAnyNode},
	} {
		if k.holds {
			out = append(out, kind+k.name)
		}
	}
	return out
}

// zoneKinds says what is special about a cluster with zones and about its plan.
func zoneKinds(in *Input, a *Answer) []string {
	zoned := func(n cluster.Node) bool { return n.NUMA != nil }
	shares := func(width int) bool {
		return slices.ContainsFunc(a.Assignments, func(x placement.Assignment) bool { return x.NUMA != nil && len(x.NUMA.Shares) >= width })
	}
	_, units := unitsOf(in)
	var out []string
	for _, kind := range []struct {
		name  string
		holds bool
	}{
		{"", slices.ContainsFunc(in.Spec.Nodes, zoned)},
		{", members without a policy, some placed in zones", in.Request.Shape.NUMA.Policy == "" && shares(1)},
		{", members with a policy, some placed in zones", in.Request.Shape.NUMA.Policy != "" && shares(1)},
		{", members that span zones", shares(2)},
		{", nodes told apart by their scores", a.Keys.NUMA > 0},
		{", several nodes", shares(1) && len(a.Counts) > 1},
		{", members of several shapes", units != nil && shares(1)},
		{", waiting", shares(1) && len(a.WaitsFor) > 0},
		{", waiting, and further members", shares(1) && len(a.WaitsFor) > 0 && a.Members > a.Wanted},
		{", unschedulable", !a.Placed && slices.ContainsFunc(in.Spec.Nodes, zoned)},
	} {
		if kind.holds {
			out = append(out, "with zones"+kind.name)
		}
	}
	return out
}

// kinds says what is special about a cluster with begun groups and about its plan.
func kinds(in *Input, a *Answer) ([]string, error) {
	s, err := newSolver(in)
	if err != nil {
		return nil, err
	}
	p := &search{solver: s, n: max(a.Members, a.Fits)}
	if p.cut(); len(p.begun) == 0 {
		return nil, nil
	}
	var out []string
	for _, kind := range []struct {
		name  string
		holds bool
	}{
		{"", true},
		{", several", len(p.begun) > 1},
		{", nested", len(s.levels) > 1},
		{", nested twice", len(s.levels) > 2},
		{", nested and of several levels", p.begun[0].level > p.begun[len(p.begun)-1].level},
		{", beside new whole groups", p.full > 0},
		{", beside a new short group", p.rest > 0},
		{", with anchors", in.Request.AffinityKey != ""},
		{", with host scores", in.Request.Score != nil},
		{", policy " + string(in.Request.Policy), in.Request.Policy != ""},
		{", not all members placed", a.Placed && a.Members < len(in.Request.Members)},
		{", waiting", len(a.WaitsFor) > 0},
		{", partly outside the tree", a.Outside > 0},
		{", unschedulable", !a.Placed},
	} {
		if kind.holds {
			out = append(out, "with begun groups"+kind.name)
		}
	}
	return out, nil
}

// plan makes an error of a panic, so that the cluster is shown.
func plan(in Input, req *gang.Request) (res *placement.Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the planner panics: %v", r)
		}
	}()
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return nil, err
	}
	return placement.Plan(c, req)
}

// difference is what the plan has otherwise than the reference; validity of the plan included.
func difference(in Input, want *Answer, res *placement.Result, err error) error {
	if err != nil || !want.Placed {
		return refusalDifference(want, err)
	}
	if err := validity.Check(in.Spec, &in.Request, res); err != nil {
		return fmt.Errorf("not valid: %w", err)
	}
	kept := &in
	if want.kept != nil {
		kept = want.kept
	}
	worth, err := worthOf(kept, res)
	if err != nil {
		return err
	}
	switch {
	case !slices.Equal(worth, want.Worth):
		return fmt.Errorf("strategy %v, want %v", worth, want.Worth)
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
	if !reflect.DeepEqual(res.Assignments, want.Assignments) {
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
	case refusal.Fits != want.Fits:
		return fmt.Errorf("%d fit, want %d", refusal.Fits, want.Fits)
	}
	return nil
}

// begun holds if the gang has groups, and members that run.
func begun(in *Input) bool {
	own := validity.Own(&in.Spec, &in.Request)
	return len(own) > 0 && len(validity.Levels(&in.Request, len(own)+len(in.Request.Members))) > 0
}

func resultText(res *placement.Result, err error) string {
	if err != nil {
		return err.Error() + "\n"
	}
	text := fmt.Sprintf("strategy %d %q, tier %d %v, groups %v, span %v\n  %s\n  waits for %v\n", res.StrategyNumber,
		res.Strategy, res.Tier, res.Domain, res.GroupTiers, res.Span, AssignmentsText(res.Assignments), res.WaitsFor)
	if p := res.Preemption; p != nil {
		text += fmt.Sprintf("  evicts %v, proven %v\n  at %+v\n  of at least %+v\n", res.Victims, p.Proven, p.Cost, p.LowerBound)
	}
	return text
}

// The comparison sees a plan that differs from the best one, even where it is valid.
func TestDifferenceIsSeen(t *testing.T) {
	in := Input{Spec: specOf(t, "block spine", "s0/b0: n1=1 n2=1 n3=1"), Request: job(2)}
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

// An enumeration ends once it has taken too many steps, and is not taken for one that agrees.
func TestStepsAreBounded(t *testing.T) {
	in := Input{Spec: specOf(t, "block spine", "s0/b0: n1=9 n2=9 n3=9 n4=9", "s0/b1: n5=9 n6=9 n7=9 n8=9"), Request: job(12)}
	large := in.Request.Shape
	large.Resources = muster.Resources{"gpu": 2}
	for i := range 6 {
		in.Request.Members[i].Shape = &large
	}
	_, err := bounded(rolesAgree)(in)
	require.ErrorIs(t, err, ErrTooMany)
	in.Request.Members = in.Request.Members[5:8]
	_, err = bounded(rolesAgree)(in)
	require.NoError(t, err)
}
