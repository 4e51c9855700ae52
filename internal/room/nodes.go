// What do engines hear of nodes?

package room

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// Owner is whose room it is: a gang with parts and quotas, of which a room knows nothing. Both questions are asked once a search, and
// specified at [model.Room].
type Owner interface {
	Broken() bool
	WithoutOthers(st model.Strategy) *model.Model
}

// Nodes is what engines hear of the room. O(1).
func (r *Room) Nodes() model.Room { return nodes{r} }

// OwnerOf is whose room an engine hears of.
func OwnerOf(m model.Room) Owner { return m.(nodes).r.Owner }

// nodes implements [model.Room].
type nodes struct{ r *Room }

// Table implements [model.Room].
func (n nodes) Table() model.SlotTable {
	if first := n.r.Before; first != nil {
		return n.r.Slots().tableBeside(first.Positions, first.Waits)
	}
	return n.r.Slots().table()
}

// GroupsOf implements [model.Room].
func (n nodes) GroupsOf(ix *index.Index, key index.Grouping) *index.GroupSums {
	return n.r.Slots().groupsOf(ix, key)
}

// Features implements [model.Room].
func (n nodes) Features() features.Set {
	r := n.r
	scored := r.Request.Score != nil || slices.ContainsFunc(r.Shapes, func(s *gang.Shape) bool { return len(s.Preferred) > 0 })
	return features.Scored.When(scored) | features.Aligned.When(r.ZoneState.Aligned) | features.Roles.When(r.Model.Gang != nil) |
		features.Multiple.When(len(r.Model.Multiples) > 0) | r.wasteful()
}

// Broken implements [model.Room].
func (n nodes) Broken() bool { return n.r.Owner.Broken() }

// Asks implements [model.Room].
func (n nodes) Asks() [][]int64 {
	asks, width := make([][]int64, len(n.r.Shapes)), len(n.r.Needs)
	list := make([]int64, len(asks)*width)
	for r, shape := range n.r.Shapes {
		asks[r] = list[r*width : (r+1)*width : (r+1)*width]
		for i, need := range n.r.Needs {
			asks[r][i] = shape.Resources[need.Name]
		}
	}
	return asks
}

// Score implements [model.Room]: the host's score for each member of a unit, and the weights of the preferences that the node matches.
// O(preferences).
func (n nodes) Score(x layout.Vertex) (score int64) {
	r := n.r
	id := r.Model.View.Node(r.Model.View.Position(x))
	name := r.Snapshot.Lineage.Names[id]
	for _, shape := range r.Shapes {
		score += r.Judges.PreferenceScore(shape, name, r.Snapshot.LabelsOf(id))
	}
	if r.Request.Score != nil {
		score += r.Request.Score(name) * int64(r.Size())
	}
	return score
}

// Zones implements [model.Room].
func (n nodes) Zones(x layout.Vertex) int64 { return n.r.Zones().on(x) }

// LeastZones implements [model.Room].
func (n nodes) LeastZones() int64 { return n.r.Zones().least() }

// ZoneScore implements [model.Room].
func (n nodes) ZoneScore(x layout.Vertex, units int64) int64 { return n.r.Zones().score(x, units) }

// SameZones implements [model.Room].
func (n nodes) SameZones(x, y layout.Vertex) bool {
	z := n.r.Zones()
	return z.StateAt(x).Equal(z.StateAt(y))
}

// Waste implements [model.Room].
func (n nodes) Waste(x layout.Vertex) int64 { return n.r.wasteOn(n.r.Model.View.Position(x)) }

// SomeAreForOthers implements [model.Room].
func (n nodes) SomeAreForOthers() bool { return n.r.MaySpare() }

// WithoutOthers implements [model.Room].
func (n nodes) WithoutOthers(st model.Strategy) *model.Model { return n.r.Owner.WithoutOthers(st) }
