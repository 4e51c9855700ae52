// Who of a set need not leave: docs/order.md, section 6, "No member of the set, and no whole gang of it, can be spared". In one domain first,
// where few nodes are counted again, then wherever the gang may go.

package preempt

import (
	"slices"

	"github.com/muster-sched/muster/gang"
)

// spare takes off the best set what need not leave, what costs most first.
//
// order: victims.7
func (s *search) spare(of *answer) []int32 {
	if s.model.problem.Exact {
		return s.spareIn(of.set, of.domain)
	}
	set := of.set
	// One pass is enough for room: with fewer gone, a part that had to leave before still has to.
	for _, part := range s.model.spareable(set) {
		less := without(set, part)
		if less == nil || !s.model.legal(less) {
			continue
		}
		if _, ok := s.fits(less); ok {
			set = less
		}
	}
	return set
}

// spareIn takes off a set what need not leave, as far as the slots of one domain tell. Only the nodes of a part are
// counted again, which is much cheaper than to ask whether the gang fits.
func (s *search) spareIn(set []int32, d domain) []int32 {
	r := newRoom(s.nodes, set, d.lo, d.end)
	for _, part := range s.model.spareable(set) {
		if !r.try(part) || !s.tree.holds(s.tiers, r.slots, d.lo, d.end) {
			continue
		}
		if less := without(set, part); s.model.allowed(less) {
			set = less
			r.keep()
		}
	}
	return set
}

// spareAtAll takes off a set what need not leave wherever the gang goes, and what the strategy alone asks for, if the strategy counts less than
// what is spared, until there is no more.
//
// order: victims.7
func (d *driver) spareAtAll(set []int32) []int32 {
	m, r := &d.solver.model, room{}
	if m.problem.Exact {
		r = newRoom(&d.solver.nodes, set, 0, d.solver.tree.positions)
	}
	for again := true; again; {
		again = false
		for _, part := range m.spareable(set) {
			if len(part) == 0 || m.problem.Exact && !(r.try(part) && d.fits(&r, nil, len(m.problem.Strategies)-1)) { // which is soon known
				continue
			}
			less := without(set, part)
			if less == nil {
				continue
			}
			if st, ok := d.strategyWithout(&r, set, less); ok {
				set, d.strategy, again = less, st, true
				r.keep()
			}
		}
	}
	return set
}

// strategyWithout is the strategy that the gang fits under if it is less that leaves, and not a set; false if that is not legal, does not
// suffice, or costs more.
func (d *driver) strategyWithout(r *room, set, less []int32) (strategy int, ok bool) {
	m := &d.solver.model
	last := len(m.problem.Strategies) - 1
	n := m.layout.before(gang.CostStrategy)
	switch c := slices.Compare(m.ownKey(less)[:n], m.ownKey(set)[:n]); {
	case c > 0:
		return 0, false
	case c == 0: // what is spared counts less than the strategy
		last = d.strategy
	}
	if !m.legal(less) || !d.fits(r, less, last) {
		return 0, false
	}
	for strategy = d.strategy; strategy < last && !d.fits(r, less, strategy); {
		strategy++
	}
	return strategy, true
}

// fits says whether the gang fits under a strategy once a set leaves: by the slots of all nodes where these decide, which are those of the room, else it
// asks.
func (d *driver) fits(r *room, set []int32, strategy int) bool {
	p := d.solver.model.problem
	if p.Exact {
		return d.solver.tree.hasRoom(&p.Strategies[strategy], r.slots)
	}
	_, ok := p.atLast()(set, strategy)
	return ok
}

// room is the slots of some positions once a set leaves, but for a part of it that stays. It writes its own fields.
type room struct {
	nodes   *nodes
	left    map[int32]bool
	part    []int32 // ascending, as all parts are
	lo, end int32
	slots   []int64 // by position, those before lo left out
}

// newRoom counts the positions from lo to end. O(positions + candidates of them and of the set).
func newRoom(n *nodes, set []int32, lo, end int32) room {
	r := room{nodes: n, left: make(map[int32]bool, len(set)), lo: lo, end: end, slots: make([]int64, end)}
	for _, i := range set {
		r.left[i] = true
	}
	for pos := lo; pos < end; pos++ {
		r.count(pos)
	}
	return r
}

func (r *room) count(pos int32) {
	r.slots[pos] = r.nodes.slotsWithout(pos, func(i int32) bool { return r.left[i] })
}

// try lets a part stay in place of the one tried before, with which it may have most members in common. False if some of it stay already.
func (r *room) try(part []int32) bool {
	in := func(list []int32, i int32) bool {
		_, ok := slices.BinarySearch(list, i)
		return ok
	}
	if slices.ContainsFunc(part, func(i int32) bool { return !r.left[i] && !in(r.part, i) }) {
		return false
	}
	for _, i := range r.part {
		if !in(part, i) {
			r.put(i, true)
		}
	}
	for _, i := range part {
		if r.left[i] {
			r.put(i, false)
		}
	}
	r.part = part
	return true
}

// keep lets the part stay for good.
func (r *room) keep() { r.part = nil }

// put lets a candidate leave, or stay.
func (r *room) put(i int32, leave bool) {
	r.left[i] = leave
	if pos := r.nodes.model.problem.Candidates[i].Position; r.lo <= pos && pos < r.end {
		r.count(pos)
	}
}
