package placement

import "slices"

// slotTable answers how many more members fit below a vertex: from the index of the shape, or from a count made for one
// request.
type slotTable struct {
	ix *index
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
	return slotTable{flat: p.countSlots()}
}

// ownIndex is the index for the request, looked up once for each of the two states of leaving members; nil if there is none.
func (p *problem) ownIndex() *index {
	own := &p.indexes[bit(p.leavingGone)]
	if *own == nil {
		if shape := p.index(); shape != nil {
			if shape = shape.overlay(p); shape != nil {
				*own = &shape.index
				p.alignment.inexact = p.alignment.inexact || shape.inexact
			}
		}
	}
	return *own
}

// at is the slots of a vertex.
func (t *slotTable) at(x vertex) int64 {
	if t.flat != nil {
		return t.flat[x]
	}
	v := t.ix.v
	switch {
	case !t.inTree:
	case x == rootVertex:
		return int64(t.ix.domains.at(rootVertex) - t.ix.domains.at(v.outside))
	case x == v.outside || v.isNode(x) && v.position(x) >= v.firstPos[v.outside]:
		return 0
	}
	return t.ix.at(x)
}

// insideTree is the table without the nodes outside the tree.
func (t *slotTable) insideTree(v *view) slotTable {
	if t.flat == nil {
		return slotTable{ix: t.ix, inTree: true}
	}
	flat := slices.Clone(t.flat)
	lo, end := v.kids(v.outside)
	clear(flat[lo:end])
	flat[rootVertex] -= flat[v.outside]
	flat[v.outside] = 0
	return slotTable{flat: flat}
}
