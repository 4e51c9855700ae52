// Package bounds answers: when do the searches of a plan end?
package bounds

import (
	"cmp"

	"github.com/muster-sched/muster/internal/front"
)

// The steps of a request that does not say, and the most that are used, see [gang.Request].Steps.
const (
	defaultSteps = 1 << 16
	mostSteps    = 1 << 24
)

// Search are the bounds of the searches of a plan. The zero value leaves all to the request.
type Search struct {
	Stop <-chan struct{} // closed: who asked waits no longer, and searches end as if their steps were spent; nil: never
	Left *front.Budget   // what they may spend; nil: what the request says
	Rest *front.Budget   // what is left of the steps in the end is written here, all that a gang in parts has; nil: nowhere
	// Steps bound what is counted beside that, such as selections that are enumerated; 0: the request's steps do.
	Steps int
	// Bare: of a refusal it is asked only whether it is proven.
	Bare bool
}

// Of are the steps of one search for a request that asks for so many, 0 if it does not say; charged if it has less than that for what is
// counted beside.
func (b Search) Of(asked int) (steps int, charged bool) {
	steps = cmp.Or(min(asked, mostSteps), defaultSteps)
	if b.Steps > 0 {
		return min(steps, b.Steps), true
	}
	return steps, false
}
