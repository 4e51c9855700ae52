package reference

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/placement"
)

// keptKinds says which limits a gang prefers, and how many of them are kept.
func keptKinds(in, kept *Input, want *Parted) (out []string) {
	if !prefers(&in.Request) || !want.Placed {
		return nil
	}
	lists := allLimits(&kept.Request)
	for place, list := range allLimits(&in.Request) {
		for _, l := range *list {
			if !l.Preferred {
				continue
			}
			what := string(l.Kind)
			if l.OfParts {
				what += " of parts"
			}
			if place > 0 {
				what += ", of a part or groups"
			}
			same := func(o gang.Limit) bool { return o.Kind == l.Kind && o.Layer == l.Layer && o.OfParts == l.OfParts }
			switch i := slices.IndexFunc(*lists[place], same); {
			case i < 0:
				what += ", not kept"
			case (*lists[place])[i].Most > l.Most:
				what += ", loosened"
			}
			out = append(out, "prefers "+what)
		}
	}
	return out
}

// Plans for gangs in parts that prefer limits have those that the reference keeps, number by number, and are as good.
func TestPreferredLimitsOfPartsEqualReference(t *testing.T) {
	holdsFor(t, mixed(drawPreferringParts), partsAgree)
}

// So are plans for gangs that start together.
func TestPreferredLimitsTogetherEqualReference(t *testing.T) {
	holdsFor(t, func(t *rapid.T) Input { return asGangs(mixed(drawPreferringParts)(t)) }, togetherAgrees)
}

// drawPreferringParts draws gangs with limits, most of which are preferred.
func drawPreferringParts(t *rapid.T) Input {
	in := drawParts(t)
	has := func(list *[]gang.Limit) bool { return len(*list) > 0 }
	for i := 0; i < 8 && !slices.ContainsFunc(allLimits(&in.Request), has); i++ {
		draws.OfParts(t, &in.Spec, &in.Request)
	}
	drawPreferred(t, &in, 100)
	return in
}

// drawPreferred makes limits preferred ones, but where a gang of one shape is placed as parts are with some of them, and else is not.
func drawPreferred(t *rapid.T, in *Input, percent int) {
	draws.Prefer(t, &in.Request, percent)
	if len(in.Request.Parts) == 0 && ofOneShape(&in.Request) {
		draws.HardInParts(&in.Spec, &in.Request)
	}
}

// A plan of a gang that prefers limits is that of the gang with those hard that can be, found one after the other and number by number;
// one that waits has as many further members.
func TestPreferredLimitsAreHardOnesThatCostNothing(t *testing.T) {
	holdsFor(t, mixed(drawPreferringParts), func(in Input) ([]string, error) { return sameAsHard(in, planOfParts) })
}

// So are the plans of gangs that start together.
func TestPreferredLimitsTogetherAreHardOnesThatCostNothing(t *testing.T) {
	holdsFor(t, func(t *rapid.T) Input { return asGangs(mixed(drawPreferringParts)(t)) }, func(in Input) ([]string, error) {
		if notTogether(&in) || len(in.Request.Parts) == 1 { // one gang is not planned as a part where it has no such limit
			return []string{"no gangs together"}, nil
		}
		return sameAsHard(in, planTogether)
	})
}

func planOfParts(in Input) (*placement.Result, error) { return plan(in, &in.Request) }

// planTogether is one plan of all gangs of a queue that start together, with the ranks among all of them.
func planTogether(in Input) (*placement.Result, error) {
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return nil, err
	}
	_, planned := placement.Batch(c, asQueue(&in.Request))
	all, before := &placement.Result{Proven: true}, 0
	for _, p := range planned {
		if p.Err != nil {
			return nil, p.Err
		}
		for i := range p.Result.Assignments {
			p.Result.Assignments[i].Rank += before
		}
		before += len(p.Request.Members)
		all.Assignments, all.WaitsFor = append(all.Assignments, p.Result.Assignments...), append(all.WaitsFor, p.Result.WaitsFor...)
		all.Victims, all.Proven = append(all.Victims, p.Result.Victims...), all.Proven && p.Result.Proven
	}
	return all, nil
}

// sameAsHard compares the plan with one under the limits that a planner keeps if it is asked for one after the other.
func sameAsHard(in Input, plan func(Input) (*placement.Result, error)) ([]string, error) {
	if !prefers(&in.Request) {
		return []string{"prefers nothing"}, nil
	}
	proven := true
	k := preferring[*placement.Result]{
		solve: func(in Input) (*placement.Result, error) {
			res, err := plan(in)
			proven = proven && allProven(res, err)
			if errors.Is(err, placement.ErrUnschedulable) {
				return nil, nil
			}
			return res, err
		},
		placed: func(r *placement.Result) bool { return r != nil && len(r.Victims) == 0 },
		asGood: func(r, best *placement.Result) bool {
			return !leavesOut(ranksOf(r.Assignments), ranksOf(best.Assignments)) && (len(r.WaitsFor) == 0 || len(best.WaitsFor) > 0)
		},
	}
	if _, err := plan(in); errors.Is(err, muster.ErrNotSupported) {
		if _, hard := plan(allHard(in)); errors.Is(hard, muster.ErrNotSupported) {
			return []string{"not supported"}, nil // what is not as a hard limit is not as a preferred one
		}
	}
	kept, want, err := k.keep(in)
	if err != nil {
		return nil, err
	}
	res, err := plan(in)
	switch {
	case err != nil && !errors.Is(err, placement.ErrUnschedulable):
		return nil, err
	case !proven || !allProven(res, err): // which limits are kept may depend on where the search ended
		return []string{"not proven"}, nil
	case (res == nil) != (want == nil):
		return nil, fmt.Errorf("placed %v, with hard limits %v: %w", res != nil, want != nil, err)
	case res == nil:
		return []string{"refused"}, nil
	}
	if !reflect.DeepEqual(res.Assignments, want.Assignments) || !slices.Equal(res.WaitsFor, want.WaitsFor) || !slices.Equal(res.Victims, want.Victims) {
		return nil, fmt.Errorf("another plan\nhard: %s\nplan: %s", resultText(want, nil), resultText(res, nil))
	}
	kinds := keptKinds(&in, &kept, &Parted{Placed: true})
	for i := range kinds {
		if len(res.WaitsFor) > 0 {
			kinds[i] += ", waiting"
		}
	}
	return append(kinds, "placed"), nil
}

// allHard is the input with all limits hard.
func allHard(in Input) Input {
	in.Request = withOwnParts(in.Request)
	for _, list := range allLimits(&in.Request) {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i].Preferred = false
		}
	}
	return in
}

// With few steps a plan is proven only if the one without the preferred limits is: else it may place fewer members than there could be.
func TestPreferredLimitsProveNothing(t *testing.T) {
	holdsFor(t, mixed(drawPreferringParts), func(in Input) ([]string, error) {
		without := in
		without.Request = withOwnParts(in.Request)
		for _, list := range allLimits(&without.Request) {
			*list = slices.DeleteFunc(slices.Clone(*list), isPreferred)
		}
		unknown := 0
		for steps := 1; steps <= 6; steps++ {
			in.Request.Steps, without.Request.Steps = steps, steps
			res, err := plan(in, &in.Request)
			if hard, errHard := plan(without, &without.Request); !allProven(hard, errHard) {
				unknown++
				if res != nil && allProven(res, err) {
					return nil, fmt.Errorf("proven with %d steps, and not without what is preferred\nplan: %s", steps, resultText(res, nil))
				}
			}
		}
		return []string{fmt.Sprintf("not proven with %d numbers of steps", unknown)}, nil
	})
}
