package index

import (
	"math"

	"github.com/muster-sched/muster/internal/layout"
)

// Where all children of a domain are domains of nodes, it has a row for each of the first numbers of nodes: the most slots that
// its children hold in so many nodes, one after the other, so that those who look for a narrow span read them in one go. The
// rows lie in the interval of the nodes, as many as there is room for.

// numRows is how many rows x has.
func numRows(v *layout.View, x layout.Vertex) int32 {
	if v.Gaps[0][x] != 2 {
		return 0
	}
	lo, end := v.Kids(x)
	return min(TopSize, (v.EndPos[x]-v.FirstPos[x])/(end-lo))
}

// Row is where the row of x for so many nodes starts, -1 if there is none that tells who holds so many members.
func (ix *Index) Row(x layout.Vertex, nodes int32, members int64) int32 {
	if nodes > numRows(ix.V, x) || members > math.MaxInt16 {
		return -1
	}
	lo, end := ix.V.Kids(x)
	return ix.V.FirstPos[x] + (nodes-1)*(end-lo)
}

// putRows enters the sums of the list, those of a domain of nodes, into the rows of the domain above it.
func (s *summer) putRows(x layout.Vertex) {
	up := s.index.V.Parent[x]
	rows := int(numRows(s.index.V, up))
	if rows == 0 {
		return
	}
	lo, end := s.index.V.Kids(up)
	at := s.index.V.FirstPos[up] + x - lo
	for k, sum := 0, int32(0); k < rows; {
		page, i := s.index.Rows.OwnFrom(at), 0
		for ; k < rows && i < len(page); i, k = i+int(end-lo), k+1 {
			if k < len(s.list) {
				sum = min(s.list[k], math.MaxInt16)
			}
			page[i] = int16(sum)
		}
		at += int32(i)
	}
}
