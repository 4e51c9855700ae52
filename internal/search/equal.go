package search

import (
	"fmt"
	"iter"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/gather"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/outcome"
	"github.com/muster-sched/muster/internal/partnames"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// equal is the engine for members of one shape, in equal groups: what package gather finds for the model, and what follows for the problem.
type equal struct{ p *problem.Problem }

// Count has nothing to find out: the problem knows how many members must be placed.
func (e equal) Count() {}

// Admit finds how many units the quota admits, given that it refuses all together, and what refuses the least number
// that the rules allow. O(log members) questions to the quota.
func (e equal) Admit(state *quota.State) error {
	p := e.p
	// The n found is the first such that n+1 units are refused: more units never ask for less.
	p.Model.Admitted = sort.Search(len(p.Model.Pending)-1, func(n int) bool {
		refusal, err := state.Admit(p.Asks(n+1), p.Request.QuotaLimit)
		return refusal != nil || err != nil // never the latter: it is a part of the whole
	})
	wholes := p.Model.Wholes(max(1, p.Model.Least), len(p.Model.Pending))
	if len(wholes) == 0 || wholes[0] <= p.Model.Admitted {
		return nil
	}
	var err error
	p.RefusedBy, err = state.Admit(p.Asks(wholes[0]), p.Request.QuotaLimit)
	return err
}

// Search is the best plan for as many new members as there is room for, nil if not even the least number fits.
func (e equal) Search() *outcome.Outcome { return outcome.Of(gather.Search(&e.p.Model)) }

// Outcomes iterates over the best plan in every domain that some strategy allows, best first.
func (e equal) Outcomes() iter.Seq[*outcome.Outcome] {
	return func(yield func(*outcome.Outcome) bool) {
		for a := range gather.Answers(&e.p.Model) {
			if !yield(outcome.Of(a)) {
				return
			}
		}
	}
}

// LeastAndMore plans the least number of members, and further ones beside them on what is free now; nil if the least do
// not fit.
func (e equal) LeastAndMore() *outcome.Outcome {
	p := e.p
	a := gather.SearchLeast(&p.Model)
	if a == nil {
		return nil
	}
	waits := p.WaitsFor(a.Positions)
	positions := append(a.Positions, e.further(a, waits)...)
	if len(p.Model.Levels) == 0 {
		slices.Sort(positions) // without groups ranks follow the tree, whichever members came first
	}
	return &outcome.Outcome{Of: p, Domain: a.Domain, Tier: a.Tier, Positions: positions, Waits: waits}
}

// further places the members that a waiting plan leaves out, as if the members that it places ran: inside its domain,
// on what is free now. It returns the positions of as many as fit, nil if none do.
func (e equal) further(a *model.Answer, waits []*snapshot.Member) []int32 {
	m := &e.p.Model
	if len(a.Positions) == len(m.Pending) || m.Multiple != nil || len(m.Levels) > 1 && m.Limits.CountGroups() {
		return nil
	}
	if next := gather.Search(&e.p.Rest(a, waits).Model); next != nil {
		return next.Positions
	}
	return nil
}

// Possible says whether the least number of members can be placed at all.
func (e equal) Possible() bool { return gather.Possible(&e.p.Model) }

// Minimal is the problem itself: the members of the lowest ranks are the fewest that may start.
func (e equal) Minimal() (some []*problem.Problem, whole bool) { return []*problem.Problem{e.p}, true }

// Strategies enumerates the tiers of the gang and of its groups.
func (e equal) Strategies() iter.Seq[model.Strategy] { return e.p.Model.Strategies(nil) }

// Allows says whether some domain holds so many units under a strategy, and how many members lie outside the tree then.
func (e equal) Allows(units int, st model.Strategy) (outside int64, ok bool) {
	return gather.Allows(&e.p.Model, units, st)
}

// Exact says whether slots alone decide: no multiples, no begun groups.
func (e equal) Exact() bool {
	m := &e.p.Model
	return m.Multiple == nil && m.Limits == nil && !e.p.Snapshot.Closed.Any() && (len(m.Levels) == 0 || m.Running.Len() == 0)
}

// Room is nil: the slots of the shape say what fits on a node.
func (e equal) Room() func(id int32, extra []int64, zones *numa.Occupancy) int64 { return nil }

// Evidence finds, for every tier up to the gang's MustGather, the domain that could take the most members under the
// hard rules of the groups.
func (e equal) Evidence() outcome.Evidence {
	p := e.p
	return outcome.Evidence{
		Fits: gather.Fits(&p.Model),
		Proven: func() bool {
			return p.Room.Zones().ZonesProven(p.Room.Slots().Excluded(), p.Room.Slots().LeavingReleased())
		},
	}
}

// MostAdmitted is how many new members the quota admits in whole groups, 0 if not even one group.
func (e equal) MostAdmitted() int {
	wholes := e.p.Model.Wholes(1, e.p.Model.Admitted)
	if len(wholes) == 0 {
		return 0
	}
	return wholes[len(wholes)-1]
}

// HoldsWithoutRules says whether the cluster has free slots for the least number of members, whatever the rules are.
func (e equal) HoldsWithoutRules() bool {
	p := e.p
	open := p
	if p.Model.Limits != nil {
		open = p.WithLimits(nil, nil)
	}
	if ix := open.Room.Slots().OwnIndex(); ix != nil {
		return ix.At(p.Room.Inside) >= int64(p.Model.Least)
	}
	return open.WithoutRules().WithoutMultiples().Room.Slots().Count()[layout.Root] >= int64(p.Model.Least)
}

// BindingRule names the gang's own MustGather, or that of the outermost level of groups that has one; empty if there is
// none. With multiples the gang's own binds only if the least number of members would fit without any rule.
//
// order: refusals.4
func (e equal) BindingRule() string {
	m := &e.p.Model
	if m.Gather.Hard && (m.Multiple == nil || gather.Possible(&e.p.WithoutRules().Model)) {
		return "MustGather " + m.Gather.Name
	}
	for _, l := range m.Levels {
		if l.Gather.Hard {
			return fmt.Sprintf("MustGather %s for groups of %d", l.Gather.Name, l.Size)
		}
	}
	return ""
}

// BindingMultiple names the first multiple that does not divide the gang's size, else the first one.
//
// order: refusals.4
func (e equal) BindingMultiple() string {
	p := e.p
	return partnames.Multiple(p.Model.View, p.MultiplesIn(p.Request.Gather), len(p.Model.Pending)+p.Model.Running.Len())
}
