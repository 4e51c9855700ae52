// Where do members go below a vertex if the domains of a layer further down are counted, and stand for its children?

package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/layout"
)

// roomiest adds to a list the slots of the domains below x that are counted, of each vertex right above some of them the largest only, as
// many as there may be. Without groups and running members, with an index. O(vertices above these domains * that number).
func (a *ask) roomiest(x layout.Vertex, list []int64) []int64 {
	switch {
	case !a.p.Limits.Spans(a.p.View, x):
		return append(list, a.slots.At(x))
	case !a.jumps(x):
		sums := a.slots.Ix.SumsOf(x)
		for n := int32(1); n <= sums.Len && int64(n) <= a.p.Limits.Within[0].Most; n++ {
			list = append(list, sums.Child(n))
		}
		return list
	}
	lo, end := a.p.View.Kids(x)
	for c := lo; c < end; c++ {
		if c != a.p.View.Outside { // a limit on domains keeps members in the tree
			list = a.roomiest(c, list)
		}
	}
	return list
}

// fewestBelow is how few of the domains that are counted hold all members below x; more than there may be if so many do not suffice.
//
// Same answer as order: domain.3, limits.7, faster.
func (a *ask) fewestBelow(x layout.Vertex) (n int64) {
	list := a.roomiest(x, a.scratch.counted[:0])
	a.scratch.counted = list
	slices.SortFunc(list, descending)
	left, most := a.members, a.p.Limits.Within[0].Most
	for ; left > 0 && n <= most; n++ {
		if n == int64(len(list)) {
			return most + 1
		}
		left -= list[n]
	}
	return n
}

// pickBelow is pickFewest among the domains below x that are counted. O(domains * log), beside [sets.LeastSum.Pick].
//
// Same answer as order: limits.8, sets.1, sets.6, faster.
func (pl placer) pickBelow(x layout.Vertex, n int64) {
	domains := pl.p.Limits.DomainsBelow(pl.p.View, x, pl.ask.scratch.domains[:0])
	pl.ask.scratch.domains = domains
	values := pl.ask.scratch.counted[:0]
	for _, d := range domains {
		if slots := pl.ask.slots.At(d); slots > 0 {
			values = append(values, slots)
		}
	}
	pl.ask.scratch.counted = values
	slices.SortFunc(values, descending)
	size, sum := 0, int64(0)
	for sum < n {
		sum, size = sum+values[size], size+1
	}
	l := &pl.ask.scratch.least
	l.Reset()
	if sum > n { // else the largest make the members exactly
		for _, v := range values {
			l.Add(v)
		}
		counts := l.Pick(size, n)
		values = values[:0]
		for i, v := range l.Values {
			for range counts[i] {
				values = append(values, v)
			}
		}
	} else {
		values = values[:size]
	}
	for _, d := range domains { // of equal ones the first are taken
		slots := pl.ask.slots.At(d)
		if i := slices.Index(values, slots); i >= 0 && slots > 0 {
			values = slices.Delete(values, i, i+1)
			pl.ask.scratch.picks = append(pl.ask.scratch.picks, chosen{d, slots})
		}
	}
}
