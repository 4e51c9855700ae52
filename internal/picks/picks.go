// Package picks answers: which members of a gang are placed where those of the lowest ranks leave too few? Every set of
// new members counts then that fulfils the minima: the largest, then the one of the lowest ranks.
//
// The rule is howmany.4 of docs/order/1-placed.md. Whether a set fits is the caller's to say; here sets are enumerated,
// best first. Everything here belongs to one plan and is not safe for concurrent use.
package picks

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: which sets are there?

// Picks are the sets of new members that fulfil the minima of a gang in parts, whatever their ranks.
type Picks struct {
	m     *model.Model
	place []int32 // by rank: index in pending; -1: the member runs
	atoms []atom  // in the order of their first ranks
	cells int
	least int // new members of any set
	tries int // sets that are held to vectors
}

// atom is members that are placed together or not at all, by index in pending.
type atom struct {
	members []int32
	cell    int // atoms of a cell can change places, so that the lowest ranks of it come first
}

// cell is what makes own members of a part interchangeable.
type cell struct {
	part   *model.Part
	role   int32
	pinned bool // counts where a quota is asked
}

// Of finds the sets of a gang in parts; nil if these are the selections of parts.2: no part that may be placed in part
// has own members that differ. pinned says which pending members count for more with a quota; nil: none, or there is no quota. tries bounds
// how many sets are held to vectors. O(members * log).
func Of(m *model.Model, pinned []bool, tries int) *Picks {
	k := &Picks{m: m, tries: tries, place: m.Places(), least: max(1, m.Gang.Least-m.Running.Len())}
	cells, loose := map[cell]int{}, false
	m.Gang.Each(func(a *model.Part) {
		before, whole := len(cells), []int32(nil)
		for _, rank := range a.Ranks {
			i := k.place[rank]
			if i < 0 {
				continue
			}
			if a.Least == 0 {
				whole = append(whole, i)
				continue
			}
			c := cell{a, m.Role(int(i)), pinned != nil && pinned[i]}
			at, ok := cells[c]
			if !ok {
				at = len(cells)
				cells[c] = at
			}
			k.atoms = append(k.atoms, atom{[]int32{i}, at})
		}
		if whole != nil {
			cells[cell{part: a}] = len(cells)
			k.atoms = append(k.atoms, atom{whole, len(cells) - 1})
		}
		loose = loose || len(cells)-before > 1 && a.Least < len(a.All())
	})
	if !loose {
		return nil
	}
	k.cells = len(cells)
	slices.SortFunc(k.atoms, func(a, b atom) int { return cmp.Compare(a.members[0], b.members[0]) })
	return k
}

// fulfils says whether a set, with the running members, fulfils the minima of a part that is placed, and of those in it.
// Unlike those of a selection its own members may be of any ranks.
//
// order: howmany.4
func (k *Picks) fulfils(a *model.Part, in model.Selection) bool {
	placed := 0
	for _, b := range a.Parts {
		if b.Idle || in.PlacedIn(b, k.place) > 0 {
			if placed++; !k.fulfils(b, in) {
				return false
			}
		}
	}
	if a.Least == 0 && slices.ContainsFunc(a.Ranks, func(rank int) bool { i := k.place[rank]; return i >= 0 && !in[i] }) {
		return false
	}
	return placed >= a.LeastParts && in.PlacedIn(a, k.place) >= a.Least
}

// isWhole says whether a set may be placed by the minima and the multiples.
func (k *Picks) isWhole(in model.Selection) bool {
	return k.fulfils(k.m.Gang, in) && !slices.ContainsFunc(k.m.Multiples, func(r model.MultipleRule) bool { return !r.Keeps(k.place, in) })
}

// LargestIn is the best set of a gang without parts and quota that is within one of some vectors of roles, which have no more of a role than
// there are; nil: none is.
//
// order: howmany.4
func (k *Picks) LargestIn(room []front.Vector) (best model.Selection) {
	most := int64(k.least)
	for _, v := range room {
		most = max(most, v.Total())
	}
	return k.bestIn(room, int(most))
}

// LeastIn is the set of the fewest members, and of the lowest ranks, within one of some vectors of roles, that admits takes; nil: none is, or
// of a gang with parts none is found. Of a gang in no parts admits is not asked.
func (k *Picks) LeastIn(room []front.Vector, admits func(model.Selection) bool) model.Selection {
	if len(k.m.Gang.Parts) == 0 {
		return k.bestIn(room, k.least)
	}
	if len(room) == 0 {
		return nil
	}
	in, _ := k.Least(k.Within(room, admits))
	return in
}

// Within asks of sets whether they are within one of some vectors of roles, and whether admits takes them.
func (k *Picks) Within(room []front.Vector, admits func(model.Selection) bool) Fit {
	return Fit{Tries: k.tries, Takes: func(in model.Selection) bool {
		n := make(front.Vector, len(room[0]))
		for i, is := range in {
			if is {
				n[k.m.Role(i)]++
			}
		}
		return admits(in) && front.Front(room).Holds(n)
	}}
}

// bestIn is the set of n members of the lowest ranks within one of some vectors. O(vectors * members).
func (k *Picks) bestIn(room []front.Vector, n int) (best model.Selection) {
	in := make(model.Selection, len(k.m.Pending))
	for _, v := range room {
		if v.Total() < int64(n) {
			continue
		}
		clear(in)
		left, open := slices.Clone(v), n
		for i := range in {
			if role := k.m.Role(i); open > 0 && left[role] > 0 {
				in[i] = true
				left[role]--
				open--
			}
		}
		if best == nil || in.CompareRanks(best) < 0 {
			best = slices.Clone(in)
		}
	}
	return best
}
