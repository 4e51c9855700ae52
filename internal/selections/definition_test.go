package selections

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/roll"
	"github.com/muster-sched/muster/internal/spec"
	"github.com/muster-sched/muster/internal/steps"
)

// This file answers: are the selections those of parts.2 to parts.4? Each test holds them to sets that are gone through one by one.

// drawGang draws a gang in parts, some with parts in them, of two shapes, of which a few members run.
func drawGang(t *rapid.T) *model.Model {
	m := &model.Model{View: spec.Draw(t).View, LCA: -1, Doubt: new(bool), Steps: 1 << 20}
	m.Left = &front.Budget{Fronts: steps.New(1<<30, nil), Sets: steps.New(1<<30, nil), Packing: steps.New(1<<30, nil)}
	number := 0
	var draw func(level int, outer *model.Part) *model.Part
	draw = func(level int, outer *model.Part) *model.Part {
		a := &model.Part{Number: number, Level: level, Outer: outer}
		number++
		for range rapid.IntRange(0, 3-level).Draw(t, "own members") {
			a.Ranks = append(a.Ranks, m.Ranks)
			if rapid.IntRange(0, 5).Draw(t, "runs") == 0 {
				m.Running = roll.Of(append(slices.Collect(m.Running.All()), roll.Member{Rank: m.Ranks, Pos: int32(rapid.IntRange(0, int(m.View.Nodes)-1).Draw(t, "position"))})...)
			} else {
				m.Pending, m.RoleOf = append(m.Pending, m.Ranks), append(m.RoleOf, int32(rapid.IntRange(0, 1).Draw(t, "role")))
			}
			m.Ranks++
		}
		if level < 2 {
			for range rapid.IntRange(0, 3-level).Draw(t, "parts") {
				a.Parts = append(a.Parts, draw(level+1, a))
			}
		}
		a.LeastParts = rapid.IntRange(0, len(a.Parts)).Draw(t, "least parts")
		a.Least = rapid.IntRange(0, len(a.All())).Draw(t, "least")
		a.Bundle = level > 0 && rapid.Bool().Draw(t, "bundle")
		a.Idle = a.Bundle && len(a.Parts) > 0 && len(a.Ranks) == 0 && a.LeastParts == 0 && a.Least == 0
		return a
	}
	m.Gang = draw(0, nil)
	if rapid.IntRange(0, 3).Draw(t, "multiple") == 0 {
		m.Multiples = []model.MultipleRule{{Parts: []*model.Part{m.Gang}, Ranks: [][]int{m.Gang.All()}, Total: 2}}
	}
	return m
}

// fulfils says whether a set fulfils the minima of a part that is placed, and those of the parts in it.
func fulfils(m *model.Model, a *model.Part, in model.Selection) bool {
	place := m.Places()
	placed, last := 0, true
	for _, rank := range a.Ranks {
		switch i := place[rank]; {
		case i < 0:
		case in[i] && !last, !in[i] && a.Least == 0: // not the lowest ranks, or not all
			return false
		default:
			last = in[i]
		}
	}
	for _, b := range a.Parts {
		if b.Idle || in.PlacedIn(b, place) > 0 {
			if placed++; !fulfils(m, b, in) {
				return false
			}
		}
	}
	return placed >= a.LeastParts && in.PlacedIn(a, place) >= a.Least
}

// bySet lists all selections, the best first: the most members, then the lowest ranks.
func bySet(m *model.Model) (all []model.Selection) {
	for bits := range 1 << len(m.Pending) {
		in := make(model.Selection, len(m.Pending))
		for i := range in {
			in[i] = bits>>i&1 == 1
		}
		if in.Size() > 0 && fulfils(m, m.Gang, in) {
			all = append(all, in)
		}
	}
	slices.SortFunc(all, func(a, b model.Selection) int {
		return cmp.Or(cmp.Compare(b.Size(), a.Size()), a.CompareRanks(b))
	})
	return all
}

// keeping are those of some selections that keep the multiple.
func keeping(m *model.Model, all []model.Selection) []model.Selection {
	if m.Multiples == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(in model.Selection) bool { return int64(in.Size()+m.Running.Len())%m.Multiples[0].Total != 0 })
}

// first is the first of a list, nil if it is empty.
func first(list []model.Selection) model.Selection {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// The best selection that fits is the first of all that fit, whatever each role weighs.
func TestMostIsTheBestThatFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawGang(t)
		weights := []int{rapid.IntRange(1, 3).Draw(t, "weight"), rapid.IntRange(1, 3).Draw(t, "weight")}
		room := rapid.IntRange(0, 3*m.Ranks+1).Draw(t, "room")
		fits := func(in model.Selection) bool {
			sum := 0
			for i, is := range in {
				if is {
					sum += weights[m.Role(i)]
				}
			}
			return sum <= room
		}
		all := slices.DeleteFunc(keeping(m, bySet(m)), func(in model.Selection) bool { return !fits(in) })
		require.Equal(t, first(all), Of(m, nil).Most(fits))
		require.False(t, *m.Doubt)
	})
}

// isWithin says whether all of one selection are in another.
func isWithin(o, in model.Selection) bool {
	for i := range o {
		if o[i] && !in[i] {
			return false
		}
	}
	return true
}

// least lists the selections within which no other one lies.
func least(all []model.Selection) []model.Selection {
	return slices.DeleteFunc(slices.Clone(all), func(in model.Selection) bool {
		return slices.ContainsFunc(all, func(o model.Selection) bool { return o.Size() < in.Size() && isWithin(o, in) })
	})
}

// Listed as least are selections of which nothing can be left out, with multiples all that keep them, fewest members first, and the best of
// these. Of parts that can change places some are left out.
func TestLeastAreThoseWithNothingToSpare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawGang(t)
		all := bySet(m)
		want := keeping(m, all)
		if m.Multiples == nil {
			want = least(all)
		}
		smallest := math.MaxInt
		for _, in := range want {
			smallest = min(smallest, in.Size())
		}
		s := Of(m, nil)
		list := s.Least()
		contains := func(in model.Selection) bool {
			return slices.ContainsFunc(want, func(o model.Selection) bool { return slices.Equal(in, o) })
		}
		for i, in := range list {
			require.True(t, contains(in), "%v", in)
			require.True(t, m.Multiples != nil || s.IsLeast(in))
			require.True(t, i == 0 || cmp.Or(cmp.Compare(list[i-1].Size(), in.Size()), list[i-1].CompareRanks(in)) < 0, "out of order")
		}
		require.Equal(t, first(slices.DeleteFunc(want, func(in model.Selection) bool { return in.Size() > smallest })), first(list))
		if in := s.Minimal(); in != nil {
			require.True(t, fulfils(m, m.Gang, in))
			require.True(t, m.Multiples != nil || s.IsLeast(in))
		} else {
			require.Empty(t, all)
		}
	})
}

// Parts of which one has pinned members do not change places: each of them may be the one that stays out.
func TestPinnedMembersTellPartsApart(t *testing.T) {
	m := &model.Model{LCA: -1, Doubt: new(bool), Steps: 1 << 20, Ranks: 2, Pending: []int{0, 1}, RoleOf: []int32{0, 0}}
	m.Gang = &model.Part{LeastParts: 1}
	for rank := range 2 {
		m.Gang.Parts = append(m.Gang.Parts, &model.Part{Number: 1 + rank, Level: 1, Outer: m.Gang, Ranks: []int{rank}})
	}
	require.Equal(t, []model.Selection{{true, false}}, Of(m, nil).Least())
	require.Equal(t, []model.Selection{{true, false}, {false, true}}, Of(m, []bool{false, true}).Least())
}

// With few steps the answer may be worse than the best, but then there is doubt; what is answered fits, and is a selection.
func TestFewStepsLeaveDoubt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawGang(t)
		m.Steps, m.Charged = rapid.IntRange(1, 1<<11).Draw(t, "steps"), rapid.Bool().Draw(t, "charged")
		weights := []int{rapid.IntRange(1, 3).Draw(t, "weight"), rapid.IntRange(1, 3).Draw(t, "weight")}
		room := rapid.IntRange(0, 3*m.Ranks+1).Draw(t, "room")
		fits := func(in model.Selection) bool {
			left := room
			for i, is := range in {
				if is {
					left -= weights[m.Role(i)]
				}
			}
			return left >= 0
		}
		all := slices.DeleteFunc(keeping(m, bySet(m)), func(in model.Selection) bool { return !fits(in) })
		got := Of(m, nil).Most(fits)
		if got != nil {
			require.True(t, slices.ContainsFunc(all, func(in model.Selection) bool { return slices.Equal(in, got) }), "%v", got)
		}
		if !*m.Doubt {
			require.Equal(t, first(all), got)
		}
		*m.Doubt = false
		s := Of(m, nil)
		list := s.Least()
		require.Equal(t, s.Truncated, *m.Doubt, "what is missing is doubted")
		if s.Truncated = false; !*m.Doubt {
			m.Steps = 1 << 20
			require.Equal(t, Of(m, nil).Least(), list)
		}
	})
}
