package placement

import (
	"cmp"
	"slices"
	"sync/atomic"
)

// index is what a shape needs to know of a snapshot, for one topology: the slots of every node and domain, before any
// request excludes nodes, and sums of whole groups. It is immutable once published; the next snapshot's index is a fork
// of it with the touched nodes counted again, so that a plan costs no pass over the nodes.
type index struct {
	v       *view
	slots   column[int32] // by position
	domains []int64       // slots by domain
	largest []int32       // by domain: the most slots of one node below it
	// Children's slots in descending order, in the interval of the children: of nodes by position, of domains by domain.
	sortedNodes   column[int32]
	sortedDomains []int64
	groups        atomic.Pointer[[]*groupSums] // a few group sizes, the last made first
}

// newIndex counts every node. O(nodes * resources).
func (p *problem) newIndex() *index {
	v := p.v
	ix := &index{v: v, slots: newColumn[int32](int(v.nodes)), sortedNodes: newColumn[int32](int(v.nodes))}
	n := v.numDomains()
	ix.domains, ix.largest, ix.sortedDomains = make([]int64, n), make([]int32, n), make([]int64, n)
	count := p.counter()
	for pos := range v.nodes {
		ix.slots.set(pos, count(v.node(pos)))
	}
	for x := vertex(n) - 1; x >= 0; x-- {
		ix.sum(x)
	}
	return ix
}

// counter is a function that counts the slots of a node.
func (p *problem) counter() func(id int32) int32 {
	plain := !p.selective() && p.req.Eligible == nil
	return func(id int32) int32 {
		if (p.c.static.at(id).flags != present || !plain) && p.refusal(id) != "" {
			return 0
		}
		return int32(p.room(id, nil))
	}
}

// sum makes the entries of a domain from those of its children.
func (ix *index) sum(x vertex) {
	lo, end := ix.v.kids(x)
	ix.domains[x], ix.largest[x] = 0, 0
	if lo == end {
		return
	}
	if !ix.v.isNode(lo) {
		for c := lo; c < end; c++ {
			ix.domains[x] += ix.domains[c]
			ix.largest[x] = max(ix.largest[x], ix.largest[c])
		}
		sorted := ix.sortedDomains[lo:end]
		copy(sorted, ix.domains[lo:end])
		slices.SortFunc(sorted, func(a, b int64) int { return cmp.Compare(b, a) })
		return
	}
	from, to := ix.v.firstPos[x], ix.v.endPos[x]
	sorted := make([]int32, 0, 64)
	for pos := from; pos < to; pos++ {
		slots := ix.slots.at(pos)
		ix.domains[x] += int64(slots)
		sorted = append(sorted, slots)
	}
	sortDescending(sorted)
	ix.largest[x] = sorted[0]
	for i, slots := range sorted {
		if pos := from + int32(i); ix.sortedNodes.at(pos) != slots {
			ix.sortedNodes.set(pos, slots)
		}
	}
}

// sortDescending counts where values are small, which they are on most nodes.
func sortDescending(values []int32) {
	var counts [64]int32
	for _, v := range values {
		if v >= int32(len(counts)) {
			slices.SortFunc(values, func(a, b int32) int { return cmp.Compare(b, a) })
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

// after is the index of a later snapshot in which only these nodes changed. O(domains + touched * children).
func (ix *index) after(p *problem, touched []int32) *index {
	next := &index{
		v: ix.v, slots: ix.slots.fork(), domains: slices.Clone(ix.domains), largest: slices.Clone(ix.largest),
		sortedNodes: ix.sortedNodes.fork(), sortedDomains: slices.Clone(ix.sortedDomains),
	}
	count := p.counter()
	dirty := dirtyDomains{v: ix.v}
	for _, id := range touched {
		pos := ix.v.at(id)
		if slots := count(id); slots != ix.slots.at(pos) {
			next.slots.set(pos, slots)
			dirty.add(ix.v.leafOf[pos])
		}
	}
	order := dirty.sorted()
	for _, x := range order {
		next.sum(x)
	}
	if groups := ix.groups.Load(); groups != nil {
		list := make([]*groupSums, 0, len(*groups))
		for _, g := range *groups {
			list = append(list, g.after(next, order))
		}
		next.groups.Store(&list)
	}
	return next
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
	slices.SortFunc(d.list, func(a, b vertex) int { return cmp.Compare(b, a) })
	return slices.Compact(d.list)
}

// groupSums counts, for one group size, the whole groups below every domain: by tier, groups that each lie in one
// domain of that tier. Domains at or below the tier are left out, they take slots / size.
type groupSums struct {
	size  int64
	whole [][]int64 // by place of the tier among the view's tiers, the root's apart
	rest  [][]int64 // the most slots left over in one domain of the tier
	// sorted has the children's counts in descending order, in the interval of the children, where these are domains.
	sorted [][]int64
}

func newGroupSums(ix *index, size int64) *groupSums {
	g := &groupSums{size: size}
	for range ix.v.tiers[:len(ix.v.tiers)-1] {
		g.whole = append(g.whole, make([]int64, ix.v.numDomains()))
		g.rest = append(g.rest, make([]int64, ix.v.numDomains()))
		g.sorted = append(g.sorted, make([]int64, ix.v.numDomains()))
	}
	for x := vertex(ix.v.numDomains()) - 1; x >= 0; x-- {
		g.sum(ix, x)
	}
	return g
}

func (g *groupSums) sum(ix *index, x vertex) {
	lo, end := ix.v.kids(x)
	for i, t := range ix.v.tiers[:len(g.whole)] {
		if ix.v.tier[x] <= t {
			return
		}
		var whole, rest int64
		for c := lo; c < end; c++ {
			w, r := ix.at(c)/g.size, ix.at(c)%g.size
			if ix.v.tierOf(c) > t {
				w, r = g.whole[i][c], g.rest[i][c]
			}
			whole, rest = whole+w, max(rest, r)
			if !ix.v.isNode(c) {
				g.sorted[i][c] = w
			}
		}
		g.whole[i][x], g.rest[i][x] = whole, rest
		if lo < end && !ix.v.isNode(lo) {
			slices.SortFunc(g.sorted[i][lo:end], func(a, b int64) int { return cmp.Compare(b, a) })
		}
	}
}

func (g *groupSums) after(ix *index, dirty []vertex) *groupSums {
	next := &groupSums{size: g.size}
	for i := range g.whole {
		next.whole = append(next.whole, slices.Clone(g.whole[i]))
		next.rest = append(next.rest, slices.Clone(g.rest[i]))
		next.sorted = append(next.sorted, slices.Clone(g.sorted[i]))
	}
	for _, x := range dirty {
		next.sum(ix, x)
	}
	return next
}

// at is the slots of a vertex.
func (ix *index) at(x vertex) int64 {
	if int(x) < len(ix.domains) {
		return ix.domains[x]
	}
	return int64(ix.slots.at(x - vertex(len(ix.domains))))
}

// keptSizes is how many group sizes an index keeps sums for.
const keptSizes = 4

// groupsOf returns the sums for a group size, made when first asked for. Safe for concurrent use: of two that are made
// at once one is kept.
func (ix *index) groupsOf(size int64) *groupSums {
	for {
		old := ix.groups.Load()
		var list []*groupSums
		if old != nil {
			for _, g := range *old {
				if g.size == size {
					return g
				}
			}
			list = (*old)[:min(len(*old), keptSizes-1)]
		}
		g := newGroupSums(ix, size)
		list = append([]*groupSums{g}, list...)
		if ix.groups.CompareAndSwap(old, &list) {
			return g
		}
	}
}
