// How long may the searches of a plan take?

package problem

import (
	"cmp"

	"github.com/muster-sched/muster/internal/front"
)

// The steps of a request that does not say, and the most that are used, see [gang.Request].Steps.
const (
	defaultSteps = 1 << 16
	mostSteps    = 1 << 24
)

// readSteps says how much work the searches of a problem may take.
func readSteps(p *Problem) {
	p.Model.Stop = p.Bounds.Stop
	p.Model.Steps, p.Model.Charged = cmp.Or(min(p.Request.Steps, mostSteps), defaultSteps), p.Bounds.Steps > 0
	if p.Model.Charged {
		p.Model.Steps = min(p.Model.Steps, p.Bounds.Steps)
	}
}

// NewBudget is the budget of a whole plan.
func (p *Problem) NewBudget() *front.Budget { return front.NewBudget(p.Model.Steps, p.Model.Stop) }
