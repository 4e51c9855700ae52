package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/fronts"
	"github.com/muster-sched/muster/internal/joint"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
)

// This file answers: what does a search over fronts hear of a problem? Here are all methods that it calls.

// asked is a problem as a search hears of it. It implements [fronts.Asked], where the methods are specified.
type asked struct {
	p     *problem.Problem
	roles []*problem.Problem      // by role: the problem of its members alone; nil: not asked for yet
	taken map[int32]room.Reserved // by node: amounts and zones that new members take which were placed before
}

// newSearch is a search for a problem. Amounts in taken, by node, count as taken.
func newSearch(p *problem.Problem, taken map[int32]room.Reserved) *fronts.Search {
	return fronts.New(&asked{p: p, taken: taken})
}

// of is the problem of which a search is.
func of(s *fronts.Search) *problem.Problem { return problem.Of(s.Model()) }

// Model implements [fronts.Asked].
func (a *asked) Model() *model.Model { return &a.p.Model }

// each are the problems of the members of each role alone.
func (a *asked) each() []*problem.Problem {
	if a.roles == nil {
		a.roles = a.p.OfRoles()
	}
	return a.roles
}

// Slots implements [fronts.Asked].
func (a *asked) Slots() model.SlotTable { return a.each()[0].Room.SlotsBeside(a.taken) }

// SlotsOf implements [fronts.Asked]: the index has the slots, unless it counts by more than amounts and marks.
func (a *asked) SlotsOf(role int) func(id int32) int64 {
	one := a.each()[role]
	if v := a.p.Model.View; !one.Room.Zones().Bind() && len(one.Request.Exclude) == 0 {
		if ix := one.Room.Slots().OwnIndex(); ix != nil {
			return func(id int32) int64 { return int64(ix.Slots.At(v.At(id))) }
		}
	}
	released := a.p.Room.Slots().LeavingReleased()
	return func(id int32) int64 {
		if one.Room.Slots().Refusal(id) != "" {
			return 0
		}
		return min(one.Room.Slots().Room(id, released[id].Amounts), one.Model.Limits.OnNode())
	}
}

// Bound implements [fronts.Asked].
func (a *asked) Bound() (fronts.Bound, []int64) {
	if b := joint.Of(a.p, a.each()); b != nil {
		return b, b.Weights
	}
	return nil, nil
}

// Kinds implements [fronts.Asked].
func (a *asked) Kinds(demand []int64, relaxed, closed bool) fronts.Kinds {
	rooms := make([]*room.Room, len(a.each()))
	for i, one := range a.each() {
		rooms[i] = &one.Room
	}
	return a.p.Room.Kinds(rooms, demand, a.taken, relaxed, closed)
}

// Chosen implements [fronts.Asked].
func (a *asked) Chosen() *fronts.Chosen {
	allowed := a.p.Parts.AllowedOf
	if allowed == nil {
		return nil
	}
	return &fronts.Chosen{
		RoleBefore: a.p.Parts.RoleBefore,
		Split:      !a.p.Room.Zones().Bind() && len(allowed) <= 32, // fronts of zones are by role, and each role has a bit
		Inside:     func(role int, id int32) bool { return len(allowed[role]) == 0 || allowed[role].Holds(id) },
	}
}

// KeepsMultiples implements [fronts.Asked]. A selection is by index in the pending members of the whole gang.
func (a *asked) KeepsMultiples() bool {
	p := a.p
	if len(p.Model.Multiples) == 0 {
		return true
	}
	all := p
	if p.Parts.All != nil {
		all = p.Parts.All
	}
	place := all.Model.Places()
	return !slices.ContainsFunc(p.Model.Multiples, func(r model.MultipleRule) bool { return !r.Keeps(place, p.Parts.Selection) })
}

// Only implements [fronts.Asked]. Roles are those of the whole gang.
func (a *asked) Only(in model.Selection) fronts.Asked {
	return &asked{p: a.p.Only(in), roles: a.each(), taken: a.taken}
}

// WithDomains implements [fronts.Asked].
func (a *asked) WithDomains(at map[*model.Part]layout.Vertex) fronts.Asked {
	return &asked{p: a.p.WithDomains(at), taken: a.taken}
}

// WithoutOthers implements [fronts.Asked].
func (a *asked) WithoutOthers(st model.Strategy) fronts.Asked {
	if own := a.p.WithoutOthers(st); own != nil {
		return &asked{p: problem.Of(own), taken: a.taken}
	}
	return nil
}
