package placement

import (
	"math"
	"slices"
	"sync/atomic"
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
	// most has, by place of a tier, for every domain above that tier: the most slots of one domain of the tier below it.
	most []slab[int32]
	// tops has, by place of a layer, for every domain above it, the most slots of the largest 1, 2, ... children of one domain of
	// that layer below it.
	tops []slab[int32]
	// values has, by domain, a bit for every number of slots that some node below it has, the last for all that are larger.
	values slab[uint64]
	groups atomic.Pointer[[]*cachedGroups]
}

// newIndex counts every node; nil if the slots of the cluster do not fit into the columns, which takes a shape that asks
// for next to nothing. O(nodes * resources).
func (p *problem) newIndex() *index {
	v := p.v
	n := v.numDomains()
	ix := &index{
		v: v, slots: newFullColumn[int32](int(v.nodes)), nodeSums: newFullColumn[int32](int(v.nodes)),
		domains: newSlab[int32](n), domainSums: newSlab[int32](n), values: newSlab[uint64](n),
	}
	for i := range v.switchTiers() {
		ix.most = append(ix.most, newSlab[int32](v.upTo[i]))
		ix.tops = append(ix.tops, newSlab[int32](v.upTo[i]*topSize*min(i, 1))) // not for nodes
	}
	if p.countNodes(&ix.slots) > math.MaxInt32 {
		return nil
	}
	s := summer{index: ix}
	for x := vertex(n) - 1; x >= 0; x-- {
		s.sum(x)
	}
	return ix
}

// counter is a function that counts the slots of a node, none on excluded ones, and with what is given back there.
func (p *problem) counter(excluded map[int32]bool, extra map[int32][]int64) func(id int32) int32 {
	plain := !p.selective() && p.req.Eligible == nil
	return func(id int32) int32 {
		if excluded[id] || (p.c.flagsOf(id) != present || !plain) && p.refusal(id) != "" {
			return 0
		}
		return int32(p.room(id, extra[id]))
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
		for i, f := range p.c.static.flags.page(int(first / pageSize))[:n] {
			if f != present {
				page[i] = count(first + int32(i))
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
	next, dirty := ix.recount(nodes, p.counter(nil, nil))
	if next == nil {
		return nil
	}
	if groups := ix.groups.Load(); groups != nil {
		list := make([]*cachedGroups, 0, len(*groups))
		for _, g := range *groups {
			if total := g.touched.len() + len(dirty); len(dirty) == 0 {
				list = append(list, g)
			} else if total <= ix.v.numDomains() {
				list = append(list, &cachedGroups{g.size, g.sums, &touched{dirty, g.touched, total}, g.used})
			}
		}
		next.groups.Store(&list)
	}
	return next
}

// overlay is the index for one request, without the nodes that it excludes and, if they count as gone, with what leaving
// members hold. Cost as for after, with the nodes concerned.
func (ix *index) overlay(p *problem) *index {
	excluded, extra := p.excluded(), p.leavingAmounts()
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
	slices.Sort(nodes)
	next, dirty := ix.recount(slices.Compact(nodes), p.counter(excluded, extra))
	if next == nil {
		return nil
	}
	var list []*cachedGroups
	for _, l := range p.levels {
		list = append(list, &cachedGroups{size: l.size, sums: ix.groupsOf(p.c.fabric, l.size).after(next, dirty), used: &stamp{}})
	}
	next.groups.Store(&list)
	return next
}

// recount is the index with these nodes counted again, without sums of groups, and the domains in which that changed
// anything; nil as for newIndex.
func (ix *index) recount(nodes []int32, count func(id int32) int32) (next *index, dirty []vertex) {
	next = &index{
		v: ix.v, slots: ix.slots.fork(), nodeSums: ix.nodeSums.fork(), domains: ix.domains.fork(), domainSums: ix.domainSums.fork(),
		most: forks(ix.most), tops: forks(ix.tops), values: ix.values.fork(),
	}
	domains := dirtyDomains{v: ix.v}
	total := int64(ix.domains.at(rootVertex))
	for _, id := range nodes {
		pos := ix.v.at(id)
		if slots := count(id); slots != next.slots.at(pos) {
			total += int64(slots) - int64(next.slots.at(pos))
			next.slots.set(pos, slots)
			domains.add(ix.v.leafOf[pos])
		}
	}
	if total > math.MaxInt32 {
		return nil, nil
	}
	s := summer{index: next}
	dirty = domains.sorted()
	for _, x := range dirty {
		s.sum(x)
	}
	return next, dirty
}

func forks(list []slab[int32]) []slab[int32] {
	out := make([]slab[int32], len(list))
	for i := range list {
		out[i] = list[i].fork()
	}
	return out
}

// dirtyDomains collects domains and all above them.
type dirtyDomains struct {
	v    *view
	list []vertex
}

func (d *dirtyDomains) add(x vertex) {
	if n := len(d.list); n == 0 || d.list[n-1] != x {
		d.list = append(d.list, x)
	}
}

// sorted lists every domain once, children before their parents.
func (d *dirtyDomains) sorted() []vertex {
	slices.Sort(d.list)
	for _, x := range slices.Compact(d.list) {
		for up := d.v.parent[x]; up >= 0; up = d.v.parent[up] {
			d.list = append(d.list, up)
		}
	}
	return upwards(d.list)
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

// cachedGroups are the sums for a group size, of this index or of an earlier one.
type cachedGroups struct {
	size    int64
	sums    *groupSums
	touched *touched // domains that changed since the sums were made
	used    *stamp
}

// groupsOf returns the sums for a group size, made when first asked for. Safe for concurrent use: of two that are made
// at once one is kept.
func (ix *index) groupsOf(f *fabric, size int64) *groupSums {
	for {
		old := ix.groups.Load()
		var list []*cachedGroups
		at := -1
		if old != nil {
			at = slices.IndexFunc(*old, func(g *cachedGroups) bool { return g.size == size })
		}
		fresh := &cachedGroups{size: size, used: &stamp{}}
		switch {
		case at < 0:
			fresh.sums = newGroupSums(ix, size)
			if old != nil {
				list = forget(slices.Clone(*old), f.keptSizes-1, func(g *cachedGroups) *stamp { return g.used })
			}
		case (*old)[at].touched == nil:
			f.stamped((*old)[at].used)
			return (*old)[at].sums
		default:
			g := (*old)[at]
			fresh.sums, fresh.used = g.sums.after(ix, upwards(g.touched.all())), g.used
			list = slices.Delete(slices.Clone(*old), at, at+1)
		}
		f.stamped(fresh.used)
		list = append(list, fresh)
		if ix.groups.CompareAndSwap(old, &list) {
			return fresh.sums
		}
	}
}
