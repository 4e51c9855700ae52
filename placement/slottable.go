package placement

import (
	"slices"

	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
)

// slotTable answers how many more members fit below a vertex: from the index of the shape, or from a count made for one
// request.
type slotTable struct {
	ix *index.Index
	// inTree: the nodes outside the tree take nobody.
	inTree bool
	flat   []int64 // by vertex; replaces the index
}

// slotTable counts slots under the rules of the request. With an index O(1).
func (p *problem) slotTable() slotTable {
	if p.mult == nil {
		if ix := p.ownIndex(); ix != nil {
			return slotTable{ix: ix, inTree: p.hard()}
		}
	}
	return slotTable{flat: p.counting().countSlots()}
}

// ownIndex is the index for the request, looked up once for each of the two states of leaving members; nil if there is none.
func (p *problem) ownIndex() *index.Index {
	own := &p.indexes[bit(p.leavingGone)]
	if *own == nil {
		if shape := p.counting().index(); shape != nil {
			if shape = p.counting().overlay(shape); shape != nil {
				*own = &shape.Index
				p.alignment.inexact = p.alignment.inexact || shape.Inexact
			}
		}
	}
	return *own
}

// at is the slots of a vertex.
func (t *slotTable) at(x layout.Vertex) int64 {
	if t.flat != nil {
		return t.flat[x]
	}
	v := t.ix.V
	switch {
	case !t.inTree:
	case x == layout.Root:
		return int64(t.ix.Domains.At(layout.Root) - t.ix.Domains.At(v.Outside))
	case x == v.Outside || v.IsNode(x) && v.Position(x) >= v.FirstPos[v.Outside]:
		return 0
	}
	return t.ix.At(x)
}

// insideTree is the table without the nodes outside the tree.
func (t *slotTable) insideTree(v *layout.View) slotTable {
	if t.flat == nil {
		return slotTable{ix: t.ix, inTree: true}
	}
	flat := slices.Clone(t.flat)
	lo, end := v.Kids(v.Outside)
	clear(flat[lo:end])
	flat[layout.Root] -= flat[v.Outside]
	flat[v.Outside] = 0
	return slotTable{flat: flat}
}
