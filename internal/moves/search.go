package moves

import (
	"cmp"
	"container/heap"
	"slices"
)

// search is a problem and the branches that are pending.
type search struct {
	p       *Problem
	tree    *tree
	home    []int32   // by gang
	on      [][]int32 // by vertex: gangs with members in it
	size    []int64   // by vertex: what is free, and what those hold who may move
	fixed   []bool    // by vertex: somebody there does not move
	fewest  []int64   // by gang that gathers: members that move at least
	loses   bool      // work may be lost
	known   [][]Cost  // by vertex: what it costs to free amounts of it while nothing is decided about those in it
	pending frontier
	best    *state
	least   Cost // of best; else the first that is too much
	loose   Cost // no way costs less that is not below any branch
	order   int  // branches that were pending
	looked  int  // branches that were looked at
	work    int  // numbers that were compared

	before, after []Cost // memory that is used again
}

// branch is a state that is made, and bounded, once it is looked at: many are never.
type branch struct {
	bound  Cost // no solution below it costs less
	depth  int
	order  int // in which branches were pending
	from   *state
	decide decision // what it adds to that
	made   *state   // nil: it was not looked at
}

// decision changes a state that is a copy.
type decision func(st *state)

// frontier are the branches that are pending, the one with the lowest bound first: a [heap.Interface].
type frontier []*branch

func (f frontier) Len() int { return len(f) }
func (f frontier) Less(i, j int) bool {
	a, b := f[i], f[j]
	return cmp.Or(a.bound.Compare(b.bound), cmp.Compare(b.depth, a.depth), cmp.Compare(a.order, b.order)) < 0
}
func (f frontier) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(x any)   { *f = append(*f, x.(*branch)) }
func (f *frontier) Pop() any {
	last := len(*f) - 1
	b := (*f)[last]
	*f = (*f)[:last]
	return b
}

// between is after how many branches the search goes straight down once from the one that it looks at.
const between = 16

// stepWork is how many numbers are compared in a step; to look at a vertex costs as much as some of them.
const (
	stepWork   = 1 << 13
	vertexWork = 1 << 3
)

// Solve finds the cheapest way, as far as the steps suffice: then Bound is its cost. A branch that is looked at costs O(domains) memory and time, and for each that holds too
// much, and each that somebody who waits may go into, O(gangs in it * what is too much) unless that is known already.
func Solve(p *Problem) Solution {
	s := newSearch(p)
	root := s.root()
	root.bound = s.lowest(root)
	s.push(&branch{bound: root.bound, made: root})
	s.dive(root)
	bound := never
	for len(s.pending) > 0 {
		b := heap.Pop(&s.pending).(*branch)
		if bound = b.bound; !bound.less(s.least) || s.spent() {
			break
		}
		bound = never
		if b.made == nil {
			if b.made = s.made(b.from, b.decide); b.bound.less(b.made.bound) {
				b.bound = b.made.bound
				s.push(b)
				continue
			}
		}
		s.look(b.made)
	}
	return s.solution(bound)
}

// look takes a branch for the best way if nothing is left to decide, else makes those below it pending.
func (s *search) look(st *state) {
	if s.isDone(st) {
		if st.cost.less(s.least) && !s.tooMany(st) {
			s.best, s.least = st, st.cost
		}
		return
	}
	if s.looked++; s.looked%between == 0 {
		s.dive(st)
	}
	for _, decide := range s.split(st) {
		s.push(&branch{bound: st.bound, depth: st.depth + 1, from: st, decide: decide})
	}
}

// made is the state below another one by a decision, with its bound.
func (s *search) made(from *state, decide decision) *state {
	st := from.child()
	decide(st)
	if st.bound = s.lowest(st); st.bound.less(from.bound) {
		st.bound = from.bound
	}
	return st
}

// isDone says whether nothing is left to decide.
func (s *search) isDone(st *state) bool {
	_, full := st.full(s)
	return !full && st.waits(s) < 0
}

func (s *search) spent() bool { return s.work/stepWork >= s.p.Steps || s.p.Stop != nil && s.p.Stop() }

func newSearch(p *Problem) *search {
	s := &search{p: p, tree: newTree(len(p.Free), p.Tiers), least: never, loose: never}
	s.known = make([][]Cost, len(s.tree.first))
	s.on, s.size, s.fixed = make([][]int32, len(s.tree.first)), make([]int64, len(s.tree.first)), make([]bool, len(s.tree.first))
	add := func(unit int32, n int64) {
		for v := unit; v >= 0; v = s.tree.parent[v] {
			s.size[v] += n
		}
	}
	for u, free := range p.Free {
		add(int32(u), max(0, free))
	}
	for g := range p.Gangs {
		of := &p.Gangs[g]
		s.home, s.loses = append(s.home, s.tree.home(of)), s.loses || of.Lost > 0
		s.fewest = append(s.fewest, s.leastOutside(int32(g)))
		for _, part := range of.Parts {
			add(part.Unit, part.Members*part.Amount)
			for v := part.Unit; v >= 0; v = s.tree.parent[v] {
				s.fixed[v] = s.fixed[v] || of.Fixed
				if n := len(s.on[v]); !of.Gathers && (n == 0 || s.on[v][n-1] != int32(g)) {
					s.on[v] = append(s.on[v], int32(g))
				}
			}
		}
	}
	return s
}

// root is the branch of which nothing is decided.
func (s *search) root() *state {
	st := &state{room: make([]int64, len(s.tree.first))}
	for u, free := range s.p.Free {
		for v := int32(u); v >= 0; v = s.tree.parent[v] {
			st.room[v] += max(0, free)
		}
	}
	for g := range s.p.Gangs {
		if s.p.Gangs[g].Gathers {
			s.gather(st, int32(g))
		}
	}
	for w := range s.p.Wants {
		st.whole = append(st.whole, whole{int32(len(s.p.Gangs) + w), -1, -1})
	}
	return st
}

// push makes a branch pending, unless it can hold no better way.
func (s *search) push(b *branch) {
	if b.bound.less(s.least) && (b.made == nil || !s.tooMany(b.made)) {
		s.order++
		b.order = s.order
		heap.Push(&s.pending, b)
	}
}

// tooMany says whether more members move below a branch than may. Where work is lost a bound may have more of them than a way that costs more.
func (s *search) tooMany(st *state) bool {
	return s.p.Most > 0 && (st.cost.Members > s.p.Most || st.bound.Members > s.p.Most && !s.loses)
}

// dive goes down from a branch, always to the first one with the lowest bound.
func (s *search) dive(st *state) {
	const deepest = 1 << 10
	for range deepest {
		var best *state
		for _, decide := range s.split(st) {
			child := s.made(st, decide)
			if child.bound.less(s.least) && !s.tooMany(child) && (best == nil || child.bound.less(best.bound)) {
				best = child
			}
			if best != nil && (best.bound == st.bound || s.spent()) {
				break // none is below it, or no more are looked at
			}
		}
		if st = best; st == nil || s.spent() {
			return
		}
		if s.isDone(st) {
			s.best, s.least = st, st.cost
			return
		}
	}
}

// lowest bounds what the ways below a branch cost: that a vertex is relieved, or that one of those who wait has a place.
func (s *search) lowest(st *state) (bound Cost) {
	s.work += vertexWork * len(st.room)
	for v, room := range st.room {
		if room < 0 {
			if c := s.freeing(st, int32(v), -room); bound.less(c) {
				bound = c
			}
		}
	}
	for i := range st.whole {
		if st.whole[i].to >= 0 {
			continue
		}
		least := never
		for _, x := range s.open(st, i) {
			if c := s.taking(st, i, x); c.less(least) {
				least = c
			}
			if least == (Cost{}) {
				break
			}
		}
		if bound.less(least) {
			bound = least
		}
	}
	return bound.plus(st.cost)
}

// taking bounds what it costs that the i-th of those who wait goes into a vertex.
func (s *search) taking(st *state, i int, x int32) (bound Cost) {
	s.work += vertexWork
	amount := s.amount(st.whole[i].gang, x)
	for v := x; v >= 0; v = s.tree.parent[v] {
		if c := s.freeing(st, v, amount-st.room[v]); bound.less(c) {
			bound = c
		}
	}
	return bound.plus(Cost{Members: s.more(st.whole[i].gang, x)})
}

// open are the vertices that the i-th of those who wait may go into.
func (s *search) open(st *state, i int) (out []int32) {
	w := st.whole[i]
	if want := int(w.gang) - len(s.p.Gangs); want >= 0 {
		return s.wanted(st, want)
	}
	tier := s.tree.tier[s.home[w.gang]]
	if of := &s.p.Gangs[w.gang]; of.Gathers {
		tier = of.Tier
	}
	for x := s.tree.from[tier]; x < s.tree.from[tier+1]; x++ {
		if w.left >= 0 && s.tree.holds(w.left, x) || slices.ContainsFunc(st.kept, func(k kept) bool { return k.gang == w.gang && !s.tree.holds(k.in, x) }) {
			continue
		}
		out = append(out, x)
	}
	return out
}

// wanted are the vertices of a want. Equal wants are in order.
func (s *search) wanted(st *state, want int) (out []int32) {
	of := &s.p.Wants[want]
	first := s.tree.from[of.Tier]
	for x := first; x < s.tree.from[of.Tier+1]; x++ {
		if of.Domains != nil {
			if _, is := slices.BinarySearch(of.Domains, x-first); !is {
				continue
			}
		}
		if of.Amount == 0 && (s.fixed[x] || slices.ContainsFunc(st.whole, func(w whole) bool { return int(w.gang) >= len(s.p.Gangs) && w.to >= x })) {
			continue
		}
		out = append(out, x)
	}
	return out
}

// amount is what a gang or a want takes of a vertex.
func (s *search) amount(g, x int32) int64 {
	if want := int(g) - len(s.p.Gangs); want >= 0 && s.p.Wants[want].Amount == 0 {
		return s.size[x]
	}
	return s.asks(g)
}

// asks is what a gang or a want takes; of one that takes a whole domain the least number that is more than any.
func (s *search) asks(g int32) (sum int64) {
	if want := int(g) - len(s.p.Gangs); want >= 0 {
		return cmp.Or(s.p.Wants[want].Amount, 1<<62)
	}
	for _, p := range s.p.Gangs[g].Parts {
		sum += p.Members * p.Amount
	}
	return sum
}

// solution tells the best branch.
func (s *search) solution(bound Cost) Solution {
	if s.loose.less(bound) {
		bound = s.loose
	}
	out := Solution{Found: s.best != nil, Bound: bound, Never: s.best == nil && bound == never, Steps: s.work / stepWork}
	if s.best == nil {
		return out
	}
	if out.Cost = s.least; out.Cost.less(bound) {
		out.Bound = out.Cost
	}
	out.Wants = make([]int32, len(s.p.Wants))
	for _, w := range s.best.whole {
		to := w.to - s.tree.from[s.tree.tier[w.to]]
		if want := int(w.gang) - len(s.p.Gangs); want >= 0 {
			out.Wants[want] = to
			continue
		}
		move := Move{Gang: int(w.gang), To: to}
		for _, p := range s.p.Gangs[w.gang].Parts {
			if s.p.Gangs[w.gang].Gathers && s.tree.has(w.to, p.Unit) {
				continue
			}
			move.Leave = append(move.Leave, Leave{p.Unit, p.Amount, p.Members})
		}
		out.Moves = append(out.Moves, move)
	}
	for _, o := range s.best.gone {
		at := slices.IndexFunc(out.Moves, func(m Move) bool { return m.Gang == int(o.gang) })
		if at < 0 {
			at, out.Moves = len(out.Moves), append(out.Moves, Move{Gang: int(o.gang), To: -1})
		}
		p := s.p.Gangs[o.gang].Parts[o.part]
		out.Moves[at].Leave = append(out.Moves[at].Leave, Leave{p.Unit, p.Amount, o.members})
	}
	return out
}
