// Which members can change places, which of them are placed, and which multiples does their number keep?

package model

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
)

// Selection says which of the pending members are placed, by index in the pending members of the whole gang. With the
// running members it fulfils all minima.
type Selection []bool

// Size is the number of its members.
func (in Selection) Size() (n int) {
	for _, is := range in {
		if is {
			n++
		}
	}
	return n
}

// CompareRanks puts first the selection that has the lower rank where two first differ.
func (in Selection) CompareRanks(other Selection) int {
	for i := range in {
		if in[i] != other[i] {
			if in[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// PlacedIn is the number of members of a part, those of inner parts included, that run or are selected; places are those of
// [Model.Places]. O(its members).
func (in Selection) PlacedIn(a *Part, places []int32) (n int) {
	a.Each(func(b *Part) {
		for _, rank := range b.Ranks {
			if i := places[rank]; i < 0 || in[i] {
				n++
			}
		}
	})
	return n
}

// Places has, by rank, the index of each member in pending; -1: it is not pending.
func (m *Model) Places() []int32 {
	at := slices.Repeat([]int32{-1}, m.Ranks)
	for i, rank := range m.Pending {
		at[rank] = int32(i)
	}
	return at
}

// PositionsByRank has, by rank, the position of each running member; -1: it does not run.
func (m *Model) PositionsByRank() []int32 {
	at := slices.Repeat([]int32{-1}, m.Ranks)
	for r := range m.Running.All() {
		at[r.Rank] = r.Pos
	}
	return at
}

// Twin is the first role of the same shape, the role itself if there is none before it.
func (m *Model) Twin(role int) int {
	if m.Twins == nil {
		return role
	}
	return int(m.Twins[role])
}

// ByShape counts members by shape, in the first role of each: zones do not tell roles of one shape apart.
func (m *Model) ByShape(a front.Vector) front.Vector {
	if m.Twins == nil {
		return a
	}
	out := make(front.Vector, len(a))
	for role, n := range a {
		out[m.Twin(role)] += n
	}
	return out
}

// Multiple binds the number of members in each domain of a tier.
type Multiple struct {
	Tier int32
	Of   int64 // members, above 0
}

// MultipleRule binds the number of members of the gang, or of each of some of its parts, to multiples: docs/order.md,
// sections 7 and 8.
type MultipleRule struct {
	Multiples []Multiple
	Parts     []*Part
	Ranks     [][]int // by part: all members in it
	Total     int64   // the number of members of each part is a multiple of it
	// Units has, by tier, the number of which the members in a domain are a multiple, those of all parts together.
	// Nil: no multiple binds a domain, because each part lies in one domain of the multiple's layer anyway.
	Units []int64
	Runs  layout.Tally  // running members that the rule counts, by vertex
	Roles front.Weights // by role: 1 if the rule counts its members, else 0
}

// Keeps says whether the members of each part that run or are selected are a multiple of Total. place is as Places
// gives it; a nil selection stands for all members.
func (r *MultipleRule) Keeps(place []int32, in Selection) bool {
	for _, ranks := range r.Ranks {
		n := int64(0)
		for _, rank := range ranks {
			if i := place[rank]; i < 0 || in == nil || in[i] {
				n++
			}
		}
		if n%r.Total != 0 {
			return false
		}
	}
	return true
}

// BindsBelow says whether multiples bind the number of members in single domains, and not only in total. Then fronts
// are exact.
func (m *Model) BindsBelow() bool {
	return slices.ContainsFunc(m.Multiples, func(r MultipleRule) bool { return r.Units != nil })
}
