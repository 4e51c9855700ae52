// What do the children of a domain hold on few nodes, read in one go?

package index

import (
	"math"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/layout"
)

// numRows is the number of rows of x; 0 unless all its children are domains of nodes. Row k has, child after child, the
// most slots that the child holds in k nodes, so that a search for a narrow span reads them in one go. The rows of x
// take the places of the nodes below it, by position, and there are as many as have room there, at most TopSize.
func numRows(v *layout.View, x layout.Vertex) int32 {
	if v.Gaps[0][x] != 2 {
		return 0
	}
	lo, end := v.Kids(x)
	return min(TopSize, (v.EndPos[x]-v.FirstPos[x])/(end-lo))
}

// Row is the place in Rows where the row of x for a number of nodes starts; -1 if there is none. There is none for many
// members either: the entries are capped, and do not tell which child holds more than the cap.
func (ix *Index) Row(x layout.Vertex, nodes int32, members int64) int32 {
	if nodes > numRows(ix.V, x) || members > math.MaxInt16 {
		return -1
	}
	lo, end := ix.V.Kids(x)
	return ix.V.FirstPos[x] + (nodes-1)*(end-lo)
}

// putRows enters the sums in the list, those of a domain x of nodes, into the rows of the domain above it: one entry a
// row, as many places apart as that domain has children. Pages are looked up once each, not once an entry.
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
			if k < len(s.list) { // else more nodes than x has hold as much as all
				sum = min(s.list[k], math.MaxInt16)
			}
			page[i] = int16(sum)
		}
		at += int32(i)
	}
}

// OverSize is the largest number of slots above which the slots of nodes are summed.
const OverSize = 7

// Over appends, child after child of x, the sum of what the nodes below the child have above so many slots each. Not ok if the index does not have it:
// all children must be domains of nodes, and there is none for many members, as with Row. O(children).
func (ix *Index) Over(list []int16, x layout.Vertex, slots, members int64) (_ []int16, ok bool) {
	if slots > int64(min(OverSize, numRows(ix.V, x))) || members > math.MaxInt16 {
		return list, false
	}
	lo, end := ix.V.Kids(x)
	at := ix.V.FirstPos[x] + int32(slots-1)*(end-lo)
	return cow.AppendTo(list, &ix.over, at, at+end-lo), true
}

// putOver enters what the nodes of a domain x have above 1, 2, ... slots in the table of the domain above it. The list has the sums of their slots, the
// largest first.
func (s *summer) putOver(x layout.Vertex) {
	up := s.index.V.Parent[x]
	rows := min(OverSize, numRows(s.index.V, up))
	lo, end := s.index.V.Kids(up)
	nodes, sum := int32(0), int32(0) // those with more, and what they have
	for slots := rows; slots > 0; slots-- {
		for ; nodes < int32(len(s.list)) && s.list[nodes]-sum > slots; nodes++ {
			sum = s.list[nodes]
		}
		at, over := s.index.V.FirstPos[up]+(slots-1)*(end-lo)+x-lo, int16(min(sum-nodes*slots, math.MaxInt16))
		if over > 0 || !s.fresh { // most entries of a new index stay empty
			s.index.over.Put(at, over)
		}
	}
}
