package preempt

import (
	"math"
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

// layout is how costs stand in weights, and the bases from which they are counted: all are 0 or more.
type layout struct {
	fields   [additive]field
	order    []gang.Cost
	least    int64 // the lowest priority
	youngest int64 // the latest start
	// extent bounds differences of priorities and of starts; larger ones count as that, so that no sum over the candidates overflows.
	extent uint64
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
	default: // CostHighestPriority and CostBelowMin
		return nil
	}
}

func newLayout(p *Problem) layout {
	n := uint64(len(p.Candidates) + p.Others)
	l := layout{order: p.Order, least: p.Lowest, youngest: p.Latest, extent: math.MaxInt64 / max(1, n)}
	if len(l.order) == 0 {
		l.order = gang.Costs()
	}
	var most [additive]uint64
	oldest, highest := int64(0), p.Lowest
	for i := range p.Candidates {
		c := &p.Candidates[i]
		l.youngest = max(l.youngest, c.Started)
		of := &p.Gangs[c.Gang]
		l.least, highest = min(l.least, of.Priority), max(highest, of.Priority)
		if of.Ends {
			most[ended]++ // more than there are gangs
		}
		switch {
		case c.Started == 0:
			most[unknown]++
		case oldest == 0 || c.Started < oldest:
			oldest = c.Started
		}
		if len(p.Holdings[c.Holding].Budgets) > 0 {
			most[budgets]++
		}
	}
	most[members] = n
	most[prioritySum], most[lostWork] = n*l.above(highest), n*l.age(oldest)
	if slices.ContainsFunc(p.Nodes, func(n Node) bool { return n.Outside }) {
		most[outside] = uint64(p.Units)
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
	return min(uint64(priority)-uint64(l.least), l.extent)
}

// age is what a candidate has run when the last one started, 0 if nobody knows.
func (l *layout) age(started int64) uint64 {
	if started == 0 {
		return 0
	}
	return min(uint64(l.youngest)-uint64(started), l.extent)
}

// alone is the weight of a candidate that leaves by itself, budgets apart.
func (s *search) alone(i int32) (w weight) {
	c, l := &s.Candidates[i], &s.layout
	l.fields[members].put(&w, 1)
	l.fields[prioritySum].put(&w, l.above(s.Gangs[c.Gang].Priority))
	if c.Started == 0 {
		l.fields[unknown].put(&w, 1)
	} else {
		l.fields[lostWork].put(&w, l.age(c.Started))
	}
	return w
}

// constant says whether the first costs of the order are the same for all sets.
func (l *layout) constant(places int, guaranteed bool) bool {
	for _, c := range l.order[:places] {
		for _, i := range additiveOf(c) {
			if l.fields[i].width > 0 {
				return false
			}
		}
		if c == gang.CostBelowMin && guaranteed {
			return false
		}
	}
	return true
}
