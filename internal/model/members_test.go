// Are members, roles and selections counted as they are said to be?

package model_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/model"
)

// The selection with the lower rank comes first.
func TestSelectionsByRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "members")
		in, other := make(model.Selection, n), make(model.Selection, n)
		text := [2]string{}
		size := 0
		for i := range n {
			in[i] = rapid.Bool().Draw(t, "in")
			other[i] = in[i] != (rapid.IntRange(0, 3).Draw(t, "differ") == 3)
			text[0], text[1] = text[0]+fmt.Sprint(!in[i]), text[1]+fmt.Sprint(!other[i]) // "false" comes before "true"
			if in[i] {
				size++
			}
		}
		want := 0
		switch {
		case text[0] < text[1]:
			want = -1
		case text[0] > text[1]:
			want = 1
		}
		require.Equal(t, want, in.CompareRanks(other))
		require.Equal(t, size, in.Size())
	})
}

// Each rank is that of a pending member or of a running one, which has a position; in a part are placed those that run or are selected.
func TestRanksHavePlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawParts(t)
		places, positions, in := d.Places(), d.PositionsByRank(), d.selects(t)
		require.Len(t, places, d.Ranks)
		require.Len(t, positions, d.Ranks)
		placed := map[int]bool{}
		for i, rank := range d.Pending {
			require.Equal(t, int32(i), places[rank])
			require.Equal(t, int32(-1), positions[rank])
			placed[rank] = in[i]
		}
		for r := range d.Running.All() {
			require.Equal(t, int32(-1), places[r.Rank])
			require.Equal(t, r.Pos, positions[r.Rank])
			placed[r.Rank] = true
		}
		for _, a := range d.parts {
			want := 0
			for _, rank := range d.allIn(a) {
				if placed[rank] {
					want++
				}
			}
			require.Equal(t, want, in.PlacedIn(a, places), "part %d", a.Number)
		}
	})
}

// A rule is kept if each of its parts has a multiple of members that run or are selected; where nobody selects, all are.
func TestRulesThatAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawParts(t)
		in, places := d.selects(t), d.Places()
		r := model.MultipleRule{Total: int64(rapid.IntRange(1, 3).Draw(t, "multiple"))}
		want, all := true, true
		for _, a := range d.parts {
			if rapid.IntRange(0, 2).Draw(t, "bound") == 2 {
				r.Parts, r.Ranks = append(r.Parts, a), append(r.Ranks, d.allIn(a))
				want = want && in.PlacedIn(a, places)%int(r.Total) == 0
				all = all && len(d.allIn(a))%int(r.Total) == 0
			}
		}
		require.Equal(t, want, r.Keeps(places, in))
		require.Equal(t, all, r.Keeps(places, nil))
	})
}

// Multiples bind below the gang where one of them has units.
func TestMultiplesBindBelow(t *testing.T) {
	inTotal, below := model.MultipleRule{Total: 2}, model.MultipleRule{Total: 2, Units: []int64{1, 2}}
	for _, c := range []struct {
		rules []model.MultipleRule
		binds bool
	}{
		{nil, false}, {[]model.MultipleRule{inTotal}, false}, {[]model.MultipleRule{below}, true}, {[]model.MultipleRule{inTotal, below}, true},
	} {
		require.Equal(t, c.binds, (&model.Model{Multiples: c.rules}).BindsBelow())
	}
}

// Members are of a role each, of one where there are none; roles of one shape count together, in the first of them.
func TestRolesAndTheirTwins(t *testing.T) {
	one := &model.Model{Pending: []int{0, 1}}
	require.Zero(t, one.Role(1))
	require.Equal(t, 2, one.Twin(2))
	rapid.Check(t, func(t *rapid.T) {
		shapes := rapid.SliceOfN(rapid.IntRange(0, 2), 1, 5).Draw(t, "shapes of roles")
		m := &model.Model{}
		for _, shape := range shapes {
			m.Twins = append(m.Twins, int32(slices.Index(shapes, shape)))
		}
		count := make(front.Vector, len(shapes))
		want := make(front.Vector, len(shapes))
		for i := range rapid.IntRange(0, 9).Draw(t, "members") {
			role := rapid.IntRange(0, len(shapes)-1).Draw(t, "role")
			m.Pending, m.RoleOf = append(m.Pending, i), append(m.RoleOf, int32(role))
			require.Equal(t, int32(role), m.Role(i))
			require.Equal(t, shapes[role], shapes[m.Twin(role)])
			count[role]++
			want[slices.Index(shapes, shapes[role])]++
		}
		before := slices.Clone(count)
		require.Equal(t, want, m.ByShape(count))
		require.Equal(t, before, count, "what is counted stays")
		m.Twins = nil
		require.Equal(t, count, m.ByShape(count))
	})
}
