// Can parts with equal signatures change places, and no others?

package model_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/roll"
	"github.com/muster-sched/muster/topology"
)

// exchange says by definition which parts can change places.
type exchange struct {
	*drawn
	places        []int32
	limits, order bool
}

// fresh are the roles of the new members of some ranks, in the order of ranks.
func (e *exchange) fresh(ranks []int) (roles []int32) {
	for _, rank := range ranks {
		if i := e.places[rank]; i >= 0 {
			roles = append(roles, e.RoleOf[i])
		}
	}
	return roles
}

// alike says whether two parts can change places: none of their members runs, they are bound alike, and what is in one of them has its like in
// the other one.
func (e *exchange) alike(a, b *model.Part) bool {
	newA, newB := e.fresh(e.allIn(a)), e.fresh(e.allIn(b))
	switch {
	case a == b:
		return true
	case len(newA) == 0 || len(newB) == 0: // nothing is there that could change places
		return len(newA) == len(newB)
	case len(newA) < len(e.allIn(a)) || len(newB) < len(e.allIn(b)):
		return false
	}
	return e.boundAlike(a, b) && e.matched(e.inside(a), e.inside(b))
}

// inside are the parts in one that have new members.
func (e *exchange) inside(a *model.Part) []*model.Part {
	return slices.DeleteFunc(slices.Clone(a.Parts), func(b *model.Part) bool { return len(e.fresh(e.allIn(b))) == 0 })
}

// matched says whether each of some parts can change places with another one of others, by trying all.
func (e *exchange) matched(some, others []*model.Part) bool {
	if len(some) == 0 || len(others) == 0 {
		return len(some) == len(others)
	}
	for i, b := range others {
		if e.alike(some[0], b) && e.matched(some[1:], slices.Concat(others[:i], others[i+1:])) {
			return true
		}
	}
	return false
}

// boundAlike says whether the rules, minima and limits of two parts are equal, and their own members.
func (e *exchange) boundAlike(a, b *model.Part) bool {
	own, other := e.fresh(a.Ranks), e.fresh(b.Ranks)
	if e.order && a.Least > 0 && !slices.Equal(own, other) {
		return false
	}
	slices.Sort(own)
	slices.Sort(other)
	if !slices.Equal(own, other) || e.limits && !e.limitedAlike(a, b) {
		return false
	}
	return a.Bundle == b.Bundle && a.Level == b.Level && a.OtherTree == b.OtherTree && a.Least == b.Least && a.LeastParts == b.LeastParts &&
		a.Gather.Hard == b.Gather.Hard && a.Gather.Must == b.Gather.Must && slices.Equal(a.Gather.Worths, b.Gather.Worths) &&
		slices.Equal(a.Multiples, b.Multiples)
}

// limitedAlike says whether each limit on numbers of groups counts both parts or none.
func (e *exchange) limitedAlike(a, b *model.Part) bool {
	for _, of := range e.parts {
		if slices.ContainsFunc(of.Limits, func(l limits.OnPart) bool { return l.Depth > 0 && counts(of, l, a) != counts(of, l, b) }) {
			return false
		}
	}
	return true
}

// Signatures are equal for parts that can change places and for no others, with and without regard to limits and to the order of roles.
func TestSignaturesTellWhoCanChangePlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawParts(t)
		e := &exchange{d, d.Places(), rapid.Bool().Draw(t, "regard limits"), rapid.Bool().Draw(t, "regard the order")}
		of := d.Signatures(d.Places(), e.limits, e.order)
		if len(d.Gang.Parts) == 0 {
			require.Empty(t, of, "nothing is compared")
			return
		}
		require.Len(t, of, len(d.parts))
		for i, a := range d.parts {
			require.Equal(t, len(e.fresh(d.allIn(a))) == 0, of[a] == "")
			for _, b := range d.parts[:i] {
				require.Equal(t, e.alike(a, b), of[a] == of[b], "parts %d and %d: %q, %q", b.Number, a.Number, of[b], of[a])
			}
		}
	})
}

// Each thing that tells parts apart does so alone.
func TestWhatTellsPartsApart(t *testing.T) {
	alike := func(change func(m *model.Model, a *model.Part)) bool {
		m := &model.Model{LCA: -1, Ranks: 5, Pending: []int{0, 1, 2, 3, 4}, RoleOf: []int32{0, 1, 0, 1, 0}, Gang: &model.Part{Ranks: []int{4}}}
		for i := range 2 {
			a := &model.Part{Number: i + 1, Level: 1, Outer: m.Gang, Ranks: []int{2 * i, 2*i + 1}, Least: 1}
			m.Gang.Parts = append(m.Gang.Parts, a)
		}
		change(m, m.Gang.Parts[1])
		of := m.Signatures(m.Places(), true, true)
		return of[m.Gang.Parts[0]] == of[m.Gang.Parts[1]]
	}
	for name, change := range map[string]func(m *model.Model, a *model.Part){
		"hard":             func(_ *model.Model, a *model.Part) { a.Gather.Hard = true },
		"a tighter rule":   func(_ *model.Model, a *model.Part) { a.Gather.Must = 1 },
		"worths":           func(_ *model.Model, a *model.Part) { a.Gather.Worths = []int32{1} },
		"a bundle":         func(_ *model.Model, a *model.Part) { a.Bundle = true },
		"level":            func(_ *model.Model, a *model.Part) { a.Level = 2 },
		"minimum":          func(_ *model.Model, a *model.Part) { a.Least = 2 },
		"minimum of parts": func(_ *model.Model, a *model.Part) { a.LeastParts = 1 },
		"multiples":        func(_ *model.Model, a *model.Part) { a.Multiples = []model.Multiple{{Of: 2}} },
		"a role":           func(m *model.Model, _ *model.Part) { m.RoleOf[3] = 0 },
		"order of roles":   func(m *model.Model, _ *model.Part) { m.RoleOf[2], m.RoleOf[3] = 1, 0 },
		"a limit":          func(m *model.Model, _ *model.Part) { m.Gang.Limits = []limits.OnPart{{Depth: 1, Of: []int{2}}} },
		"who runs": func(m *model.Model, _ *model.Part) {
			m.View, m.Pending, m.Running = layout.New("", new(topology.Tree), []string{"node"}, nil), []int{0, 1, 2, 4}, roll.Of(roll.Member{Rank: 3})
		},
	} {
		require.False(t, alike(change), name)
	}
	for name, change := range map[string]func(m *model.Model, a *model.Part){
		"nothing":            func(*model.Model, *model.Part) {},
		"its number":         func(_ *model.Model, a *model.Part) { a.Number = 7 },
		"a limit on both":    func(m *model.Model, _ *model.Part) { m.Gang.Limits = []limits.OnPart{{Depth: 1}} },
		"a limit on members": func(_ *model.Model, a *model.Part) { a.Limits = []limits.OnPart{{Depth: 0}} },
		"an empty part in it": func(_ *model.Model, a *model.Part) {
			a.Parts = []*model.Part{{Number: 3, Level: 2, Outer: a, Least: 1}}
		},
	} {
		require.True(t, alike(change), name)
	}
}
