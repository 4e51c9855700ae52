package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
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
func (s *search) ofBestSelection() *search {
	var last *search
	list, left := selectionsOf(s.p), s.p.Model.Left
	aside := left.Fronts.Part(asideShare) // for what must be placed
	left.Fronts.Spend(aside.Left())
	byHand, onlyFronts := 0, s.p.Model.BindsBelow()
	fits := func(in model.Selection) bool {
		least := slices.Equal(in, s.p.Parts.Minimal) || list.IsLeast(in)
		if !least && onlyFronts && left.Fronts.Spent() {
			*s.p.Model.Doubt = true
			return false
		}
		if left.Packing.Spent() { // what must be placed is tried by hand
			if !least || byHand == minimalTried {
				*s.p.Model.Doubt = true
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
		if try.p.Model.Admitted == 0 || !try.possible() {
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
	case last == nil || !slices.Equal(last.p.Parts.Selection, in):
		return s.forSelection(in)
	}
	return last
}

// anyone is the best set of members of any ranks that fits and that the quota admits, or that of the fewest, by one of two ways: by the
// vectors of roles that fit, where these are all that matters, else by trials. Nil if there is none, or none beside the selections.
//
// order: howmany.4
func anyone(s *search, fewest bool) model.Selection {
	k := picksOf(s.p)
	if k == nil {
		return nil
	}
	inRoom, tried := k.LargestIn, k.Largest
	if fewest {
		tried, inRoom = k.Least, func(room []front.Vector) model.Selection { return k.LeastIn(room, isAdmitted(s.p)) }
	}
	fit := picks.Fit{Takes: func(in model.Selection) bool { return takesNow(s, in) }, Tries: selections.Plans(&s.p.Model)}
	if room, sure := roomOfRoles(s); room != nil {
		*s.p.Model.Doubt = *s.p.Model.Doubt || !sure
		if s.p.Parts.State == nil && len(s.p.Model.Gang.Parts) == 0 { // parts have minima, whatever fits
			return inRoom(room)
		}
		fit = k.Within(room, isAdmitted(s.p))
	}
	in, sure := tried(fit)
	*s.p.Model.Doubt = *s.p.Model.Doubt || !sure
	return in
}

// takesNow says whether members fit and the quota admits them.
func takesNow(s *search, in model.Selection) bool {
	if left := s.p.Model.Left; left.Packing.Spent() {
		*s.p.Model.Doubt = true
		return false
	}
	try := s.forSelection(in)
	try.within = true
	return try.p.Model.Admitted > 0 && try.possible()
}

// roomOfRoles lists the vectors of roles that fit in any domain, the largest ones; sure: there are no others. Nil if such
// vectors do not say what fits: there are groups or limits, or too many roles.
func roomOfRoles(s *search) (room []front.Vector, sure bool) {
	if !s.isPlain() || s.manyShapes != nil {
		return nil, false
	}
	room, sure = roomUnder(s, s)
	if sure && s.classes.inexact && !s.relaxed {
		most, all := roomUnder(s, s.relax())
		sure = all && !slices.ContainsFunc(most, func(v front.Vector) bool { return !front.Front(room).Holds(v) })
	}
	return room, sure
}

// roomUnder is roomOfRoles for zones as they are counted in a search. Without any room it is the empty vector.
func roomUnder(s, of *search) (room []front.Vector, sure bool) {
	c := of.under(of.loosest(s.p.Model.Gather.Must))
	room, known := []front.Vector{make(front.Vector, len(s.roles))}, map[int32]bool{}
	if c == nil {
		return room, true
	}
	for _, d := range s.p.Model.Candidates(s.p.Model.Gather.Must) {
		class := of.classes.Of(d)
		if known[class] {
			continue
		}
		known[class] = true
		below := c.frontBelow(d)
		if d == layout.Root {
			below = c.tables.space.Sum(below, c.frontOf(s.p.Model.View.Outside))
			c.tables.forgot = c.tables.forgot || c.tables.space.Forgot
		}
		room = append(room, below...)
	}
	return room, !c.tables.forgot
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
