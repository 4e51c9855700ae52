package placement

import (
	"cmp"
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
	alike            slab[int32]
	aligned, inexact bool
	needs            needsByZones
}

// newIndex counts every node; nil if the slots of the cluster do not fit into the columns, which takes a shape that asks
// for next to nothing. O(nodes * resources).
func (p *problem) newIndex() *index {
	v := p.v
	n := v.numDomains()
	ix := &index{
		v: v, slots: newFullColumn[int32](int(v.nodes)), nodeSums: newFullColumn[int32](int(v.nodes)),
		domains: newSlab[int32](n), domainSums: newSlab[int32](n), rows: newSlab[int16](int(v.nodes)), values: newSlab[uint64](n),
	}
	for i := range v.switchTiers() {
		ix.most = append(ix.most, newSlab[int32](v.upTo[i]))
		ix.tops = append(ix.tops, newSlab[int32](v.upTo[i]*topSize*min(i, 1))) // not for nodes
	}
	if p.countNodes(&ix.slots) > math.MaxInt32 {
		return nil
	}
	s := summer{index: ix}
	if ix.aligned = p.alignment.aligned; ix.aligned {
		ix.alike, s.like = newSlab[int32](n), p.alikeIn(ix, nil)
	}
	for x := vertex(n) - 1; x >= 0; x-- {
		s.sum(x)
	}
	ix.needs, ix.inexact = p.allNeeds(), p.alignment.inexact
	return ix
}

// counter is a function that counts the slots of a node, none on excluded ones, and with what is given back there.
func (p *problem) counter(excluded map[int32]bool, extra map[int32]gift) func(id int32) int32 {
	plain, zones := !p.selective() && p.req.Eligible == nil, p.zoneCounter()
	return func(id int32) int32 {
		flags := p.c.flagsOf(id)
		if excluded[id] || (flags&^zoned != present || !plain) && p.refusal(id) != "" {
			return 0
		}
		g := extra[id]
		room := p.room(id, g.amounts)
		if room > 0 && p.bound(flags) {
			room = min(room, zones(id, p.stateOf(id, g)).Slots)
		}
		return int32(room)
	}
}

// countNodes fills the slots of all nodes, by position, and adds them up. O(nodes * resources).
func (p *problem) countNodes(slots *column[int32]) (total int64) {
	count := p.counter(nil, nil)
	nowhere := func(n need) bool { return n.id < 0 }
	if p.v.order != nil || p.selective() || p.req.Eligible != nil || slices.ContainsFunc(p.needs, nowhere) {
		for pos := range p.v.nodes {
			n := count(p.v.node(pos))
			put(slots, pos, n)
			total += int64(n)
		}
		return total
	}
	zones := p.zoneCounter()
	var page [pageSize]int32
	for first := int32(0); first < p.v.nodes; first += pageSize {
		n := min(pageSize, p.v.nodes-first)
		for i := range page {
			page[i] = boundlessSlots
		}
		for _, need := range p.needs {
			for i, free := range p.c.free[need.id].page(int(first / pageSize))[:pageSize] {
				page[i] = min(page[i], fits(free, need.amount))
			}
		}
		states := p.c.zones.page(int(first / pageSize))
		for i, f := range p.c.static.flags.page(int(first / pageSize))[:n] {
			switch id := first + int32(i); {
			case f&^zoned != present:
				page[i] = count(id)
			case page[i] > 0 && p.bound(f):
				page[i] = min(page[i], int32(zones(id, cmp.Or(states[i], noZoning.bare)).Slots))
			}
			total += int64(page[i])
		}
		putAll(slots, first, page[:n])
	}
	return total
}

// fits is how often an amount fits. Nodes mostly have room for none or one, which takes no division.
func fits(free, amount int64) int32 {
	if left := free - amount; free >= amount && left >= amount {
		return int32(min(free/amount, boundlessSlots))
	}
	var one int32
	if free >= amount {
		one = 1
	}
	return one
}

// after is the index of a later snapshot in which only these nodes changed; nil as for newIndex. O(touched * children
// of the domains above them).
func (ix *index) after(p *problem, nodes []int32) *index {
	if ix == nil {
		return p.newIndex()
	}
	p.alignment.indexNeeds = ix.needs
	return ix.recount(p, nodes, nil, nil)
}

// overlay is the index for one request, without the nodes that it excludes and, if they count as gone, with what leaving
// members hold. Cost as for after, with the nodes concerned.
func (ix *index) overlay(p *problem) *index {
	excluded, extra := p.excluded(), p.leavingGifts()
	var nodes []int32
	for id := range excluded {
		nodes = append(nodes, id)
	}
	for id := range extra {
		nodes = append(nodes, id)
	}
	if len(nodes) == 0 {
		return ix
	}
	for _, l := range p.levels {
		ix.groupsOf(p.c.fabric, l.size) // to start from
	}
	slices.Sort(nodes)
	return ix.recount(p, slices.Compact(nodes), excluded, extra)
}

// recount is the index with these nodes counted again; nil as for newIndex.
func (ix *index) recount(p *problem, nodes []int32, excluded map[int32]bool, extra map[int32]gift) *index {
	next := &index{
		v: ix.v, slots: ix.slots.fork(), nodeSums: ix.nodeSums.fork(), domains: ix.domains.fork(), domainSums: ix.domainSums.fork(),
		rows: ix.rows.fork(), most: forks(ix.most), tops: forks(ix.tops), values: ix.values.fork(),
		alike: ix.alike.fork(), aligned: ix.aligned,
	}
	count := p.counter(excluded, extra)
	var dirty []vertex
	total := int64(ix.domains.at(rootVertex))
	for _, id := range nodes {
		pos := ix.v.at(id)
		slots, before := count(id), next.slots.at(pos)
		if slots == before && (!ix.aligned || slots == 0) {
			continue
		}
		total += int64(slots) - int64(before)
		next.slots.set(pos, slots)
		if x := ix.v.leafOf[pos]; len(dirty) == 0 || dirty[len(dirty)-1] != x {
			dirty = append(dirty, x)
		}
	}
	if total > math.MaxInt32 {
		return nil
	}
	s := summer{index: next}
	if ix.aligned {
		s.like = p.alikeIn(next, extra)
	}
	dirty = ix.v.withAbove(dirty)
	for _, x := range dirty {
		s.sum(x)
	}
	ix.groups.passOn(&next.groups, dirty, ix.v.numDomains())
	next.needs, next.inexact = p.allNeeds(), p.alignment.inexact || ix.inexact
	return next
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

// groupsOf returns the sums for a group size, made when first asked for.
func (ix *index) groupsOf(f *fabric, size int64) *groupSums {
	return ix.groups.get(f, f.keptSizes,
		func(n int64) bool { return n == size },
		func(g *groupSums, domains []int32) *groupSums { return g.after(ix, upwards(domains)) },
		func() (int64, *groupSums) { return size, newGroupSums(ix, size) })
}
