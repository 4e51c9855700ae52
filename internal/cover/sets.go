// Sets: what places take, made whole, without what can be spared.

package cover

import (
	"cmp"
	"slices"
)

// offer offers what places took, and what gangs let go.
func (s *search) offer(b *branch) {
	if !slices.Equal(s.room.taken, s.offered) {
		s.offered = append(s.offered[:0], s.room.taken...)
		s.offerSet(b, s.room.taken)
	}
	if s.makesRoom(s.let) {
		s.offerSet(b, s.let)
	}
}

// makesRoom says whether there is room with some gone.
func (s *search) makesRoom(gone []bool) bool {
	s.room.leave(gone)
	sum := int64(0)
	for i := range s.problem.Places {
		sum += s.room.unitsOn(i)
		s.work += len(s.problem.Places[i].Options)
	}
	s.work += len(gone)
	return sum >= s.problem.Units
}

// offerSet completes a set, and what is decided, and keeps it if it is the best.
func (s *search) offerSet(b *branch, set []bool) {
	s.work += 2 * len(s.problem.Members)
	gone := append(s.set[:0], set...)
	s.set = gone
	for m := range gone {
		gone[m] = gone[m] || b.members[m] == leaves || b.gangs[s.problem.Members[m].Gang] == leaves
	}
	if !s.complete(gone) {
		return
	}
	s.spare(gone)
	if cost := s.cost(gone); cost < s.best {
		s.best, s.gone = cost, s.gone[:0]
		for m, is := range gone {
			if is {
				s.gone = append(s.gone, int32(m))
			}
		}
	}
}

// complete lets gangs leave whole that cannot run on. False if one may not.
func (s *search) complete(gone []bool) bool {
	for g, list := range s.ofGang {
		if s.count(g, gone) <= s.problem.Gangs[g].Surplus {
			continue
		}
		if !s.problem.Gangs[g].Whole {
			return false
		}
		for _, m := range list {
			gone[m] = true
		}
	}
	return true
}

// count is how many of a gang are gone.
func (s *search) count(g int, gone []bool) (n int) {
	for _, m := range s.ofGang[g] {
		if gone[m] {
			n++
		}
	}
	return n
}

// cost is what a complete set costs. A gang of which more than the surplus is gone has ended.
func (s *search) cost(gone []bool) (cost int64) {
	for g := range s.problem.Gangs {
		if s.count(g, gone) > s.problem.Gangs[g].Surplus {
			cost += s.problem.Gangs[g].End
		}
	}
	for m, is := range gone {
		if is {
			cost += s.problem.Members[m].Cost
		}
	}
	return cost
}

// spare lets stay what need not leave, gangs before members, what costs most first.
func (s *search) spare(gone []bool) {
	s.room.leave(gone)
	units, sum := s.units, int64(0)
	for i := range units {
		units[i] = s.room.unitsOn(i)
		sum += units[i]
		s.work += len(s.problem.Places[i].Options)
	}
	for _, p := range s.parts(gone) {
		if s.turn(p.members, gone, false, &sum); sum < s.problem.Units {
			s.turn(p.members, gone, true, &sum)
		}
	}
}

// turn lets members leave or stay, all of whom do the other now, and follows the units of their places.
func (s *search) turn(part []int32, gone []bool, leave bool, sum *int64) {
	by := int32(-1)
	if leave {
		by = 1
	}
	for _, m := range part {
		gone[m] = leave
		s.room.away[s.room.kindOf[m]] += by
	}
	for _, m := range part {
		i := s.placeOf[m]
		now := s.room.unitsOn(int(i))
		s.work += len(s.problem.Places[i].Options)
		*sum += now - s.units[i]
		s.units[i] = now
	}
}

// part is what stays of a set by itself.
type part struct {
	members []int32
	cost    int64
}

// parts are the gangs of a set that leave whole, and members of others, what costs most first.
func (s *search) parts(gone []bool) []part {
	out := s.list[:0]
	for g, list := range s.ofGang {
		n := s.count(g, gone)
		if n > s.problem.Gangs[g].Surplus {
			cost := s.problem.Gangs[g].End
			for _, m := range list {
				cost += s.problem.Members[m].Cost
			}
			out = append(out, part{list, cost})
			continue
		}
		for i, m := range list {
			if gone[m] {
				out = append(out, part{list[i : i+1], s.problem.Members[m].Cost})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b part) int { return cmp.Compare(b.cost, a.cost) })
	s.list = out
	return out
}

// swap lets each gang of the best set stay, one after the other, with the rest of it for nothing, as long as that finds
// a better set.
func (s *search) swap(b *branch) {
	for before := s.best + 1; s.best < before && len(s.gone) > 0; {
		before = s.best
		gone := make([]bool, len(s.problem.Members))
		for _, m := range s.gone {
			gone[m] = true
		}
		for g := range s.problem.Gangs {
			if s.count(g, gone) == 0 || s.spent() {
				continue
			}
			for m := range s.problem.Members {
				switch of := s.problem.Members[m].Gang; {
				case int(of) == g:
					s.price[m] = impossible
				case gone[m]:
					s.price[m] = 0
				default:
					s.price[m] = b.price[m]
				}
			}
			cost, work := s.room.make(s.price)
			if s.spend(work); cost < impossible {
				s.offerSet(b, s.room.taken)
			}
		}
	}
}

// Earliest is a set as cheap as one that is complete, with the same gangs leaving whole, that takes the first places and
// members; the set itself if there is none so simple. O(what an evaluation of prices takes).
func Earliest(p *Problem, gone []int32) []int32 {
	s := newSearch(p)
	is := make([]bool, len(p.Members))
	for _, m := range gone {
		is[m] = true
	}
	first, whole := make([]bool, len(p.Members)), make([]bool, len(p.Gangs))
	for g := range p.Gangs {
		whole[g] = s.count(g, is) > p.Gangs[g].Surplus
	}
	for m, of := range p.Members {
		if first[m] = whole[of.Gang]; !whole[of.Gang] {
			s.price[m] = of.Cost
		}
	}
	if cost, _ := s.room.make(s.price); cost >= impossible {
		return gone
	}
	var out []int32
	for m := range first {
		if first[m] = first[m] || s.room.taken[m]; first[m] {
			out = append(out, int32(m))
		}
	}
	for g := range p.Gangs {
		if !whole[g] && s.count(g, first) > p.Gangs[g].Surplus {
			return gone
		}
	}
	if s.cost(first) > s.cost(is) {
		return gone
	}
	return out
}
