package fronts

import (
	"cmp"
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: where does a gang with groups go if its fronts are too long? Group after group goes into the first
// domain that takes it. What is built so is valid, but nothing is known of what is not.

// builder builds plans under the loosest strategy of one tier of the gang. What is done is written down, to be taken back.
type builder struct {
	s *Search
	c *capacity
	// By class + 1, with the gang in front: the classes inside it, and ownMembers, in the order in which they are placed.
	order     [][]int
	sequences [][]int // of roles, that are tried for members
	// failed is what found no place last, in a group of which class.
	failed struct{ around, class int }
	fewest bool // the domains with the fewest slots are tried first in their tier, else the first ones
	at     map[inside]*domainList
	loads  loads
	full   [][]bool // by class, by vertex: the domain does not take another group of the class
	left   []int32  // by role: scratch of membersBy
	least  int64    // steps that may be overspent
	put    []put    // what is placed, of groups that are not complete
	undo   []change
	caps   builtCaps
}

// domainList are domains in the order in which they are tried; past counts those at its beginning that do not take
// another group.
type domainList struct {
	list []layout.Vertex
	past int
}

// put is what is placed, and what it is: a role or a class of groups, as in vectors.
type put struct {
	dim int
	in  placed
}

// change is one thing that was done: so many members of a role went to a position, a group of a class to a domain, a domain was found full for
// a class, or one more domain of a list was passed.
type change struct {
	at, of, members int32
	passed          *domainList
	counted         bool // a group
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
func (s *Search) builds() iter.Seq[*model.Answer] {
	return func(yield func(*model.Answer) bool) {
		tried, members := map[layout.Vertex]bool{}, s.newManyShapes()
		b := s.newBuilder(members.Sequences())
		worths := s.m.Gather.Worths
		for i, t := range worths {
			c, least := s.under(s.loosest(t)), int64(0)
			if i == len(worths)-1 && !s.Within {
				least = -mostByHand * s.byHand()
			}
			if c == nil {
				continue
			}
			b.c, b.least = c, least
			for _, d := range c.roomiest(t) {
				if tried[d] || s.m.Left.Packing.Left() < least || d != layout.Root && members.Refuses(d) {
					continue
				}
				lists := b.build(d)
				if tried[d] = lists != nil; tried[d] && !yield(c.assignAll(d, lists, c.strategy)) {
					return
				}
			}
		}
	}
}

// mostByHand is how often that may be spent on the widest domains, whatever else was.
const mostByHand = 1

// byHand is what it costs to look at each domain, and at each node below it, for each class of groups.
func (s *Search) byHand() int64 {
	looks := lookSteps(s.want[:s.roles])
	for i := range s.groups {
		looks += lookSteps(s.groups[i].needs[:s.roles])
	}
	return looks * int64(s.vertices()) * int64(len(s.m.View.Tiers))
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
	list := slices.Clone(c.m.Candidates(t))
	slices.SortStableFunc(list, func(a, b layout.Vertex) int { return cmp.Compare(c.m.Friends.At(b), c.m.Friends.At(a)) })
	return list
}

// repairs bounds how often what had no place is placed earlier.
const repairs = 8

// newBuilder makes a builder to which nothing is placed yet.
func (s *Search) newBuilder(sequences [][]int) *builder {
	b := &builder{s: s, sequences: sequences, left: make([]int32, s.roles), full: make([][]bool, len(s.groups))}
	b.loads, b.caps = newLoads(s.asks, s.m.View.Nodes), newBuiltCaps(s.caps, s.counted, s.roles)
	for k := range b.full {
		b.full[k] = make([]bool, s.vertices())
	}
	return b
}

// build places the gang in a domain: large groups first, into the fullest domains that take them, or in the order of ranks,
// into the first ones. What finds no place so comes earlier in the next attempt. Nil if all fail.
func (b *builder) build(d layout.Vertex) [][]placed {
	for _, b.fewest = range []bool{true, false} {
		b.at = map[inside]*domainList{}
		b.sortClasses(b.fewest)
		for range repairs {
			ok := b.fill(d, -1, b.s.want)
			lists := b.complete(0)
			b.takeBack(0, 0)
			if ok {
				return lists
			}
			if b.c.m.Left.Packing.Spent() || !b.promote() {
				break
			}
		}
	}
	return nil
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
	r := b.s.roles
	for i := range b.order {
		if largest {
			slices.SortStableFunc(b.order[i], func(i, j int) int { return cmp.Compare(b.s.sizes[r+j], b.s.sizes[r+i]) })
		}
		b.order[i] = append(b.order[i], ownMembers)
	}
}

// domains lists the vertices in a domain that may hold a group of a class, within its bound, with its home: by tier, then
// those with the fewest slots, or the first ones.
func (b *builder) domains(in inside) *domainList {
	if known := b.at[in]; known != nil {
		return known
	}
	v, list := b.c.m.View, []layout.Vertex(nil)
	home, own, bound := b.c.tables.homes[in.class], b.s.groups[in.class].home, b.c.tables.bounds[in.class]
	var walk func(x layout.Vertex)
	walk = func(x layout.Vertex) {
		b.c.m.Left.Packing.Spend(1)
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
	out := &domainList{list: list}
	b.at[in] = out
	return out
}

// fill places the members and inner groups of one group of a class, -1: of the gang, in a domain. It takes everything back
// if that fails.
func (b *builder) fill(x layout.Vertex, class int, needs front.Vector) bool {
	done, from, r := len(b.undo), len(b.put), b.s.roles
	for _, k := range b.order[class+1] {
		n, ok := int32(0), true
		if k == ownMembers {
			ok = b.members(x, needs[:r])
		} else {
			n = needs[r+k]
		}
		for ; ok && n > 0; n-- {
			ok = b.group(x, k)
		}
		if !ok {
			b.takeBack(done, from)
			b.failed.around, b.failed.class = class, k
			return false
		}
	}
	return true
}

// complete makes lists of what was put since, by dimension, in the order of positions.
func (b *builder) complete(from int) [][]placed {
	lists := make([][]placed, len(b.s.want))
	for _, one := range b.put[from:] {
		lists[one.dim] = append(lists[one.dim], one.in)
	}
	for _, list := range lists {
		if len(list) > 1 {
			slices.SortStableFunc(list, func(a, b placed) int { return cmp.Compare(a.pos, b.pos) })
		}
	}
	b.put = b.put[:from]
	return lists
}

// takeBack undoes what was done since, and takes off what was put since.
func (b *builder) takeBack(done, from int) {
	b.put = b.put[:from]
	for ; len(b.undo) > done; b.undo = b.undo[:len(b.undo)-1] {
		switch one := &b.undo[len(b.undo)-1]; {
		case one.passed != nil:
			one.passed.past--
		case one.counted:
			b.caps.count(b.s.m.View, one.at, b.s.roles+int(one.of), -1)
		case one.members == 0:
			b.full[one.of][one.at] = false
		default:
			b.loads.put(one.at, one.of, -one.members)
			b.caps.count(b.s.m.View, b.s.m.View.NodeVertex(one.at), int(one.of), -int64(one.members))
		}
	}
}

// group places one group of a class in the lowest domain that takes it, within its bound; one that has a home there.
func (b *builder) group(within layout.Vertex, k int) bool {
	in, packing := b.domains(inside{within, k}), &b.c.m.Left.Packing
	for i := in.past; i < len(in.list); i++ {
		x := in.list[i]
		if b.full[k][x] {
			b.pass(in, i)
			packing.Spend(1)
			continue
		}
		if packing.Spend(buildSteps); packing.Left() < b.least {
			return false
		}
		from, dim := len(b.put), b.s.roles+k
		if b.caps.most(b.s.m.View, x, dim, 1) > 0 && b.fill(x, k, b.s.groups[k].needs) {
			b.put = append(b.put, put{dim, newPlaced(b.complete(from))})
			b.caps.count(b.s.m.View, x, dim, 1)
			b.undo = append(b.undo, change{at: x, of: int32(k), counted: true})
			return true
		}
		b.full[k][x] = true
		b.undo = append(b.undo, change{at: x, of: int32(k)})
		b.pass(in, i)
	}
	return false
}

// pass leaves out a domain from now on, if all before it are.
func (b *builder) pass(in *domainList, i int) {
	if in.past == i {
		in.past++
		b.undo = append(b.undo, change{passed: in})
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

// members places members on the nodes of a domain.
func (b *builder) members(x layout.Vertex, want front.Vector) bool {
	if want.Total() == 0 {
		return true
	}
	for i, seq := range b.sequences {
		done, from := len(b.undo), len(b.put)
		if b.membersBy(seq, x, want) {
			return true
		}
		if b.takeBack(done, from); i > 0 && b.c.m.Left.Packing.Spent() {
			break
		}
	}
	return false
}

// membersBy fills node after node with the roles of a sequence.
func (b *builder) membersBy(seq []int, x layout.Vertex, want front.Vector) bool {
	left, open := b.left, want.Total()
	copy(left, want)
	v, cost, packing := b.c.m.View, lookSteps(want), &b.c.m.Left.Packing
	for pos := v.First(x); pos < v.EndOf(x) && open > 0; pos++ {
		packing.Spend(cost)
		a := b.s.classes.node(pos)
		for _, r := range seq {
			if left[r] == 0 || !a.Open[r] {
				continue
			}
			n := b.take(a, pos, int32(r), left[r])
			left[r], open = left[r]-n, open-int64(n)
			packing.Spend(int64(n))
			for range n {
				b.put = append(b.put, put{r, placed{pos: pos}})
			}
		}
	}
	return open == 0
}

// take places up to so many members of a role on a node, and says how many.
func (b *builder) take(a *front.Node, pos int32, role, most int32) int32 {
	x := b.s.m.View.NodeVertex(pos)
	n := b.loads.most(pos, role, b.caps.most(b.s.m.View, x, int(role), most), a.Free)
	for ; n > 0 && a.Zones != nil; n-- {
		b.loads.put(pos, role, n)
		holds := a.Zones.Holds(b.c.m.ByShape(front.Vector(b.loads.on[pos])))
		if b.loads.put(pos, role, -n); holds {
			break
		}
	}
	if n > 0 {
		b.loads.put(pos, role, n)
		b.caps.count(b.s.m.View, x, int(role), int64(n))
		b.undo = append(b.undo, change{at: pos, of: role, members: n})
	}
	return n
}
