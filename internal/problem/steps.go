// How long may the searches of a plan take?

package problem

import (
	"github.com/muster-sched/muster/internal/front"
)

// The steps of a request that does not say, and the most that are used, see [gang.Request].Steps.
const (
	defaultSteps = 1 << 16
	mostSteps    = 1 << 24
)

// NewBudget is the budget of a whole plan.
func (p *Problem) NewBudget() *front.Budget { return front.NewBudget(p.Model.Steps, p.Model.Stop) }
