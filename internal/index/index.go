// Package index answers: how many members of a shape fit on each node and in each domain, and what do the best children
// of a domain hold? An [Index] belongs to one shape and one topology. It keeps slots, prefix sums of slots with the
// largest child first, and the same in whole groups of a size, so that a plan reads a few numbers instead of all nodes
// (DESIGN, section 6).
//
// Invariants: every number equals a count from nothing; an Index is built or recounted by one goroutine, then published
// and never written again. Group sums are made when first asked for, behind a memo that is safe for concurrent use.
package index

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/layout"
)

// Index is what a shape needs to know of a snapshot, for one topology: the slots of every node and domain, before any
// request excludes nodes, and sums of whole groups. It is immutable once published; the next snapshot's index is a fork
// of it with the touched nodes counted again, so that a plan costs no pass over the nodes.
type Index struct {
	V       *layout.View
	Slots   cow.Column[int32] // by position
	Domains cow.Slab[int32]   // slots by domain
	// Sums of the children's slots, the largest child first: those of nodes by position, of domains by domain, in the
	// interval of the children.
	nodeSums   cow.Column[int32]
	domainSums cow.Slab[int32]
	// Rows are what the children of a domain hold in so many nodes, child by child; see row.
	Rows cow.Slab[int16]
	// Most has, by place of a tier, for every domain above that tier: the most slots of one domain of the tier below
	// it.
	Most []cow.Slab[int32]
	// Tops has, by place of a layer, for every domain above it, the most slots of the largest 1, 2, ... children of one
	// domain of that layer below it.
	Tops []cow.Slab[int32]
	// Values has, by domain, a bit for every number of slots that some node below it has, the last for all that are
	// larger.
	Values cow.Slab[uint64]
	groups cow.Memo[int64, *GroupSums] // by size
	// Alike has, by domain, the position + 1 of a node that all nodes with slots below it are like, in slots and in
	// their zones; 0: none has slots, -1: they are not alike. It is kept for aligned gangs.
	Alike   cow.Slab[int32]
	aligned bool
}

// slotsFit says whether sums of slots fit into the columns.
func slotsFit(total int64) bool { return total <= math.MaxInt32 }

// Build makes the index of a topology: fill sets the slots of all nodes, by position, and returns their sum. alike, nil
// for gangs that are not aligned, says whether the nodes at two positions have as many slots and zones in the same
// state. It is false if the slots do not fit into the columns, which takes a shape that asks for next to nothing.
// O(nodes), and what fill costs.
func (ix *Index) Build(v *layout.View, fill func(slots *cow.Column[int32]) int64, alike func(a, b int32) bool) bool {
	n := v.NumDomains()
	*ix = Index{
		V: v, Slots: cow.NewFullColumn[int32](int(v.Nodes)), nodeSums: cow.NewFullColumn[int32](int(v.Nodes)),
		Domains: cow.NewSlab[int32](n), domainSums: cow.NewSlab[int32](n), Rows: cow.NewSlab[int16](int(v.Nodes)), Values: cow.NewSlab[uint64](n),
		aligned: alike != nil,
	}
	for i := range v.SwitchTiers() {
		ix.Most = append(ix.Most, cow.NewSlab[int32](v.UpTo[i]))
		ix.Tops = append(ix.Tops, cow.NewSlab[int32](v.UpTo[i]*TopSize*min(i, 1))) // not for nodes
	}
	if !slotsFit(fill(&ix.Slots)) {
		return false
	}
	s := summer{index: ix, like: alike}
	if ix.aligned {
		ix.Alike = cow.NewSlab[int32](n)
	}
	for x := layout.Vertex(n) - 1; x >= 0; x-- {
		s.sum(x)
	}
	return true
}

// Recount makes the index of another one with some nodes, by id, counted again; alike is as for build. It is false as
// for build. O(nodes * children of the domains above them).
func (ix *Index) Recount(from *Index, nodes []int32, count func(id int32) int32, alike func(a, b int32) bool) bool {
	*ix = Index{
		V: from.V, Slots: from.Slots.Fork(), nodeSums: from.nodeSums.Fork(), Domains: from.Domains.Fork(), domainSums: from.domainSums.Fork(),
		Rows: from.Rows.Fork(), Most: forks(from.Most), Tops: forks(from.Tops), Values: from.Values.Fork(),
		Alike: from.Alike.Fork(), aligned: from.aligned,
	}
	var dirty []layout.Vertex
	total := int64(from.Domains.At(layout.Root))
	for _, id := range nodes {
		pos := ix.V.At(id)
		slots, before := count(id), ix.Slots.At(pos)
		if slots == before && (!ix.aligned || slots == 0) {
			continue
		}
		total += int64(slots) - int64(before)
		ix.Slots.Set(pos, slots)
		if x := ix.V.LeafOf[pos]; len(dirty) == 0 || dirty[len(dirty)-1] != x {
			dirty = append(dirty, x)
		}
	}
	if !slotsFit(total) {
		return false
	}
	s := summer{index: ix, like: alike}
	dirty = ix.V.WithAbove(dirty)
	for _, x := range dirty {
		s.sum(x)
	}
	from.groups.PassOn(&ix.groups, dirty, ix.V.NumDomains())
	return true
}

func forks(list []cow.Slab[int32]) []cow.Slab[int32] {
	out := make([]cow.Slab[int32], len(list))
	for i := range list {
		out[i] = list[i].Fork()
	}
	return out
}

// At is the slots of a vertex.
func (ix *Index) At(x layout.Vertex) int64 {
	if ix.V.IsNode(x) {
		return int64(ix.Slots.At(ix.V.Position(x)))
	}
	return int64(ix.Domains.At(x))
}

// GroupsOf returns the sums for a group size, made when first asked for; so many sizes are kept.
func (ix *Index) GroupsOf(clock *cow.Clock, kept int, size int64) *GroupSums {
	return ix.groups.Get(clock, kept,
		func(n int64) bool { return n == size },
		func(g *GroupSums, domains []int32) *GroupSums { return g.after(ix, layout.Upwards(domains)) },
		func() (int64, *GroupSums) { return size, newGroupSums(ix, size) })
}

// Where all children of a domain are domains of nodes, it has a row for each of the first numbers of nodes: the most
// slots that its children hold in so many nodes, one after the other, so that those who look for a narrow span read
// them in one go. The rows lie in the interval of the nodes, as many as there is room for.

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

// summer makes the entries of domains from those of their children.
type summer struct {
	index *Index
	list  []int32
	like  func(a, b int32) bool // for aligned gangs: whether the nodes at two positions are alike
}

func (s *summer) sum(x layout.Vertex) {
	lo, end := s.index.V.Kids(x)
	s.list = s.list[:0]
	if lo == end {
		return
	}
	if s.like != nil {
		s.compareBelow(x)
	}
	below := s.index.V.TiersBelow(s.index.V.Tier[x])
	if s.index.V.IsNode(lo) {
		first := s.index.V.FirstPos[x]
		s.list = cow.AppendTo(s.list, &s.index.Slots, first, s.index.V.EndPos[x])
		s.index.Values.Put(x, bitsOf(s.list))
		s.index.Domains.Put(x, s.addUp())
		cow.PutAll(&s.index.nodeSums, first, s.list)
		s.putRows(x)
		for i := range below {
			s.index.Most[i].Put(x, s.list[0])
		}
		s.sumTops(x)
		return
	}
	s.list = cow.AppendTo(s.list, &s.index.Domains, lo, end)
	var bits uint64
	for c := lo; c < end; c++ {
		bits |= s.index.Values.At(c)
	}
	s.index.Values.Put(x, bits)
	s.index.Domains.Put(x, s.addUp())
	cow.PutAll(&s.index.domainSums, lo, s.list)
	for i, t := range below {
		var most int32
		for c := lo; c < end; c++ {
			if s.index.V.Tier[c] <= t {
				most = max(most, s.index.Domains.At(c))
			} else {
				most = max(most, s.index.Most[i].At(c))
			}
		}
		s.index.Most[i].Put(x, most)
	}
	s.sumTops(x)
}

// bitsOf has a bit for each value.
func bitsOf(values []int32) (bits uint64) {
	for _, v := range values {
		bits |= 1 << min(v, 63)
	}
	return bits
}

// TopSize is how many children the index knows the best domain of a layer for.
const TopSize = 32

// sumTops makes the tops of a domain. A node right below it stands for a domain of its own.
func (s *summer) sumTops(x layout.Vertex) {
	for i := 1; i < len(s.index.Tops) && s.index.V.Tier[x] > s.index.V.Tiers[i]; i++ {
		var tops [TopSize]int32
		if lo, end := s.index.V.Kids(x); s.index.V.IsNode(lo) {
			for k := range tops {
				tops[k] = s.index.Most[0].At(x)
			}
		} else {
			for c := lo; c < end; c++ {
				s.raise(&tops, i, c)
			}
		}
		cow.PutAll(&s.index.Tops[i], x*TopSize, tops[:])
	}
}

// raise takes the tops of a domain into those of the one above. A domain of the layer itself has the sums of its
// children.
func (s *summer) raise(tops *[TopSize]int32, i int, x layout.Vertex) {
	s.list = s.list[:0]
	lo, end := s.index.V.Kids(x)
	switch {
	case s.index.V.Tier[x] > s.index.V.Tiers[i]:
		s.list = cow.AppendTo(s.list, &s.index.Tops[i], x*TopSize, (x+1)*TopSize)
	case lo == end:
		return
	case s.index.V.IsNode(lo):
		s.list = cow.AppendTo(s.list, &s.index.nodeSums, s.index.V.FirstPos[x], min(s.index.V.EndPos[x], s.index.V.FirstPos[x]+TopSize))
	default:
		s.list = cow.AppendTo(s.list, &s.index.domainSums, lo, min(end, lo+TopSize))
	}
	for k := range tops {
		tops[k] = max(tops[k], s.list[min(k, len(s.list)-1)])
	}
}

// addUp turns the values of the list into their sums, the largest value first; it returns the sum of all.
func (s *summer) addUp() int32 {
	sortDescending(s.list)
	var sum int32
	for i, v := range s.list {
		sum += v
		s.list[i] = sum
	}
	return sum
}

// sortDescending counts where values are small, which they are on most nodes.
func sortDescending(values []int32) {
	var counts [64]int32
	largest := int32(0)
	for _, v := range values {
		if v >= int32(len(counts)) {
			slices.Sort(values)
			slices.Reverse(values)
			return
		}
		counts[v]++
		largest = max(largest, v)
	}
	i := 0
	for v := largest; v > 0; v-- {
		for range counts[v] {
			values[i] = v
			i++
		}
	}
	clear(values[i:])
}

// compareBelow finds out whether all nodes below x are alike.
func (s *summer) compareBelow(x layout.Vertex) {
	one := int32(0)
	lo, end := s.index.V.Kids(x)
	for c := lo; c < end && one >= 0; c++ {
		other := int32(0)
		if !s.index.V.IsNode(c) {
			other = s.index.Alike.At(c)
		} else if pos := s.index.V.Position(c); s.index.Slots.At(pos) > 0 {
			other = pos + 1
		}
		switch {
		case one == 0:
			one = other
		case other < 0 || other > 0 && !s.like(one-1, other-1):
			one = -1
		}
	}
	s.index.Alike.Put(x, one)
}
