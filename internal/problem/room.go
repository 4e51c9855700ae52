package problem

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// room is what engines hear of nodes: [model.Room] for a problem.
type room struct{ p *Problem }

// Of is the problem of which a model is.
func Of(m *model.Model) *Problem { return m.Room.(room).p }

// Table implements [model.Room].
func (r room) Table() model.SlotTable {
	if r.p.before != nil {
		return r.p.Slots().besideOthers(r.p.before)
	}
	return r.p.Slots().Table()
}

// GroupsOf implements [model.Room].
func (r room) GroupsOf(ix *index.Index, key index.Grouping) *index.GroupSums {
	return r.p.Slots().GroupsOf(ix, key)
}

// Features implements [model.Room].
func (r room) Features() features.Set {
	p := r.p
	scored := p.Request.Score != nil || slices.ContainsFunc(p.Shapes, func(s *gang.Shape) bool { return len(s.Preferred) > 0 })
	return features.Scored.When(scored) | features.Aligned.When(p.ZoneState.Aligned) | features.Roles.When(p.InParts()) |
		features.Multiple.When(len(p.Multiples) > 0)
}

// Broken implements [model.Room].
func (r room) Broken() bool { return r.p.Slots().Broken() }

// Hard implements [model.Room].
func (r room) Hard() bool { return r.p.Hard() }

// Score implements [model.Room]: the host's score for each member of a unit, and the weights of the preferences that the node matches.
// O(preferences).
func (r room) Score(x layout.Vertex) (score int64) {
	p := r.p
	id := p.Model.View.Node(p.Model.View.Position(x))
	name := p.Snapshot.Lineage.Names[id]
	for _, shape := range p.Shapes {
		score += p.Judges.PreferenceScore(shape, name, p.Snapshot.Static.At(id).Labels)
	}
	if p.Request.Score != nil {
		score += p.Request.Score(name) * int64(p.Size())
	}
	return score
}

// Zones implements [model.Room].
func (r room) Zones(x layout.Vertex) int64 { return r.p.Zones().zonesOn(x) }

// LeastZones implements [model.Room].
func (r room) LeastZones() int64 { return r.p.Zones().leastZones() }

// ZoneScore implements [model.Room].
func (r room) ZoneScore(x layout.Vertex, units int64) int64 { return r.p.Zones().zoneScore(x, units) }

// SameZones implements [model.Room].
func (r room) SameZones(x, y layout.Vertex) bool {
	state := r.p.Zones().stateAt
	return state(x).Equal(state(y))
}

// SomeAreForOthers implements [model.Room].
func (r room) SomeAreForOthers() bool { return r.p.Slots().maySpare() }

// WithoutOthers implements [model.Room].
func (r room) WithoutOthers(st model.Strategy) *model.Model {
	if next := r.p.Slots().WithoutOthers(st); next != nil {
		return &next.Model
	}
	return nil
}
