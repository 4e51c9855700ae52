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

// Steps is of how many steps of a request this is what is left, at least one.
func (b *Budget) Steps() int { return int(max(1, b.Packing.Left()/LooksInStep)) }

// Part is one of n equal parts of what is left.
func (b *Budget) Part(n int64) *Budget {
	return &Budget{Fronts: b.Fronts.Part(n), Sets: b.Sets.Part(n), Packing: b.Packing.Part(n)}
}

// Spend takes what was spent of a part: the difference of what it had and what is left of it.
func (b *Budget) Spend(had, left *Budget) {
	b.Fronts.Spend(had.Fronts.Left() - left.Fronts.Left())
	b.Sets.Spend(had.Sets.Left() - left.Sets.Left())
	b.Packing.Spend(had.Packing.Left() - left.Packing.Left())
}
