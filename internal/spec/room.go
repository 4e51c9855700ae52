// What do nodes take, and what are they worth? A room made of numbers.

package spec

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// Room is a [model.Room] made of numbers, by position.
type Room struct {
	Takes  []int64 // units that a node takes, by its amounts and zones
	Scores []int64 // host score for one unit
	Others []bool  // nodes meant for others than the members
	// Zoned: members want zones. Kind is the kind of zones that a node has, of Kinds.
	Zoned bool
	Kind  []int
	Kinds []ZoneKind

	Wasteful bool // nodes differ in what members spoil
	Wastes   []int64

	Scored  bool // hosts, or shapes, prefer nodes
	Company bool // somebody is where running members must be alone
	Indexed bool // slots are counted by an index where one can
	AnyNode bool // nodes meant for others are as good

	Inside layout.Vertex // the domain or node in which all new members must be; the root: anywhere
	spared bool          // nodes meant for others take none
	m      *model.Model  // of which it is
	ix     *index.Index
	clock  *cow.Clock
}

// ZoneKind is what zones of some state give.
type ZoneKind struct {
	Width int64   // zones that the next unit gets
	Rates []int64 // score of so many units together
}

// Of makes the room that of a model.
func (r *Room) Of(m *model.Model) {
	r.m, m.Room, r.clock = m, r, &cow.Clock{}
}

func (r *Room) zonesOn(pos int32) int64 { return r.Kinds[r.Kind[pos]].Width }

// rate is what so many units get of the zones of a node together.
func (r *Room) rate(pos int32, units int) int64 {
	if rates := r.Kinds[r.Kind[pos]].Rates; units < len(rates) {
		return rates[units]
	}
	return 0
}

// Table implements [model.Room]. An index has no multiples, and does not know who runs where limits count members; nor does it know of a
// domain in which all must be what stands around it.
func (r *Room) Table() model.SlotTable {
	counts := r.m.Limits.CountMembers() && r.m.Running.Len() > 0
	around := r.Inside != layout.Root && (r.m.Running.Len() > 0 || r.m.Limits != nil)
	if !r.Indexed || counts || around || !features.KeptIndex.Takes(r.m.Features()) {
		return model.SlotTable{Flat: r.flat()}
	}
	if r.ix == nil {
		r.ix = r.index()
	}
	inside := r.Inside
	if inside == layout.Root && r.m.Hard {
		inside = -1
	}
	return model.SlotTable{Ix: r.ix, Inside: inside}
}

// flat has the slots of all vertices: what is left beside the members that must be placed there, below 0 where these find no room.
func (r *Room) flat() []int64 {
	s := newSolver(r.m)
	out := make([]int64, len(s.vertices))
	for _, v := range s.vertices {
		if out[v.at] = int64(v.high - v.low); v.high < v.low {
			out[v.at] = none
		}
	}
	if out[layout.Root] > none { // of all members together a multiple is placed, but room is what it is
		low, high := sumOf(s.root.children)
		out[layout.Root] = int64(high - low)
	}
	return out
}

// forced has the members that vertices must take to complete multiples; nil without multiples and running members.
func (r *Room) forced() layout.Tally {
	if r.m.Multiple == nil || r.m.Running.Len() == 0 {
		return nil
	}
	out := layout.Tally{}
	for _, v := range newSolver(r.m).vertices {
		if v.low > 0 && v.parent != nil {
			out[v.at] = int64(v.low)
		}
	}
	for x := range out {
		if r.m.View.Above(x) == layout.Root {
			out[layout.Root] += out[x]
		}
	}
	return out
}

// outsideTakesNone says whether nodes outside the tree take no member.
func (r *Room) outsideTakesNone() bool {
	v := r.m.View
	return r.m.Hard || r.Inside != layout.Root || !slices.ContainsFunc(r.Takes[v.FirstPos[v.Outside]:], func(n int64) bool { return n > 0 })
}

// index has the slots of all nodes, those outside the tree as well.
func (r *Room) index() *index.Index {
	view, most := r.m.View, r.m.Limits.OnNode()
	ix := &index.Index{Caps: r.m.Limits.Caps()}
	slots := func(pos int32) int32 {
		if r.spared && r.Others[pos] {
			return 0
		}
		return int32(min(r.Takes[pos], most))
	}
	var alike func(a, b int32) bool
	if r.Zoned {
		alike = func(a, b int32) bool { return slots(a) == slots(b) && r.Kind[a] == r.Kind[b] }
	}
	ix.Build(view, func(column *cow.Column[int32]) (total int64) {
		for pos := range view.Nodes {
			cow.Put(column, pos, slots(pos))
			total += int64(slots(pos))
		}
		return total
	}, alike)
	return ix
}

// GroupsOf implements [model.Room].
func (r *Room) GroupsOf(ix *index.Index, key index.Grouping) *index.GroupSums {
	return ix.GroupsOf(r.clock, 8, key)
}

// Features implements [model.Room].
func (r *Room) Features() features.Set {
	return features.Scored.When(r.Scored) | features.Aligned.When(r.Zoned) | features.Wasteful.When(r.wasteful())
}

// wasteful says whether what members spoil is compared.
func (r *Room) wasteful() bool { return r.Wasteful && r.m.Policy != gang.ByScore }

// wasteOn is the waste of a node, 0 where none is compared.
func (r *Room) wasteOn(pos int32) int64 {
	if !r.Wasteful {
		return 0
	}
	return r.Wastes[pos]
}

// Waste implements [model.Room].
func (r *Room) Waste(x layout.Vertex) int64 { return r.wasteOn(r.m.View.Position(x)) }

// Broken implements [model.Room].
func (r *Room) Broken() bool { return newSolver(r.m).broken() }

// Asks implements [model.Room]: of one role, of one resource.
func (r *Room) Asks() [][]int64 { return [][]int64{{1}} }

// Score implements [model.Room].
func (r *Room) Score(x layout.Vertex) int64 { return r.Scores[r.m.View.Position(x)] }

// Zones implements [model.Room].
func (r *Room) Zones(x layout.Vertex) int64 { return r.zonesOn(r.m.View.Position(x)) }

// LeastZones implements [model.Room].
func (r *Room) LeastZones() int64 {
	least := r.Kinds[0].Width
	for _, k := range r.Kinds {
		least = min(least, k.Width)
	}
	return least
}

// ZoneScore implements [model.Room].
func (r *Room) ZoneScore(x layout.Vertex, units int64) int64 {
	if !r.Zoned {
		return 0
	}
	return r.rate(r.m.View.Position(x), int(units))
}

// SameZones implements [model.Room].
func (r *Room) SameZones(x, y layout.Vertex) bool {
	return r.Kind[r.m.View.Position(x)] == r.Kind[r.m.View.Position(y)]
}

// SomeAreForOthers implements [model.Room].
func (r *Room) SomeAreForOthers() bool {
	return !r.spared && !r.AnyNode && slices.Contains(r.Others, true) && slices.Contains(r.Others, false)
}

// WithoutOthers implements [model.Room].
func (r *Room) WithoutOthers(st model.Strategy) *model.Model {
	return r.withoutOthers(r.m, tiersOf(st))
}

// withoutOthers is a model under one strategy, and without the nodes meant for others; nil if that is not to be tried.
func (r *Room) withoutOthers(m *model.Model, tiers []int) *model.Model {
	if !r.SomeAreForOthers() {
		return nil
	}
	next, room := *m, *r
	room.spared, room.ix = true, nil
	next.Gather.Worths = []int32{int32(tiers[0])}
	next.Levels = slices.Clone(m.Levels)
	for i := range next.Levels {
		next.Levels[i].Gather.Worths = []int32{int32(tiers[i+1])}
	}
	room.Of(&next)
	return &next
}
