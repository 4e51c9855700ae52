// In which order are the members of a gang, and which rank has each?

package problem

import (
	"cmp"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// pendingRanked is a new member before it has its rank.
func pendingRanked(m *gang.Member) Ranked { return Ranked{m.Name, m.Index, m.Indexed, -1} }

// CompareRanked puts members with an index first, by index, then the others by name.
//
// order: ranks.1
func CompareRanked(a, b Ranked) int {
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

// atIndexes gives members the indexes that they have as ranks, and those without one the ranks that are left, so that a
// group is of the members whose indexes say so also where some have none. Indexes that are there twice, or beyond the
// members, only order them. The members come in rank order (docs/order/5-ranks.md).
func atIndexes(all []Ranked) []Ranked {
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
