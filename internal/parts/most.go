package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/steps"
)

// This file answers: which is the plan for the best selection?

// asideShare: one such part of the steps is kept for the selections that must be placed. A gang with multiples, or across
// topologies, has no plan by hand.
const asideShare = 4

// ofBestSelection is the search for the best selection that fits and that the quota admits; nil if there is none. The
// search of the last selection that fitted is reused, which mostly is the best one.
//
// order: parts.3
func (s *search) ofBestSelection() *search {
	var last *search
	list, left := selectionsOf(s.p), s.p.Parts.Left
	aside := left.Fronts.Part(asideShare) // for what must be placed
	left.Fronts.Spend(aside.Left())
	byHand, onlyFronts := 0, problem.BindsBelow(s.p)
	in := list.most(func(in problem.Selection) bool {
		least := slices.Equal(in, s.p.Parts.Minimal) || len(list.removals(in)) == 0
		if !least && onlyFronts && left.Fronts.Spent() {
			*s.p.Parts.Doubt = true
			return false
		}
		if left.Packing.Spent() { // what must be placed is tried by hand
			if !least || byHand == minimalTried {
				*s.p.Parts.Doubt = true
				return false
			}
			byHand++
		}
		if least {
			left.Fronts.Return(aside.Left())
			aside = steps.Budget{}
		}
		try := s.forSelection(in)
		try.within = !least
		if try.p.Admitted == 0 || !try.possible() {
			return false
		}
		last = try
		return true
	})
	left.Fronts.Return(aside.Left())
	switch {
	case in == nil:
		return nil
	case !slices.Equal(last.p.Parts.Selection, in):
		return s.forSelection(in)
	}
	return last
}

// plan is the best plan for the best selection, nil if not even the least fits.
func (s *search) plan() *problem.Outcome {
	if most := s.ofBestSelection(); most != nil {
		return most.best()
	}
	return nil
}

// sortByRole orders the positions of each role within a group by rank. The members of two joined plans have theirs in
// two runs.
func sortByRole(p *problem.Problem, positions []int32) {
	innermost, n := make([]int, p.Ranks), 0
	var walk func(a *problem.Part, group int)
	walk = func(a *problem.Part, group int) {
		if !a.Bundle {
			n++
			group = n
		}
		for _, rank := range a.Ranks {
			innermost[rank] = group
		}
		for _, b := range a.Parts {
			walk(b, group)
		}
	}
	walk(p.Gang, 0)
	of := map[[2]int][]int{} // indexes in pending
	for i, m := range p.Pending {
		key := [2]int{innermost[m.Rank], int(p.Role(i))}
		of[key] = append(of[key], i)
	}
	for _, list := range of {
		at := make([]int32, len(list))
		for k, i := range list {
			at[k] = positions[i]
		}
		slices.Sort(at)
		for k, i := range list {
			positions[i] = at[k]
		}
	}
}
