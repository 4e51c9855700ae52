// Solve: the keys that do not add up, `highestPriority` and `strategy`, are settled around searches for the rest.
// docs/order.md, section 6, "Costs".

package preempt

import (
	"slices"

	"github.com/muster-sched/muster/gang"
)

// Solve finds the best legal set of candidates whose leaving makes room for the gang, in the order of costs of the
// problem. For candidates that leave one by one it is exact; elsewhere branch and bound finds the best set if the steps
// suffice, and says so. A problem that is not valid has the zero solution; see [Problem.Validate].
//
// Every step solves a relaxed problem, or a part of one: O(u log u) for u units on every node of the domains that it
// concerns, where all curves are convex, else O(u²); and up to 65,536 combinations of candidates on a node. There are
// O(priorities + strategies) searches, which share the steps. Memory is O(nodes + candidates), and O(u) for each node.
func Solve(p Problem) Solution {
	if p.check(len(p.Nodes)) != nil {
		return Solution{}
	}
	s, ok := newSolver(&p, nil)
	if !ok {
		return Solution{}
	}
	d := driver{solver: s, strategy: len(p.Strategies) - 1, proven: true}
	return d.solve()
}

// driver settles the ceiling and the strategy, one after the other. It writes its own fields, and drives the solver.
type driver struct {
	solver   *solver
	ceilings []int64
	best     answer // so far
	strategy int
	proven   bool
	limit    []int64 // what counts more must stay as good; nil: nothing does
	lower    []int64 // a bound from where a search ended too early; nil: none did
}

// solve settles the keys that do not add up in the order in which they count: each as low as it can be while what
// counts more stays as good.
func (d *driver) solve() Solution {
	d.ceilings = d.solver.ceilings(d.strategy)
	if len(d.ceilings) == 0 {
		return Solution{Proven: true}
	}
	l := &d.solver.model.layout
	for place, c := range l.order {
		if c == gang.CostHighestPriority {
			d.lowerCeiling(l.numbers(place), l.constant(place))
		}
		if c == gang.CostStrategy {
			d.tighten(l.numbers(place + 1))
		}
	}
	return d.solution()
}

// begin finds the best set of all, if it is not known.
func (d *driver) begin() {
	if d.best.ok {
		return
	}
	d.best = d.at(d.ceilings[len(d.ceilings)-1])
	d.judge(&d.best)
	if d.lower != nil { // nobody looked below the highest ceiling
		l := &d.solver.model.layout
		d.lower = slices.Clone(d.lower)
		d.lower[l.before(gang.CostHighestPriority)] = l.lowest
	}
}

// at is the best set without candidates of gangs above a ceiling.
func (d *driver) at(ceiling int64) answer {
	d.solver.below(ceiling)
	return d.solver.best(d.strategy, d.limit)
}

// judge notes where a search ended too early.
func (d *driver) judge(a *answer) {
	if !a.proven && d.proven {
		d.proven, d.lower = false, a.bound
	}
}

// least is a bound where nothing was searched.
func (d *driver) least() []int64 {
	l := &d.solver.model.layout
	out := make([]int64, l.numbers(len(l.order)))
	out[l.before(gang.CostHighestPriority)] = l.lowest
	return out
}

// lowerCeiling decides the key `highestPriority`: the lowest priority that no victim is above, while the first numbers
// of the key stay as they are. If they are constant, the first ceiling with room is it.
//
// order: costs.2
func (d *driver) lowerCeiling(numbers int, constant bool) {
	if !constant {
		if d.begin(); !d.best.ok {
			return
		}
		d.limit = d.best.key[:numbers]
	}
	for i, ceiling := range d.ceilings {
		if d.solver.budget.stopped() && (d.best.ok || i < len(d.ceilings)-1) {
			d.judge(&answer{bound: d.least()})
			continue // the highest has the most candidates
		}
		a := d.at(ceiling)
		d.judge(&a)
		if a.ok && (constant || slices.Compare(a.key[:numbers], d.limit) <= 0) {
			d.best = a
			break
		}
	}
	d.limit = nil
}

// tighten decides the key `strategy`: the best one under which the first numbers of the key stay as they are.
//
// order: costs.6
func (d *driver) tighten(numbers int) {
	d.begin()
	if !d.best.ok {
		return
	}
	d.limit = d.best.key[:numbers]
	for st := range d.strategy {
		if d.solver.budget.stopped() {
			d.proven = false
			break
		}
		a := d.solver.best(st, d.limit)
		if a.ok && slices.Compare(a.key[:numbers], d.limit) <= 0 {
			d.best, d.strategy = a, st
			break
		}
		d.proven = d.proven && a.proven
	}
	d.limit = nil
}

// solution is what was found, without what can be spared, and what is known of the rest.
func (d *driver) solution() Solution {
	p := d.solver.model.problem
	if p.Doubt != nil && p.Doubt() {
		d.proven, d.lower = false, d.least()
	}
	out := Solution{
		Found: d.best.ok, Gone: d.best.set, Proven: d.proven && (d.best.proven || !d.best.ok), Steps: d.solver.budget.used,
	}
	if !d.best.ok {
		return out
	}
	if !out.Proven {
		s := d.solver.search(d.strategy, nil)
		s.asks = p.atLast()
		out.Gone = d.spareAtAll(s.spare(&d.best))
	}
	out.Strategy = d.strategy
	m := &d.solver.model
	key := m.ownKey(out.Gone)
	out.Cost = m.cost(key)
	out.LowerBound = out.Cost
	if !out.Proven {
		out.LowerBound = m.cost(d.bound(key))
	}
	return out
}

// bound is a key that no set is under: what is known from where a search ended too early, up to the first number that is
// less than the set's; what counts less says nothing beside it. Where only the strategy is not proven, what counts more
// is as good as can be.
func (d *driver) bound(key []int64) []int64 {
	l := &d.solver.model.layout
	out := make([]int64, len(key))
	out[l.before(gang.CostHighestPriority)] = l.lowest
	if d.lower == nil {
		copy(out, key[:l.before(gang.CostStrategy)])
		return out
	}
	for i := range key {
		out[i] = d.lower[i]
		if out[i] != key[i] {
			break
		}
	}
	return out
}
