// The cheapest way to have so many units in several places at once: the least sum of one point of each curve.
//
// Where no unit of a place costs less than the one before it, the cheapest steps of all places are the answer (a curve
// is convex, and so is the sum). All other curves are combined one by one, number by number.

package preempt

import (
	"cmp"
	"slices"
)

// step is one unit more at the place of a convex curve.
type step struct {
	weight weight
	at     int32
}

// merger adds up curves. It writes its buffers, which collect fills anew.
type merger struct {
	steps []step
	rough []int32 // places of curves that are not convex
}

// merge returns the least weights of 0 to most units over the curves, as far as there are so many; the slice is the
// caller's. Nil curves have no units. O(steps log most + rough curves * most * their length).
func (m *merger) merge(curves []*curve, most int64) []weight {
	m.collect(curves, most)
	total := m.sums(most)
	for _, at := range m.rough {
		total = combine(total, curves[at].cost, most, nil)
	}
	return total
}

// sums adds up the steps, one after the other.
func (m *merger) sums(most int64) []weight {
	total := make([]weight, 1, most+1)
	for i := range m.steps {
		total = append(total, total[i].plus(&m.steps[i].weight))
	}
	return total
}

// collect sorts the steps of convex curves, as many as can be needed, and lists the others, each as often as it can
// matter.
func (m *merger) collect(curves []*curve, most int64) {
	m.steps, m.rough = m.steps[:0], m.rough[:0]
	for at, c := range curves {
		switch {
		case c == nil:
		case c.convex:
			for n := 1; n < len(c.cost) && int64(n) <= most; n++ {
				m.steps = append(m.steps, step{c.cost[n].minus(&c.cost[n-1]), int32(at)})
			}
			if int64(len(m.steps)) > 4*most+1024 {
				m.cut(most)
			}
		default:
			m.rough = append(m.rough, int32(at))
		}
	}
	m.cut(most)
	m.thin(curves, most)
}

// cut keeps the cheapest steps, of equal ones those of earlier places.
func (m *merger) cut(most int64) {
	slices.SortFunc(m.steps, func(a, b step) int {
		return cmp.Or(a.weight.compare(&b.weight), cmp.Compare(a.at, b.at))
	})
	m.steps = m.steps[:min(int64(len(m.steps)), most)]
}

// thin keeps of equal rough curves as many as can be of use: each gives one unit at least.
func (m *merger) thin(curves []*curve, most int64) {
	if int64(len(m.rough)) <= most {
		return
	}
	type class struct {
		cost []weight
		n    int64
	}
	byLast := map[weight][]class{}
	kept := m.rough[:0]
	for _, at := range m.rough {
		cost := curves[at].cost
		key := cost[len(cost)-1]
		list := byLast[key]
		i := slices.IndexFunc(list, func(c class) bool { return slices.Equal(c.cost, cost) })
		if i < 0 {
			list, i = append(list, class{cost: cost}), len(list)
		}
		if list[i].n++; list[i].n <= most {
			kept = append(kept, at)
		}
		byLast[key] = list
	}
	m.rough = kept
}

// combine adds a curve to what all before it cost. If from is not nil, it notes for every number of units how many of
// them are the curve's. O(len(total) * len(cost)).
func combine(total, cost []weight, most int64, from []uint32) []weight {
	n := min(int64(len(total)+len(cost)-1), most+1)
	out := make([]weight, n)
	for k := range out {
		best, taken := impossible, 0
		for j := max(0, k-len(total)+1); j <= k && j < len(cost); j++ {
			if w := total[k-j].plus(&cost[j]); w.less(&best) {
				best, taken = w, j
			}
		}
		out[k] = best
		if from != nil {
			from[k] = uint32(taken)
		}
	}
	return out
}

// share is how many units one place has.
type share struct {
	at    int32
	units int64
}

// split finds how many units each place has in the cheapest way to have so many in all, which must be possible. Places
// are ascending. O() as merge.
func (m *merger) split(curves []*curve, units int64) []share {
	m.collect(curves, units)
	total := m.sums(units)
	froms := make([][]uint32, len(m.rough))
	for i, at := range m.rough {
		froms[i] = make([]uint32, units+1)
		total = combine(total, curves[at].cost, units, froms[i])
	}
	var out []share
	left := units
	for i, at := range slices.Backward(m.rough) {
		if n := int64(froms[i][left]); n > 0 {
			out = append(out, share{at, n})
			left -= n
		}
	}
	counts := map[int32]int64{}
	for _, s := range m.steps[:left] {
		counts[s.at]++
	}
	for at, n := range counts {
		out = append(out, share{at, n})
	}
	slices.SortFunc(out, func(a, b share) int { return cmp.Compare(a.at, b.at) })
	return out
}
