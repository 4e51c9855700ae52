// Good sets where relaxed problems know little, because gangs span many nodes: room is made in one domain unit by unit,
// each where it costs least once those before it have made theirs. A gang that ends has freed all its nodes. What a climb
// finds is a set like any other: it decides no rule, and proves nothing. docs/order.md, section 6, "Proof".

package preempt

import "slices"

// climbedDomains is how many domains are climbed in.
const climbedDomains = 16

// climb makes room in one domain. It lives as long as that takes, and writes its own lists; the state and the curves of
// the search change as candidates leave.
type climb struct {
	tree    *tree
	state   *state
	curves  *curveCache
	pricer  *pricer
	relaxed *relaxation
	tiers   *Strategy
	domain  domain
	places  []place // nodes, or the domains of the outermost groups
	needed  int64   // units, or outermost groups
}

// place is where units go, and what they cost there.
type place struct {
	lo, end int32
	curve   *curve
	free    int64 // units that cost nothing
}

// newClimb values the places of a domain as things are decided.
func newClimb(s *search, d domain) climb {
	c := climb{
		tree: s.tree, state: s.state, curves: s.curves, pricer: s.pricer, relaxed: s.relaxed, tiers: s.tiers, domain: d, needed: s.tree.units,
	}
	if c.inGroups() {
		size := c.tree.groups[0]
		c.needed = (c.needed + size - 1) / size
		for lo, end := range c.tree.within(c.tiers.Groups[0], d.lo, d.end) {
			c.places = append(c.places, place{lo: lo, end: end})
		}
	} else {
		for pos := d.lo; pos < d.end; pos++ {
			c.places = append(c.places, place{lo: pos, end: pos + 1})
		}
	}
	for pos := d.lo; pos < d.end; pos++ {
		c.curves.recountOne(pos, d)
	}
	for i := range c.places {
		c.value(&c.places[i])
	}
	return c
}

// climb looks for a set in one domain, beyond what is decided, gangs costing whole on each of their nodes; false if
// there is none.
func (s *search) climb(d domain) ([]int32, bool) {
	s.pricer.wholeGangs = true
	defer func() {
		s.pricer.wholeGangs = false
		s.curves.restore()
	}()
	c := newClimb(s, d)
	for c.missing() > 0 {
		if !c.step() {
			return nil, false
		}
	}
	return s.state.settled(), true
}

// inGroups says whether places are domains of the outermost groups.
func (c *climb) inGroups() bool { return len(c.tiers.Groups) > 0 }

// missing is how many more units must be made free.
func (c *climb) missing() int64 {
	n := c.needed
	for i := range c.places {
		n -= c.places[i].free
	}
	return n
}

// value finds what units cost at a place as things are, and how many cost nothing any more.
func (c *climb) value(p *place) {
	if c.inGroups() {
		p.curve = c.relaxed.groupCurve(c.tiers, 0, p.lo, p.end)
	} else {
		p.curve = c.curves.curves[p.lo]
	}
	for p.free = 0; p.free < p.curve.atMost() && p.curve.cost[p.free+1] == (weight{}); {
		p.free++
	}
}

// step makes room for one unit more where that costs least; false if there is no such place.
func (c *climb) step() bool {
	best, cost := -1, impossible
	for i := range c.places {
		p := &c.places[i]
		if p.free < p.curve.atMost() && p.curve.cost[p.free+1].less(&cost) {
			best, cost = i, p.curve.cost[p.free+1]
		}
	}
	if best < 0 {
		return false
	}
	p := &c.places[best]
	var taken []int32
	if c.inGroups() {
		part := domain{lo: p.lo, end: p.end}
		taken = c.relaxed.spread(nil, c.tiers, c.domain, 1, part, (p.free+1)*c.tree.groups[0])
	} else {
		taken = c.pricer.takenFor(p.lo, c.domain.lo, c.domain.end, p.free+1, cost)
	}
	if len(taken) == 0 {
		return false // a node with too many combinations: its curve is a bound that nobody reaches
	}
	var touched []int32
	for _, i := range taken {
		touched = c.state.evict(i, touched)
	}
	slices.Sort(touched)
	c.follow(slices.Compact(touched))
	return true
}

// follow values again the places of touched nodes.
func (c *climb) follow(touched []int32) {
	last := -1
	for _, pos := range touched {
		if pos < c.domain.lo || pos >= c.domain.end {
			continue
		}
		c.curves.recountOne(pos, c.domain)
		i, exact := slices.BinarySearchFunc(c.places, pos, func(p place, pos int32) int { return int(p.lo - pos) })
		if !exact {
			i--
		}
		if last >= 0 && i != last { // all nodes of the place before are counted again
			c.value(&c.places[last])
		}
		last = i
	}
	if last >= 0 {
		c.value(&c.places[last])
	}
}

// climbAll looks for good sets: in the domains where the relaxed problem costs least, then around what it finds there.
// It uses up half of the steps that are left at most.
func (s *search) climbAll() {
	until := s.budget.used + (s.budget.most-s.budget.used)/2
	where := s.climbFirst(until)
	for better := where.end > 0; better; {
		better = s.climbAround(where, until)
	}
}

// climbFirst climbs in the domains where the relaxed problem costs least, and says where it found the best set.
func (s *search) climbFirst(until int) (where domain) {
	for i, d := range s.relaxed.domains {
		if i == climbedDomains || i > 0 && s.budget.used > until || s.budget.stopped() {
			break
		}
		s.state.reset()
		if set, ok := s.climb(d); ok && s.offerIn(set, d) {
			where = d
		}
	}
	return where
}

// climbAround lets the units of the best set stay, one after the other, and makes room elsewhere in the domain, until
// that is better.
func (s *search) climbAround(d domain, until int) (better bool) {
	set := s.best.set
	for _, unit := range s.model.unitsOf(set) {
		if s.budget.used >= until || s.budget.stopped() {
			return false
		}
		s.state.takeBut(set, unit)
		if found, ok := s.climb(d); ok && s.offerIn(found, d) {
			return true
		}
	}
	return false
}
