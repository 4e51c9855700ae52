package selections

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/roll"
	"github.com/muster-sched/muster/internal/steps"
	"github.com/muster-sched/muster/topology"
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

// gangOf is a gang of parts with these ranks, of which one must be placed and of each one member. No two of them can change places.
func gangOf(parts ...[]int) *model.Model {
	m := &model.Model{LCA: -1, Doubt: new(bool), Steps: 1 << 16, Gang: &model.Part{LeastParts: 1}}
	m.Left, m.View = &front.Budget{Packing: steps.New(1<<20, nil)}, layout.New("", new(topology.Tree), []string{"node"}, nil)
	for i, ranks := range parts {
		m.Gang.Parts = append(m.Gang.Parts, &model.Part{Number: 1 + i, Level: 1, Outer: m.Gang, Least: 1, Ranks: ranks, Gather: model.Gather{Must: int32(i)}})
		m.Ranks += len(ranks)
	}
	for rank := range m.Ranks {
		m.Pending, m.RoleOf = append(m.Pending, rank), append(m.RoleOf, 0)
	}
	return m
}

// within says whether so much room is enough for members with these weights.
func within(room int, weights ...int) func(model.Selection) bool {
	return func(in model.Selection) bool {
		left := room
		for i, is := range in {
			if is {
				left -= weights[i]
			}
		}
		return left >= 0
	}
}

// The chain leaves out the highest ranks first. What fits beside what it leads to is found as well.
func TestMostOffTheChain(t *testing.T) {
	for name, c := range map[string]struct {
		m    *model.Model
		fits func(model.Selection) bool
		want model.Selection
	}{
		"the chain fits":                      {gangOf([]int{0}, []int{1}), within(3, 3, 1), model.Selection{true, false}},
		"its last one does not fit":           {gangOf([]int{0}, []int{1}), within(2, 3, 1), model.Selection{false, true}},
		"nothing fits":                        {gangOf([]int{0}, []int{1}), within(0, 3, 1), nil},
		"a part behind one too large":         {gangOf([]int{0}, []int{1}, []int{2}), within(2, 1, 5, 1), model.Selection{true, false, true}},
		"members behind a part too large":     {gangOf([]int{0, 2, 3}, []int{1}), within(3, 1, 9, 1, 1), model.Selection{true, false, true, true}},
		"a part of a part behind a large one": {gangOf([]int{0}, []int{1}, []int{2, 3}), within(2, 1, 9, 1, 1), model.Selection{true, false, true, false}},
	} {
		require.Equal(t, c.want, Of(c.m, nil).Most(c.fits), name)
		require.False(t, *c.m.Doubt, name)
	}
}

// A part of which members run cannot be left out: if its minimum is more than all its members, nobody is placed.
func TestPartsThatRunStay(t *testing.T) {
	m := gangOf([]int{0, 1}, []int{2})
	m.Gang.Parts[0].Least = 3
	require.Equal(t, model.Selection{false, false, true}, Of(m, nil).Minimal())
	m.Pending, m.RoleOf, m.Running = []int{1, 2}, []int32{0, 0}, roll.Of(roll.Member{Rank: 0})
	require.Nil(t, Of(m, nil).Minimal())
	require.Nil(t, Of(m, nil).Most(within(9, 1, 1)))
	require.Nil(t, Of(m, nil).Least())
}

// Selections that are listed are taken off what the plan may spend, if somebody else counts on it.
func TestListedSelectionsAreCharged(t *testing.T) {
	for _, charged := range []bool{false, true} {
		m := gangOf([]int{0, 1}, []int{2, 3})
		m.Charged = charged
		before := m.Left.Packing.Left()
		require.NotEmpty(t, Of(m, nil).Least())
		require.Equal(t, charged, m.Left.Packing.Left() < before)
	}
}

// Selections of one gang have one key if they are equal.
func TestKeysTellSelectionsApart(t *testing.T) {
	keys := map[string]bool{}
	for bits := range 1 << 10 {
		in := make(model.Selection, 10)
		for i := range in {
			in[i] = bits>>i&1 == 1
		}
		keys[keyOf(in)] = true
		require.True(t, keys[keyOf(slices.Clone(in))])
	}
	require.Len(t, keys, 1<<10)
}
