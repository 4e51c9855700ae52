// What a branch of the search has decided about candidates and gangs: docs/order.md, section 6, "Legal sets".

package preempt

import (
	"math"
	"slices"
)

// The states of a candidate while the search decides.
const (
	open    int8 = iota
	leaving      // for sure
	staying      // for sure
)

// The states of a gang that ends: some of its surplus may leave, or all members do.
const (
	undecided int8 = iota
	leaves         // with all members
	runsOn         // with its minimum at least
)

// choice settles one candidate, or one gang.
type choice struct {
	ofGang bool
	id     int32 // of the candidate, or of the gang
	as     int8  // its state
}

// kept is the choice that lets stay what the other lets leave.
func (c choice) kept() choice {
	c.as = staying
	if c.ofGang {
		c.as = runsOn
	}
	return c
}

// branch is a node of the search tree: the choices on its path to the root are made.
type branch struct {
	parent *branch // nil at the root, where nothing is decided
	depth  int
	choice choice
	bound  []int64 // no set below the branch has a lower key
	set    []int32 // what the relaxed problem takes
	domain domain  // where that makes room
}

// with is the branch that makes one choice more.
func (b *branch) with(c choice) *branch { return &branch{parent: b, depth: b.depth + 1, choice: c} }

// state is what is decided. All changes go through its methods; the rest of the search only reads it. Its lists are nil
// until the first branch is applied: while nothing is decided, every candidate is open.
type state struct {
	model      *model
	ceiling    int64   // candidates of gangs above it stay
	candidates []int8  // by candidate
	gangs      []int8  // by gang
	goneOf     []int   // by gang: how many of it are gone
	allowed    []int   // by budget: how many more may leave it
	away       []int32 // the candidates that are gone, in the order in which they were decided
	// contradictory says that more of a gang are gone than may, while it runs on.
	contradictory bool
}

func newState(m *model) state {
	return state{model: m, ceiling: math.MaxInt64, allowed: m.problem.Budgets}
}

// reset makes everything undecided.
func (s *state) reset() {
	if p := s.model.problem; s.candidates == nil {
		s.candidates, s.gangs, s.goneOf = make([]int8, len(p.Candidates)), make([]int8, len(p.Gangs)), make([]int, len(p.Gangs))
		s.allowed = slices.Clone(p.Budgets)
	}
	s.contradictory = false
	clear(s.candidates)
	s.away = s.away[:0]
	clear(s.gangs)
	clear(s.goneOf)
	copy(s.allowed, s.model.problem.Budgets)
}

// apply decides what a branch decides, and nothing else. It returns the nodes that this concerns, ascending.
func (s *state) apply(b *branch) []int32 {
	s.reset()
	var path []choice
	for at := b; at.depth > 0; at = at.parent {
		path = append(path, at.choice)
	}
	var touched []int32
	for _, c := range slices.Backward(path) {
		if c.ofGang {
			touched = s.settleGang(c.id, c.as, touched)
		} else {
			touched = s.settle(c.id, c.as, touched)
		}
	}
	slices.Sort(touched)
	return slices.Compact(touched)
}

// settle decides about a candidate that is open. One that stays makes those that could change places with it, and would
// leave after it, stay as well: of equal candidates the cheapest leave first. Touched nodes are added to the list.
func (s *state) settle(i int32, as int8, touched []int32) []int32 {
	c := &s.model.problem.Candidates[i]
	if s.candidates[i] != open {
		return touched
	}
	s.candidates[i] = as
	touched = append(touched, c.Position)
	if as == leaving {
		s.away = append(s.away, i)
		s.goneOf[c.Gang]++
		touched = s.drawBudgets(i, touched)
		return s.closeGang(c.Gang, touched)
	}
	own := s.model.alone(i)
	for j, end := s.model.on(c.Position); j < end; j++ {
		if s.candidates[j] != open || !s.exchangeable(i, j) {
			continue
		}
		if w := s.model.alone(j); own.less(&w) || own == w && j > i {
			s.candidates[j] = staying
		}
	}
	return touched
}

// drawBudgets counts a candidate that is gone in its budgets. Where one is used up, all that count in it cost more.
func (s *state) drawBudgets(i int32, touched []int32) []int32 {
	for _, b := range s.model.holding(i).Budgets {
		if s.allowed[b]--; s.allowed[b] != 0 {
			continue
		}
		for j := range s.model.problem.Candidates {
			if slices.Contains(s.model.holding(int32(j)).Budgets, b) {
				touched = append(touched, s.model.problem.Candidates[j].Position)
			}
		}
	}
	return touched
}

// exchangeable says whether two candidates of a node differ in nothing but what they cost.
func (s *state) exchangeable(i, j int32) bool {
	p := s.model.problem
	a, b := &p.Candidates[i], &p.Candidates[j]
	if s.model.severalBudgets && len(s.model.holding(i).Budgets) > 0 {
		return false
	}
	return a.Holding == b.Holding && (a.Gang == b.Gang || !p.Gangs[a.Gang].Ends && !p.Gangs[b.Gang].Ends)
}

// settleGang decides whether a gang leaves whole or runs on.
func (s *state) settleGang(g int32, as int8, touched []int32) []int32 {
	s.gangs[g] = as
	if as == runsOn {
		return s.closeGang(g, touched)
	}
	for _, i := range s.model.ofGang[g] {
		touched = s.settle(i, leaving, touched)
	}
	return touched
}

// closeGang keeps the rest of a gang that runs on, once its surplus is gone.
func (s *state) closeGang(g int32, touched []int32) []int32 {
	of := &s.model.problem.Gangs[g]
	if !of.Ends || s.gangs[g] != runsOn || s.goneOf[g] < of.Surplus {
		return touched
	}
	s.contradictory = s.contradictory || s.goneOf[g] > of.Surplus
	for _, i := range s.model.ofGang[g] {
		if s.candidates[i] == open {
			s.candidates[i] = staying
			touched = append(touched, s.model.problem.Candidates[i].Position)
		}
	}
	return touched
}

// evict lets a candidate leave, and all of its gang once that cannot run on. All nodes of the gang are touched, since
// its surplus is less now.
func (s *state) evict(i int32, touched []int32) []int32 {
	p, g := s.model.problem, s.model.problem.Candidates[i].Gang
	touched = s.settle(i, leaving, touched)
	if !p.Gangs[g].Ends {
		return touched
	}
	if s.goneOf[g] > p.Gangs[g].Surplus {
		return s.settleGang(g, leaves, touched)
	}
	for _, j := range s.model.ofGang[g] {
		touched = append(touched, p.Candidates[j].Position)
	}
	return touched
}

// takeBut starts anew with a set gone, but for a part of it that stays. It draws no budgets, which makes what follows a
// guess like any other: sets are judged by what they cost in the end.
func (s *state) takeBut(set, part []int32) {
	s.reset()
	for _, i := range set {
		if slices.Contains(part, i) {
			s.candidates[i] = staying
			continue
		}
		s.candidates[i] = leaving
		s.away = append(s.away, i)
		s.goneOf[s.model.problem.Candidates[i].Gang]++
	}
}

// of is what is decided about a candidate.
func (s *state) of(i int32) int8 {
	if s.candidates == nil {
		return open
	}
	return s.candidates[i]
}

// mayLeave says whether a candidate is open and not above the ceiling.
func (s *state) mayLeave(i int32) bool { return s.of(i) == open && s.model.priority[i] <= s.ceiling }

// settled lists the candidates that are gone, ascending. The slice is the caller's.
func (s *state) settled() []int32 {
	out := slices.Clone(s.away)
	slices.Sort(out)
	return out
}

// breaks says whether a candidate with such a holding breaks a budget, after those that are gone. Where order matters,
// because some count in several budgets, it says so only if one breaks whoever else leaves.
func (s *state) breaks(h *Holding) bool {
	allowed := s.allowed
	if s.model.severalBudgets {
		allowed = s.model.problem.Budgets
	}
	for _, b := range h.Budgets {
		if allowed[b] <= 0 {
			return true
		}
	}
	return false
}

// restOf is what it costs that the rest of a gang leaves.
func (s *state) restOf(g int32) weight {
	w := s.model.gangCost[g]
	for _, i := range s.model.ofGang[g] {
		if s.candidates[i] == leaving {
			own := s.model.alone(i)
			w = w.minus(&own)
		}
	}
	return w
}
