package reference

import (
	"errors"
	"fmt"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// PartsVictims are the best victims for the first selection of which nothing can be left out that they help.
type PartsVictims struct {
	Selection []string
	*Victims
	evictor *evictor
}

// SolvePartsVictims is [SolveVictims] for gangs in groups that differ; nil if nobody helps.
func SolvePartsVictims(in Input) (*PartsVictims, error) {
	if in.Request.NeverPreempts || in.Request.QuotaLimit == quota.Borrow {
		return nil, nil
	}
	s, err := newPartSolver(&in)
	if err != nil {
		return nil, err
	}
	for _, core := range s.leasts() {
		e := &evictor{in: &in, order: in.Request.Preempt.Ranked(), known: map[string][]int{}, core: core}
		members := slices.DeleteFunc(slices.Clone(s.base.pending), func(m gang.Member) bool { return !slices.Contains(core, m.Name) })
		if e.rules, err = validity.NewEvictions(&in.Spec, &in.Request, members); err != nil {
			return nil, err
		}
		e.who, e.lowest = e.rules.Candidates(), e.rules.Lowest()
		best, err := e.best()
		if err != nil {
			return nil, err
		}
		if best != nil {
			return &PartsVictims{core, best, e}, nil
		}
	}
	return nil, nil
}

// Check holds the victims of a plan against the best ones.
func (v *PartsVictims) Check(res *placement.Result) error {
	for _, name := range v.Selection {
		if !slices.ContainsFunc(res.Assignments, func(a placement.Assignment) bool { return a.Member == name }) {
			return fmt.Errorf("%s is not placed", name)
		}
	}
	if len(res.Victims) == 0 {
		return errors.New("nobody leaves")
	}
	return v.evictor.check(v.Victims, res)
}

// leasts are the selections of which nothing can be left out, in the order in which they are tried, then those of members of any ranks.
func (s *partSolver) leasts() [][]string {
	more := slices.DeleteFunc(s.leastsOf(true), func(set []string) bool { return s.whole.Lacks(set, false) == "" })
	return append(s.leastsOf(false), more...)
}

func (s *partSolver) leastsOf(anybody bool) [][]string {
	var names []string
	for _, m := range s.base.pending {
		names = append(names, m.Name)
	}
	if len(s.base.solver.multiple) == 0 && !s.hasSteps() {
		return slices.SortedStableFunc(slices.Values(s.whole.Leasts(names, anybody)), s.compareLeasts)
	}
	even := slices.DeleteFunc(slices.Collect(s.whole.Selections(names, anybody)), func(selection []string) bool { // more may fit where fewer do not
		return (len(s.base.solver.own)+len(selection))%s.base.solver.stepBelow(s.base.solver.root.tier) != 0 || slices.ContainsFunc(s.holders, func(h holder) bool { return s.oddIn(&h, selection) })
	})
	slices.SortStableFunc(even, s.compareLeasts)
	return even
}

// hasSteps says whether a part has a multiple of its own.
func (s *partSolver) hasSteps() bool {
	return slices.ContainsFunc(s.holders, func(h holder) bool { return len(h.steps) > 0 })
}

// oddIn holds if the members of a group that run or are in a selection are no multiple.
func (s *partSolver) oddIn(h *holder, selection []string) bool {
	n := 0
	for _, name := range h.Division.Members {
		n += bit(slices.Contains(selection, name) || slices.ContainsFunc(s.base.solver.own, func(r cluster.Running) bool { return r.Member == name }))
	}
	return n%stepBelow(h.steps, s.base.solver.root.tier) != 0
}

// strategyInParts is the best strategy of a selection once all that leave have left; nil if it does not fit.
func strategyInParts(in *Input, selection []string) ([]int, error) {
	s, err := newPartSolver(in)
	if err != nil {
		return nil, err
	}
	s.lookAround(true)
	if out := s.first([][]string{selection}); out != nil {
		return append([]int{out.Outside}, out.Worth...), nil
	}
	return nil, nil
}
