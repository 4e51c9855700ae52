// Curves: the cheapest cost of every number of units in one place.

package preempt

// curve is what it costs to have n slots on a node, or n units below a domain, for n from 0 to its length less 1. It
// never falls, and is read-only once made.
type curve struct {
	cost   []weight
	convex bool // no unit costs less than the one before it
}

// newCurve notes whether the costs are convex. O(their number).
func newCurve(cost []weight) *curve {
	c := &curve{cost: cost, convex: true}
	var last weight
	for n := 1; n < len(cost) && c.convex; n++ {
		step := cost[n].minus(&cost[n-1])
		c.convex = !step.less(&last)
		last = step
	}
	return c
}

// atMost is the largest number of units that the curve knows; 0 for nil.
func (c *curve) atMost() int64 {
	if c == nil {
		return 0
	}
	return int64(len(c.cost)) - 1
}

// costOf is the cost of n units, impossible beyond the end of a list.
func costOf(costs []weight, n int64) weight {
	if n < int64(len(costs)) {
		return costs[n]
	}
	return impossible
}

// lower is the lower of two lists of costs, number by number. It writes the longer one.
func lower(a, b []weight) []weight {
	if len(a) < len(b) {
		a, b = b, a
	}
	for n := range b {
		if b[n].less(&a[n]) {
			a[n] = b[n]
		}
	}
	return a
}
