// How many of the pending members are looked at, and how long may a search for them take?

package problem

import (
	"cmp"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/steps"
)

// FirstOnes is the selection of the first n new members, or of all if there are fewer.
func (p *Problem) FirstOnes(n int) model.Selection {
	in := make(model.Selection, len(p.Model.Pending))
	for i := range min(n, len(in)) {
		in[i] = true
	}
	return in
}

// The steps of a request that does not say, and the most that are used, see [gang.Request].Steps.
const (
	defaultSteps = 1 << 16
	mostSteps    = 1 << 24
)

// Steps is the work that a search for a gang in parts may take. Other bounds are fractions or multiples of it.
func (p *Problem) Steps() int {
	n := cmp.Or(min(p.Request.Steps, mostSteps), defaultSteps)
	if p.Bounds.Steps > 0 {
		return min(n, p.Bounds.Steps)
	}
	return n
}

// NewBudget is the budget of a whole plan.
func (p *Problem) NewBudget() *front.Budget {
	n := int64(p.Steps())
	stop := p.Bounds.Stop
	return &front.Budget{Fronts: steps.New(128*n, stop), Sets: steps.New(4*n, stop), Packing: steps.New(front.LooksInStep*n, stop)}
}

// SelectionPlans bounds the selections for which a search asks whether they fit.
func (p *Problem) SelectionPlans() int { return max(1, p.Steps()/256) }

// SelectionSteps bounds the selections that a search enumerates, whether it tries them or not. Each is as long as the gang.
func (p *Problem) SelectionSteps() int {
	return max(1, min(p.Steps()/64, 8*p.Steps()/max(1, len(p.Model.Pending))))
}
