package preempt

import (
	"container/heap"
	"slices"
)

// found is the best set under one strategy and ceiling.
type found struct {
	ok     bool
	set    []int32
	domain domain // in which it makes room, where that is all that is asked
	key    []int64
	bound  []int64 // no set has a lower key; nil if there is no set at all
	proven bool
}

// branches are those that may still hold something better, the most promising first.
type branches []*decision

func (b branches) Len() int { return len(b) }
func (b branches) Less(i, j int) bool {
	if c := slices.Compare(b[i].bound, b[j].bound); c != 0 {
		return c < 0
	}
	return b[i].depth > b[j].depth
}
func (b branches) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b *branches) Push(x any)   { *b = append(*b, x.(*decision)) }
func (b *branches) Pop() any {
	last := len(*b) - 1
	d := (*b)[last]
	*b = (*b)[:last]
	return d
}

// best finds the best set under a strategy: branches are looked at in the order of their bounds until none can hold a better set, or the steps
// run out.
func (s *search) best(strategy int) found {
	f := found{}
	root := &decision{}
	if s.coupled {
		s.set(root)
	}
	s.survey(&s.Strategies[strategy])
	queue := branches{}
	visit := func(d *decision) {
		set, bound, ok := s.visit(strategy, d)
		if !ok {
			return
		}
		d.bound = bound
		if d.parent != nil && slices.Compare(d.bound, d.parent.bound) < 0 {
			d.bound = d.parent.bound
		}
		if f.ok && slices.Compare(f.key, d.bound) <= 0 || s.limit != nil && slices.Compare(d.bound[:len(s.limit)], s.limit) > 0 {
			return
		}
		d.set = set
		s.offer(&f, d, strategy)
		heap.Push(&queue, d)
	}
	visit(root)
	if len(queue) > 0 && !s.closed(&f, root) {
		s.dive(&f, root, strategy)
		s.ascend(&f, strategy)
	}
	for len(queue) > 0 {
		d := heap.Pop(&queue).(*decision)
		if s.closed(&f, d) {
			f.bound, f.proven = f.key, true
			return f
		}
		if s.steps >= s.Steps {
			f.bound = d.bound
			return f
		}
		for _, child := range s.branch(d) {
			visit(child)
		}
	}
	f.bound, f.proven = f.key, true
	return f
}

// closed says whether no set of a branch is better than what is found.
func (s *search) closed(f *found, d *decision) bool {
	return f.ok && slices.Compare(f.key, d.bound) <= 0
}

// offer takes the set of a branch, completed by whole gangs, if it is legal, makes room and is better than what is found.
func (s *search) offer(f *found, d *decision, strategy int) bool {
	set, ok := s.completed(d.set)
	if !ok || s.Legal != nil && !s.Legal(set) {
		return false
	}
	outside, ok := s.fits(set, strategy)
	if ok {
		s.take(f, set, outside, d.domain)
	}
	return ok
}

// fits asks whether a set makes room, unless it is known to: it holds what a relaxed solution takes.
func (s *search) fits(set []int32, strategy int) (outside int64, ok bool) {
	if s.Exact {
		return 0, true
	}
	return s.Fits(set, strategy)
}

// take keeps a set if it is better than what is found.
func (s *search) take(f *found, set []int32, beyond int64, d domain) bool {
	w := s.weightOf(set)
	s.layout.fields[outside].put(&w, uint64(beyond))
	key := s.key(w, set)
	if f.ok && slices.Compare(key, f.key) >= 0 {
		return false
	}
	f.ok, f.set, f.key, f.domain = true, set, key, d
	return true
}

// branch settles what the set of a branch leaves undecided: a gang that is in it in part, else one of its candidates, else any other.
func (s *search) branch(d *decision) []*decision {
	s.set(d)
	gang, which, ok := s.choose(d.set)
	if !ok {
		return nil
	}
	a, b := int8(gone), int8(stays)
	if gang {
		a, b = leaves, runsOn
	}
	out := []*decision{{parent: d, depth: d.depth + 1, gang: gang, which: which, as: b}}
	if !gang || s.Gangs[which].Whole && s.Gangs[which].Priority <= s.ceiling {
		out = append(out, &decision{parent: d, depth: d.depth + 1, gang: gang, which: which, as: a})
	}
	return out
}

// choose finds what to settle next.
func (s *search) choose(set []int32) (gang bool, which int32, ok bool) {
	count := s.byGang(set)
	for _, i := range set {
		if g := s.Candidates[i].Gang; s.gangs[g] == undecided && s.Gangs[g].broken(count[g]) {
			return true, g, true
		}
	}
	for _, i := range set {
		if s.state[i] == open {
			return s.settling(i)
		}
	}
	best, least := int32(-1), impossible
	for i := range s.state {
		c := &s.Candidates[i]
		if s.state[i] != open || !s.below(int32(i)) || s.together(c.Gang) && !s.Gangs[c.Gang].Whole {
			continue
		}
		if w := s.alone(int32(i)); best < 0 || w.less(&least) {
			best, least = int32(i), w
		}
	}
	if best < 0 {
		return false, 0, false
	}
	return s.settling(best)
}

// settling is the decision about a candidate: of its gang, if that leaves together.
func (s *search) settling(i int32) (gang bool, which int32, ok bool) {
	if g := s.Candidates[i].Gang; s.together(g) {
		return true, g, true
	}
	return false, i, true
}
