package reference

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// Best is what is known of the best plan where members may leave for the gang.
type Best struct {
	// Input is what is answered: where the request has a layer that is worth victims, with that as a rule or, if that is refused,
	// without.
	Input Input
	// Answer is the plan without victims, or says why there is none.
	Answer *Answer
	// Victims is nil if nobody is to leave.
	Victims *Victims
}

// SolveBest plans without victims and, if that is impossible, finds the best sets of them.
func SolveBest(in Input) (*Best, error) {
	tries := []Input{in}
	if layer := in.Request.Preempt.ForTier; layer != "" {
		tiered := in
		tiered.Request.Gather = append(slices.Clip(in.Request.Gather), gang.Rule{Layer: layer, Strength: gang.MustGather})
		tries = []Input{tiered, in}
	}
	var best *Best
	for _, try := range tries {
		try.Request.Preempt.ForTier = ""
		answer, err := Solve(try)
		if err != nil {
			return nil, err
		}
		best = &Best{Input: try, Answer: answer}
		if answer.Placed {
			break
		}
		if best.Victims, err = SolveVictims(try); err != nil {
			return nil, err
		}
		if best.Victims != nil {
			break
		}
	}
	return best, nil
}

// Text lists what the best plan is known to be.
func (b *Best) Text() string {
	text := b.Answer.Text()
	if v := b.Victims; v != nil {
		text += fmt.Sprintf("  of %d candidates and %d legal sets the best: %+v, strategy %v\n  %v\n", v.Candidates, v.Legal, v.Cost, v.Strategy, v.Sets)
	}
	return text
}

// CheckVictims holds a plan with victims against the best one: its victims are no better, they are as good where that is said to be
// proven, none can be spared, and the rest of the plan is the best one with them gone. [validity.Check] says whether they are legal.
func (b *Best) CheckVictims(res *placement.Result) error {
	e, err := newEvictor(&b.Input)
	if err != nil {
		return err
	}
	return errors.Join(e.check(b.Victims, res), sameAfter(b.Input, res))
}

// check is CheckVictims, but for the rest of the plan.
func (e *evictor) check(want *Victims, res *placement.Result) error {
	var err error
	got := legalSet{}
	for _, i := range e.who {
		if slices.ContainsFunc(res.Victims, func(v placement.Victim) bool {
			return v.Gang == e.in.Spec.Running[i].Gang && v.Member == e.in.Spec.Running[i].Member
		}) {
			got.members = append(got.members, i)
		}
	}
	if why := e.rules.Illegal(got.members); why != "" || len(got.members) != len(res.Victims) {
		return fmt.Errorf("illegal victims: %s", why)
	}
	got.cost = e.rules.Cost(got.members)
	if got.strategy, err = e.strategy(got.members); err != nil || got.strategy == nil {
		return errors.Join(err, errors.New("the gang does not fit with the victims gone"))
	}
	best := legalSet{cost: want.Cost, strategy: want.Strategy}
	bound := legalSet{cost: res.Preemption.LowerBound}
	switch c := e.compare(&got, &best); {
	case c < 0:
		return fmt.Errorf("victims of cost %+v and strategy %v are better than the best", got.cost, got.strategy)
	case c > 0 && res.Preemption.Proven:
		return fmt.Errorf("victims of cost %+v and strategy %v are not the best", got.cost, got.strategy)
	case e.compareBefore(&bound, &best) > 0:
		return fmt.Errorf("the lower bound %+v is above the best cost", bound.cost)
	}
	return e.spares(&got)
}

// spares looks for a victim, or a gang of them, without which the set would be as good.
func (e *evictor) spares(set *legalSet) error {
	for _, spared := range set.members {
		r := e.in.Spec.Running[spared]
		for _, whole := range []bool{false, true} {
			rest := legalSet{members: slices.DeleteFunc(slices.Clone(set.members), func(i int) bool {
				return i == spared || whole && e.in.Spec.Running[i].Gang == r.Gang
			})}
			if len(rest.members) == 0 || e.rules.Illegal(rest.members) != "" {
				continue
			}
			rest.cost = e.rules.Cost(rest.members)
			var err error
			if rest.strategy, err = e.strategy(rest.members); err != nil {
				return err
			}
			if rest.strategy != nil && e.compare(&rest, set) <= 0 {
				return fmt.Errorf("%s %s can be spared", r.Gang, r.Member)
			}
		}
	}
	return nil
}

// sameAfter compares a plan with the best one that has its victims gone.
func sameAfter(in Input, res *placement.Result) error {
	var gone []cluster.MemberRef
	for _, v := range res.Victims {
		gone = append(gone, v.MemberRef)
	}
	want, err := After(in, gone)
	switch {
	case err != nil:
		return err
	case !want.Placed:
		return errors.New("the gang does not fit with the victims gone")
	case !reflect.DeepEqual(want.Assignments, res.Assignments):
		return fmt.Errorf("with the victims gone the best plan is %s", AssignmentsText(want.Assignments))
	case !slices.Equal(byName(res.WaitsFor), byName(want.WaitsFor)):
		return fmt.Errorf("waits for %v, want %v", res.WaitsFor, want.WaitsFor)
	}
	worth, err := worthOf(&in, res)
	if err != nil {
		return err
	}
	if !slices.Equal(worth, want.Worth) {
		return fmt.Errorf("strategy %v, want %v", worth, want.Worth)
	}
	return nil
}

func byName(waits []placement.Waited) []placement.Waited {
	return slices.SortedFunc(slices.Values(waits), func(a, b placement.Waited) int {
		return cmp.Or(cmp.Compare(a.Gang, b.Gang), cmp.Compare(a.Member, b.Member))
	})
}

// worthOf is the strategy that a plan reached: what its tiers are worth.
func worthOf(in *Input, res *placement.Result) ([]int, error) {
	s, err := newSolver(in)
	if err != nil {
		return nil, err
	}
	worth := []int{s.gang.worth(res.Tier)}
	for i, tier := range res.GroupTiers {
		worth = append(worth, s.levels[i].rules.worth(tier))
	}
	return worth, nil
}
