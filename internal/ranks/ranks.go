// Package ranks answers: in which order are the members of a gang, and which rank has each?
package ranks

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Ranked is a member, new or running, before it has its rank.
type Ranked struct {
	Name    string
	Index   int
	Indexed bool
	Pos     int32 // -1: pending
}

// pending is a new member before it has its rank.
func pending(m *gang.Member) Ranked { return Ranked{m.Name, m.Index, m.Indexed, -1} }

// Of is all members in rank order: the new ones of a request, and of those on the cluster, which come in natural order of names, the ones
// that stay. Positions are those of the view. O(members * log), without the logarithm where few are new and the others in order.
func Of(req *gang.Request, own snapshot.Members, v *layout.View) []Ranked {
	all := make([]Ranked, 0, len(req.Members)+own.Len())
	for _, m := range own.All() {
		if !m.Leaving || req.IgnoreLeaving {
			all = append(all, Ranked{m.Name, m.Index, m.Indexed, v.At(m.Node)})
		}
	}
	const inserted = 8 // to insert so many is cheaper than to sort
	if slices.IsSortedFunc(all, Compare) && len(req.Members) <= inserted {
		for i := range req.Members {
			m := pending(&req.Members[i])
			at, _ := slices.BinarySearchFunc(all, m, Compare)
			all = slices.Insert(all, at, m)
		}
		return all
	}
	for i := range req.Members {
		all = append(all, pending(&req.Members[i]))
	}
	slices.SortFunc(all, Compare)
	return all
}

// Standing are running members in rank order. Their places are nodes.
type Standing struct{ members *snapshot.Members }

// Stand says that members are in rank order, and none of them leaves. The list is kept.
func Stand(members *snapshot.Members) Standing { return Standing{members} }

// Len is the number of members.
func (s Standing) Len() int { return s.members.Len() }

// At is the node of the i-th.
func (s Standing) At(i int) int32 { return s.members.At(i).Node }

// Beside is the new members of a request in rank order, and the rank that each has where the others, none of whom leaves, stand in rank order
// too. The slices are the caller's. O(new members * log).
func Beside(req *gang.Request, running Standing) (fresh []Ranked, at []int) {
	fresh, at = make([]Ranked, len(req.Members)), make([]int, len(req.Members))
	for i := range req.Members {
		fresh[i] = pending(&req.Members[i])
	}
	if !slices.IsSortedFunc(fresh, Compare) {
		slices.SortFunc(fresh, Compare)
	}
	for i := range fresh {
		before, _ := running.members.Search(func(m *snapshot.Member) int {
			return Compare(Ranked{m.Name, m.Index, m.Indexed, 0}, fresh[i])
		})
		at[i] = i + before
	}
	return fresh, at
}

// Compare puts members with an index first, by index, then the others by name.
//
// order: ranks.1
func Compare(a, b Ranked) int {
	if a.Indexed != b.Indexed {
		if a.Indexed {
			return -1
		}
		return 1
	}
	if a.Indexed && a.Index != b.Index {
		return cmp.Compare(a.Index, b.Index)
	}
	return muster.CompareNatural(a.Name, b.Name)
}

// AtIndexes gives members the indexes that they have as ranks, and those without one the ranks that are left, so that a
// group is of the members whose indexes say so also where some have none. Indexes that are there twice, or beyond the
// members, only order them. The members come in rank order (docs/order/5-ranks.md).
func AtIndexes(all []Ranked) []Ranked {
	n := 0 // members with an index, which come first
	for n < len(all) && all[n].Indexed {
		if all[n].Index < 0 || all[n].Index >= len(all) || n > 0 && all[n].Index == all[n-1].Index {
			return all
		}
		n++
	}
	if n == 0 || n == len(all) { // none, or all of them in order
		return all
	}
	out, indexed, rest := make([]Ranked, 0, len(all)), all[:n], all[n:]
	for rank := range all {
		if len(indexed) > 0 && indexed[0].Index == rank {
			out, indexed = append(out, indexed[0]), indexed[1:]
		} else {
			out, rest = append(out, rest[0]), rest[1:]
		}
	}
	return out
}
