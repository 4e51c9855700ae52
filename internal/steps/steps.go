// Package steps answers: how much may a search still do? All searches of a plan share its [Budget], so that their work is
// bounded together; whoever waits for the plan may end them early.
package steps

import "math"

// every is how many steps are taken between two looks at whether the plan is to stop.
const every = 1 << 12

// Budget is what a search may still do, in steps; the zero value is one step. It belongs to one plan and is not safe for
// concurrent use.
type Budget struct {
	left int64
	look int64 // with less left than this, stop is looked at
	stop <-chan struct{}
}

// New is a budget of n steps. All of them are spent once stop is closed; nil: it never is.
func New(n int64, stop <-chan struct{}) Budget {
	b := Budget{left: n, look: math.MinInt64, stop: stop}
	if stop != nil {
		b.poll()
	}
	return b
}

// Spend takes n steps, also where fewer are left: what was begun is done to its end. O(1).
func (b *Budget) Spend(n int64) {
	if b.left -= n; b.left < b.look {
		b.poll()
	}
}

// Return gives back n steps that were taken and not needed. O(1).
func (b *Budget) Return(n int64) { b.left = max(b.left, -1) + n }

// Afford takes n steps, all if there are fewer, and says whether there were enough. O(1).
func (b *Budget) Afford(n int64) bool {
	if b.left < n {
		n = b.left + 1
		b.Spend(max(n, 0))
		return false
	}
	b.Spend(n)
	return b.left >= 0
}

// Part is one of n equal parts of what is left, as a budget of its own; what it takes is taken here by Spend.
func (b *Budget) Part(n int64) Budget { return New(max(b.left, 0)/n, b.stop) }

// Spent says whether no steps are left.
func (b *Budget) Spent() bool { return b.left < 0 }

// Left is how many steps are left; below 0: so many were taken beyond them.
func (b *Budget) Left() int64 { return b.left }

// poll spends all steps if the plan is to stop, else it notes when to look again.
func (b *Budget) poll() {
	select {
	case <-b.stop:
		b.left, b.look = min(b.left, -1), math.MaxInt64 // whatever is given back is spent again
	default:
		b.look = b.left - every
	}
}
