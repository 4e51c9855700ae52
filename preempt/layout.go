package preempt

import (
	"math/bits"
	"slices"

	"github.com/muster-sched/muster/gang"
)

// The costs that add up over candidates.
const (
	budgets = iota
	ended
	members
	prioritySum
	outside
	unknown
	lostWork
	additive
)

// extent bounds differences of priorities and of starts; larger ones count as that, so that no sum overflows.
const extent = 1 << 40

// layout is how costs stand in weights, and the bases from which they are counted: all are 0 or more.
type layout struct {
	fields   [additive]field
	order    []gang.Cost
	least    int64 // the lowest priority
	youngest int64 // the latest start
}

// additiveOf lists what of a cost adds up over candidates.
func additiveOf(c gang.Cost) []int {
	switch c {
	case gang.CostBudgets:
		return []int{budgets}
	case gang.CostGangsEnded:
		return []int{ended}
	case gang.CostMembers:
		return []int{members}
	case gang.CostPrioritySum:
		return []int{prioritySum}
	case gang.CostStrategy:
		return []int{outside}
	case gang.CostLostWork:
		return []int{unknown, lostWork}
	}
	return nil
}

func newLayout(p *Problem) layout {
	l := layout{order: p.Order}
	if len(l.order) == 0 {
		l.order = gang.Costs()
	}
	for i := range p.Candidates {
		c := &p.Candidates[i]
		priority := p.Gangs[c.Gang].Priority
		if i == 0 || priority < l.least {
			l.least = priority
		}
		l.youngest = max(l.youngest, c.Started)
	}
	var most [additive]uint64
	n := uint64(len(p.Candidates))
	for i := range most {
		most[i] = n
	}
	most[outside] = uint64(p.Units)
	most[prioritySum], most[lostWork] = 0, 0
	for i := range p.Candidates {
		most[prioritySum] += l.above(p.Gangs[p.Candidates[i].Gang].Priority)
		most[lostWork] += l.age(p.Candidates[i].Started)
	}
	shift := 0
	for _, key := range slices.Backward(l.order) {
		for _, i := range slices.Backward(additiveOf(key)) {
			l.fields[i] = field{shift, bits.Len64(most[i])}
			shift += l.fields[i].width
		}
	}
	return l
}

// above is by how much a priority is above the lowest.
func (l *layout) above(priority int64) uint64 {
	return min(uint64(priority)-uint64(l.least), extent)
}

// age is what a candidate has run when the last one started, 0 if nobody knows.
func (l *layout) age(started int64) uint64 {
	if started == 0 {
		return 0
	}
	return min(uint64(l.youngest)-uint64(started), extent)
}

// of is the weight of a candidate that leaves by itself, budgets apart.
func (l *layout) of(p *Problem, c *Candidate) (w weight) {
	l.fields[members].put(&w, 1)
	l.fields[prioritySum].put(&w, l.above(p.Gangs[c.Gang].Priority))
	if c.Started == 0 {
		l.fields[unknown].put(&w, 1)
	}
	l.fields[lostWork].put(&w, l.age(c.Started))
	return w
}
