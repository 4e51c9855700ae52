// Package index answers: how many members of a shape fit on each node and in each domain, and what do the best children
// of a domain hold? An [Index] belongs to one shape and one topology. It keeps slots, prefix sums of slots with the largest
// child first, and the same in whole groups of a size, so that a plan reads a few numbers instead of all nodes
// (DESIGN, section 6).
//
// Invariants: every number equals a count from nothing; an Index is built or recounted by one goroutine, then published
// and never written again. Group sums are made when first asked for, behind a memo that is safe for concurrent use.
package index

import (
	"math"

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
	// Most has, by place of a tier, for every domain above that tier: the most slots of one domain of the tier below it.
	Most []cow.Slab[int32]
	// Tops has, by place of a layer, for every domain above it, the most slots of the largest 1, 2, ... children of one domain of
	// that layer below it.
	Tops []cow.Slab[int32]
	// Values has, by domain, a bit for every number of slots that some node below it has, the last for all that are larger.
	Values cow.Slab[uint64]
	groups cow.Memo[int64, *GroupSums] // by size
	// Alike has, by domain, the position + 1 of a node that all nodes with slots below it are like, in slots and in their zones;
	// 0: none has slots, -1: they are not alike. It is kept for aligned gangs.
	Alike   cow.Slab[int32]
	aligned bool
}

// slotsFit says whether sums of slots fit into the columns.
func slotsFit(total int64) bool { return total <= math.MaxInt32 }

// Build makes the index of a topology: fill sets the slots of all nodes, by position, and returns their sum. alike, nil for
// gangs that are not aligned, says whether the nodes at two positions have as many slots and zones in the same state. It
// is false if the slots do not fit into the columns, which takes a shape that asks for next to nothing. O(nodes), and what fill costs.
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

// Recount makes the index of another one with some nodes, by id, counted again; alike is as for build. It is false as for build.
// O(nodes * children of the domains above them).
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
