// The cheapest way to have so many units in several places at once: the least sum of one point of each curve.
//
// Where no unit of a place costs less than the one before it, the cheapest steps of all places are the answer (a curve
// is convex, and so is the sum). All other curves are combined one by one, number by number.

package preempt

import (
	"cmp"
	"math/bits"
	"slices"
)

// step is one unit more at the place of a convex curve.
type step struct {
	weight weight
	at     int32
}

// merger adds up curves. It writes its buffers, which collect fills anew.
type merger struct {
	steps  []step
	sorted []step
	few    []counted // see sortFew
	rough  []int32   // places of curves that are not convex
	work   int       // sums compared, that are not counted as steps yet
	budget *stepBudget
}

// spend counts the sums that are compared to add a curve of so many units.
func (m *merger) spend(total, cost []weight) {
	m.work += len(total) * len(cost)
	m.budget.used += m.work / sumsInStep
	m.work %= sumsInStep
}

// merge returns the least weights of 0 to most units over the curves, as far as there are so many; the slice is the
// caller's. Nil curves have no units. O(steps log most + rough curves * most * their length).
func (m *merger) merge(curves []*curve, most int64) []weight {
	m.collect(curves, most)
	total := m.sums(most)
	for _, at := range m.rough {
		m.spend(total, curves[at].cost)
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
	var last *weight // of the steps that are kept, once there are enough: one that costs as much and comes later is not needed
	for at, c := range curves {
		switch {
		case c == nil:
		case c.convex:
			for n := 1; n < len(c.cost) && int64(n) <= most; n++ {
				w := c.cost[n].minus(&c.cost[n-1])
				if last != nil && w.compare(last) >= 0 {
					break // all further ones of the curve cost more
				}
				m.steps = append(m.steps, step{w, int32(at)})
			}
			if int64(len(m.steps)) > 2*most+64 {
				m.cut(most)
				kept := m.steps[most-1].weight
				last = &kept
			}
		default:
			m.rough = append(m.rough, int32(at))
		}
	}
	m.cut(most)
	m.thin(curves, most)
}

// cut keeps the cheapest steps, of equal ones those of earlier places, which come first.
func (m *merger) cut(most int64) {
	if !m.sortFew() {
		slices.SortStableFunc(m.steps, func(a, b step) int { return a.weight.compare(&b.weight) })
	}
	m.steps = m.steps[:min(int64(len(m.steps)), most)]
}

// counted is a weight that several steps have: their number, then the place of the next one.
type counted struct {
	weight weight
	n      int
}

// fewWeights is up to how many different weights are told apart by counting.
const fewWeights = 16

// sortFew sorts steps of few different weights, as those of nodes that are alike have, in linear time; false if there are many.
func (m *merger) sortFew() bool {
	m.few = m.few[:0]
	place := func(w *weight) int { return slices.IndexFunc(m.few, func(c counted) bool { return c.weight == *w }) }
	for i := range m.steps {
		at := place(&m.steps[i].weight)
		if at < 0 {
			if at = len(m.few); at == fewWeights {
				return false
			}
			m.few = append(m.few, counted{weight: m.steps[i].weight})
		}
		m.few[at].n++
	}
	slices.SortFunc(m.few, func(a, b counted) int { return a.weight.compare(&b.weight) })
	sum := 0
	for i := range m.few {
		sum, m.few[i].n = sum+m.few[i].n, sum
	}
	m.sorted = slices.Grow(m.sorted[:0], sum)[:sum]
	for i := range m.steps {
		c := &m.few[place(&m.steps[i].weight)]
		m.sorted[c.n] = m.steps[i]
		c.n++
	}
	m.steps, m.sorted = m.sorted, m.steps
	return true
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
		b0, b1, b2, b3, taken := impossible[0], impossible[1], impossible[2], impossible[3], 0
		for j := max(0, k-len(total)+1); j <= k && j < len(cost); j++ {
			// The sum, and whether it is below the best one: as plus and less, without a copy.
			t, c := &total[k-j], &cost[j]
			s3, carry := bits.Add64(t[3], c[3], 0)
			s2, carry := bits.Add64(t[2], c[2], carry)
			s1, carry := bits.Add64(t[1], c[1], carry)
			s0, _ := bits.Add64(t[0], c[0], carry)
			_, below := bits.Sub64(s3, b3, 0)
			_, below = bits.Sub64(s2, b2, below)
			_, below = bits.Sub64(s1, b1, below)
			if _, below = bits.Sub64(s0, b0, below); below != 0 {
				b0, b1, b2, b3, taken = s0, s1, s2, s3, j
			}
		}
		out[k] = weight{b0, b1, b2, b3}
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
		m.spend(total, curves[at].cost)
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
