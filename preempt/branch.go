// Branch and bound: docs/order.md, section 6, "Proof". A branch settles one gang or candidate; its relaxed solution says
// what no set below it is under. Once no pending branch can hold a better set than the best one, that is proven; if the
// steps run out before, the lowest bound of a pending branch is `LowerBound`.

package preempt

import (
	"container/heap"
	"slices"
)

// frontier are the branches that may still hold something better, the one with the lowest bound first. It is a
// [heap.Interface].
type frontier []*branch

func (f frontier) Len() int { return len(f) }
func (f frontier) Less(i, j int) bool {
	if c := slices.Compare(f[i].bound, f[j].bound); c != 0 {
		return c < 0
	}
	return f[i].depth > f[j].depth
}
func (f frontier) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(x any)   { *f = append(*f, x.(*branch)) }
func (f *frontier) Pop() any {
	last := len(*f) - 1
	b := (*f)[last]
	*f = (*f)[:last]
	return b
}

// run finds the best set: branches are looked at in the order of their bounds until none can hold a better set, or the
// steps run out. Where candidates do not depend on each other, the root's relaxed solution is legal and closes the root
// at once: that is why such problems are always proven.
//
// order: victims.8
func (s *search) run() answer {
	if s.coverable() {
		if best, ok := s.cover(); ok {
			return best
		}
	}
	root := &branch{}
	if s.model.coupled {
		s.state.reset()
	}
	s.relaxed.survey(s.tiers)
	var pending frontier
	s.grow(&pending, root)
	if len(pending) > 0 && !s.closed(root) {
		s.dive(root)
		s.climbAll()
	}
	for len(pending) > 0 {
		b := heap.Pop(&pending).(*branch)
		if s.closed(b) {
			break
		}
		if s.budget.spent() {
			s.best.bound = b.bound
			return s.best
		}
		for _, child := range s.split(b) {
			s.grow(&pending, child)
		}
	}
	s.best.bound, s.best.proven = s.best.key, true
	return s.best
}

// grow visits a branch, and adds it to those that are pending unless no set below it is of use.
func (s *search) grow(pending *frontier, b *branch) {
	if !s.visit(b) {
		return
	}
	// All sets below are sets below the parent: its bound holds here too.
	if b.parent != nil && slices.Compare(b.bound, b.parent.bound) < 0 {
		b.bound = b.parent.bound
	}
	if s.closed(b) || s.limit != nil && slices.Compare(b.bound[:len(s.limit)], s.limit) > 0 {
		return
	}
	if s.offer(b) || s.hopes() {
		heap.Push(pending, b)
	}
}

// hopes says whether the gang may fit with everybody gone who may leave below the branch visited last. That is asked only of few: of many there nearly always is
// enough, and to ask takes a look at each node.
func (s *search) hopes() bool {
	const few = 16
	if s.model.problem.Exact || len(s.state.candidates) > few || s.budget.spent() {
		return true
	}
	all := s.state.settled()
	for i := range int32(len(s.state.candidates)) {
		if s.state.mayLeave(i) {
			all = append(all, i)
		}
	}
	slices.Sort(all)
	_, ok := s.ask(slices.Compact(all))
	return ok
}

// split makes the two branches that settle what the set of a branch leaves open; none if it leaves nothing.
func (s *search) split(b *branch) []*branch {
	s.state.apply(b)
	c, ok := s.next(b.set)
	if !ok {
		return nil
	}
	out := []*branch{b.with(c.kept())}
	// A gang of which some member may not leave, or which is above the ceiling, only runs on.
	if c.ofGang {
		if of := &s.model.problem.Gangs[c.id]; !of.Whole || of.Priority > s.state.ceiling {
			return out
		}
	}
	return append(out, b.with(c))
}

// next is what to settle next, as leaving: a gang that the set breaks, else a candidate in it, else the cheapest other
// one. The first makes the set illegal, so that no branch is of use before that is settled; the last is left where the
// set is legal as far as gangs go, but quotas or Fits refuse it.
func (s *search) next(set []int32) (choice, bool) {
	count := s.model.byGang(set)
	for _, i := range set {
		if g := s.model.problem.Candidates[i].Gang; s.state.gangs[g] == undecided && s.model.gang(i).broken(count[g]) {
			return choice{ofGang: true, id: g, as: leaves}, true
		}
	}
	for _, i := range set {
		if s.state.candidates[i] == open {
			return s.choiceOf(i), true
		}
	}
	best, least := int32(-1), impossible
	for i := range int32(len(s.state.candidates)) {
		if !s.state.mayLeave(i) || s.model.allOrNone(s.model.problem.Candidates[i].Gang) && !s.model.gang(i).Whole {
			continue
		}
		if w := s.model.alone(i); best < 0 || w.less(&least) {
			best, least = i, w
		}
	}
	if best < 0 {
		return choice{}, false
	}
	return s.choiceOf(best), true
}
