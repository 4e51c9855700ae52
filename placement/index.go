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
	domains column[int32] // slots by domain
	// Sums of the children's slots, the largest child first: those of nodes by position, of domains by domain, in the
	// interval of the children.
	nodeSums, domainSums column[int32]
	// most has, by place of a tier, for every domain above that tier: the most slots of one domain of the tier below it.
	most []column[int32]
	// tops has, for every domain above the lowest layer, the most slots of the largest 1, 2, ... children of one domain of
	// that layer below it.
	tops   column[int32]
	groups atomic.Pointer[[]*groupSums] // a few group sizes, the last made first
}

// newIndex counts every node; nil if the slots of the cluster do not fit into the columns, which takes a shape that asks
// for next to nothing. O(nodes * resources).
func (p *problem) newIndex() *index {
	v := p.v
	n := v.numDomains()
	ix := &index{
		v: v, slots: newColumn[int32](int(v.nodes)), nodeSums: newColumn[int32](int(v.nodes)),
		domains: newColumn[int32](n), domainSums: newColumn[int32](n),
	}
	for i := range v.switchTiers() {
		ix.most = append(ix.most, newColumn[int32](v.upTo[i]))
	}
	if len(ix.most) > 1 {
		ix.tops = newColumn[int32](v.upTo[1] * topSize)
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
	free := make([][]int64, len(p.needs))
	var page [pageSize]int32
	for first := int32(0); first < p.v.nodes; first += pageSize {
		n := min(pageSize, p.v.nodes-first)
		flags := p.c.static.flags.page(int(first / pageSize))[:n]
		for i, need := range p.needs {
			free[i] = p.c.free[need.id].page(int(first / pageSize))[:n]
		}
		for i, f := range flags {
			slots := int32(boundlessSlots)
			for r, need := range p.needs {
				slots = min(slots, fits(free[r][i], need.amount))
			}
			if f != present {
				slots = count(first + int32(i))
			}
			page[i] = slots
			total += int64(slots)
		}
		putAll(slots, first, page[:n])
	}
	return total
}

// fits is how often an amount fits. Nodes mostly have room for none or one, which takes no division.
func fits(free, amount int64) int32 {
	switch {
	case free < amount:
		return 0
	case free-amount < amount:
		return 1
	}
	return int32(min(free/amount, boundlessSlots))
}

// summer makes the entries of domains from those of their children.
type summer struct {
	*index
	values []int32
}

func (s *summer) sum(x vertex) {
	lo, end := s.v.kids(x)
	s.values = s.values[:0]
	if lo == end {
		return
	}
	below := s.v.tiersBelow(s.v.tier[x])
	if s.v.isNode(lo) {
		first := s.v.firstPos[x]
		s.values = s.slots.appendTo(s.values, first, s.v.endPos[x])
		put(&s.domains, x, s.prefixSums(&s.nodeSums, first))
		for i := range below {
			put(&s.most[i], x, s.values[0])
		}
		s.sumTops(x)
		return
	}
	s.values = s.domains.appendTo(s.values, lo, end)
	put(&s.domains, x, s.prefixSums(&s.domainSums, lo))
	for i, t := range below {
		var most int32
		for c := lo; c < end; c++ {
			if s.v.tier[c] <= t {
				most = max(most, s.domains.at(c))
			} else {
				most = max(most, s.most[i].at(c))
			}
		}
		put(&s.most[i], x, most)
	}
	s.sumTops(x)
}

// topSize is how many children the index knows the best domain of the lowest layer for.
const topSize = 32

// sumTops makes the tops of a domain. A node right below it stands for a domain of its own.
func (s *summer) sumTops(x vertex) {
	if len(s.most) < 2 || s.v.tier[x] <= s.v.tiers[1] {
		return
	}
	var tops [topSize]int32
	if lo, end := s.v.kids(x); !s.v.isNode(lo) {
		for c := lo; c < end; c++ {
			s.values = s.appendTops(s.values[:0], c)
			for k := range tops {
				if n := len(s.values); n > 0 {
					tops[k] = max(tops[k], s.values[min(k, n-1)])
				}
			}
		}
	} else {
		for k := range tops {
			tops[k] = s.most[0].at(x)
		}
	}
	putAll(&s.tops, x*topSize, tops[:])
}

// appendTops lists the tops of a domain, those of a domain of the lowest layer being the sums of its own nodes.
func (ix *index) appendTops(list []int32, x vertex) []int32 {
	if ix.v.tier[x] > ix.v.tiers[1] {
		return ix.tops.appendTo(list, x*topSize, (x+1)*topSize)
	}
	lo, end := ix.v.firstPos[x], ix.v.endPos[x]
	return ix.nodeSums.appendTo(list, lo, min(end, lo+topSize))
}

// prefixSums sorts the values in descending order and enters their sums from a place on; it returns the sum of all.
func (s *summer) prefixSums(into *column[int32], at int32) int32 {
	sortDescending(s.values)
	var sum int32
	for i, v := range s.values {
		sum += v
		s.values[i] = sum
	}
	putAll(into, at, s.values)
	return sum
}

// sortDescending counts where values are small, which they are on most nodes.
func sortDescending(values []int32) {
	var counts [64]int32
	for _, v := range values {
		if v >= int32(len(counts)) {
			slices.Sort(values)
			slices.Reverse(values)
			return
		}
		counts[v]++
	}
	i := 0
	for v := int32(len(counts)) - 1; v >= 0; v-- {
		for range counts[v] {
			values[i] = v
			i++
		}
	}
}

// after is the index of a later snapshot in which only these nodes changed; nil as for newIndex. O(touched * children
// of the domains above them).
func (ix *index) after(p *problem, touched []int32) *index {
	if ix == nil {
		return p.newIndex()
	}
	next, dirty := ix.recount(touched, p.counter(nil, nil))
	if next == nil {
		return nil
	}
	if groups := ix.groups.Load(); groups != nil {
		list := make([]*groupSums, 0, len(*groups))
		for _, g := range *groups {
			list = append(list, g.after(next, dirty))
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
	var list []*groupSums
	for _, l := range p.levels {
		list = append(list, ix.groupsOf(p.c.fabric, l.size).after(next, dirty))
	}
	next.groups.Store(&list)
	return next
}

// recount is the index with these nodes counted again, without sums of groups, and the domains in which that changed
// anything; nil as for newIndex.
func (ix *index) recount(nodes []int32, count func(id int32) int32) (next *index, dirty []vertex) {
	next = &index{
		v: ix.v, slots: ix.slots.fork(), nodeSums: ix.nodeSums.fork(), domains: ix.domains.fork(), domainSums: ix.domainSums.fork(),
		most: forks(ix.most), tops: ix.tops.fork(),
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

func forks(list []column[int32]) []column[int32] {
	out := make([]column[int32], len(list))
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
	slices.Sort(d.list)
	d.list = slices.Compact(d.list)
	slices.Reverse(d.list)
	return d.list
}

// at is the slots of a vertex.
func (ix *index) at(x vertex) int64 {
	if ix.v.isNode(x) {
		return int64(ix.slots.at(ix.v.position(x)))
	}
	return int64(ix.domains.at(x))
}

// groupsOf returns the sums for a group size, made when first asked for. Safe for concurrent use: of two that are made
// at once one is kept.
func (ix *index) groupsOf(f *fabric, size int64) *groupSums {
	for {
		old := ix.groups.Load()
		if old != nil {
			for _, g := range *old {
				if g.size == size {
					f.stamped(g.used)
					return g
				}
			}
		}
		g := newGroupSums(ix, size)
		var list []*groupSums
		if old != nil {
			list = forget(slices.Clone(*old), f.keptSizes-1, func(g *groupSums) *stamp { return g.used })
		}
		f.stamped(g.used)
		list = append(list, g)
		if ix.groups.CompareAndSwap(old, &list) {
			return g
		}
	}
}
