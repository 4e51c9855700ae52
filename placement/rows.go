package placement

import "math"

// Where all children of a domain are domains of nodes, it has a row for each of the first numbers of nodes: the most slots that
// its children hold in so many nodes, one after the other, so that those who look for a narrow span read them in one go. The
// rows lie in the interval of the nodes, as many as there is room for.

// numRows is how many rows x has.
func (v *view) numRows(x vertex) int32 {
	if v.gaps[0][x] != 2 {
		return 0
	}
	lo, end := v.kids(x)
	return min(topSize, (v.endPos[x]-v.firstPos[x])/(end-lo))
}

// row is where the row of x for so many nodes starts, -1 if there is none that tells who holds so many members.
func (ix *index) row(x vertex, nodes int32, members int64) int32 {
	if nodes > ix.v.numRows(x) || members > math.MaxInt16 {
		return -1
	}
	lo, end := ix.v.kids(x)
	return ix.v.firstPos[x] + (nodes-1)*(end-lo)
}

// putRows enters the sums of the list, those of a domain of nodes, into the rows of the domain above it.
func (s *summer) putRows(x vertex) {
	up := s.index.v.parent[x]
	rows := int(s.index.v.numRows(up))
	if rows == 0 {
		return
	}
	lo, end := s.index.v.kids(up)
	at := s.index.v.firstPos[up] + x - lo
	for k, sum := 0, int32(0); k < rows; {
		page, i := s.index.rows.ownFrom(at), 0
		for ; k < rows && i < len(page); i, k = i+int(end-lo), k+1 {
			if k < len(s.list) {
				sum = min(s.list[k], math.MaxInt16)
			}
			page[i] = int16(sum)
		}
		at += int32(i)
	}
}
