// What a search may still do, in steps, and what counts as one.

package preempt

import "cmp"

const (
	// defaultSteps are some 0.15 s on one core: a step is counted for what takes some 15 us.
	defaultSteps = 10_000
	// nodesForSteps is how many nodes have so many steps; more have more, as each is looked at.
	nodesForSteps = 25_600
	// sumsInStep is how many sums are compared in a step.
	sumsInStep = 1 << 10
	// asksInStep is how often Problem.Slots is asked in a step, each candidate that is gone counting as half of that.
	asksInStep = 2
	// asksOnNode is how often it is asked for each node where candidates leave one by one, whatever the steps are.
	asksOnNode = 32
)

// steps is how many a search of the problem may take.
func (p *Problem) steps() int {
	return cmp.Or(p.Steps, defaultSteps*max(1, len(p.Nodes)/nodesForSteps))
}

// stepBudget counts what a search has done against what it may do: Problem.Steps.
type stepBudget struct {
	used, most int
	stop       func() bool // see Problem.Stop; nil: never
}

// spent says whether the search is to end.
func (b *stepBudget) spent() bool { return b.used >= b.most || b.stopped() }

// stopped says whether the search must end now.
func (b *stepBudget) stopped() bool { return b.stop != nil && b.stop() }
