package reference

import (
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

// Where members leave one by one, every plan has the best victims, and says so, unless they leave for the limit of a quota or for groups
// that are begun.
func TestUncoupledVictims(t *testing.T) {
	holdsFor(t, mixedWithVictims(drawUncoupled), func(in Input) ([]string, error) { return preemptionAgrees(in, !isCoupled(&in)) })
}

// Where victims depend on each other, every plan has legal victims, none too many, and none better than what is said to be possible;
// where that is said to be proven, the best.
func TestCoupledVictims(t *testing.T) {
	holdsFor(t, mixedWithVictims(drawCoupled), func(in Input) ([]string, error) { return preemptionAgrees(in, false) })
}

// isCoupled holds if limits, or gangs that are alone, make what leaves on one node count on another.
func isCoupled(in *Input) bool {
	limited := slices.ContainsFunc(allLimits(&in.Request), func(list *[]gang.Limit) bool { return len(*list) > 0 })
	return limited || slices.ContainsFunc(in.Spec.Running, func(r cluster.Running) bool { return r.Alone != "" })
}

// preemptionAgrees plans the input, with an index of the shape and without, and compares the result with the reference's best; the error
// shows both.
func preemptionAgrees(in Input, proven bool) ([]string, error) {
	if in.Request.Preempt.ForTier != "" {
		return tierAgrees(in, proven)
	}
	if HasParts(&in) {
		return partVictimsAgree(in)
	}
	best, err := SolveBest(in)
	if err != nil {
		return nil, err
	}
	res, refusal := plan(in, &in.Request)
	if err = victimsDiffer(best, res, refusal, proven); err == nil {
		err = sameOtherwise(in, res)
	}
	if err == nil && res != nil && len(res.Victims) > 0 && len(res.WaitsFor) == 0 {
		err = applies(in, res)
	}
	if err != nil {
		return nil, fmt.Errorf("%w\nreference: %splan: %s", err, best.Text(), resultText(res, refusal))
	}
	return victimKinds(&in, best, res), nil
}

// tierAgrees plans with the layer that is worth victims as a rule and, where that is refused, without, as order.md, section 6 says; both
// are compared with the reference, and the plan for the layer is to be the first that is there.
func tierAgrees(in Input, proven bool) (kinds []string, err error) {
	for _, rule := range []bool{true, false} {
		try := in
		try.Request.Preempt.ForTier = ""
		if rule {
			is := func(r gang.Rule) bool { return r.Layer == in.Request.Preempt.ForTier && r.Strength == gang.MustGather }
			if slices.ContainsFunc(in.Request.Gather, is) {
				continue // it stands there already
			}
			must := gang.Rule{Layer: in.Request.Preempt.ForTier, Strength: gang.MustGather}
			try.Request.Gather = append(slices.Clip(in.Request.Gather), must)
		}
		found, err := preemptionAgrees(try, proven)
		if err != nil {
			return nil, fmt.Errorf("for a tier, as a rule %t: %w", rule, err)
		}
		for _, kind := range found {
			kinds = append(kinds, fmt.Sprintf("%s, for a tier, as a rule %t", kind, rule))
		}
		res, err := plan(try, &try.Request)
		if again, _ := plan(in, &in.Request); (res != nil || !rule) && !reflect.DeepEqual(again, res) {
			return nil, fmt.Errorf("for a tier, as a rule %t: %s, want %s", rule, resultText(again, nil), resultText(res, err))
		}
		if res != nil {
			return kinds, sameOtherwise(in, res)
		}
	}
	return kinds, nil
}

// sameOtherwise plans without an index of the shape, and with everything given the other way round.
func sameOtherwise(in Input, res *placement.Result) error {
	reversed := in
	reversed.Spec.Nodes, reversed.Spec.Running = slices.Clone(in.Spec.Nodes), slices.Clone(in.Spec.Running)
	slices.Reverse(reversed.Spec.Nodes)
	slices.Reverse(reversed.Spec.Running)
	for name, other := range map[string]struct {
		in  Input
		req *gang.Request
	}{"without an index": {in, WithoutIndex(in.Request)}, "in another order": {reversed, &in.Request}} {
		again, err := plan(other.in, other.req)
		if !reflect.DeepEqual(again, res) {
			return fmt.Errorf("another plan %s: %s", name, resultText(again, err))
		}
	}
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return err
	}
	for first, err := range placement.Candidates(c, &in.Request) {
		if !reflect.DeepEqual(first, res) {
			return fmt.Errorf("another first candidate: %s", resultText(first, err))
		}
		break
	}
	return nil
}

// applies carries a plan out.
func applies(in Input, res *placement.Result) error {
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return err
	}
	next, err := c.Apply(res)
	if err != nil {
		return err
	}
	return validity.CheckApplied(validity.Describe(c), validity.Describe(next), res)
}

// victimsDiffer is what the plan has otherwise than the best one; validity of the plan included.
func victimsDiffer(best *Best, res *placement.Result, err error, proven bool) error {
	if best.Victims == nil {
		if res != nil && len(res.Victims) > 0 {
			return errors.New("somebody leaves, want nobody")
		}
		return difference(best.Input, best.Answer, res, err)
	}
	var refusal *placement.Unschedulable
	switch {
	case errors.As(err, &refusal) && !refusal.Proven && best.Input.Request.Preempt.Steps > 0:
		return nil
	case err != nil:
		return fmt.Errorf("refused, want victims: %w", err)
	case len(res.Victims) == 0:
		return errors.New("nobody leaves")
	case proven && !res.Preemption.Proven && !best.refusedByLimit() && !begun(&best.Input):
		return errors.New("not proven")
	}
	if err := validity.Check(best.Input.Spec, &best.Input.Request, res); err != nil {
		return fmt.Errorf("not valid: %w", err)
	}
	return best.CheckVictims(res)
}

// victimKinds says what is special about a cluster where somebody may leave, and about its plan.
func victimKinds(in *Input, best *Best, res *placement.Result) []string {
	var out []string
	switch v := best.Victims; {
	case res == nil && v != nil:
		return []string{"victims not found"}
	case res == nil:
		return []string{"unschedulable"}
	case v == nil && len(res.WaitsFor) > 0:
		return []string{"nobody leaves, waiting"}
	case v == nil:
		return []string{"nobody leaves"}
	case len(res.Victims) == 0:
		return []string{"nobody leaves, for want of steps"}
	}
	of := func(holds func(cluster.Running) bool) bool {
		return slices.ContainsFunc(in.Spec.Running, func(r cluster.Running) bool {
			return holds(r) && slices.ContainsFunc(res.Victims, func(v placement.Victim) bool { return v.Gang == r.Gang && v.Member == r.Member })
		})
	}
	cost := res.Preemption.Cost
	own := validity.Own(&in.Spec, &in.Request)
	for _, kind := range []struct {
		name  string
		holds bool
	}{
		{"", true},
		{", proven", res.Preemption.Proven},
		{", not proven", !res.Preemption.Proven},
		{", not proven, though no steps are told", !res.Preemption.Proven && in.Request.Preempt.Steps == 0},
		{", not proven, and not the best", !res.Preemption.Proven && !reflect.DeepEqual(cost, best.Victims.Cost)},
		{", three or more", cost.Members > 2},
		{", of gangs with a minimum", of(func(r cluster.Running) bool { return r.MinMember > 0 })},
		{", gangs that end", cost.GangsEnded > 0},
		{", surplus alone", cost.GangsEnded == 0 && of(func(r cluster.Running) bool { return r.MinMember > 0 })},
		{", in budgets", of(func(r cluster.Running) bool { return len(r.Budgets) > 0 })},
		{", breaking budgets", cost.Budgets > 0},
		{", reclaimed", slices.ContainsFunc(res.Victims, func(v placement.Victim) bool { return v.OverMin != "" })},
		{", below a min", cost.BelowMin != nil},
		{", of the gang's quota", in.Request.Quota != "" && of(func(r cluster.Running) bool { return r.Quota == in.Request.Quota })},
		{", where the quota refuses", best.refusedByLimit()},
		{", one of several best sets", len(best.Victims.Sets) > 1},
		{", and waiting", len(res.WaitsFor) > 0},
		{", and further members", len(res.Assignments) > best.Answer.Wanted},
		{", in groups", len(in.Request.Groups)+in.Request.PP > 0},
		{", late members", len(own) > 0},
		{", late members in begun groups", len(own) > 0 && begun(in)},
		{", of several shapes", slices.ContainsFunc(in.Request.Members, func(m gang.Member) bool { return m.Shape != nil })},
		{", for members of any ranks", ofAnyRanks(in, res)},
		{", with multiples", slices.ContainsFunc(in.Request.Gather, func(r gang.Rule) bool { return r.Multiple > 0 })},
		{", with a hard rule", slices.ContainsFunc(in.Request.Gather, func(r gang.Rule) bool { return r.Strength == gang.MustGather })},
		{", of zones", of(func(r cluster.Running) bool { return r.NUMA != nil })},
		{", by another order", in.Request.Preempt.Order != nil},
		{", partly outside the tree", best.Victims.Strategy[0] > 0},
		{", of more than a hundred legal sets", best.Victims.Legal > 100},
	} {
		if kind.holds {
			out = append(out, "with victims"+kind.name)
		}
	}
	return out
}

// ofAnyRanks holds if a plan leaves out a member of a lower rank than another.
func ofAnyRanks(in *Input, res *placement.Result) bool {
	s, err := newRoleSolver(in)
	return err == nil && s.ofAnyRanks(&Answer{Assignments: res.Assignments})
}

// refusedByLimit holds if a quota does not admit the gang while everybody stays.
func (b *Best) refusedByLimit() bool {
	refused, err := refusedByQuota(&b.Input)
	return err == nil && len(b.Input.Request.Members)-refused < b.Answer.Wanted
}
