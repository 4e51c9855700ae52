package problem

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// nodes is what engines hear of nodes: [model.Room] for a problem.
type nodes struct{ p *Problem }

// Of is the problem of which a model is.
func Of(m *model.Model) *Problem { return m.Room.(nodes).p }

// Table implements [model.Room].
func (n nodes) Table() model.SlotTable {
	if n.p.before != nil {
		return n.p.Room.Slots().TableBeside(n.p.before.Positions, n.p.before.Waits)
	}
	return n.p.Room.Slots().Table()
}

// GroupsOf implements [model.Room].
func (n nodes) GroupsOf(ix *index.Index, key index.Grouping) *index.GroupSums {
	return n.p.Room.Slots().GroupsOf(ix, key)
}

// Features implements [model.Room].
func (n nodes) Features() features.Set {
	p := n.p
	scored := p.Request.Score != nil || slices.ContainsFunc(p.Room.Shapes, func(s *gang.Shape) bool { return len(s.Preferred) > 0 })
	return features.Scored.When(scored) | features.Aligned.When(p.Room.ZoneState.Aligned) | features.Roles.When(p.InParts()) |
		features.Multiple.When(len(p.Model.Multiples) > 0)
}

// Broken implements [model.Room].
func (n nodes) Broken() bool { return n.p.Broken() }

// Asks implements [model.Room].
func (n nodes) Asks() [][]int64 {
	asks, width := make([][]int64, len(n.p.Room.Shapes)), len(n.p.Room.Needs)
	list := make([]int64, len(asks)*width)
	for r, shape := range n.p.Room.Shapes {
		asks[r] = list[r*width : (r+1)*width : (r+1)*width]
		for i, need := range n.p.Room.Needs {
			asks[r][i] = shape.Resources[need.Name]
		}
	}
	return asks
}

// Score implements [model.Room]: the host's score for each member of a unit, and the weights of the preferences that the node matches.
// O(preferences).
func (n nodes) Score(x layout.Vertex) (score int64) {
	p := n.p
	id := p.Model.View.Node(p.Model.View.Position(x))
	name := p.Snapshot.Lineage.Names[id]
	for _, shape := range p.Room.Shapes {
		score += p.Room.Judges.PreferenceScore(shape, name, p.Snapshot.Static.At(id).Labels)
	}
	if p.Request.Score != nil {
		score += p.Request.Score(name) * int64(p.Room.Size())
	}
	return score
}

// Zones implements [model.Room].
func (n nodes) Zones(x layout.Vertex) int64 { return n.p.Room.Zones().On(x) }

// LeastZones implements [model.Room].
func (n nodes) LeastZones() int64 { return n.p.Room.Zones().Least() }

// ZoneScore implements [model.Room].
func (n nodes) ZoneScore(x layout.Vertex, units int64) int64 {
	return n.p.Room.Zones().Score(x, units)
}

// SameZones implements [model.Room].
func (n nodes) SameZones(x, y layout.Vertex) bool {
	state := n.p.Room.Zones().StateAt
	return state(x).Equal(state(y))
}

// SomeAreForOthers implements [model.Room].
func (n nodes) SomeAreForOthers() bool { return n.p.Room.MaySpare() }

// WithoutOthers implements [model.Room].
func (n nodes) WithoutOthers(st model.Strategy) *model.Model {
	if next := n.p.WithoutOthers(st); next != nil {
		return &next.Model
	}
	return nil
}
