package front

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/steps"
)

// What is left of a budget is kept, and where that is little, or more was spent than there was, a part of all is there.
func TestBudgetOrPart(t *testing.T) {
	all := &Budget{Fronts: steps.New(100, nil), Sets: steps.New(80, nil), Packing: steps.New(40, nil)}
	left := *all
	left.Fronts.Spend(30)
	left.Sets.Spend(70)
	left.Packing.Spend(50)
	next := left.OrPart(all, 4)
	require.Equal(t, []int64{70, 20, 10}, []int64{next.Fronts.Left(), next.Sets.Left(), next.Packing.Left()})
	require.Equal(t, int64(10), left.Sets.Left(), "it stays as it is")
}
