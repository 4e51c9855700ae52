package parts

import (
	"cmp"
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// This file answers: where does a gang with groups go if its fronts are too long? Group after group goes into the first
// domain that takes it. What is built so is valid, but nothing is known of what is not.

// builder builds plans under the loosest strategy of one tier of the gang.
type builder struct {
	s *search
	c *capacity
	// By class + 1, with the gang in front: the classes inside it, and ownMembers, in the order in which they are placed.
	order     [][]int
	sequences [][]int // of roles, that are tried for members
	// failed is what found no place last, in a group of which class.
	failed struct{ around, class int }
	fewest bool // the domains with the fewest slots are tried first in their tier, else the first ones
	at     map[inside][]layout.Vertex
	// past counts the domains at the beginning of a list that do not take another group.
	past  map[inside]int
	first int32     // position of the domain
	free  [][]int64 // by position in it: what is free on a node that has new members
	on    [][]int32 // by position in it: its new members by role
	full  [][]bool  // by class, by vertex: the domain does not take another group of the class
	least int64     // steps that may be overspent
	undo  []func()
}

// inside are the domains in one that may hold a group of a class, in the order in which they are tried.
type inside struct {
	domain layout.Vertex
	class  int
}

// buildSteps is what a look at a node or a domain costs, as steps of packing: it is written down, to be taken back.
const buildSteps = 8

// ownMembers stands for the members of a group that are in no inner one.
const ownMembers = -1

// builds iterates over plans that are built, tightest tier of the gang first, one at most for a domain.
//
// order: parts.11
func (s *search) builds() iter.Seq[*problem.Outcome] {
	return func(yield func(*problem.Outcome) bool) {
		tried, members := map[layout.Vertex]bool{}, s.newCrowd()
		worths := s.p.Gather.Worths
		for i, t := range worths {
			c, least := s.under(s.loosest(t)), int64(0)
			if i == len(worths)-1 && !s.within {
				least = -mostByHand * s.byHand()
			}
			if c == nil {
				continue
			}
			for _, d := range c.roomiest(t) {
				if tried[d] || s.p.Parts.Left.Packing.Left() < least || d != layout.Root && members.Refuses(d) {
					continue
				}
				lists := c.build(d, least, members.Sequences())
				if tried[d] = lists != nil; tried[d] && !yield(c.assignAll(d, lists, t)) {
					return
				}
			}
		}
	}
}

// mostByHand is how often that may be spent on the widest domains, whatever else was.
const mostByHand = 1

// byHand is what it costs to look at each domain, and at each node below it, for each class of groups.
func (s *search) byHand() int64 {
	looks := lookSteps(s.want[:len(s.roles)])
	for i := range s.groups {
		looks += lookSteps(s.groups[i].needs[:len(s.roles)])
	}
	return looks * int64(s.vertices()) * int64(len(s.p.View.Tiers))
}

// lookSteps is what it costs to look at a node for members of some roles.
func lookSteps(want front.Vector) int64 {
	n := int64(buildSteps)
	for _, m := range want {
		n += int64(min(m, 1))
	}
	return n
}

// roomiest lists the domains of a tier in the order of anchors and paths.
func (c *capacity) roomiest(t int32) []layout.Vertex {
	list := slices.Clone(c.p.Candidates(t))
	slices.SortStableFunc(list, func(a, b layout.Vertex) int { return cmp.Compare(c.p.Friends.At(b), c.p.Friends.At(a)) })
	return list
}

// repairs bounds how often what had no place is placed earlier.
const repairs = 8

// build places the gang in a domain: large groups first, into the fullest domains that take them, or in the order of ranks,
// into the first ones. What finds no place so comes earlier in the next attempt. Nil if all fail.
func (c *capacity) build(d layout.Vertex, least int64, sequences [][]int) [][]placed {
	for _, fullest := range []bool{true, false} {
		b := builder{s: c.search, c: c, least: least, sequences: sequences, fewest: fullest, at: map[inside][]layout.Vertex{}}
		b.sortClasses(fullest)
		b.begin(d)
		for range repairs {
			b.takeBack(0)
			if lists, ok := b.fill(d, -1, c.search.want); ok {
				return lists
			}
			if c.p.Parts.Left.Packing.Spent() || !b.promote() {
				break
			}
		}
	}
	return nil
}

// begin makes nodes without new members.
func (b *builder) begin(d layout.Vertex) {
	end := b.c.p.View.EndOf(d)
	b.first = b.c.p.View.First(d)
	vertices := b.s.vertices()
	b.free, b.on, b.past = make([][]int64, end-b.first), make([][]int32, end-b.first), map[inside]int{}
	for range b.s.groups {
		b.full = append(b.full, make([]bool, vertices))
	}
}

// promote lets what found no place come first in the group around it; false if it does already.
func (b *builder) promote() bool {
	list := b.order[b.failed.around+1]
	at := slices.Index(list, b.failed.class)
	if at <= 0 {
		return false
	}
	copy(list[1:], list[:at])
	list[0] = b.failed.class
	return true
}

// sortClasses lists the classes inside each class, the largest groups first, or in the order of ranks, then its members.
func (b *builder) sortClasses(largest bool) {
	b.order = make([][]int, len(b.s.groups)+1)
	for k := range b.s.groups {
		b.order[b.s.groups[k].parent+1] = append(b.order[b.s.groups[k].parent+1], k)
	}
	r := len(b.s.roles)
	for i := range b.order {
		if largest {
			slices.SortStableFunc(b.order[i], func(i, j int) int { return cmp.Compare(b.s.sizes[r+j], b.s.sizes[r+i]) })
		}
		b.order[i] = append(b.order[i], ownMembers)
	}
}

// domains lists the vertices in a domain that may hold a group of a class, within its bound, with its home: by tier, then
// those with the fewest slots, or the first ones.
func (b *builder) domains(in inside) []layout.Vertex {
	if list, ok := b.at[in]; ok {
		return list
	}
	v, list := b.c.p.View, []layout.Vertex(nil)
	home, own, bound := b.c.tables.homes[in.class], b.s.groups[in.class].home, b.c.tables.bounds[in.class]
	var walk func(x layout.Vertex)
	walk = func(x layout.Vertex) {
		b.c.p.Parts.Left.Packing.Spend(1)
		if home >= 0 && !v.Contains(home, x) && !v.Contains(x, home) {
			return
		}
		// The running members of a group must be in it too.
		if (v.TierOf(x) <= bound || x == home) && (home < 0 || own == x || v.Contains(x, own)) {
			list = append(list, x)
		}
		if v.IsNode(x) {
			return
		}
		for lo, end := v.Kids(x); lo < end; lo++ {
			walk(lo)
		}
	}
	walk(in.domain)
	slots := func(x layout.Vertex) int64 {
		if !b.fewest {
			return 0
		}
		return b.s.slots.At(x)
	}
	slices.SortStableFunc(list, func(x, y layout.Vertex) int {
		return cmp.Or(cmp.Compare(v.TierOf(x), v.TierOf(y)), cmp.Compare(slots(x), slots(y)), v.ComparePaths(x, y))
	})
	b.at[in] = list
	return list
}

// fill places the members and inner groups of one group of a class, -1: of the gang, in a domain. It takes everything back
// if that fails.
func (b *builder) fill(x layout.Vertex, class int, needs front.Vector) (lists [][]placed, ok bool) {
	lists, from := make([][]placed, len(needs)), len(b.undo)
	r := len(b.s.roles)
	for _, k := range b.order[class+1] {
		n, ok := int32(0), true
		if k == ownMembers {
			ok = b.members(x, needs[:r], lists)
		} else {
			n = needs[r+k]
		}
		for ; ok && n > 0; n-- {
			var in placed
			if in, ok = b.group(x, k); ok {
				lists[r+k] = append(lists[r+k], in)
			}
		}
		if !ok {
			b.takeBack(from)
			b.failed.around, b.failed.class = class, k
			return nil, false
		}
	}
	for _, list := range lists {
		slices.SortStableFunc(list, func(a, b placed) int { return cmp.Compare(a.pos, b.pos) })
	}
	return lists, true
}

// takeBack undoes what was done since.
func (b *builder) takeBack(from int) {
	for len(b.undo) > from {
		b.undo[len(b.undo)-1]()
		b.undo = b.undo[:len(b.undo)-1]
	}
}

// group places one group of a class in the lowest domain that takes it, within its bound; one that has a home there.
func (b *builder) group(within layout.Vertex, k int) (placed, bool) {
	in, packing := inside{within, k}, &b.c.p.Parts.Left.Packing
	list := b.domains(in)
	for i := b.past[in]; i < len(list); i++ {
		x := list[i]
		if b.full[k][x] {
			b.pass(in, i)
			packing.Spend(1)
			continue
		}
		if packing.Spend(buildSteps); packing.Left() < b.least {
			return placed{}, false
		}
		if lists, ok := b.fill(x, k, b.s.groups[k].needs); ok {
			return newPlaced(lists), true
		}
		b.full[k][x] = true
		b.undo = append(b.undo, func() { b.full[k][x] = false })
		b.pass(in, i)
	}
	return placed{}, false
}

// pass leaves out a domain from now on, if all before it are.
func (b *builder) pass(in inside, i int) {
	if b.past[in] == i {
		b.past[in]++
		b.undo = append(b.undo, func() { b.past[in] = i })
	}
}

// newPlaced is a group of placed members and groups.
func newPlaced(inside [][]placed) placed {
	out, first := placed{inside: inside}, true
	for _, list := range inside {
		for _, in := range list {
			if first || in.pos < out.pos {
				out.pos, first = in.pos, false
			}
		}
	}
	return out
}

// members places members on the nodes of a domain, and notes them in lists.
func (b *builder) members(x layout.Vertex, want front.Vector, lists [][]placed) bool {
	if want.Total() == 0 {
		return true
	}
	for i, seq := range b.sequences {
		from := len(b.undo)
		if b.membersBy(seq, x, want, lists) {
			return true
		}
		for r := range want {
			lists[r] = nil
		}
		if b.takeBack(from); i > 0 && b.c.p.Parts.Left.Packing.Spent() {
			break
		}
	}
	return false
}

// membersBy fills node after node with the roles of a sequence.
func (b *builder) membersBy(seq []int, x layout.Vertex, want front.Vector, lists [][]placed) bool {
	left, open := slices.Clone(want), want.Total()
	v, cost := b.c.p.View, lookSteps(want)
	seq = slices.DeleteFunc(slices.Clone(seq), func(r int) bool { return want[r] == 0 })
	for pos := v.First(x); pos < v.EndOf(x) && open > 0; pos++ {
		b.c.p.Parts.Left.Packing.Spend(cost)
		for _, r := range seq {
			n := b.take(pos, r, left[r])
			left[r], open = left[r]-n, open-int64(n)
			b.c.p.Parts.Left.Packing.Spend(int64(n))
			for range n {
				lists[r] = append(lists[r], placed{pos: pos})
			}
		}
	}
	return open == 0
}

// take places up to so many members of a role on a node, and says how many.
func (b *builder) take(pos int32, role int, most int32) int32 {
	a := b.s.classes.node(pos)
	if most == 0 || !a.open[role] {
		return 0
	}
	at := pos - b.first
	free := b.free[at]
	if free == nil {
		free = a.free
	}
	n := int64(most)
	for i, ask := range b.s.asks[role] {
		if ask > 0 {
			n = min(n, max(0, free[i])/ask)
		}
	}
	if n == 0 {
		return 0
	}
	on := make([]int32, len(b.s.roles))
	copy(on, b.on[at])
	for on[role] += int32(n); n > 0 && a.zones != nil && !a.zones.Holds(problem.ByShape(b.c.p, front.Vector(on))); n-- {
		on[role]--
	}
	if n == 0 {
		return 0
	}
	oldFree, oldOn := b.free[at], b.on[at]
	b.undo = append(b.undo, func() { b.free[at], b.on[at] = oldFree, oldOn })
	free = slices.Clone(free)
	for i, ask := range b.s.asks[role] {
		free[i] -= n * ask
	}
	b.free[at], b.on[at] = free, on
	return int32(n)
}
