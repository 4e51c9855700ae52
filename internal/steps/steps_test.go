package steps

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBudgetIsSpent(t *testing.T) {
	b := New(10, nil)
	require.True(t, b.Afford(10))
	require.False(t, b.Spent(), "none left, none overspent")
	require.False(t, b.Afford(1))
	require.True(t, b.Spent())
	require.Equal(t, int64(-1), b.Left())
	b.Spend(5)
	require.Equal(t, int64(-6), b.Left(), "what was begun is done to its end")
	require.False(t, b.Afford(1))
	require.Equal(t, int64(-6), b.Left(), "nothing is given back")
	b.Return(8)
	require.Equal(t, int64(7), b.Left())
	part := b.Part(4)
	require.Equal(t, int64(1), part.Left())
}

func TestBudgetEndsOnceStopped(t *testing.T) {
	stop := make(chan struct{})
	b := New(1<<40, stop)
	b.Spend(every)
	require.False(t, b.Spent())
	close(stop)
	for taken := 0; !b.Spent(); taken++ {
		require.LessOrEqual(t, taken, every+1)
		b.Spend(1)
	}
	require.Equal(t, int64(-1), b.Left())
	b.Return(100)
	b.Spend(1)
	require.True(t, b.Spent(), "what is given back is spent again")
	b = New(1<<40, stop)
	require.True(t, b.Spent(), "stopped before it began")
}
