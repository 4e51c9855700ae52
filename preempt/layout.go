// Which costs stand where in a weight, and which numbers make up the key of a set: docs/order.md, section 6, "Costs".

package preempt

import (
	"math"
	"math/bits"
	"slices"

	"github.com/muster-sched/muster/gang"
)

// summand is a cost, or a part of one, that adds up over candidates.
type summand int

const (
	brokenBudgets summand = iota // key budgets
	endedGangs                   // key gangsEnded
	memberCount                  // key members
	prioritySum                  // key prioritySum
	outsideUnits                 // key strategy: units outside the tree
	unknownStarts                // key lostWork, first part
	lostWork                     // key lostWork, second part
	summands
)

// weightBits is how many bits a weight has.
const weightBits = 256

// layout places costs in weights. All are counted from a base, so that none is negative. It is read-only once made.
type layout struct {
	fields [summands]field
	order  []gang.Cost
	// lowest is the priority, latest the start from which sums count.
	lowest, latest int64
	// extent bounds differences of priorities and of starts, so that no sum over the candidates overflows.
	extent     uint64
	guaranteed int // how many numbers belowMin has
	width      int // bits in use
}

// summandsOf lists what of a cost adds up. The highest priority and belowMin do not: their lists are empty.
func summandsOf(c gang.Cost) []summand {
	switch c {
	case gang.CostBudgets:
		return []summand{brokenBudgets}
	case gang.CostGangsEnded:
		return []summand{endedGangs}
	case gang.CostMembers:
		return []summand{memberCount}
	case gang.CostPrioritySum:
		return []summand{prioritySum}
	case gang.CostStrategy:
		return []summand{outsideUnits}
	case gang.CostLostWork:
		return []summand{unknownStarts, lostWork}
	default: // CostHighestPriority and CostBelowMin
		return nil
	}
}

// newLayout gives every summand as many bits as its sum over all candidates needs. O(nodes + candidates).
func newLayout(p *Problem) layout {
	n := uint64(len(p.Candidates)) + uint64(p.Others)
	l := layout{
		order: p.Order, lowest: p.Lowest, latest: p.Latest, extent: math.MaxInt64 / max(1, n), guaranteed: len(p.Guaranteed),
	}
	if len(l.order) == 0 {
		l.order = gang.Costs()
	}
	var most [summands]uint64
	oldest, highest := int64(0), p.Lowest
	for i := range p.Candidates {
		c := &p.Candidates[i]
		l.latest = max(l.latest, c.Started)
		of := &p.Gangs[c.Gang]
		l.lowest, highest = min(l.lowest, of.Priority), max(highest, of.Priority)
		if of.Ends {
			most[endedGangs]++ // more than there are gangs
		}
		switch {
		case c.Started == 0:
			most[unknownStarts]++
		case oldest == 0 || c.Started < oldest:
			oldest = c.Started
		}
		if len(p.Holdings[c.Holding].Budgets) > 0 {
			most[brokenBudgets]++
		}
	}
	most[memberCount] = n
	most[prioritySum], most[lostWork] = n*l.above(highest), n*l.age(oldest)
	if slices.ContainsFunc(p.Nodes, func(n Node) bool { return n.Outside }) {
		most[outsideUnits] = uint64(p.Units)
	}
	for _, key := range slices.Backward(l.order) {
		for _, s := range slices.Backward(summandsOf(key)) {
			l.fields[s] = field{l.width, bits.Len64(most[s])}
			l.width += l.fields[s].width
		}
	}
	return l
}

// check refuses more candidates than weights have bits for: some hundred million.
func (l *layout) check() error {
	if l.width > weightBits {
		return invalid("", "too many to add up their costs", "Candidates")
	}
	return nil
}

// put adds an amount of a summand to a weight.
func (l *layout) put(w *weight, s summand, amount uint64) { l.fields[s].put(w, amount) }

// above is by how much a priority is above the lowest.
func (l *layout) above(priority int64) uint64 {
	return min(uint64(priority)-uint64(l.lowest), l.extent)
}

// age is the time from a start to the latest one; 0 for an unknown start.
func (l *layout) age(started int64) uint64 {
	if started == 0 {
		return 0
	}
	return min(uint64(l.latest)-uint64(started), l.extent)
}

// alone is the weight of one candidate that leaves by itself, without budgets.
//
// order: costs.5
func (l *layout) alone(priority, started int64) (w weight) {
	l.put(&w, memberCount, 1)
	l.put(&w, prioritySum, l.above(priority))
	if started == 0 {
		l.put(&w, unknownStarts, 1)
	} else {
		l.put(&w, lostWork, l.age(started))
	}
	return w
}

// constant says whether the first costs of the order are the same for all sets.
func (l *layout) constant(places int) bool {
	for _, c := range l.order[:places] {
		for _, s := range summandsOf(c) {
			if l.fields[s].width > 0 {
				return false
			}
		}
		if c == gang.CostBelowMin && l.guaranteed > 0 {
			return false
		}
	}
	return true
}

// numbers is how many numbers of a key stand for the first costs of the order.
func (l *layout) numbers(places int) int {
	n := 0
	for _, c := range l.order[:places] {
		switch c {
		case gang.CostHighestPriority:
			n++
		case gang.CostBelowMin:
			n += l.guaranteed
		default:
			n += len(summandsOf(c))
		}
	}
	return n
}

// before is how many numbers of a key count more than a cost.
func (l *layout) before(c gang.Cost) int { return l.numbers(slices.Index(l.order, c)) }
