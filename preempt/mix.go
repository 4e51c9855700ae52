// Combinations of what may leave one node. Of items that give back the same the cheapest leave first, so that a
// combination is a number of each kind of item. Ties: docs/order.md, section 6, "Among sets that are equal".

package preempt

import "slices"

// worthPruning is the number of combinations from which it pays to look ahead. Fewer are simply all tried.
const worthPruning = 16

// mix tries combinations of items on a node, either for the least cost of every number of slots, or, if a number is
// wanted, for the first combination that makes it at a given price. It lives as long as one node is looked at.
type mix struct {
	capacity *capacity
	most     int // combinations that are tried
	node     int32
	free     []int64 // with the items that are taken
	gone     []int32 // candidates that leave for sure, for Problem.Slots
	items    []item
	taken    []int32  // places in items
	best     []weight // the answer: least cost by slots less 1
	rest     []int64  // by item: what it and all after it give back; nil: no looking ahead
	sum      []int64  // buffer of hopeless
	before   []int64  // stack: what was free before each kind of item
	wanted   int64    // slots, if one combination is asked for
	price    weight   // what that costs
	found    []int32  // the answer: its candidates
	done     bool
}

// tryAll looks at every combination, or where these are too many at what bounds them.
func (m *mix) tryAll() {
	n := 1
	for lo := 0; lo < len(m.items); {
		end := m.alikeTo(lo)
		if n *= end - lo + 1; n > m.most {
			if m.wanted > 0 {
				m.cheapest()
			} else {
				m.bound()
			}
			return
		}
		lo = end
	}
	if n > worthPruning && m.wanted == 0 && m.capacity.ask == nil {
		m.lookAhead()
	}
	m.try(0, weight{})
}

// lookAhead finds what combinations must beat, the cheapest items one after the other, and what all items from each on
// give back.
func (m *mix) lookAhead() {
	r := len(m.free)
	m.rest = make([]int64, (len(m.items)+1)*r)
	for i, it := range slices.Backward(m.items) {
		copy(m.rest[i*r:], m.rest[(i+1)*r:(i+2)*r])
		addTo(m.rest[i*r:(i+1)*r], it.amounts)
	}
	order := make([]int, len(m.items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return m.items[a].weight.compare(&m.items[b].weight) })
	free, cost := slices.Clone(m.free), weight{}
	for _, i := range order {
		addTo(free, m.items[i].amounts)
		cost.add(&m.items[i].weight)
		m.note(m.capacity.slots(m.node, free, nil), cost)
	}
}

// hopeless says whether nothing that a combination can still become is cheaper than what is known.
func (m *mix) hopeless(lo int, w *weight) bool {
	switch {
	case m.wanted > 0:
		return m.price.less(w)
	case m.rest == nil:
		return false
	}
	r := len(m.free)
	all := append(m.sum[:0], m.free...)
	m.sum = all
	addTo(all, m.rest[lo*r:(lo+1)*r])
	top := m.capacity.slots(m.node, all, nil)
	for n := max(1, top); n <= int64(len(m.best)); n++ {
		if !w.less(&m.best[n-1]) {
			return true
		}
	}
	return top == 0
}

// alikeTo is the end of the items that give back the same as the one at lo, without any who Problem.Slots tells apart.
func (m *mix) alikeTo(lo int) int {
	end, first := lo+1, &m.items[lo]
	for end < len(m.items) && m.items[end].shape == first.shape && (m.capacity.ask == nil || m.items[end].tag == first.tag) {
		end++
	}
	return end
}

// try goes through the combinations of the items from lo on, beside those that are taken at cost w.
func (m *mix) try(lo int, w weight) {
	if m.hopeless(lo, &w) {
		return
	}
	if lo == len(m.items) {
		m.note(m.capacity.slots(m.node, m.free, m.goneWith()), w)
		return
	}
	end, taken, depth := m.alikeTo(lo), len(m.taken), len(m.before)
	m.before = append(m.before, m.free...)
	m.try(end, w)
	for i := lo; i < end && !m.done; i++ {
		w.add(&m.items[i].weight)
		addTo(m.free, m.items[i].amounts)
		m.taken = append(m.taken, int32(i))
		m.try(end, w)
	}
	copy(m.free, m.before[depth:])
	m.before, m.taken = m.before[:depth], m.taken[:taken]
}

// goneWith lists the candidates that are gone with a combination, for Problem.Slots.
func (m *mix) goneWith() []int32 {
	if m.capacity.ask == nil {
		return nil
	}
	return slices.Concat(m.gone, m.candidates())
}

// candidates lists those of the items that are taken.
func (m *mix) candidates() []int32 {
	var out []int32
	for _, i := range m.taken {
		out = append(append(out, m.items[i].first), m.items[i].rest...)
	}
	return out
}

// note keeps a combination if it is the cheapest that makes so many slots, or the one that is wanted.
func (m *mix) note(slots int64, w weight) {
	if m.wanted > 0 {
		if slots >= m.wanted && w == m.price {
			m.found, m.done = m.candidates(), true
		}
		return
	}
	for int64(len(m.best)) < slots {
		m.best = append(m.best, impossible)
	}
	if slots > 0 && w.less(&m.best[slots-1]) {
		m.best[slots-1] = w
	}
}

// cheapest lets the cheapest items leave, one after the other, until there are as many slots as are wanted, whatever that
// costs: the price is that of a bound.
func (m *mix) cheapest() {
	order := make([]int32, len(m.items))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return m.items[a].weight.compare(&m.items[b].weight) })
	for _, i := range order {
		m.taken = append(m.taken, i)
		addTo(m.free, m.items[i].amounts)
		if m.capacity.slots(m.node, m.free, m.goneWith()) >= m.wanted {
			m.found, m.done = m.candidates(), true
			return
		}
	}
}

// bound notes what combinations cost at least where there are too many to try: nothing for the slots that are free, one
// item for all others.
func (m *mix) bound() {
	m.note(m.capacity.slots(m.node, m.free, m.goneWith()), weight{})
	cheapest := m.items[0].weight
	for i := range m.items {
		m.taken = append(m.taken, int32(i))
		addTo(m.free, m.items[i].amounts)
		if m.items[i].weight.less(&cheapest) {
			cheapest = m.items[i].weight
		}
	}
	m.note(m.capacity.slots(m.node, m.free, m.goneWith()), cheapest)
}
