// The parts of a search, put together: each holds the parts that it reads, and is made once for a problem.

package preempt

import (
	"maps"
	"slices"
	"sort"
)

// solver holds the parts in one piece of memory. Those above do not know those below.
type solver struct {
	model   model
	tree    tree
	budget  stepBudget
	state   state
	nodes   nodes
	table   slotTable
	pricer  pricer
	curves  curveCache
	relaxed relaxation
}

// newSolver brings inside a problem that is checked. Nodes are classes of positions if classOf is not nil. False if
// weights cannot hold its costs. O(nodes + candidates).
func newSolver(p *Problem, classOf []int32) (*solver, bool) {
	positions := len(p.Nodes)
	if classOf != nil {
		positions = len(classOf)
	}
	l := newLayout(p)
	if l.check() != nil {
		return nil, false
	}
	s := &solver{model: newModel(p, l), tree: newTree(p, int32(positions))}
	s.budget = stepBudget{most: p.steps(), stop: p.Stop}
	s.state = newState(&s.model)
	s.nodes = newNodes(&s.model)
	s.table = newSlotTable(&s.nodes, classOf)
	s.pricer = newPricer(&s.model, &s.state, &s.nodes, &s.budget)
	s.curves = newCurveCache(&s.table, &s.pricer, &s.budget)
	s.relaxed = newRelaxation(&s.model, &s.tree, &s.table, &s.pricer, &s.curves)
	return s, true
}

// search is a search under a strategy, below the ceiling that is set; keys that begin above the limit are of no use.
func (s *solver) search(strategy int, limit []int64) search {
	return search{
		model: &s.model, tree: &s.tree, nodes: &s.nodes, state: &s.state, pricer: &s.pricer, curves: &s.curves, relaxed: &s.relaxed,
		budget: &s.budget, strategy: strategy, tiers: &s.model.problem.Strategies[strategy], limit: limit,
		asks: s.model.problem.Fits,
	}
}

// best is the best set under a strategy, below the ceiling that is set.
func (s *solver) best(strategy int, limit []int64) answer {
	search := s.search(strategy, limit)
	return search.run()
}

// below lets no candidate of a gang above a priority leave.
func (s *solver) below(ceiling int64) {
	s.state.ceiling = ceiling
	s.table.count(ceiling)
	s.curves.forget()
}

// ceilings lists the priorities of candidates' gangs, ascending, from the first on at which there is room without any
// that are not above. O((nodes + candidates) log priorities).
func (s *solver) ceilings(strategy int) []int64 {
	seen := map[int64]bool{}
	for i, priority := range s.model.priority {
		if i == 0 || priority != s.model.priority[i-1] {
			seen[priority] = true
		}
	}
	list := slices.Sorted(maps.Keys(seen))
	i := sort.Search(len(list), func(i int) bool {
		s.table.count(list[i])
		return s.tree.hasRoom(&s.model.problem.Strategies[strategy], s.table.byPos)
	})
	return list[i:]
}
