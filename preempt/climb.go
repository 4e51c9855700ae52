package preempt

import (
	"maps"
	"slices"
)

// ascent makes room in one domain unit by unit, each where it costs least once those before it have made theirs: a gang that ends has freed all its
// nodes. It finds good sets where relaxed problems know little, because gangs span many nodes.
type ascent struct {
	*search
	st     *Strategy
	domain domain
	places []place // nodes, or the domains of the outermost groups
	needed int64
}

// place is where units go, and what they cost there.
type place struct {
	lo, end int32
	curve   *curve
	free    int64 // units that cost nothing
}

// climb looks for a set in one domain, beyond what is decided; false if it ends without.
func (s *search) climb(st *Strategy, d domain) ([]int32, bool) {
	a := ascent{search: s, st: st, domain: d, needed: s.Units}
	s.full = true
	defer func() {
		s.full = false
		s.forget()
	}()
	if len(st.Groups) > 0 {
		a.needed = (s.Units + s.Groups[0] - 1) / s.Groups[0]
		for lo, end := range s.within(st.Groups[0], d.lo, d.end) {
			a.places = append(a.places, place{lo: lo, end: end})
		}
	} else {
		for pos := d.lo; pos < d.end; pos++ {
			a.places = append(a.places, place{lo: pos, end: pos + 1})
		}
	}
	for pos := d.lo; pos < d.end; pos++ {
		s.recountOne(pos, d)
	}
	for i := range a.places {
		a.value(&a.places[i])
	}
	for a.missing() > 0 {
		if !a.step() {
			return nil, false
		}
	}
	return s.settled(), true
}

func (a *ascent) missing() int64 {
	n := a.needed
	for i := range a.places {
		n -= a.places[i].free
	}
	return n
}

// value finds what units cost at a place as things are.
func (a *ascent) value(p *place) {
	if len(a.st.Groups) > 0 {
		p.curve = a.groupCurve(a.st, 0, p.lo, p.end)
	} else {
		p.curve = a.curves[p.lo]
	}
	p.free = 0
	for p.curve != nil && p.free+1 < int64(len(p.curve.cost)) && p.curve.cost[p.free+1] == (weight{}) {
		p.free++
	}
}

// step makes room for one unit more where that costs least.
func (a *ascent) step() bool {
	best, cost := -1, impossible
	for i := range a.places {
		p := &a.places[i]
		if p.curve != nil && p.free+1 < int64(len(p.curve.cost)) && p.curve.cost[p.free+1].less(&cost) {
			best, cost = i, p.curve.cost[p.free+1]
		}
	}
	if best < 0 {
		return false
	}
	p := &a.places[best]
	var taken []int32
	to := spreading{a.st, a.domain, &taken}
	if len(a.st.Groups) > 0 {
		a.spread(to, 1, p.lo, p.end, (p.free+1)*a.Groups[0])
	} else {
		taken = a.takenFor(p.lo, a.domain.lo, a.domain.end, p.free+1, cost)
	}
	if len(taken) == 0 {
		return false
	}
	var touched []int32
	for _, i := range taken {
		touched = a.evict(i, touched)
	}
	slices.Sort(touched)
	a.follow(slices.Compact(touched))
	return true
}

// evict lets a candidate leave, with its gang if that cannot run on without it; the nodes of a gang are touched in any case, since its surplus is less.
func (s *search) evict(i int32, touched []int32) []int32 {
	g := s.Candidates[i].Gang
	touched = s.decide(i, gone, touched)
	if !s.Gangs[g].Ends {
		return touched
	}
	if s.out[g] > s.Gangs[g].Surplus {
		return s.decideGang(g, leaves, touched)
	}
	for _, j := range s.of[g] {
		touched = append(touched, s.Candidates[j].Position)
	}
	return touched
}

// follow values again the places of touched nodes.
func (a *ascent) follow(touched []int32) {
	last := -1
	for _, pos := range touched {
		if pos < a.domain.lo || pos >= a.domain.end {
			continue
		}
		a.recountOne(pos, a.domain)
		i, exact := slices.BinarySearchFunc(a.places, pos, func(p place, pos int32) int { return int(p.lo - pos) })
		if !exact {
			i--
		}
		if last >= 0 && i != last {
			a.value(&a.places[last])
		}
		last = i
	}
	if last >= 0 {
		a.value(&a.places[last])
	}
}

// tried is how many domains are ascended in.
const tried = 16

// ascend looks for good sets: in the domains where the relaxed problem costs least, then around what it finds there.
func (s *search) ascend(f *found, strategy int) {
	budget := s.steps + (s.Steps-s.steps)/2
	var where domain
	for i, d := range s.domains {
		if i == tried || i > 0 && s.steps > budget {
			break
		}
		s.set(&decision{})
		if set, ok := s.climb(&s.Strategies[strategy], d); ok && s.offerIn(f, set, strategy, d) {
			where = d
		}
	}
	for better := where.end > 0; better; {
		better = s.around(f, strategy, where, budget)
	}
}

// around lets the gangs and candidates of a set stay, one after the other, and makes room elsewhere in the domain, until that is better.
func (s *search) around(f *found, strategy int, d domain, budget int) (better bool) {
	for _, unit := range s.unitsOf(f.set) {
		if s.steps >= budget {
			return false
		}
		s.set(&decision{})
		for _, i := range f.set {
			if slices.Contains(unit, i) {
				s.state[i] = stays
			} else {
				s.state[i], s.away = gone, append(s.away, i)
				s.out[s.Candidates[i].Gang]++
			}
		}
		if set, ok := s.climb(&s.Strategies[strategy], d); ok && s.offerIn(f, set, strategy, d) {
			return true
		}
	}
	return false
}

// offerIn takes a set that makes room in a domain, without what can be spared, if it is legal and better than what is found.
func (s *search) offerIn(f *found, set []int32, strategy int, d domain) bool {
	set, ok := s.completed(set)
	if !ok || s.Legal != nil && !s.Legal(set) {
		return false
	}
	set = s.spareIn(set, &s.Strategies[strategy], d)
	outside, ok := s.fits(set, strategy)
	return ok && s.take(f, set, outside, d)
}

// spareIn takes off a set what need not leave, as far as the slots of one domain tell.
func (s *search) spareIn(set []int32, st *Strategy, d domain) []int32 {
	slots, left := make([]int64, d.end), make(map[int32]bool, len(set))
	for _, i := range set {
		left[i] = true
	}
	for pos := d.lo; pos < d.end; pos++ {
		slots[pos] = s.slotsWithout(pos, left)
	}
	for _, unit := range s.spareable(set) {
		if slices.ContainsFunc(unit, func(i int32) bool { return !left[i] }) {
			continue
		}
		for _, i := range unit {
			delete(left, i)
		}
		recount := func() {
			for _, i := range unit {
				if pos := s.Candidates[i].Position; d.lo <= pos && pos < d.end {
					slots[pos] = s.slotsWithout(pos, left)
				}
			}
		}
		if recount(); s.takes(st, slots, d.lo, d.end) {
			less := slices.Sorted(maps.Keys(left))
			if s.Legal == nil || s.Legal(less) {
				set = less
				continue
			}
		}
		for _, i := range unit {
			left[i] = true
		}
		recount()
	}
	return set
}

// slotsWithout are the slots of a node without some candidates.
func (s *search) slotsWithout(pos int32, left map[int32]bool) int64 {
	free, without := s.freeWithout(pos, func(i int32) bool { return left[i] })
	if free == nil {
		return 0
	}
	return s.slots(pos, free, without)
}
