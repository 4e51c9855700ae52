package preempt

import "slices"

// most bounds the combinations of items that are tried on a node; where there are only few, all are.
const (
	most = 1 << 16
	few  = 16
)

// mix tries combinations of items on a node: of those that give back the same, the cheapest first.
type mix struct {
	*search
	pos    int32
	free   []int64
	away   []int32 // candidates that are gone for sure, for Problem.Slots
	items  []item
	best   []weight // by slots less 1
	taken  []int32  // places in items
	rest   []int64  // what all items from each on give back; nil: not looked at
	sum    []int64
	before []int64 // what was free before the items of each kind that is being tried
	// wanted and found are for the combination that costs so much.
	wanted int64
	price  weight
	found  []int32
	done   bool
}

// all looks at every combination, or where these are too many at what bounds them.
func (m *mix) all() {
	n := 1
	for lo := 0; lo < len(m.items); {
		end := m.endOf(lo)
		if n *= end - lo + 1; n > most {
			m.bound()
			return
		}
		lo = end
	}
	var none weight
	if n > few && m.wanted == 0 && m.Slots == nil {
		m.prepare()
	}
	m.try(0, none)
}

// prepare finds what combinations must beat: the cheapest items one after the other; and what all items from each on give back.
func (m *mix) prepare() {
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
	free, sum := slices.Clone(m.free), weight{}
	for _, i := range order {
		addTo(free, m.items[i].amounts)
		sum.add(&m.items[i].weight)
		m.note(m.slots(m.pos, free, nil), sum)
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
	top := m.slots(m.pos, all, nil)
	for s := max(1, top); s <= int64(len(m.best)); s++ {
		if !w.less(&m.best[s-1]) {
			return true
		}
	}
	return top == 0
}

func (m *mix) endOf(lo int) int {
	end := lo + 1
	for end < len(m.items) && m.alike(&m.items[lo], &m.items[end]) {
		end++
	}
	return end
}

func (m *mix) try(lo int, w weight) {
	if m.hopeless(lo, &w) {
		return
	}
	if lo == len(m.items) {
		m.note(m.slots(m.pos, m.free, m.without()), w)
		return
	}
	end, taken, depth := m.endOf(lo), len(m.taken), len(m.before)
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

// without lists the candidates that a combination takes beside those that are gone, for Problem.Slots.
func (m *mix) without() []int32 {
	if m.Slots == nil {
		return nil
	}
	return slices.Concat(m.away, m.candidates())
}

func (m *mix) candidates() []int32 {
	var out []int32
	for _, i := range m.taken {
		out = append(append(out, m.items[i].first), m.items[i].rest...)
	}
	return out
}

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

// bound is what combinations cost at least, where there are too many to try: some item, unless the slots are free.
func (m *mix) bound() {
	var none weight
	m.note(m.slots(m.pos, m.free, m.without()), none)
	cheapest := m.items[0].weight
	for i := range m.items {
		m.taken = append(m.taken, int32(i))
		addTo(m.free, m.items[i].amounts)
		if m.items[i].weight.less(&cheapest) {
			cheapest = m.items[i].weight
		}
	}
	m.note(m.slots(m.pos, m.free, m.without()), cheapest)
}
