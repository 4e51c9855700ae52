package reference

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// Plans for gangs in groups that differ are valid, place the members that the reference does, as well as it does, and are refused, where that is
// proven, only if it finds none either.
func TestPartsEqualReference(t *testing.T) { holdsFor(t, mixed(drawParts), partsAgree) }

// So are plans for gangs of parts that have multiples of their own.
func TestPairsEqualReference(t *testing.T) { holdsFor(t, mixed(drawPairs), partsAgree) }

func partsAgree(in Input) ([]string, error) {
	if !HasParts(&in) {
		return []string{"one group"}, nil
	}
	kept, err := WithKept(in)
	if errors.Is(err, ErrFurther) {
		return []string{"prefers limits, waiting, further members"}, nil // see TestPreferredLimitsAreHardOnesThatCostNothing
	}
	if err != nil {
		return nil, err
	}
	want, err := SolveParts(kept)
	if err != nil {
		return nil, err
	}
	res, refusal := plan(in, &in.Request)
	text := func() string { return fmt.Sprintf("\nreference: %+v\nplan: %s", *want, resultText(res, refusal)) }
	agrees := func(res *placement.Result, refusal error) error {
		_, err := sameParts(&in, &kept, want, res, refusal)
		return err
	}
	proven, err := sameParts(&in, &kept, want, res, refusal)
	if err == nil && proven && refusal == nil && want.Spared && TakesOthers(&in, want.Selection, res) {
		err = errors.New("takes nodes that are meant for others")
	}
	if err == nil {
		err = sameTurned(in, res, refusal, agrees)
	}
	if err == nil {
		err = appliesTo(&in, res)
	}
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, text())
	}
	if err := agrees(planStopped(in)); err != nil {
		return nil, fmt.Errorf("stopped: %w%s", err, text())
	}
	kinds := append(partKinds(&kept, want, proven), keptKinds(&in, &kept, want)...)
	for _, steps := range []int{3, 40} { // at times nothing can be searched, at times a part
		few, err := sameWithFewSteps(in, kept, want, steps)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, few)
	}
	return kinds, nil
}

// sameWithFewSteps plans with less than the search needs at times: whatever is proven is as good as ever.
func sameWithFewSteps(in, kept Input, want *Parted, steps int) (kind string, _ error) {
	in.Request.Steps = steps
	res, refusal := plan(in, &in.Request)
	proven, err := sameParts(&in, &kept, want, res, refusal)
	switch {
	case err != nil:
		return "", fmt.Errorf("with %d steps: %w\nplan: %s", in.Request.Steps, err, resultText(res, refusal))
	case proven:
		return "few steps, proven", nil
	case res == nil && want.Placed:
		kind := "few steps, refused though it fits"
		for _, k := range partKinds(&in, want, true) {
			kind += "; " + k
		}
		return kind, nil
	case res == nil:
		return "few steps, refused, not proven", nil
	}
	return "few steps, placed, not proven", nil
}

// planStopped plans under a context that ends when the host is asked for the first node.
func planStopped(in Input) (*placement.Result, error) {
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	eligible := in.Request.Eligible
	in.Request.Eligible = func(node string) bool {
		cancel()
		return eligible == nil || eligible(node)
	}
	return placement.PlanContext(ctx, c, &in.Request)
}

// sameParts compares a plan with the best selection and strategy under the limits that are kept. What is not proven may be worse, a refusal wrong.
func sameParts(in, kept *Input, want *Parted, res *placement.Result, err error) (proven bool, _ error) {
	var refusal *placement.Unschedulable
	switch {
	case errors.As(err, &refusal):
		if want.Placed && refusal.Proven {
			return true, errors.New("refused, want a plan")
		}
		return refusal.Proven, nil
	case err != nil:
		return false, fmt.Errorf("another error than Unschedulable: %w", err)
	case !want.Placed:
		return true, errors.Join(errors.New("placed, want unschedulable"), validity.Check(in.Spec, &in.Request, res))
	}
	if err := errors.Join(validity.Check(in.Spec, &in.Request, res), waitsWithoutNeed(in, res)); err != nil {
		return true, fmt.Errorf("not valid: %w", err)
	}
	if !res.Proven {
		return false, nil
	}
	if err := validity.Check(in.Spec, &kept.Request, res); err != nil {
		return true, fmt.Errorf("not valid with what can be kept: %w", err)
	}
	outside, worth, err := StrategyOf(kept, res)
	if err != nil {
		return true, err
	}
	wantWorth := want.Worth // which other plans are compared with as well
	var placed []string
	for _, a := range res.Assignments {
		placed = append(placed, a.Member)
	}
	left := slices.DeleteFunc(slices.Clone(want.Selection), func(name string) bool { return slices.Contains(placed, name) })
	switch {
	case len(left) > 0 || !want.Waits && len(placed) > len(want.Selection):
		return true, fmt.Errorf("places %v, want %v", placed, want.Selection)
	case want.Waits != (len(res.WaitsFor) > 0):
		return true, fmt.Errorf("waits for %v", res.WaitsFor)
	case want.Waits && len(placed) > len(want.Selection): // who came later changes what groups reach
		outside, worth, wantWorth = want.Outside, worth[:1], wantWorth[:1]
	}
	if outside != want.Outside || !slices.Equal(worth, wantWorth) {
		return true, fmt.Errorf("reaches %v, with %d outside", worth, outside)
	}
	return true, nil
}

// sameTurned plans the same input in other orders, and without an index. Without one more steps are spent: where they end,
// less is proven, and the answer is one of its own that agrees.
func sameTurned(in Input, res *placement.Result, refusal error, agrees func(*placement.Result, error) error) error {
	for name, other := range turned(in) {
		again, refusalAgain := plan(other, &other.Request)
		if name == noIndex && !allProven(again, refusalAgain) {
			if err := agrees(again, refusalAgain); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			continue
		}
		if !reflect.DeepEqual(res, again) || fmt.Sprint(refusal) != fmt.Sprint(refusalAgain) {
			return fmt.Errorf("another plan with %s: %s", name, resultText(again, refusalAgain))
		}
	}
	return nil
}

// allProven says whether no search ended before it knew.
func allProven(res *placement.Result, err error) bool {
	var refusal *placement.Unschedulable
	if errors.As(err, &refusal) {
		return refusal.Proven
	}
	return res != nil && res.Proven && (res.Preemption == nil || res.Preemption.Proven)
}

const noIndex = "no index"

// turned is the same input in other orders, and planned without an index.
func turned(in Input) map[string]Input {
	back := in
	back.Spec.Nodes, back.Spec.Running = slices.Clone(in.Spec.Nodes), slices.Clone(in.Spec.Running)
	back.Request.Members = slices.Clone(in.Request.Members)
	slices.Reverse(back.Spec.Nodes)
	slices.Reverse(back.Spec.Running)
	slices.Reverse(back.Request.Members)
	var turn func(parts []gang.Part) []gang.Part
	turn = func(parts []gang.Part) []gang.Part {
		parts = slices.Clone(parts)
		for i := range parts {
			parts[i].Members, parts[i].Parts = slices.Clone(parts[i].Members), turn(parts[i].Parts)
			slices.Reverse(parts[i].Members)
		}
		return parts
	}
	back.Request.Parts = turn(in.Request.Parts)
	plain := in
	plain.Request = *WithoutIndex(in.Request)
	return map[string]Input{"all lists reversed": back, noIndex: plain}
}

// appliesTo carries a plan out.
func appliesTo(in *Input, res *placement.Result) error {
	if res == nil {
		return nil
	}
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return err
	}
	var next *placement.Cluster
	if len(res.WaitsFor) > 0 {
		var gone []cluster.MemberRef
		for _, w := range res.WaitsFor {
			gone = append(gone, w.MemberRef)
		}
		if c, err = c.Update(cluster.Delta{Remove: gone}); err != nil {
			return err
		}
	}
	if next, err = c.Apply(res); err != nil {
		return err
	}
	return validity.CheckApplied(validity.Describe(c), validity.Describe(next), res)
}

// limitsMultiples says whether there are limits on numbers beside multiples.
func (s *partSolver) limitsMultiples() bool {
	return len(s.caps) > 0 && (s.hasSteps() || len(s.base.solver.multiple) > 0)
}

// domainLimits is the number of limits on domains, of the gang and of its parts.
func (s *partSolver) domainLimits() (n int) {
	for _, c := range s.caps {
		n += bit(c.domains)
	}
	return n
}

// partKinds says what is special about a cluster and its plan.
func partKinds(in *Input, a *Parted, proven bool) []string {
	s, err := newPartSolver(in)
	if err != nil {
		return nil
	}
	begun := func(h holder) bool {
		return h.around >= 0 && slices.ContainsFunc(s.base.solver.own, func(r cluster.Running) bool { return slices.Contains(h.Division.Members, r.Member) })
	}
	ofAny := a.Placed && s.whole.Lacks(a.Selection, false) != ""
	otherTree := slices.ContainsFunc(s.holders, func(h holder) bool { return h.forest.otherTree })
	var out []string
	for _, kind := range []struct {
		name  string
		holds bool
	}{
		{"in two trees, placed", otherTree && a.Placed},
		{"in two trees, placed, begun groups", otherTree && a.Placed && slices.ContainsFunc(s.holders, begun)},
		{"in two trees, waiting", otherTree && a.Waits},
		{"in two trees, refused", otherTree && !a.Placed},
		{"in two trees, not proven", otherTree && !proven},
		{"in two trees, with multiples", otherTree && validity.HasMultiples(&in.Request)},
		{"in two trees, with zones", otherTree && hasZones(&in.Spec)},
		{fmt.Sprintf("%d roles", len(s.base.roles)), true},
		{fmt.Sprintf("%d levels", s.whole.Depth()), true},
		{"refused", !a.Placed},
		{"not proven", !proven},
		{"not proven, though there is a plan", !proven && a.Placed},
		{"placed", a.Placed},
		{"with zones", hasZones(&in.Spec)},
		{"with zones, placed", hasZones(&in.Spec) && a.Placed},
		{"with zones, placed, waiting", hasZones(&in.Spec) && a.Waits},
		{"with zones, not proven", hasZones(&in.Spec) && !proven},
		{"with zones that bind, placed", a.Placed && slices.ContainsFunc(s.base.nodes, func(v *vertex) bool { return s.base.bind(v.node) })},
		{"placed, begun groups", a.Placed && slices.ContainsFunc(s.holders, begun)},
		{"placed, not all members", a.Placed && len(a.Selection) < len(s.base.pending)},
		{"placed, waiting", a.Waits},
		{"placed, of any ranks", ofAny},
		{"placed, of any ranks, waiting", ofAny && a.Waits},
		{"placed, of any ranks, with multiples", ofAny && validity.HasMultiples(&in.Request)},
		{"placed, of any ranks, with zones that bind", ofAny && slices.ContainsFunc(s.base.nodes, func(v *vertex) bool { return s.base.bind(v.node) })},
		{"placed, of any ranks, begun groups", ofAny && slices.ContainsFunc(s.holders, begun)},
		{"placed, of any ranks, in a quota", ofAny && s.quota != nil},
		{"placed, of any ranks, not proven", ofAny && !proven},
		{"with multiples", validity.HasMultiples(&in.Request)},
		{"with multiples, placed", validity.HasMultiples(&in.Request) && a.Placed},
		{"with multiples, placed, begun groups", validity.HasMultiples(&in.Request) && a.Placed && slices.ContainsFunc(s.holders, begun)},
		{"with multiples, placed, not all members", validity.HasMultiples(&in.Request) && a.Placed && len(a.Selection) < len(s.base.pending)},
		{"with multiples, not proven", validity.HasMultiples(&in.Request) && !proven},
		{"with multiples and limits on numbers", s.limitsMultiples()},
		{"with multiples and limits on numbers, placed", s.limitsMultiples() && a.Placed},
		{"with multiples and limits on numbers, placed, begun groups", s.limitsMultiples() && a.Placed && slices.ContainsFunc(s.holders, begun)},
		{"with multiples and limits on numbers, placed, several roles", s.limitsMultiples() && a.Placed && len(s.base.roles) > 1},
		{"with multiples and limits on numbers, refused", s.limitsMultiples() && !a.Placed},
		{"with several limits on domains", s.domainLimits() > 1},
		{"with several limits on domains, placed", s.domainLimits() > 1 && a.Placed},
		{"with a limit on domains beside multiples, placed", s.domainLimits() > 0 && s.limitsMultiples() && a.Placed},
		{"with multiples of parts", s.hasSteps()},
		{"with multiples of parts, placed", s.hasSteps() && a.Placed},
		{"with multiples of parts, placed, waiting", s.hasSteps() && a.Waits},
		{"with multiples of parts, placed, begun groups", s.hasSteps() && a.Placed && slices.ContainsFunc(s.holders, begun)},
		{"with multiples of parts, placed, not all members", s.hasSteps() && a.Placed && len(a.Selection) < len(s.base.pending)},
		{"with multiples of parts and of the gang, placed", s.hasSteps() && len(s.base.solver.multiple) > 0 && a.Placed},
		{"with multiples of parts and zones that bind, placed", s.hasSteps() && a.Placed && slices.ContainsFunc(s.base.nodes, func(v *vertex) bool { return s.base.bind(v.node) })},
		{"with multiples of parts, not proven", s.hasSteps() && !proven},
		{"placed, some outside", a.Outside > 0},
		{"placed, groups that miss something", a.Placed && len(a.Worth) > 1 && slices.Max(a.Worth[1:]) > 0},
		{"placed, equal groups", a.Placed && len(in.Request.Groups) > 0},
		{"placed, in a quota", a.Placed && s.quota != nil},
	} {
		if kind.holds {
			out = append(out, kind.name)
		}
	}
	return out
}

// Plans for gangs in groups that differ have legal victims only where nothing else helps, none too many, and none better than what is said to be
// possible; where that is said to be proven, the best.
func TestVictimsOfParts(t *testing.T) {
	holdsFor(t, mixedWithVictims(drawPartVictims), partVictimsAgree)
}

func partVictimsAgree(in Input) ([]string, error) {
	if !HasParts(&in) { // another tree, or none, may leave equal groups that slots tell
		return preemptionAgrees(in, false)
	}
	want, err := SolveParts(in)
	if err != nil {
		return nil, err
	}
	if want.Placed {
		return partsAgree(in)
	}
	best, err := SolvePartsVictims(in)
	if err != nil {
		return nil, err
	}
	res, refusal := plan(in, &in.Request)
	agrees := func(res *placement.Result, refusal error) error { return victimsOfPartsDiffer(&in, best, res, refusal) }
	if err = agrees(res, refusal); err == nil {
		err = sameTurned(in, res, refusal, agrees)
	}
	if err == nil && res != nil && len(res.WaitsFor) == 0 {
		err = applies(in, res)
	}
	if err != nil {
		text := "none"
		if best != nil {
			text = fmt.Sprintf("%v, of %d candidates and %d legal sets %+v %v %v", best.Selection, best.Candidates, best.Legal, best.Cost, best.Strategy, best.Sets)
		}
		return nil, fmt.Errorf("%w\nreference: %s\nplan: %s", err, text, resultText(res, refusal))
	}
	switch {
	case res == nil && best != nil:
		return []string{"victims not found"}, nil
	case res == nil:
		return []string{"refused"}, nil
	}
	kinds := []string{"victims"}
	if s, err := newPartSolver(&in); err == nil && s.whole.Lacks(best.Selection, false) != "" {
		kinds = append(kinds, "victims, for members of any ranks")
	}
	if res.Preemption.Proven {
		kinds = append(kinds, "victims, proven")
	}
	return kinds, nil
}

func victimsOfPartsDiffer(in *Input, best *PartsVictims, res *placement.Result, err error) error {
	var refusal *placement.Unschedulable
	switch {
	case errors.As(err, &refusal) && best != nil && refusal.Proven:
		return errors.New("refused, want victims")
	case errors.As(err, &refusal):
		return nil
	case err != nil:
		return fmt.Errorf("another error than Unschedulable: %w", err)
	case best == nil:
		return errors.New("placed, want unschedulable")
	}
	if err := errors.Join(validity.Check(in.Spec, &in.Request, res), waitsWithoutNeed(in, res)); err != nil {
		return fmt.Errorf("not valid: %w", err)
	}
	return best.Check(res)
}
