package selections

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/model"
)

// Of 24 parts of different sizes any may be left out: of their 16 million selections a few thousand are reached, and there is doubt.
func TestSelectionsReachedAreBounded(t *testing.T) {
	m := &model.Model{LCA: -1, Doubt: new(bool), Left: new(front.Budget), Steps: 1 << 16}
	m.Gang = &model.Part{LeastParts: 1}
	for i := range 24 {
		a := &model.Part{Number: i + 1, Level: 1, Outer: m.Gang}
		for range i + 1 {
			a.Ranks, m.Pending, m.Ranks = append(a.Ranks, m.Ranks), append(m.Pending, m.Ranks), m.Ranks+1
		}
		m.Gang.Parts = append(m.Gang.Parts, a)
	}
	s, reached := Of(m, nil), 0
	for range s.downFrom(s.everything()) {
		if reached++; reached > mostReached*Steps(m)+24 {
			require.Fail(t, "too many")
		}
	}
	require.Greater(t, reached, mostReached*Steps(m)-24)
	require.True(t, s.Truncated)
	require.True(t, *m.Doubt)
}

// So many selections are looked at as the steps of a search allow, and tried, one at least; fewer the longer each is.
func TestSelectionsFollowFromSteps(t *testing.T) {
	of := func(steps, members int) *model.Model {
		return &model.Model{Steps: steps, Pending: make([]int, members)}
	}
	require.Equal(t, 1, Plans(of(1, 4)))
	require.Equal(t, 1<<8, Plans(of(1<<16, 4)))
	require.Equal(t, 1, Steps(of(1, 4)))
	require.Equal(t, 1<<10, Steps(of(1<<16, 4)))
	require.Equal(t, 1<<9, Steps(of(1<<16, 1<<10)), "each is as long as the gang")
	require.Equal(t, 1<<10, Steps(of(1<<16, 0)))
}

// The first new members are selected, or all.
func TestFirstOnes(t *testing.T) {
	m := &model.Model{Pending: make([]int, 3)}
	for n, want := range []model.Selection{{false, false, false}, {true, false, false}, {true, true, false}, {true, true, true}, {true, true, true}} {
		require.Equal(t, want, FirstOnes(m, n))
	}
}
