// One search: the best set under one strategy and below one ceiling of priorities. This file visits branches and keeps
// the best set; branch.go, dive.go and climb.go decide which branches and sets there are to look at.

package preempt

import "slices"

// answer is the best set of one search, and what is known of those it did not look at.
type answer struct {
	ok     bool
	set    []int32
	domain domain // in which it makes room, where that is all that is asked
	key    []int64
	bound  []int64 // no set has a lower key; nil if there is no set at all
	proven bool
}

// search is one search. It writes best, and what it borrows from its solver: state, curves and the budget.
type search struct {
	model   *model
	tree    *tree
	nodes   *nodes
	state   *state
	pricer  *pricer
	curves  *curveCache
	relaxed *relaxation
	budget  *stepBudget
	// strategy and its tiers.
	strategy int
	tiers    *Strategy
	limit    []int64 // keys that begin above it are of no use; nil: all are
	asks     func(gone []int32, strategy int) (outside int64, ok bool)
	best     answer
}

// visit solves the relaxed problem of a branch: the set that it takes, and the key that no set below it is under. What
// the branch decides stays decided until the next one. False if there is no room, or no legal set below.
func (s *search) visit(b *branch) bool {
	s.budget.used++
	var touched []int32
	if s.model.coupled {
		touched = s.state.apply(b)
	}
	if s.state.contradictory {
		return false
	}
	best, ok := s.relaxed.cheapest(s.tiers, touched)
	if ok {
		// What is gone for sure costs what it costs. The rest is bounded by the relaxed cost; what it takes below the
		// min of quotas is not known, and at least what is taken already.
		away := s.state.settled()
		w := s.model.weightOf(away)
		w.add(&best.cost)
		b.bound = s.model.key(w, away, s.state.ceiling)
		s.curves.recount(best, touched)
		b.set = append(away, s.relaxed.taken(s.tiers, best)...)
		b.domain = best
		slices.Sort(b.set)
	}
	s.curves.restore()
	return ok
}

// closed says whether no set below a branch is better than the best one.
func (s *search) closed(b *branch) bool {
	return s.best.ok && slices.Compare(s.best.key, b.bound) <= 0
}

// offer takes the set of a branch, completed by whole gangs, if it is legal, makes room and is better than the best one.
// False if it is not legal or makes no room.
func (s *search) offer(b *branch) bool {
	set, ok := s.model.completed(b.set, s.state.ceiling)
	if !ok || !s.model.allowed(set) {
		return false
	}
	return s.takeIfFits(set, b.domain)
}

// offerIn takes a set that makes room in a domain, without what can be spared, if it is legal and better than the best
// one. False if it is not.
func (s *search) offerIn(set []int32, d domain) bool {
	set, ok := s.model.completed(set, s.state.ceiling)
	if !ok || !s.model.allowed(set) {
		return false
	}
	set = s.spareIn(set, d)
	outside, ok := s.fits(set)
	return ok && s.take(set, outside, d)
}

// fits asks whether a set makes room that holds what a relaxed solution takes: where numbers decide, it does.
func (s *search) fits(set []int32) (outside int64, ok bool) {
	if s.model.problem.Exact {
		return 0, true
	}
	return s.ask(set)
}

// ask asks Fits, or FitsAtLast, which takes a look at each node.
func (s *search) ask(set []int32) (outside int64, ok bool) {
	s.budget.used += 1 + int(s.tree.positions)/16
	return s.asks(set, s.strategy)
}

// makesRoom says whether any set makes room, and in which domain, where numbers decide.
func (s *search) makesRoom(set []int32) (d domain, outside int64, ok bool) {
	if !s.model.problem.Exact {
		outside, ok = s.ask(set)
		return domain{}, outside, ok
	}
	slots := make([]int64, s.tree.positions)
	for pos := range s.tree.positions {
		slots[pos] = s.nodes.slotsWithout(pos, func(i int32) bool {
			_, isGone := slices.BinarySearch(set, i)
			return isGone
		})
	}
	for lo, end := range s.tree.withRoom(s.tiers, slots) {
		return domain{lo: lo, end: end}, 0, true
	}
	return domain{}, 0, false
}

// takeIfFits keeps a legal set that holds a relaxed solution if it makes room and is better than the best one.
func (s *search) takeIfFits(set []int32, d domain) bool {
	outside, ok := s.fits(set)
	if ok {
		s.take(set, outside, d)
	}
	return ok
}

// take keeps a set that makes room if it is better than the best one.
//
// order: victims.6
func (s *search) take(set []int32, outside int64, d domain) bool {
	w := s.model.weightOf(set)
	s.model.layout.put(&w, outsideUnits, uint64(min(max(0, outside), s.tree.units)))
	key := s.model.key(w, set, s.state.ceiling)
	if s.best.ok && slices.Compare(key, s.best.key) >= 0 {
		return false
	}
	s.best.ok, s.best.set, s.best.key, s.best.domain = true, set, key, d
	return true
}

// choiceOf lets a candidate leave, or its gang, if that only leaves whole.
func (s *search) choiceOf(i int32) choice {
	if g := s.model.problem.Candidates[i].Gang; s.model.allOrNone(g) {
		return choice{ofGang: true, id: g, as: leaves}
	}
	return choice{id: i, as: leaving}
}
