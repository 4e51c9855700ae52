// What room is there: how many units fit on a node and below a vertex, and what are nodes worth?

package model

import (
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
)

// Room is what nodes take. Vertices are those of the model's view; where x is to be a node, it is said.
type Room interface {
	// Table has the slots of all vertices. O(1) with a known index, else O(nodes * resources).
	Table() SlotTable
	// GroupsOf are the sums of an index for groups. The index keeps the sums of the last ones asked for.
	GroupsOf(ix *index.Index, key index.Grouping) *index.GroupSums
	// Features are those of the room: whether zones are looked at, nodes have scores or differ in their waste, members several roles.
	Features() features.Set
	// Broken says whether running members break a limit by themselves, so that no plan keeps it.
	Broken() bool
	// Asks is what a member of each role asks for, resource by resource, which are the same for all roles.
	Asks() [][]int64

	// Score is the score of one unit on a node, as it is given.
	Score(x layout.Vertex) int64
	// Zones is the number of zones that the next unit gets on a node as it is, at least LeastZones. ZoneScore is what so many units
	// get there together. SameZones says whether the zones of two nodes are alike.
	Zones(x layout.Vertex) int64
	LeastZones() int64
	ZoneScore(x layout.Vertex, units int64) int64
	SameZones(x, y layout.Vertex) bool
	// Waste is what a node has of free devices, and what the next unit spoils of them; the less the better.
	Waste(x layout.Vertex) int64

	// SomeAreForOthers says whether nodes meant for others than the members are to be left out, as far as the kinds of nodes tell.
	// WithoutOthers is the model under a strategy without these nodes; nil if there cannot be another plan than over all nodes.
	SomeAreForOthers() bool
	WithoutOthers(st Strategy) *Model
}

// SlotTable answers how many more members fit below a vertex: from the index of the shape, or from a count made for one
// request. It is read only.
type SlotTable struct {
	Ix *index.Index
	// Inside: only nodes in this domain take members, or for -1 those of the tree; the root: all do. What stands in the index itself counts
	// all nodes, and is of use at or below the domain alone.
	Inside layout.Vertex
	Flat   []int64 // by vertex; replaces the index
}

// At is the slots of a vertex. O(1).
func (t *SlotTable) At(x layout.Vertex) int64 {
	if t.Flat != nil {
		return t.Flat[x]
	}
	v := t.Ix.V
	switch { // the index counts nodes outside the tree too
	case t.Inside == layout.Root:
	case t.Inside > layout.Root:
		return t.inside(x)
	case x == layout.Root:
		return int64(t.Ix.Domains.At(layout.Root) - t.Ix.Domains.At(v.Outside))
	case x == v.Outside || v.IsNode(x) && v.Position(x) >= v.FirstPos[v.Outside]:
		return 0
	}
	return t.Ix.At(x)
}

// inside is At where only nodes in one domain take members. Vertices are intervals of positions: those of a vertex and of its only child are
// the same, and so are their slots.
func (t *SlotTable) inside(x layout.Vertex) int64 {
	v := t.Ix.V
	first, end, lo, hi := v.First(x), v.EndOf(x), v.First(t.Inside), v.EndOf(t.Inside)
	switch {
	case first >= lo && end <= hi:
		return t.Ix.At(x)
	case first <= lo && end >= hi:
		return t.Ix.At(t.Inside)
	}
	return 0
}
