package front

import "github.com/muster-sched/muster/internal/steps"

// Budget is what is left of the steps of a plan, by what they are spent on. All its searches share one.
type Budget struct {
	Fronts  steps.Budget // pairs of vectors that are summed, and places of tables
	Sets    steps.Budget // vectors tried where children are chosen, long ones count more
	Packing steps.Budget // members and nodes looked at where fronts are too long
}

// LooksInStep is how many members and nodes are looked at in a step of a request.
const LooksInStep = 16

// NewBudget is the budget of a whole plan for a request of so many steps. All of them are spent once stop is closed; nil: it never is.
func NewBudget(n int, stop <-chan struct{}) *Budget {
	all := int64(n)
	return &Budget{Fronts: steps.New(128*all, stop), Sets: steps.New(4*all, stop), Packing: steps.New(LooksInStep*all, stop)}
}

// Steps is of how many steps of a request this is what is left, at least one.
func (b *Budget) Steps() int { return int(max(1, b.Packing.Left()/LooksInStep)) }

// Part is one of n equal parts of what is left.
func (b *Budget) Part(n int64) *Budget {
	return &Budget{Fronts: b.Fronts.Part(n), Sets: b.Sets.Part(n), Packing: b.Packing.Part(n)}
}

// OrPart is what is left, of each kind of steps one of n equal parts of all there were where less is left.
func (b *Budget) OrPart(all *Budget, n int64) *Budget {
	out, some := all.Part(n), all.Part(1)
	some.Spend(all, b)
	if some.Fronts.Left() > out.Fronts.Left() {
		out.Fronts = some.Fronts
	}
	if some.Sets.Left() > out.Sets.Left() {
		out.Sets = some.Sets
	}
	if some.Packing.Left() > out.Packing.Left() {
		out.Packing = some.Packing
	}
	return out
}

// Spend takes what was spent of a part: the difference of what it had and what is left of it.
func (b *Budget) Spend(had, left *Budget) {
	b.Fronts.Spend(had.Fronts.Left() - left.Fronts.Left())
	b.Sets.Spend(had.Sets.Left() - left.Sets.Left())
	b.Packing.Spend(had.Packing.Left() - left.Packing.Left())
}
