// A problem together with the lists that follow from it: who is on a node, who is in a gang, who depends on others.

package preempt

import (
	"slices"
)

// maxCombinations bounds the combinations of candidates that are tried on one node.
const maxCombinations = 1 << 16

// model is a problem and what follows from it alone. Nobody writes it once newModel has returned.
type model struct {
	problem  *Problem
	layout   layout
	starts   []int32   // by node: its first candidate; one entry more for the end
	priority []int64   // by candidate: that of its gang
	shapes   []int32   // by holding: the first one that gives back the same
	ofGang   [][]int32 // by gang that ends: its candidates, ascending
	gangCost []weight  // by gang that ends: what it costs if all its candidates leave
	// coupled says that candidates depend on each other, so that a relaxed solution need not be legal.
	coupled bool
	// severalBudgets says that some candidate counts in several budgets. Whether one breaks a budget then depends on who
	// else leaves, not only on how many.
	severalBudgets bool
}

// newModel lists what follows from a problem. O(nodes + candidates), and O(holdings) comparisons of amounts.
func newModel(p *Problem, l layout) model {
	m := model{
		problem: p, layout: l, starts: make([]int32, len(p.Nodes)+1), shapes: shapesOf(p.Holdings),
		priority: make([]int64, len(p.Candidates)),
	}
	for i := range p.Candidates {
		c := &p.Candidates[i]
		m.starts[c.Position+1], m.priority[i] = int32(i)+1, p.Gangs[c.Gang].Priority
	}
	for node := range len(p.Nodes) {
		m.starts[node+1] = max(m.starts[node+1], m.starts[node])
	}
	budgets := 0
	for h := range p.Holdings {
		budgets = max(budgets, len(p.Holdings[h].Budgets))
	}
	m.severalBudgets = budgets > 1
	m.coupled = p.Legal != nil || !p.Exact || len(p.Guaranteed) > 0 || budgets > 0 ||
		slices.ContainsFunc(p.Gangs, func(g Gang) bool { return g.Ends })
	m.coupled = m.coupled || m.tooMany()
	if m.coupled {
		m.listGangs()
	}
	return m
}

// listGangs finds the candidates of every gang that ends, and what the gang costs.
func (m *model) listGangs() {
	p := m.problem
	m.ofGang, m.gangCost = make([][]int32, len(p.Gangs)), make([]weight, len(p.Gangs))
	ends, room := make([]int32, len(p.Gangs)+1), make([]int32, len(p.Candidates))
	for i := range p.Candidates {
		ends[p.Candidates[i].Gang+1]++
	}
	for g := range p.Gangs {
		lo, end := ends[g], ends[g]+ends[g+1]
		if ends[g+1] = end; p.Gangs[g].Ends && lo < end {
			m.ofGang[g] = room[lo:lo:end]
			m.layout.put(&m.gangCost[g], endedGangs, 1)
		}
	}
	for i := range p.Candidates {
		if g := p.Candidates[i].Gang; p.Gangs[g].Ends {
			m.ofGang[g] = append(m.ofGang[g], int32(i))
			w := m.alone(int32(i))
			m.gangCost[g].add(&w)
		}
	}
}

// tooMany says whether the candidates on some node may have too many combinations to try them all; where Problem.Slots is
// asked for each, on all nodes together.
func (m *model) tooMany() bool {
	p := m.problem
	sum, most := 0, max(p.steps()/2, asksOnNode*len(p.Nodes))
	for node := range int32(len(p.Nodes)) {
		n := m.combinationsOn(node)
		if sum += n; n > maxCombinations || p.Slots != nil && sum > most {
			return true
		}
	}
	return false
}

// combinationsOn is how many combinations the candidates on a node may have, those that give back the same being alike; a
// number above maxCombinations if there are more than that.
func (m *model) combinationsOn(node int32) int {
	lo, end := m.on(node)
	switch {
	case end-lo <= 4:
		return 1 << (end - lo)
	case end-lo <= 16 && m.problem.Slots == nil:
		return 1 << (end - lo)
	}
	count := map[[2]int32]int{}
	for i := lo; i < end; i++ {
		h := m.problem.Candidates[i].Holding
		count[[2]int32{m.shapes[h], m.problem.Holdings[h].Tag}]++
	}
	n := 1
	for _, of := range count {
		if n *= 1 + of; n > maxCombinations {
			break
		}
	}
	return n
}

// shapesOf finds for each holding the first one that gives back the same. Among very many some are told apart that need
// not be, which makes the search longer and its answer no other.
func shapesOf(holdings []Holding) []int32 {
	out := make([]int32, len(holdings))
	for h := range holdings {
		out[h] = int32(h)
		for o := range min(h, 64) {
			if slices.Equal(holdings[o].Amounts, holdings[h].Amounts) {
				out[h] = out[o]
				break
			}
		}
	}
	return out
}

// on is the interval of the candidates on a node.
func (m *model) on(node int32) (lo, end int32) { return m.starts[node], m.starts[node+1] }

// holding is what a candidate holds.
func (m *model) holding(i int32) *Holding {
	return &m.problem.Holdings[m.problem.Candidates[i].Holding]
}

// gang is the gang of a candidate.
func (m *model) gang(i int32) *Gang { return &m.problem.Gangs[m.problem.Candidates[i].Gang] }

// allOrNone says whether the members of a gang leave all together or not at all.
func (m *model) allOrNone(g int32) bool {
	return m.problem.Gangs[g].Ends && m.problem.Gangs[g].Surplus == 0
}

// alone is the weight of a candidate that leaves by itself, without budgets.
func (m *model) alone(i int32) weight {
	return m.layout.alone(m.priority[i], m.problem.Candidates[i].Started)
}

// share is the least that a gang costs on each of its nodes within an interval: what it costs whole, split evenly over
// them. The sum over the nodes of a domain is never above what the gang costs, so that the relaxed problem stays a bound.
func (m *model) share(g, lo, end int32) weight {
	nodes, last := uint64(0), int32(-1)
	for _, i := range m.ofGang[g] {
		if pos := m.problem.Candidates[i].Position; pos != last && pos >= lo && pos < end {
			nodes, last = nodes+1, pos
		}
	}
	return m.gangCost[g].over(nodes)
}
