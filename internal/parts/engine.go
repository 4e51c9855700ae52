// Package parts answers: what is asked about a gang of several shapes or in parts beside the search of package fronts? Which selection is
// placed, whether the quota admits it, what refuses it and whether that is proven, and which further members come beside those that must.
//
// Everything here belongs to one plan and is not safe for concurrent use.
package parts

import (
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/fronts"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/outcome"
	"github.com/muster-sched/muster/internal/picks"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/selections"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// This file answers: how does package search ask about a gang in parts? Here are all methods that it calls.

// Engine is the engine for members of several shapes, unequal groups, and groups of other topologies. It implements
// search.Engine, where the methods are specified.
type Engine struct{ P *problem.Problem }

// Count finds the members that must be placed: the last selection of the chain of removals, with multiples the last
// one that keeps them. Without any selection Least is more than the members that are known.
func (e Engine) Count() {
	p := e.P
	e.begin()
	if p.Parts.Minimal = selectionsOf(p).Minimal(); p.Parts.Minimal == nil { // the minima exceed the members known
		p.Model.Least = max(p.Request.MinMember-p.Model.Running.Len(), len(p.Model.Pending)+1)
		return
	}
	if p.Request.MinMember == 0 {
		p.Model.Least = p.Parts.Minimal.Size()
	}
}

// selectionsOf are the selections of a gang.
func selectionsOf(p *problem.Problem) *selections.Selections {
	return selections.Of(&p.Model, p.PinnedPending())
}

// CountAs is Count for a gang that was counted before.
func (e Engine) CountAs(before *problem.Problem) {
	if before.Parts.All != nil {
		before = before.Parts.All
	}
	if before.Parts.Minimal == nil {
		e.Count()
		return
	}
	e.begin()
	e.P.Parts.Minimal, e.P.Model.Least = before.Parts.Minimal, before.Model.Least
}

// begin gives a problem its steps.
func (e Engine) begin() {
	p := e.P
	p.Model.Doubt, p.Model.Left = new(bool), p.Bounds.Left
	if p.Model.Left == nil {
		p.Model.Left = p.NewBudget()
	}
}

// Admit asks the quota for the minimal selection, and if it refuses that, for as few members of any ranks; every larger
// set is asked when it is tried.
func (e Engine) Admit(state *quota.State) error {
	p := e.P
	p.Parts.State = state
	if p.Parts.Minimal == nil {
		return nil
	}
	var err error
	if p.RefusedBy, err = state.Admit(p.Only(p.Parts.Minimal).Asks(p.Parts.Minimal.Size()), p.Request.QuotaLimit); p.RefusedBy == nil || err != nil {
		return err
	}
	if k := picksOf(p); k != nil {
		if in, _ := k.Least(admitted(p)); in != nil {
			p.RefusedBy = nil
		}
	}
	return nil
}

// admitted asks the quota alone whether members fit.
func admitted(p *problem.Problem) picks.Fit {
	return picks.Fit{Takes: isAdmitted(p), Tries: selections.Steps(&p.Model)}
}

// isAdmitted asks the quota of sets of members.
func isAdmitted(p *problem.Problem) func(model.Selection) bool {
	return func(in model.Selection) bool { return p.Only(in).Model.Admitted > 0 }
}

// picksOf are the sets of members of any ranks. Who is pinned matters where a quota is asked.
func picksOf(p *problem.Problem) *picks.Picks {
	var pinned []bool
	if p.Parts.State != nil {
		pinned = p.PinnedPending()
	}
	return picks.Of(&p.Model, pinned, selections.Steps(&p.Model))
}

// Search is the best plan for the best selection that fits.
func (e Engine) Search() *outcome.Outcome { return outcome.Of(plan(newSearch(e.P, nil))) }

// Outcomes iterates over the plans for the best selection that fits, best first.
func (e Engine) Outcomes() iter.Seq[*outcome.Outcome] {
	s := ofBestSelection(newSearch(e.P, nil))
	return func(yield func(*outcome.Outcome) bool) {
		if s == nil {
			return
		}
		for a := range s.Answers() {
			if !yield(outcome.Of(a)) {
				return
			}
		}
	}
}

// LeastAndMore plans the first least selection that fits and is admitted, else as few members of any ranks, and further
// members beside it on free capacity.
//
// order: howmany.4
func (e Engine) LeastAndMore() *outcome.Outcome {
	p := e.P
	if p.Parts.Selection == nil {
		for _, in := range selectionsOf(p).Least() {
			if o := (Engine{p.Only(in)}).LeastAndMore(); o != nil {
				return o
			}
		}
		if in := anyone(newSearch(p, nil), true); in != nil {
			return Engine{p.Only(in)}.LeastAndMore()
		}
		return nil
	}
	if p.Model.Admitted == 0 {
		return nil
	}
	a := newSearch(p, nil).Best()
	if a == nil {
		return nil
	}
	waits := p.WaitsFor(a.Positions)
	o := outcome.Of(a)
	if next := e.further(a, waits); next != nil {
		o = e.joined(a, next)
	}
	o.Waits = waits
	return o
}

// joined makes one plan of that of the first members and that of the further ones. Within a group, members of one
// role have their positions in rank order, whichever plan they came from.
func (e Engine) joined(a, next *model.Answer) *outcome.Outcome {
	// Both plans number members among those that they place; ranks are common.
	all := e.P.Parts.All
	in, at := make(model.Selection, len(all.Model.Pending)), make([]int32, all.Model.Ranks)
	place := all.Model.Places()
	for _, one := range []*model.Answer{a, next} {
		for i, pos := range one.Positions {
			rank := one.Of.Pending[i]
			at[rank], in[place[rank]] = pos, true
		}
	}
	both := all.Only(in)
	positions := make([]int32, len(both.Model.Pending))
	for i, rank := range both.Model.Pending {
		positions[i] = at[rank]
	}
	sortByRole(both, positions)
	return &outcome.Outcome{Of: both, Domain: a.Domain, Tier: a.Tier, Positions: positions}
}

// further plans the remaining members beside a plan, inside its domain. Members of the plan count as running, and their
// amounts and zones as reserved. It returns nil if all are placed, or if roles within domains of other topologies would
// make zones incomparable.
func (e Engine) further(a *model.Answer, waits []*snapshot.Member) *model.Answer {
	p := e.P
	all := p.Parts.All
	if len(a.Of.Pending) == len(all.Model.Pending) || p.Model.SpansTrees() && p.Room.Zones().Bind() {
		return nil // roles within chosen domains do not match those of the further members
	}
	more := p.Unselected(a)
	reserved := map[int32]room.Reserved{}
	for i, pos := range a.Positions {
		id := p.Model.View.Node(pos)
		if reserved[id].Amounts == nil {
			reserved[id] = room.Reserved{Amounts: make([]int64, len(p.Snapshot.Lineage.Resources))}
		}
		for _, n := range p.Room.Needs {
			if n.ID >= 0 {
				reserved[id].Amounts[n.ID] += p.Room.ShapeOf(i).Resources[n.Name]
			}
		}
	}
	p.Room.Zones().TakeZones(reserved, a.Positions, waits)
	return plan(newSearch(more, reserved))
}

// Possible says whether the minimal selection fits, or as few members of any ranks do, as far as vectors of roles say it.
func (e Engine) Possible() bool {
	p := e.P
	if p.Parts.Minimal == nil {
		return false
	}
	s := newSearch(p.Only(p.Parts.Minimal), nil)
	s.Within = true
	if s.Possible() {
		return true
	}
	k := picksOf(p)
	if k == nil {
		return false
	}
	room, _ := newSearch(p, nil).RoomOfRoles()
	return k.LeastIn(room, isAdmitted(p)) != nil
}

// minimalTried bounds the least selections for which victims are sought, and again the sets of as few members of any ranks.
const minimalTried = 8

// Minimal lists problems of the first least selections, then of as few members of any ranks, minimalTried each at most;
// whole says that there are no more.
//
// order: howmany.4
func (e Engine) Minimal() (list []*problem.Problem, whole bool) {
	if e.P.Parts.Selection != nil {
		return []*problem.Problem{e.P}, true
	}
	s := selectionsOf(e.P)
	least := s.Least()
	whole = len(least) <= minimalTried
	if k := picksOf(e.P); k != nil && whole {
		var more []model.Selection
		more, whole = k.Leasts(minimalTried, func(in model.Selection) bool {
			is := func(o model.Selection) bool { return slices.Equal(in, o) }
			return (len(e.P.Model.Multiples) > 0 || s.IsLeast(in)) && !slices.ContainsFunc(least, is)
		})
		least = append(least, more...)
	} else {
		least = least[:min(minimalTried, len(least))]
	}
	for _, in := range least {
		list = append(list, e.P.Only(in))
	}
	return list, whole
}

// Strategies enumerates the strategies of all classes, fitting or not.
func (e Engine) Strategies() iter.Seq[model.Strategy] {
	return fronts.Strategies(&asked{p: e.P})
}

// Allows says whether the gang fits under a strategy, and how many members then lie outside the tree. The selection
// decides how many are placed, so that units are not asked.
func (e Engine) Allows(_ int, st model.Strategy) (outside int64, ok bool) {
	return fronts.Allows(newSearch(e.P, nil), st)
}

// Exact is false: slots of one shape do not decide what fits.
func (e Engine) Exact() bool { return false }

// Evidence finds the best domain of every tier for the minimal selection, or for as few members of any ranks where
// vectors of roles say what fits; for the whole gang if there is none. Counts of more members would hide where just the
// least find no room. Of a bare refusal it has no domains.
func (e Engine) Evidence() outcome.Evidence {
	p := e.P
	s := newSearch(p, nil)
	minimal, out := s, outcome.Evidence{Proven: func() bool { return proven(s) }}
	if p.Bounds.Bare {
		return out
	}
	switch {
	case p.Parts.Minimal == nil:
	case len(p.Model.Gang.Parts) == 0 && picksOf(p) != nil && s.CountsRoles():
		s.Fewest = p.Parts.Minimal.Size()
	default:
		minimal = s.ForSelection(p.Parts.Minimal)
		fronts.Keep(minimal, of(minimal).AllMultiples()) // multiples that groups keep in any case bind fewer members
		if len(p.Request.Parts) > 0 {
			out.Wanted = p.Parts.Minimal.Size() // minima of parts may exceed the gang's
		}
	}
	for _, t := range p.Model.View.Tiers {
		if t > p.Model.Gather.Must {
			break
		}
		if found, ok := minimal.BestAt(t); ok {
			out.Fits = append(out.Fits, found)
		}
	}
	return out
}

// MostAdmitted is the number of new members that the quota admits, whatever room there is: whole groups, or the
// lowest ranks, or members of any ranks.
func (e Engine) MostAdmitted() int {
	p := e.P
	all := p.WithMultiples(p.AllMultiples()) // multiples that groups keep in any case bind fewer members
	if len(p.Model.Gang.Parts) == 0 {
		all = all.FromOneMember()
	}
	if picksOf(p) != nil {
		in, _ := picksOf(all).Largest(admitted(p))
		return in.Size()
	}
	s := selectionsOf(all)
	return s.Most(func(in model.Selection) bool { return p.Only(in).Model.Admitted > 0 }).Size()
}

// HoldsWithoutRules says whether Least members of the lowest ranks, or of any, fit without any rule, multiple or limit, as
// far as is known.
func (e Engine) HoldsWithoutRules() bool {
	unbound := e.P.WithoutRules().WithoutMultiples().WithLimits(nil, nil)
	s := newSearch(unbound.Only(selections.FirstOnes(&unbound.Model, e.P.Model.Least)), nil)
	s.Within = true
	if s.Possible() {
		return true
	}
	if picksOf(e.P) != nil {
		whole := newSearch(unbound, nil)
		room, _ := whole.RoomOfRoles()
		return fronts.MostOf(whole, room) >= int64(e.P.Model.Least)
	}
	bound := len(hardRules(e.P))+len(e.P.Model.Multiples) > 0 || e.P.Model.Limits != nil
	e.P.Model.Gang.Each(func(a *model.Part) { bound = bound || len(a.Limits) > 0 })
	return bound && e.P.Model.Left.Packing.Spent()
}
