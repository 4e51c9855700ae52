// The domains of the tree, and which of them hold the gang for given slots.

package preempt

import (
	"cmp"
	"iter"
	"slices"
)

// tree is the domains of every tier as intervals of positions, and the gang that gathers in them. Read-only.
type tree struct {
	tiers       [][]int32
	positions   int32
	units       int64
	groups      []int64
	first, last int32 // the outermost running members of the gang; last below first: none run
}

// domain is one of the gang's tier that has room if enough candidates leave, and what that costs.
type domain struct {
	lo, end int32
	cost    weight
}

// compare orders domains by what room costs, then by path: docs/order.md, section 6, "the first domain in the order of
// paths".
func (d *domain) compare(o *domain) int {
	return cmp.Or(d.cost.compare(&o.cost), cmp.Compare(d.lo, o.lo))
}

// newTree is the tree of a problem over so many positions.
func newTree(p *Problem, positions int32) tree {
	return tree{tiers: p.Tiers, positions: positions, units: p.Units, groups: p.Groups, first: p.First, last: p.Last}
}

// interval is where a domain of a tier begins and ends.
func (t *tree) interval(tier int, domain int32) (lo, end int32) {
	starts := t.tiers[tier]
	if int(domain)+1 < len(starts) {
		return starts[domain], starts[domain+1]
	}
	return starts[domain], t.positions
}

// domainAt is the index of the domain of a tier that holds a position.
func (t *tree) domainAt(tier int, pos int32) int32 {
	i, exact := slices.BinarySearch(t.tiers[tier], pos)
	if !exact {
		i--
	}
	return int32(i)
}

// within iterates over the domains of a tier that lie in an interval.
func (t *tree) within(tier int, lo, end int32) iter.Seq2[int32, int32] {
	return func(yield func(from, to int32) bool) {
		for d := t.domainAt(tier, lo); int(d) < len(t.tiers[tier]); d++ {
			from, to := t.interval(tier, d)
			if from >= end || !yield(from, to) {
				return
			}
		}
	}
}

// withRoom iterates over the domains of the gang's tier that hold its running members and, by these slots, the gang.
func (t *tree) withRoom(st *Strategy, slots []int64) iter.Seq2[int32, int32] {
	return func(yield func(lo, end int32) bool) {
		for lo, end := range t.within(st.Gang, 0, t.positions) {
			if (t.first > t.last || lo <= t.first && t.last < end) && t.holds(st, slots, lo, end) && !yield(lo, end) {
				return
			}
		}
	}
}

// hasRoom says whether any domain of the gang's tier has room for it, by these slots.
func (t *tree) hasRoom(st *Strategy, slots []int64) bool {
	for range t.withRoom(st, slots) {
		return true
	}
	return false
}

// holds says whether the slots of an interval hold the gang, groups whole in the domains of their tiers.
func (t *tree) holds(st *Strategy, slots []int64, lo, end int32) bool {
	if len(t.groups) == 0 || len(st.Groups) == 0 {
		return sum(slots[lo:end]) >= t.units
	}
	full, short := t.units/t.groups[0], t.units%t.groups[0]
	var groups int64
	fits := short == 0
	for from, to := range t.within(st.Groups[0], lo, end) {
		groups += t.groupsIn(st, 0, slots, from, to)
		fits = fits || sum(slots[from:to])%t.groups[0] >= short
	}
	return groups > full || groups == full && fits
}

// groupsIn is how many groups of a level fit in an interval, which is a domain of the level's tier.
func (t *tree) groupsIn(st *Strategy, level int, slots []int64, lo, end int32) int64 {
	if level+1 == len(t.groups) {
		return sum(slots[lo:end]) / t.groups[level]
	}
	var inner int64
	for from, to := range t.within(st.Groups[level+1], lo, end) {
		inner += t.groupsIn(st, level+1, slots, from, to)
	}
	return inner / (t.groups[level] / t.groups[level+1])
}

func sum(list []int64) (n int64) {
	for _, v := range list {
		n += v
	}
	return n
}
