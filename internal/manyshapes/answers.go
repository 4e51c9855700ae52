package manyshapes

import (
	"cmp"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/packing"
)

// This file answers: what is known of a gang of many shapes, whether it fits or not?

// Possible says whether some domain is found to hold the gang, and how many members then lie outside the tree.
func (k *Search) Possible() (outside int64, ok bool) {
	for o := range k.Plans() {
		return k.known[o.Domain].outside, true
	}
	return 0, false
}

// FitsAt says whether a domain of a tier is found to hold the gang.
func (k *Search) FitsAt(t int32) bool {
	return slices.ContainsFunc(k.ranked(t, nil), func(d rankedDomain) bool { return k.planIn(d.at).verdict == packing.Fits })
}

// Refused says whether it is proven that no domain that the rules allow holds the gang.
func (k *Search) Refused() bool {
	for _, d := range k.M.Candidates(k.M.Gather.Must) {
		if !k.isOutside(d) && k.planIn(d).verdict != packing.FitsNot {
			return false
		}
	}
	return true
}

// BestAt finds the domain of a tier that is found to take most of the gang.
func (k *Search) BestAt(t int32) (model.Fit, bool) {
	best := model.Fit{Tier: t, Domain: -1, Members: -1}
	list := slices.DeleteFunc(slices.Clone(k.M.Candidates(t)), k.isOutside)
	slices.SortStableFunc(list, func(a, b layout.Vertex) int { return cmp.Compare(k.membersIn(b), k.membersIn(a)) })
	for _, d := range list {
		n, sure := k.mostIn(d, best.Members)
		best.AtLeast = best.AtLeast || !sure
		if n > best.Members || n == best.Members && k.Slots.At(d) > k.Slots.At(best.Domain) {
			best.Domain, best.Members = d, n
		}
	}
	return best, best.Domain >= 0
}

// mostIn is the number of lowest ranks that a domain is found to take; sure: it takes no more. best is a number of which
// it is known already that some domain takes it, so that less is not looked for.
func (k *Search) mostIn(d layout.Vertex, best int) (n int, sure bool) {
	most := int(min(int64(len(k.M.Pending)), k.membersIn(d)))
	if most <= best {
		return 0, true
	}
	at, _ := k.nodesOf(d)
	kinds := k.kindsAt(at)
	n = sort.Search(most, func(n int) bool {
		_, fits := k.packer.Fill(kinds, k.firstMembers(n+1))
		return !fits
	})
	return n, n == most || k.refuses(d, k.firstMembers(n+1))
}

// firstMembers is the vector of the n lowest ranks.
func (k *Search) firstMembers(n int) front.Vector {
	want := make(front.Vector, len(k.Want))
	for i := range n {
		want[k.M.Role(i)]++
	}
	return want
}

// TooLarge says whether no domain that the rules allow can hold the members, whatever groups they are in.
func (k *Search) TooLarge() bool {
	v := k.M.View
	if v.FirstPos[v.Outside] < v.Nodes && !k.M.Hard {
		return false
	}
	return !slices.ContainsFunc(k.M.Candidates(k.M.Gather.Must), func(d layout.Vertex) bool { return !k.Refuses(d) })
}
