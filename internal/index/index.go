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
	// Prefix sums of the slots of the children of a domain, the largest child first. They stand in the interval of the
	// children: the sums of nodes by position, those of domains by domain. The n-th entry does not belong to the n-th
	// child.
	nodeSums   cow.Column[int32]
	domainSums cow.Slab[int32]
	// Rows has, for a domain whose children hold nodes, the most slots that each child holds in 1, 2, ... nodes; see
	// numRows.
	Rows cow.Slab[int16]
	over cow.Slab[int16] // in the same places, see putOver
	// Most has, by place of a tier, for every domain above that tier, the most slots of one domain of the tier below
	// it.
	Most []cow.Slab[int32]
	// Tops has, by place of a layer, for every domain above it, the most slots of the largest 1, 2, ... children of one
	// domain of that layer below it. Nil for a tree of more than [PairedLayers].
	Tops []cow.Slab[int32]
	// Values has, by domain, a bit for every number of slots that some node below it has; bit 63 stands for 63 and
	// more.
	Values cow.Slab[uint64]
	groups cow.Memo[Grouping, *GroupSums]
	// Alike has, by domain, the position + 1 of a node, if all nodes with slots below the domain have as many slots as
	// it and zones in the same state; 0: none has slots; -1: they are not alike. It is kept for aligned gangs only.
	Alike   cow.Slab[int32]
	aligned bool
	// Caps bound the slots of the domains of a tier, and of all vertices below them.
	Caps []Cap
}

// Cap bounds slots in every domain of a tier.
type Cap struct {
	Tier int32
	Most int64
}

// slotsFit says whether sums of slots fit into the columns: none is larger than the total.
func slotsFit(total int64) bool { return total <= math.MaxInt32 }

// Build makes the index of a topology. fill sets the slots of all nodes, by position, and returns their sum. alike says
// whether the nodes at two positions have as many slots, and zones in the same state; it is nil for gangs that are not
// aligned. Build is false if the slots do not fit into the columns, as with a shape that asks for next to nothing.
// O(nodes + domains * tiers), beside sorting siblings and the cost of fill.
func (ix *Index) Build(v *layout.View, fill func(slots *cow.Column[int32]) int64, alike func(a, b int32) bool) bool {
	n := v.NumDomains()
	*ix = Index{
		V: v, Slots: cow.NewFullColumn[int32](int(v.Nodes)), nodeSums: cow.NewFullColumn[int32](int(v.Nodes)),
		Domains: cow.NewSlab[int32](n), domainSums: cow.NewSlab[int32](n), Rows: cow.NewSlab[int16](int(v.Nodes)), over: cow.NewSlab[int16](int(v.Nodes)),
		Values: cow.NewSlab[uint64](n), aligned: alike != nil, Caps: ix.Caps,
	}
	for i := range v.SwitchTiers() {
		ix.Most = append(ix.Most, cow.NewSlab[int32](v.UpTo[i]))
		if len(v.Layers) <= PairedLayers {
			ix.Tops = append(ix.Tops, cow.NewSlab[int32](v.UpTo[i]*TopSize*min(i, 1))) // not for nodes
		}
	}
	if !slotsFit(fill(&ix.Slots)) {
		return false
	}
	s := summer{index: ix, like: alike, fresh: true}
	if ix.aligned {
		ix.Alike = cow.NewSlab[int32](n)
	}
	for x := layout.Vertex(n) - 1; x >= 0; x-- { // children come behind their parents, so they are summed before
		s.sum(x)
	}
	return true
}

// BuildBy makes the index of a topology from the slots of each node, by id; see Build. O() as there.
func (ix *Index) BuildBy(v *layout.View, count func(id int32) int32) bool {
	return ix.Build(v, func(slots *cow.Column[int32]) (total int64) {
		for pos := range v.Nodes {
			n := count(v.Node(pos))
			cow.Put(slots, pos, n)
			total += int64(n)
		}
		return total
	}, nil)
}

// Recount makes this the index of a later snapshot: a fork of from, with some nodes (by id) counted again. count
// returns the slots of a node; alike and the result are as for Build. Only domains above nodes that changed are summed
// again, from all their children. from stays as it is. O(nodes * children of the domains above them).
func (ix *Index) Recount(from *Index, nodes []int32, count func(id int32) int32, alike func(a, b int32) bool) bool {
	*ix = Index{
		V: from.V, Slots: from.Slots.Fork(), nodeSums: from.nodeSums.Fork(), Domains: from.Domains.Fork(), domainSums: from.domainSums.Fork(),
		Rows: from.Rows.Fork(), over: from.over.Fork(), Most: forks(from.Most), Tops: forks(from.Tops), Values: from.Values.Fork(),
		Alike: from.Alike.Fork(), aligned: from.aligned, Caps: from.Caps,
	}
	var dirty []layout.Vertex
	total := int64(from.Domains.At(layout.Root))
	for _, id := range nodes {
		pos := ix.V.At(id)
		slots, before := count(id), ix.Slots.At(pos)
		// With as many slots as before a node still may have other zones, which Alike compares where it has slots.
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
	dirty = withAbove(ix.V, dirty)
	for _, x := range dirty {
		s.sum(x)
	}
	// Group sums lag behind until they are asked for.
	from.groups.PassOn(&ix.groups, dirty, ix.V.NumDomains())
	return true
}

// bounded is what is left of the slots of a domain by the caps.
func (ix *Index) bounded(x layout.Vertex, slots int32) int32 {
	for _, c := range ix.Caps {
		if ix.V.Tier[x] <= c.Tier {
			slots = int32(min(int64(slots), c.Most))
		}
	}
	return slots
}

// forks lists a fork of each slab; nil for nil.
func forks(list []cow.Slab[int32]) []cow.Slab[int32] {
	if list == nil {
		return nil
	}
	out := make([]cow.Slab[int32], len(list))
	for i := range list {
		out[i] = list[i].Fork()
	}
	return out
}

// At is the number of slots of a vertex. O(1).
func (ix *Index) At(x layout.Vertex) int64 {
	if ix.V.IsNode(x) {
		return int64(ix.Slots.At(ix.V.Position(x)))
	}
	return int64(ix.Domains.At(x))
}

// Grouping is how groups are counted: their size, and how many there may be in a domain; without a cap it is 0.
type Grouping struct {
	Size int64
	Cap  Cap
}

// GroupsOf returns the sums for a group size. They are made when first asked for, O(nodes), and later brought up to
// date for the domains that changed since. The sums of the `kept` sizes used last stay.
func (ix *Index) GroupsOf(clock *cow.Clock, kept int, key Grouping) *GroupSums {
	return ix.groups.Get(clock, kept,
		func(other Grouping) bool { return other == key },
		func(g *GroupSums, domains []int32) *GroupSums { return g.after(ix, upwards(domains)) },
		func() (Grouping, *GroupSums) { return key, newGroupSums(ix, key) })
}

// summer makes the entries of domains from those of their children. Children must be done before their parent.
type summer struct {
	index *Index
	list  []int32               // scratch: values of children, or their sums
	fresh bool                  // the index is new, and has zeros
	like  func(a, b int32) bool // for aligned gangs: whether the nodes at two positions are alike
}

// sum makes all entries of x but those of group sums. An empty domain keeps its zeros. O(children * tiers).
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
		s.index.Domains.Put(x, s.index.bounded(x, s.addUp())) // from here on the list has sums
		cow.PutAll(&s.index.nodeSums, first, s.list)
		s.putRows(x)
		s.putOver(x)
		for i := range below { // a node stands for a domain of any lower tier
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
	s.index.Domains.Put(x, s.index.bounded(x, s.addUp()))
	cow.PutAll(&s.index.domainSums, lo, s.list)
	for i, t := range below {
		var most int32
		for c := lo; c < end; c++ {
			if s.index.V.Tier[c] <= t { // c is a domain of the tier, or stands for one
				most = max(most, s.index.Domains.At(c))
			} else {
				most = max(most, s.index.Most[i].At(c))
			}
		}
		s.index.Most[i].Put(x, most)
	}
	s.sumTops(x)
}

// bitsOf has a bit for each value; see [Index].Values.
func bitsOf(values []int32) (bits uint64) {
	for _, v := range values {
		bits |= 1 << min(v, 63)
	}
	return bits
}

// TopSize is the largest number of children for which the index knows the best domain of a layer.
const TopSize = 32

// PairedLayers is the largest number of layers for which the index keeps the tables that grow faster than domains times
// layers: the best children by layer, and all that stands by a pair of tiers. The searches have looser bounds without
// them, and the same answers.
const PairedLayers = 8

// MostInTop bounds the slots of the n largest children of any domain of the layer at place i below x, with n up to
// TopSize. Without tops that is the bound for all children. O(1).
func (ix *Index) MostInTop(i int, x layout.Vertex, n int64) int64 {
	if ix.Tops == nil {
		return int64(ix.Most[i].At(x))
	}
	return int64(ix.Tops[i].At(x*TopSize + int32(n) - 1))
}

// sumTops makes the entries of x in Tops, for each layer below its tier. A node right below x stands for a domain of
// its own, and has no children: all entries are its slots. The k-th entry is a bound for one domain, and different
// entries may come from different domains.
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

// raise takes the tops of x into those of the domain above it, the larger entry each time. A domain above the layer has
// tops, one of the layer has the sums of its children. Beyond its children the sum of all stands for each entry.
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
	most := int32(math.MaxInt32)
	if s.index.Caps != nil {
		most = s.index.Domains.At(x)
	}
	for k := range tops {
		tops[k] = max(tops[k], min(most, s.list[min(k, len(s.list)-1)]))
	}
}

// addUp turns the values of the list into their prefix sums, the largest value first; it returns the sum of all, 0 for
// an empty list.
func (s *summer) addUp() int32 {
	sortDescending(s.list)
	var sum int32
	for i, v := range s.list {
		sum += v
		s.list[i] = sum
	}
	return sum
}

// sortDescending sorts values, none negative. It counts where all are small, as slots on most nodes are: O(n), else
// O(n log n).
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
	clear(values[i:]) // the zeros
}
