// How many new units may be placed, and of which numbers do multiples leave some?

package model

import "github.com/muster-sched/muster/internal/layout"

// Counts lists the numbers of new members that may be placed, ascending.
func (m *Model) Counts() []int { return m.Wholes(max(1, m.Least), m.Admitted) }

// Wholes lists, ascending, the numbers of new members from low to high that the rules allow, whatever room there is.
// n stands for the first n pending members: all or none of each outermost group, and with the running members a
// multiple. Running members may force a minimum. O(members).
//
// order: howmany.2
func (m *Model) Wholes(low, high int) []int {
	total := len(m.Pending)
	var counts []int
	unit := int64(1)
	if m.Multiple != nil {
		unit = m.Multiple[m.View.RootTop] // of all members, wherever they lie
		low = max(low, int(m.Forced.At(layout.Root)))
	}
	add := func(n int) {
		if n >= low && n <= high && int64(n+len(m.Running))%unit == 0 {
			counts = append(counts, n)
		}
	}
	if len(m.Levels) == 0 {
		for n := low; n <= min(total, high); n++ {
			add(n)
		}
		return counts
	}
	size := int(m.Levels[0].Size)
	for n := max(1, low); n <= min(total, high); n++ { // a number that ends where the next member is of another group, by rank
		if n == total || m.Pending[n]/size != m.Pending[n-1]/size {
			add(n)
		}
	}
	return counts
}

// Unit is the number of members of which each child of x holds a multiple, 1 if any number will do. It belongs to the
// parent, for a child stands for all missing tiers up to it.
func (m *Model) Unit(x layout.Vertex) int64 {
	if m.Multiple == nil || m.View.IsNode(x) {
		return 1
	}
	return m.Multiple[m.View.Tier[x]-1]
}

// Gcd is the greatest common divisor of two numbers above 0. O(log).
func Gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
