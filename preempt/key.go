// Keys: what a set costs, as numbers in the order of costs, so that sets compare as docs/order.md, section 6, "Costs",
// says. The deciders of `highestPriority` and `strategy`, which are no sums, are in solve.go.

package preempt

import (
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// key are the costs of a set in their order: what its weight says, the priority that none of it is above (key
// `highestPriority`), and what it takes below the min of quotas (key `belowMin`). Of `strategy` it holds the units
// outside the tree, which count within one strategy. The slice is the caller's.
func (m *model) key(w weight, set []int32, ceiling int64) []int64 {
	out := make([]int64, 0, 12)
	for _, c := range m.layout.order {
		switch c {
		case gang.CostHighestPriority:
			out = append(out, ceiling)
		case gang.CostBelowMin:
			if m.layout.guaranteed > 0 {
				out = append(out, m.belowMin(set)...)
			}
		default:
			for _, s := range summandsOf(c) {
				out = append(out, int64(m.layout.fields[s].get(&w)))
			}
		}
	}
	return out
}

// belowMin is what the callback says, one amount for each guaranteed resource whatever it returns.
func (m *model) belowMin(set []int32) []int64 {
	taken := m.problem.BelowMin(set)
	if n := m.layout.guaranteed; len(taken) != n {
		taken = append(slices.Clip(taken[:min(len(taken), n)]), make([]int64, max(0, n-len(taken)))...)
	}
	return taken
}

// ownKey is the key of a set by itself, without the units outside the tree.
func (m *model) ownKey(set []int32) []int64 {
	highest := int64(math.MinInt64)
	for _, i := range set {
		highest = max(highest, m.priority[i])
	}
	return m.key(m.weightOf(set), set, highest)
}

// weightOf is what a set costs by all that adds up. A gang ends of which everybody leaves: key `gangsEnded`.
//
// order: costs.4
func (m *model) weightOf(set []int32) (w weight) {
	for _, i := range set {
		own := m.alone(i)
		w.add(&own)
	}
	for g, n := range m.byGang(set) {
		if of := &m.problem.Gangs[g]; of.Ends && n == of.Running {
			m.layout.put(&w, endedGangs, 1)
		}
	}
	m.layout.put(&w, brokenBudgets, uint64(m.breaches(set)))
	return w
}

// breaches counts the candidates that break a budget, in natural order of gang and name: key `budgets`. Where all count
// in one budget at most, the number depends on no order; only with several does it matter who is counted first.
//
// order: costs.1
func (m *model) breaches(set []int32) (n int) {
	if len(m.problem.Budgets) == 0 {
		return 0
	}
	var counted []int32
	for _, i := range set {
		if len(m.holding(i).Budgets) > 0 {
			counted = append(counted, i)
		}
	}
	slices.SortFunc(counted, func(a, b int32) int {
		return int(m.problem.Candidates[a].Order) - int(m.problem.Candidates[b].Order)
	})
	left := slices.Clone(m.problem.Budgets)
	for _, i := range counted {
		broken := false
		for _, b := range m.holding(i).Budgets {
			left[b]--
			broken = broken || left[b] < 0
		}
		if broken {
			n++
		}
	}
	return n
}

// cost reads a key, number by number as key writes it. Priorities are told from 0, not from the lowest.
func (m *model) cost(key []int64) (out Cost) {
	next := func() int64 {
		n := key[0]
		key = key[1:]
		return n
	}
	for _, c := range m.layout.order {
		switch c {
		case gang.CostBudgets:
			out.Budgets = int(next())
		case gang.CostHighestPriority:
			out.HighestPriority = next()
		case gang.CostBelowMin:
			for _, name := range m.problem.Guaranteed {
				if n := next(); n > 0 {
					if out.BelowMin == nil {
						out.BelowMin = muster.Resources{}
					}
					out.BelowMin[name] = n
				}
			}
		case gang.CostGangsEnded:
			out.GangsEnded = int(next())
		case gang.CostMembers:
			out.Members = int(next())
		case gang.CostPrioritySum:
			out.PrioritySum = next()
		case gang.CostStrategy:
			next() // outside the tree
		case gang.CostLostWork:
			out.Unknown, out.LostWork = int(next()), next()
		}
	}
	out.PrioritySum += int64(out.Members) * m.layout.lowest
	return out
}
