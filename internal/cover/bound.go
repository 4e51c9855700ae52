// Prices: the bound that they make, and how they move.

package cover

import (
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

	price []int64 // what places pay
	let   []bool  // by member: its gang lets it go
	whole []int64 // by gang: what it costs that it leaves whole, less what that brings in
	part  []int64 // the same for members up to the surplus
	list  []int32
}

func newSearch(p *Problem) *search {
	s := &search{
		problem: p, room: newRoom(p), ofGang: make([][]int32, len(p.Gangs)), placeOf: make([]int32, len(p.Members)), best: p.Below,
		price: make([]int64, len(p.Members)), let: make([]bool, len(p.Members)), whole: make([]int64, len(p.Gangs)), part: make([]int64, len(p.Gangs)),
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
			out[m] = cost * scale / int64(len(list))
		}
	}
	return out
}

// evaluate is the bound of a branch at its prices; impossible if there is no room.
func (s *search) evaluate(b *branch) int64 {
	s.steps += 1 + len(s.problem.Places)/4
	total := int64(0)
	for g := range s.problem.Gangs {
		cost, ok := s.ask(b, g)
		if !ok {
			return impossible
		}
		total += cost
	}
	cost := s.room.make(s.price)
	if cost >= impossible {
		return impossible
	}
	return total + cost
}

// ask finds what a gang lets go at the prices of a branch, and what that costs. Places pay for its members as is
// decided. False if it can neither run on nor leave.
func (s *search) ask(b *branch, g int) (int64, bool) {
	of, list := &s.problem.Gangs[g], s.list[:0]
	left, base, whole := of.Surplus, int64(0), of.End*scale
	stay := !of.Whole
	for _, m := range s.ofGang[g] {
		cost := s.problem.Members[m].Cost * scale
		s.let[m] = b.members[m] == leaves
		switch b.members[m] {
		case leaves:
			left, base, s.price[m] = left-1, base+cost, 0
		case stays:
			stay, s.price[m] = true, impossible
		default:
			s.price[m] = b.price[m]
			whole += cost - b.price[m]
			if cost < b.price[m] {
				list = append(list, m)
			}
		}
	}
	s.list = list
	s.whole[g], s.part[g] = whole, impossible
	if stay || b.gangs[g] == stays {
		s.whole[g] = impossible
	}
	if b.gangs[g] == leaves {
		return s.leave(b, g, base)
	}
	if left >= 0 {
		s.part[g] = s.brings(b, list, left)
	}
	if s.whole[g] < s.part[g] {
		for _, m := range s.ofGang[g] {
			s.let[m] = true
		}
		return base + s.whole[g], true
	}
	if left == 0 && s.whole[g] >= impossible {
		s.keep(b, g)
	}
	if left >= 0 {
		for _, m := range list[:min(left, len(list))] {
			s.let[m] = true
		}
	}
	return base + s.part[g], left >= 0
}

// leave is a gang that leaves whole: places have its members for nothing.
func (s *search) leave(b *branch, g int, base int64) (int64, bool) {
	cost := base + s.problem.Gangs[g].End*scale
	for _, m := range s.ofGang[g] {
		if b.members[m] == open {
			cost += s.problem.Members[m].Cost * scale
		}
		s.let[m], s.price[m] = true, 0
	}
	return cost, s.whole[g] < impossible
}

// keep is a gang of which nobody more can leave.
func (s *search) keep(b *branch, g int) {
	for _, m := range s.ofGang[g] {
		if b.members[m] == open {
			s.price[m] = impossible
		}
	}
}

// brings is what the best of a list cost less what they bring in, up to so many. The list is ordered by that.
func (s *search) brings(b *branch, list []int32, most int) (sum int64) {
	gain := func(m int32) int64 { return b.price[m] - s.problem.Members[m].Cost*scale }
	if most > 0 && len(list) > most {
		slices.SortStableFunc(list, func(x, y int32) int { return int(min(1, max(-1, gain(y)-gain(x)))) })
	}
	for _, m := range list[:min(most, len(list))] {
		sum -= gain(m)
	}
	return sum
}

// value moves the prices of a branch for so many rounds, and keeps the best ones. False if there is no room.
func (s *search) value(b *branch, rounds int) bool {
	kept, at := slices.Clone(b.price), int64(-impossible)
	slow, idle := int64(1), 0
	for range rounds {
		bound := s.evaluate(b)
		if bound >= impossible {
			return false
		}
		s.offer(b)
		if bound > at {
			at, idle = bound, 0
			copy(kept, b.price)
			s.point(b)
		} else if idle++; idle%8 == 0 {
			slow *= 2
		}
		if s.closed(at) || slow > 64 || b.settled || s.steps >= s.problem.Steps {
			break
		}
		if !s.move(b, max(scale, s.best*scale-bound), slow) {
			break
		}
	}
	copy(b.price, kept)
	b.bound = max(b.bound, at)
	return true
}

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
	step := max(1, min(gap, s.most())/(n*slow))
	for m, let := range s.let {
		switch {
		case s.room.taken[m] == let || !s.moves(b, int32(m)):
		case let:
			b.price[m] = max(0, b.price[m]-step)
		default:
			b.price[m] += step
		}
	}
	return true
}

// moves says whether the price of a member matters.
func (s *search) moves(b *branch, m int32) bool {
	return b.members[m] == open && b.gangs[s.problem.Members[m].Gang] != leaves
}

// most is what a price is moved by in all: no more than everybody costs.
func (s *search) most() (n int64) {
	for g := range s.problem.Gangs {
		n += s.problem.Gangs[g].End * scale
	}
	for m := range s.problem.Members {
		n += s.problem.Members[m].Cost * scale
	}
	return n
}

// point finds what to settle next: the open gang that places and gangs disagree on most, else a member.
func (s *search) point(b *branch) {
	best, most := int32(-1), -1
	for g := range s.problem.Gangs {
		if b.gangs[g] != open || s.whole[g] >= impossible {
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
