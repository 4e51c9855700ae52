package numa

import "slices"

// tally counts, by zone, members that the exclusivity parts: those that have one zone by policy, and those that span
// zones. The zero tally counts nobody.
type tally struct{ single, spanning []int32 }

// marks are the zones of a tally that have any.
type marks struct{ single, spanning Mask }

func newTally(zones int) tally {
	both := make([]int32, 2*zones)
	return tally{both[:zones:zones], both[zones:]}
}

func (t tally) clone() tally { return tally{slices.Clone(t.single), slices.Clone(t.spanning)} }

// add counts a member with shares of these zones.
func (t tally) add(zones Mask, policy Policy) {
	spanning := zones.Width() > 1
	for ; zones != 0; zones &= zones - 1 {
		if policy == SingleNUMANode {
			t.single[zones.first()]++
		}
		if spanning {
			t.spanning[zones.first()]++
		}
	}
}

// without is what is left once others have gone. It reports the zones where there were fewer.
func (t tally) without(gone tally, fewer func(zone int)) tally {
	if len(gone.single) == 0 {
		return t
	}
	left := newTally(max(len(t.single), len(gone.single)))
	copy(left.single, t.single)
	copy(left.spanning, t.spanning)
	for z := range gone.single {
		left.single[z] -= gone.single[z]
		left.spanning[z] -= gone.spanning[z]
		if left.single[z] < 0 || left.spanning[z] < 0 {
			fewer(z)
		}
	}
	return left
}

func (t tally) marks() (m marks) {
	for z := range t.single {
		if t.single[z] > 0 {
			m.single |= 1 << z
		}
		if t.spanning[z] > 0 {
			m.spanning |= 1 << z
		}
	}
	return m
}
