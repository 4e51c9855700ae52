package fronts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/snapshot"
)

// ofProblem is a problem as a search hears of it, without any bound.
type ofProblem struct{ p *problem.Problem }

// newSearch is a search for a request.
func newSearch(t *testing.T, c *snapshot.Snapshot, req *gang.Request) *Search {
	t.Helper()
	p, err := problem.New(c, req, nil, bounds.Search{})
	require.NoError(t, err)
	p.Model.Doubt, p.Model.Left = new(bool), p.NewBudget()
	p.Ready()
	return New(&ofProblem{p})
}

func (a *ofProblem) Model() *model.Model { return &a.p.Model }

func (a *ofProblem) Slots() model.SlotTable { return a.p.OfRoles()[0].Room.SlotsBeside(nil) }

func (a *ofProblem) SlotsOf(role int) func(id int32) int64 {
	one := a.p.OfRoles()[role]
	return func(id int32) int64 { return one.Room.Slots().Room(id, nil) }
}

func (a *ofProblem) Bound() (Bound, []int64) { return nil, nil }

func (a *ofProblem) Kinds(demand []int64, relaxed, closed bool) Kinds {
	var rooms []*room.Room
	for _, one := range a.p.OfRoles() {
		rooms = append(rooms, &one.Room)
	}
	return a.p.Room.Kinds(rooms, demand, nil, relaxed, closed)
}

func (a *ofProblem) Chosen() *Chosen {
	allowed := a.p.Parts.AllowedOf
	if allowed == nil {
		return nil
	}
	return &Chosen{a.p.Parts.RoleBefore, true, func(role int, id int32) bool { return len(allowed[role]) == 0 || allowed[role].Holds(id) }}
}

func (a *ofProblem) KeepsMultiples() bool { return true }

func (a *ofProblem) Only(in model.Selection) Asked { return &ofProblem{a.p.Only(in)} }

func (a *ofProblem) WithDomains(at map[*model.Part]layout.Vertex) Asked {
	return &ofProblem{a.p.WithDomains(at)}
}

func (a *ofProblem) WithoutOthers(model.Strategy) Asked { return nil }
