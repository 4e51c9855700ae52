package preempt

import (
	"cmp"
	"slices"
)

// step is one unit more at the place of a curve.
type step struct {
	weight weight
	at     int32
}

// merger finds the cheapest way to have so many units in several places at once: the least sum of one point of each curve. Where no unit of a
// place costs less than the one before it, the cheapest steps of all places are it; the other curves are merged one by one.
type merger struct {
	steps []step
	rough []int32 // places of curves that are not convex
}

// merge returns the least weights of 0 to most units over the curves, as far as there are so many. Nil curves have none. O(steps log most + rough
// curves * most * their length).
func (m *merger) merge(curves []*curve, most int64) []weight {
	m.collect(curves, most)
	acc := make([]weight, 1, most+1)
	for i := range m.steps {
		acc = append(acc, acc[i].plus(&m.steps[i].weight))
	}
	for _, at := range m.rough {
		acc = combine(acc, curves[at].cost, most, nil)
	}
	return acc
}

// collect sorts the steps of convex curves, as many as can be needed, and lists the others, each as often as it can matter.
func (m *merger) collect(curves []*curve, most int64) {
	m.steps, m.rough = m.steps[:0], m.rough[:0]
	for at, c := range curves {
		switch {
		case c == nil:
		case c.convex:
			for j := 1; j < len(c.cost) && int64(j) <= most; j++ {
				m.steps = append(m.steps, step{c.cost[j].minus(&c.cost[j-1]), int32(at)})
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

// cut keeps the cheapest steps, those of earlier places first.
func (m *merger) cut(most int64) {
	slices.SortFunc(m.steps, func(a, b step) int {
		return cmp.Or(a.weight.compare(&b.weight), cmp.Compare(a.at, b.at))
	})
	m.steps = m.steps[:min(int64(len(m.steps)), most)]
}

// thin keeps of equal curves as many as can be of use: each gives a unit at least.
func (m *merger) thin(curves []*curve, most int64) {
	if int64(len(m.rough)) <= most {
		return
	}
	type class struct {
		cost []weight
		n    int64
	}
	byHash := map[weight][]class{}
	kept := m.rough[:0]
	for _, at := range m.rough {
		cost := curves[at].cost
		key := cost[len(cost)-1]
		list := byHash[key]
		i := slices.IndexFunc(list, func(c class) bool { return slices.Equal(c.cost, cost) })
		if i < 0 {
			list, i = append(list, class{cost: cost}), len(list)
		}
		if list[i].n++; list[i].n <= most {
			kept = append(kept, at)
		}
		byHash[key] = list
	}
	m.rough = kept
}

// combine adds a curve to what the others cost; from notes, for every number of units, how many of them are the curve's.
func combine(acc, cost []weight, most int64, from []uint32) []weight {
	n := min(int64(len(acc)+len(cost)-1), most+1)
	out := make([]weight, n)
	for k := range out {
		best, taken := impossible, 0
		for j := max(0, k-len(acc)+1); j <= k && j < len(cost); j++ {
			if w := acc[k-j].plus(&cost[j]); w.less(&best) {
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

// split finds how many units each place has in the cheapest way to have so many in all; they must be possible.
func (m *merger) split(curves []*curve, units int64) []share {
	m.collect(curves, units)
	acc := make([]weight, 1, units+1)
	for i := range m.steps {
		acc = append(acc, acc[i].plus(&m.steps[i].weight))
	}
	froms := make([][]uint32, len(m.rough))
	for i, at := range m.rough {
		froms[i] = make([]uint32, units+1)
		acc = combine(acc, curves[at].cost, units, froms[i])
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
