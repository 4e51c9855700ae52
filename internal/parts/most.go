package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/fronts"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/picks"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/selections"
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
func ofBestSelection(s *fronts.Search) *fronts.Search {
	var last *fronts.Search
	p := of(s)
	list, left := selectionsOf(p), p.Model.Left
	aside := left.Fronts.Part(asideShare) // for what must be placed
	left.Fronts.Spend(aside.Left())
	byHand, onlyFronts := 0, p.Model.BindsBelow()
	fits := func(in model.Selection) bool {
		least := slices.Equal(in, p.Parts.Minimal) || list.IsLeast(in)
		if !least && onlyFronts && left.Fronts.Spent() {
			*p.Model.Doubt = true
			return false
		}
		if left.Packing.Spent() { // what must be placed is tried by hand
			if !least || byHand == minimalTried {
				*p.Model.Doubt = true
				return false
			}
			byHand++
		}
		if least {
			left.Fronts.Return(aside.Left())
			aside = steps.Budget{}
		}
		try := s.ForSelection(in)
		try.Within = !least
		if try.Model().Admitted == 0 || !try.Possible() {
			return false
		}
		last = try
		return true
	}
	in := list.Most(fits)
	left.Fronts.Return(aside.Left())
	if in == nil {
		in = anyone(s, false)
	}
	switch {
	case in == nil:
		return nil
	case last == nil || !slices.Equal(last.Selection(), in):
		return s.ForSelection(in)
	}
	return last
}

// anyone is the best set of members of any ranks that fits and that the quota admits, or that of the fewest, by one of two ways: by the
// vectors of roles that fit, where these are all that matters, else by trials. Nil if there is none, or none beside the selections.
//
// order: howmany.4
func anyone(s *fronts.Search, fewest bool) model.Selection {
	p := of(s)
	k := picksOf(p)
	if k == nil {
		return nil
	}
	inRoom, tried := k.LargestIn, k.Largest
	if fewest {
		tried, inRoom = k.Least, func(room []front.Vector) model.Selection { return k.LeastIn(room, isAdmitted(p)) }
	}
	fit := picks.Fit{Takes: func(in model.Selection) bool { return takesNow(s, in) }, Tries: selections.Plans(&p.Model)}
	if room, sure := s.RoomOfRoles(); room != nil {
		*p.Model.Doubt = *p.Model.Doubt || !sure
		if p.Parts.State == nil && len(p.Model.Gang.Parts) == 0 { // parts have minima, whatever fits
			return inRoom(room)
		}
		fit = k.Within(room, isAdmitted(p))
	}
	in, sure := tried(fit)
	*p.Model.Doubt = *p.Model.Doubt || !sure
	return in
}

// takesNow says whether members fit and the quota admits them.
func takesNow(s *fronts.Search, in model.Selection) bool {
	if left := s.Model().Left; left.Packing.Spent() {
		*s.Model().Doubt = true
		return false
	}
	try := s.ForSelection(in)
	try.Within = true
	return try.Model().Admitted > 0 && try.Possible()
}

// plan is the best plan for the best selection, nil if not even the least fits.
func plan(s *fronts.Search) *model.Answer {
	if most := ofBestSelection(s); most != nil {
		return most.Best()
	}
	return nil
}

// sortByRole orders the positions of each role within a group by rank. The members of two joined plans have theirs in
// two runs.
func sortByRole(p *problem.Problem, positions []int32) {
	innermost, n := make([]int, p.Model.Ranks), 0
	var walk func(a *model.Part, group int)
	walk = func(a *model.Part, group int) {
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
	walk(p.Model.Gang, 0)
	of := map[[2]int][]int{} // indexes in pending
	for i, rank := range p.Model.Pending {
		key := [2]int{innermost[rank], int(p.Model.Role(i))}
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
