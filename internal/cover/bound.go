// Prices: the bound that they make, and how they move.

package cover

import (
	"cmp"
	"slices"
)

// search is one search. The lists below gone are scratch of a branch.
type search struct {
	problem *Problem
	room    room
	ofGang  [][]int32
	placeOf []int32
	best    int64
	gone    []int32
	steps   int
	work    int   // numbers compared
	made    int64 // the price of room, when it was asked for last
	scale   int64 // prices are so much finer than costs

	costs   []int64 // by member, scaled
	price   []int64 // what places pay
	offered []bool  // by member: what places took when that was offered last
	set     []bool  // buffer
	units   []int64 // by place: a buffer
	list    []part  // buffer
	let     []bool  // by member: its gang lets it go
	whole   []bool  // by gang: it may leave whole
	ways    ways
}

func newSearch(p *Problem) *search {
	s := &search{
		problem: p, room: newRoom(p), ofGang: make([][]int32, len(p.Gangs)), placeOf: make([]int32, len(p.Members)), best: p.Below,
		units: make([]int64, len(p.Places)), price: make([]int64, len(p.Members)), let: make([]bool, len(p.Members)), whole: make([]bool, len(p.Gangs)), ways: newWays(p),
	}
	for m, of := range p.Members {
		s.ofGang[of.Gang] = append(s.ofGang[of.Gang], int32(m))
	}
	for i := range p.Places {
		for _, kind := range p.Places[i].Kinds {
			for _, m := range kind {
				s.placeOf[m] = int32(i)
			}
		}
	}
	for s.scale = finest; s.scale > 1 && p.Below > impossible/4/s.scale/int64(1+len(p.Members)+len(p.Gangs)); {
		s.scale /= 2
	}
	for m := range p.Members {
		s.costs = append(s.costs, p.Members[m].Cost*s.scale)
	}
	return s
}

// firstPrices share out what a gang costs evenly.
func (s *search) firstPrices() []int64 {
	out := make([]int64, len(s.problem.Members))
	for g, list := range s.ofGang {
		cost := s.problem.Gangs[g].End
		for _, m := range list {
			cost += s.problem.Members[m].Cost
		}
		for _, m := range list {
			out[m] = cost * s.scale / int64(len(list))
		}
	}
	return out
}

// evaluate is the bound of a branch at its prices; impossible if there is no room.
func (s *search) evaluate(b *branch) int64 {
	for g := range s.problem.Gangs {
		s.ask(b, g)
	}
	let, work := s.ways.least()
	s.spend(work)
	if let >= impossible {
		return impossible
	}
	for g := range s.problem.Gangs {
		s.follow(b, g)
	}
	s.made, work = s.room.make(s.price)
	s.spend(work)
	if s.made >= impossible {
		return impossible
	}
	return let + s.made
}

// spend counts numbers that were compared.
func (s *search) spend(work int) {
	s.work += work + 64
	s.steps = s.work / stepWork
}

// ask lists the ways of a gang at the prices of a branch: nobody leaves, one, two, ... of the surplus, or all. Places
// pay for its members as is decided.
func (s *search) ask(b *branch, g int) {
	of, list, w := &s.problem.Gangs[g], s.ways.members[g][:0], &s.ways
	left, all, units := of.Surplus, way{cost: of.End * s.scale, whole: true}, int64(0)
	base, stay := way{}, !of.Whole
	for _, m := range s.ofGang[g] {
		cost := s.costs[m]
		switch state := b.members[m]; {
		case b.gangs[g] == leaves || state == leaves:
			left, s.price[m] = left-1, 0
			base.add(cost, w.share[m])
			all.add(cost, w.share[m])
			stay = stay || state == stays
		case state == stays:
			stay, s.price[m] = true, impossible
		default:
			s.price[m] = b.price[m]
			all.add(cost-b.price[m], w.share[m])
			units = max(units, w.share[m])
			list = append(list, m)
		}
	}
	w.members[g], w.of[g] = list, w.of[g][:0]
	if b.gangs[g] != leaves && left >= 0 {
		w.of[g] = append(w.of[g], base)
		s.byOne(b, g, min(left, len(list)), base, units)
		if left == 0 && (stay || b.gangs[g] == stays) {
			s.keep(list)
		}
	}
	s.whole[g] = !stay && b.gangs[g] != stays
	if s.whole[g] {
		w.of[g] = append(w.of[g], all)
	}
}

// byOne lists the ways in which so many leave beside those that are gone: those who bring in most. Each is taken to make
// as much room as the best.
func (s *search) byOne(b *branch, g, most int, base way, units int64) {
	if most == 0 {
		return
	}
	list := s.ways.members[g]
	gain := func(m int32) int64 { return b.price[m] - s.costs[m] }
	if most > 4 {
		slices.SortStableFunc(list, func(x, y int32) int { return cmp.Compare(gain(y), gain(x)) })
	}
	for i := range list[:most] {
		if most <= 4 { // the first of those that bring in most, before the others
			first := i
			for at := i + 1; at < len(list); at++ {
				if gain(list[at]) > gain(list[first]) {
					first = at
				}
			}
			m := list[first]
			copy(list[i+1:first+1], list[i:first])
			list[i] = m
		}
		base.add(-gain(list[i]), units)
		base.members++
		s.ways.of[g] = append(s.ways.of[g], base)
	}
}

// keep is a gang of which nobody more can leave.
func (s *search) keep(list []int32) {
	for _, m := range list {
		s.price[m] = impossible
	}
}

// follow notes whom a gang lets go.
func (s *search) follow(b *branch, g int) {
	chosen := &s.ways.of[g][s.ways.chosen[g]]
	for _, m := range s.ofGang[g] {
		s.let[m] = chosen.whole || b.gangs[g] == leaves || b.members[m] == leaves
	}
	if !chosen.whole {
		for at, m := range s.ways.members[g] {
			s.let[m] = at < chosen.members
		}
	}
}

// value moves the prices of a branch for so many rounds, and keeps the best ones. False if there is no room.
func (s *search) value(b *branch, rounds int) bool {
	kept, at := slices.Clone(b.price), int64(-impossible)
	slow, idle := int64(1), 0
	for round := range rounds {
		bound := s.evaluate(b)
		if bound >= impossible {
			return false
		}
		if bound > at || round%4 == 0 {
			s.offer(b)
		}
		if bound > at {
			at, idle = bound, 0
			copy(kept, b.price)
			s.point(b)
		} else if idle++; idle%8 == 0 {
			slow *= 2
		}
		if s.closed(at) || slow > 64 || b.settled || s.spent() {
			break
		}
		if !s.move(b, max(s.scale, s.best*s.scale-bound), slow) {
			break
		}
	}
	copy(b.price, kept)
	b.bound = max(b.bound, at)
	if !s.closed(b.bound) && !b.settled {
		s.fix(b)
	}
	return true
}

// fix settles gangs that leave whole in no set of use below a branch, or in all.
func (s *search) fix(b *branch) {
	if s.evaluate(b) >= impossible {
		return
	}
	most := s.best*s.scale - s.made // of ways, so that all may cost less than the best set
	s.spend(s.ways.behind())
	for g, whole := range s.whole {
		if b.gangs[g] != open || !whole {
			continue
		}
		part, all := int64(impossible), int64(impossible)
		for at := range s.ways.of[g] {
			if of := &s.ways.of[g][at]; of.whole {
				all = s.ways.with(g, of)
			} else {
				part = min(part, s.ways.with(g, of))
			}
		}
		switch {
		case s.tooMuch(all, most):
			b.gangs[g] = stays
		case s.tooMuch(part, most):
			b.gangs[g] = leaves
		}
	}
	if s.point(b); b.settled && s.evaluate(b) < impossible {
		s.offer(b)
	}
}

// tooMuch says whether ways of such a cost make up no set that costs less than the best one.
func (s *search) tooMuch(cost, most int64) bool { return cost > most-s.scale }

// move changes prices by a step of Polyak's: the gap over the number of disagreements. False if there are none.
func (s *search) move(b *branch, gap, slow int64) bool {
	n := int64(0)
	for m, let := range s.let {
		if s.room.taken[m] != let && s.moves(b, int32(m)) {
			n++
		}
	}
	if n == 0 {
		return false
	}
	step := max(1, gap/(n*slow))
	for m, let := range s.let {
		switch {
		case s.room.taken[m] == let || !s.moves(b, int32(m)):
		case let:
			b.price[m] = max(0, b.price[m]-step)
		default:
			b.price[m] = min(b.price[m]+step, s.problem.Below*s.scale) // a place that pays more is of no use
		}
	}
	return true
}

// moves says whether the price of a member matters.
func (s *search) moves(b *branch, m int32) bool {
	return b.members[m] == open && b.gangs[s.problem.Members[m].Gang] != leaves
}

// point finds what to settle next: the open gang that places and gangs disagree on most, else a member.
func (s *search) point(b *branch) {
	best, most := int32(-1), -1
	for g := range s.problem.Gangs {
		if b.gangs[g] != open || !s.whole[g] {
			continue
		}
		n := 0
		for _, m := range s.ofGang[g] {
			if s.room.taken[m] != s.let[m] {
				n++
			}
		}
		if n > most {
			best, most = int32(g), n
		}
	}
	if b.next = best; best >= 0 {
		return
	}
	member := int32(-1)
	for m := range s.problem.Members {
		if s.moves(b, int32(m)) && s.price[m] < impossible {
			if member < 0 || s.room.taken[m] != s.let[m] {
				member = int32(m)
			}
		}
	}
	b.next, b.settled = -1-member, member < 0
}
