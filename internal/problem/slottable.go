package problem

import (
	"slices"

	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
)

// SlotTable answers how many more members fit below a vertex: from the index of the shape, or from a count made for one
// request.
type SlotTable struct {
	Ix *index.Index
	// InTree: the nodes outside the tree take nobody.
	InTree bool
	Flat   []int64 // by vertex; replaces the index
}

// SlotTable counts slots under the rules of the request. With an index O(1).
func (k Counting) SlotTable() SlotTable {
	if k.p.Multiple == nil {
		if ix := k.OwnIndex(); ix != nil {
			return SlotTable{Ix: ix, InTree: k.p.Hard()}
		}
	}
	return SlotTable{Flat: k.CountSlots()}
}

// OwnIndex is the index for the request, looked up once for each of the two states of leaving members; nil if there is none.
func (k Counting) OwnIndex() *index.Index {
	own := &k.p.indexes[Bit(k.p.LeavingGone)]
	if *own == nil {
		if shape := k.index(); shape != nil {
			if shape = k.overlay(shape); shape != nil {
				*own = &shape.Index
				k.p.ZoneState.inexact = k.p.ZoneState.inexact || shape.Inexact
			}
		}
	}
	return *own
}

// At is the slots of a vertex.
func (t *SlotTable) At(x layout.Vertex) int64 {
	if t.Flat != nil {
		return t.Flat[x]
	}
	v := t.Ix.V
	switch {
	case !t.InTree:
	case x == layout.Root:
		return int64(t.Ix.Domains.At(layout.Root) - t.Ix.Domains.At(v.Outside))
	case x == v.Outside || v.IsNode(x) && v.Position(x) >= v.FirstPos[v.Outside]:
		return 0
	}
	return t.Ix.At(x)
}

// InsideTree is the table without the nodes outside the tree.
func (t *SlotTable) InsideTree(v *layout.View) SlotTable {
	if t.Flat == nil {
		return SlotTable{Ix: t.Ix, InTree: true}
	}
	flat := slices.Clone(t.Flat)
	lo, end := v.Kids(v.Outside)
	clear(flat[lo:end])
	flat[layout.Root] -= flat[v.Outside]
	flat[v.Outside] = 0
	return SlotTable{Flat: flat}
}
