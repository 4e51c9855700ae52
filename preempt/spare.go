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
	left := make(map[int32]bool, len(set))
	for _, i := range set {
		left[i] = true
	}
	isGone := func(i int32) bool { return left[i] }
	slots := make([]int64, d.end)
	for pos := d.lo; pos < d.end; pos++ {
		slots[pos] = s.nodes.slotsWithout(pos, isGone)
	}
	recount := func(part []int32) {
		for _, i := range part {
			if pos := s.model.problem.Candidates[i].Position; d.lo <= pos && pos < d.end {
				slots[pos] = s.nodes.slotsWithout(pos, isGone)
			}
		}
	}
	for _, part := range s.model.spareable(set) {
		if slices.ContainsFunc(part, func(i int32) bool { return !left[i] }) {
			continue
		}
		for _, i := range part {
			delete(left, i)
		}
		recount(part)
		if s.tree.holds(s.tiers, slots, d.lo, d.end) {
			if less := without(set, part); s.model.allowed(less) {
				set = less
				continue
			}
		}
		for _, i := range part {
			left[i] = true
		}
		recount(part)
	}
	return set
}

// spareAtAll takes off a set what need not leave wherever the gang goes, and what the strategy alone asks for, if the strategy counts less than
// what is spared, until there is no more.
//
// order: victims.7
func (d *driver) spareAtAll(set []int32) []int32 {
	r := newRoom(d.solver, set)
	for again := true; again; {
		again = false
		for _, part := range d.solver.model.spareable(set) {
			less := without(set, part)
			if less == nil || len(part) == 0 {
				continue
			}
			r.put(part, false)
			if st, ok := d.strategyWithout(&r, set, less); ok {
				set, d.strategy, again = less, st, true
				continue
			}
			r.put(part, true)
		}
	}
	return set
}

// strategyWithout is the strategy that the gang fits under if it is less that leaves, and not a set; false if that is not legal, does not
// suffice, or costs more.
func (d *driver) strategyWithout(r *room, set, less []int32) (strategy int, ok bool) {
	m := &d.solver.model
	last := len(m.problem.Strategies) - 1
	if m.problem.Exact && !r.fits(less, last) { // which is soon known
		return 0, false
	}
	n := m.layout.before(gang.CostStrategy)
	switch c := slices.Compare(m.ownKey(less)[:n], m.ownKey(set)[:n]); {
	case c > 0:
		return 0, false
	case c == 0: // what is spared counts less than the strategy
		last = d.strategy
	}
	if !m.legal(less) || !r.fits(less, last) {
		return 0, false
	}
	for strategy = d.strategy; strategy < last && !r.fits(less, strategy); {
		strategy++
	}
	return strategy, true
}

// room says under which strategies the gang fits once a set leaves: by the slots of all nodes where these decide, which it then keeps, else it
// asks. It writes its own fields.
type room struct {
	solver *solver
	left   map[int32]bool
	slots  []int64 // by position
}

// newRoom counts the slots. O(positions + candidates of the set).
func newRoom(s *solver, set []int32) room {
	r := room{solver: s}
	if !s.model.problem.Exact {
		return r
	}
	r.left, r.slots = make(map[int32]bool, len(set)), slices.Clone(s.table.free)
	r.put(set, true)
	return r
}

// put lets candidates leave, or stay.
func (r *room) put(part []int32, leave bool) {
	if r.slots == nil {
		return
	}
	for _, i := range part {
		r.left[i] = leave
	}
	last := int32(-1)
	for _, i := range part {
		if pos := r.solver.model.problem.Candidates[i].Position; pos != last {
			r.slots[pos] = r.solver.nodes.slotsWithout(pos, func(i int32) bool { return r.left[i] })
			last = pos
		}
	}
}

// fits says whether the gang fits under a strategy once a set leaves, which is the one that was put last.
func (r *room) fits(set []int32, strategy int) bool {
	p := r.solver.model.problem
	if p.Exact {
		return r.solver.tree.hasRoom(&p.Strategies[strategy], r.slots)
	}
	_, ok := p.Fits(set, strategy)
	return ok
}
