package placement

import (
	"math"
	"slices"
)

// index is what a shape needs to know of a snapshot, for one topology: the slots of every node and domain, before any
// request excludes nodes, and sums of whole groups. It is immutable once published; the next snapshot's index is a fork
// of it with the touched nodes counted again, so that a plan costs no pass over the nodes.
type index struct {
	v       *view
	slots   column[int32] // by position
	domains slab[int32]   // slots by domain
	// Sums of the children's slots, the largest child first: those of nodes by position, of domains by domain, in the
	// interval of the children.
	nodeSums   column[int32]
	domainSums slab[int32]
	// rows are what the children of a domain hold in so many nodes, child by child; see row.
	rows slab[int16]
	// most has, by place of a tier, for every domain above that tier: the most slots of one domain of the tier below it.
	most []slab[int32]
	// tops has, by place of a layer, for every domain above it, the most slots of the largest 1, 2, ... children of one domain of
	// that layer below it.
	tops []slab[int32]
	// values has, by domain, a bit for every number of slots that some node below it has, the last for all that are larger.
	values slab[uint64]
	groups memo[int64, *groupSums] // by size
	// alike has, by domain, the position + 1 of a node that all nodes with slots below it are like, in slots and in their zones;
	// 0: none has slots, -1: they are not alike. It is kept for aligned gangs.
	alike   slab[int32]
	aligned bool
}

// slotsFit says whether sums of slots fit into the columns.
func slotsFit(total int64) bool { return total <= math.MaxInt32 }

// build makes the index of a topology: fill sets the slots of all nodes, by position, and returns their sum. alike, nil for
// gangs that are not aligned, says whether the nodes at two positions have as many slots and zones in the same state. It
// is false if the slots do not fit into the columns, which takes a shape that asks for next to nothing. O(nodes), and what fill costs.
func (ix *index) build(v *view, fill func(slots *column[int32]) int64, alike func(a, b int32) bool) bool {
	n := v.numDomains()
	*ix = index{
		v: v, slots: newFullColumn[int32](int(v.nodes)), nodeSums: newFullColumn[int32](int(v.nodes)),
		domains: newSlab[int32](n), domainSums: newSlab[int32](n), rows: newSlab[int16](int(v.nodes)), values: newSlab[uint64](n),
		aligned: alike != nil,
	}
	for i := range v.switchTiers() {
		ix.most = append(ix.most, newSlab[int32](v.upTo[i]))
		ix.tops = append(ix.tops, newSlab[int32](v.upTo[i]*topSize*min(i, 1))) // not for nodes
	}
	if !slotsFit(fill(&ix.slots)) {
		return false
	}
	s := summer{index: ix, like: alike}
	if ix.aligned {
		ix.alike = newSlab[int32](n)
	}
	for x := vertex(n) - 1; x >= 0; x-- {
		s.sum(x)
	}
	return true
}

// recount makes the index of another one with some nodes, by id, counted again; alike is as for build. It is false as for build.
// O(nodes * children of the domains above them).
func (ix *index) recount(from *index, nodes []int32, count func(id int32) int32, alike func(a, b int32) bool) bool {
	*ix = index{
		v: from.v, slots: from.slots.fork(), nodeSums: from.nodeSums.fork(), domains: from.domains.fork(), domainSums: from.domainSums.fork(),
		rows: from.rows.fork(), most: forks(from.most), tops: forks(from.tops), values: from.values.fork(),
		alike: from.alike.fork(), aligned: from.aligned,
	}
	var dirty []vertex
	total := int64(from.domains.at(rootVertex))
	for _, id := range nodes {
		pos := ix.v.at(id)
		slots, before := count(id), ix.slots.at(pos)
		if slots == before && (!ix.aligned || slots == 0) {
			continue
		}
		total += int64(slots) - int64(before)
		ix.slots.set(pos, slots)
		if x := ix.v.leafOf[pos]; len(dirty) == 0 || dirty[len(dirty)-1] != x {
			dirty = append(dirty, x)
		}
	}
	if !slotsFit(total) {
		return false
	}
	s := summer{index: ix, like: alike}
	dirty = ix.v.withAbove(dirty)
	for _, x := range dirty {
		s.sum(x)
	}
	from.groups.passOn(&ix.groups, dirty, ix.v.numDomains())
	return true
}

func forks(list []slab[int32]) []slab[int32] {
	out := make([]slab[int32], len(list))
	for i := range list {
		out[i] = list[i].fork()
	}
	return out
}

// withAbove lists domains and all above them, as upwards does.
func (v *view) withAbove(domains []vertex) []vertex {
	domains = upwards(domains)
	for _, x := range domains {
		for up := v.parent[x]; up >= 0; up = v.parent[up] {
			domains = append(domains, up)
		}
	}
	return upwards(domains)
}

// upwards sorts domains so that children come before their parents, each once.
func upwards(domains []vertex) []vertex {
	slices.Sort(domains)
	domains = slices.Compact(domains)
	slices.Reverse(domains)
	return domains
}

// at is the slots of a vertex.
func (ix *index) at(x vertex) int64 {
	if ix.v.isNode(x) {
		return int64(ix.slots.at(ix.v.position(x)))
	}
	return int64(ix.domains.at(x))
}

// groupsOf returns the sums for a group size, made when first asked for; so many sizes are kept.
func (ix *index) groupsOf(clock *clock, kept int, size int64) *groupSums {
	return ix.groups.get(clock, kept,
		func(n int64) bool { return n == size },
		func(g *groupSums, domains []int32) *groupSums { return g.after(ix, upwards(domains)) },
		func() (int64, *groupSums) { return size, newGroupSums(ix, size) })
}
