// Sets: what places take, made whole, without what can be spared.

package cover

import (
	"cmp"
	"slices"
)

// offer completes what places took, and what is decided, and keeps it if it is the best.
func (s *search) offer(b *branch) {
	gone := slices.Clone(s.room.taken)
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
	units, sum := make([]int64, len(s.problem.Places)), int64(0)
	for i := range units {
		units[i] = s.room.unitsOn(i, gone)
		sum += units[i]
	}
	for _, part := range s.parts(gone) {
		was := units
		units = slices.Clone(units)
		for _, m := range part {
			gone[m] = false
		}
		less := sum
		for _, m := range part {
			i := s.placeOf[m]
			if i < 0 {
				continue
			}
			now := s.room.unitsOn(int(i), gone)
			less, units[i] = less+now-units[i], now
		}
		if less >= s.problem.Units {
			sum = less
			continue
		}
		units = was
		for _, m := range part {
			gone[m] = true
		}
	}
}

// parts are what stays of a set by itself: gangs that leave whole, then members of others.
func (s *search) parts(gone []bool) [][]int32 {
	var out [][]int32
	costs := map[int32]int64{} // by the first of a part
	for g, list := range s.ofGang {
		if s.count(g, gone) > s.problem.Gangs[g].Surplus {
			cost := s.problem.Gangs[g].End
			for _, m := range list {
				cost += s.problem.Members[m].Cost
			}
			out, costs[list[0]] = append(out, list), cost
			continue
		}
		for i, m := range list {
			if gone[m] {
				out, costs[m] = append(out, list[i:i+1]), s.problem.Members[m].Cost
			}
		}
	}
	slices.SortStableFunc(out, func(a, b []int32) int { return cmp.Compare(costs[b[0]], costs[a[0]]) })
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
			if s.count(g, gone) == 0 || s.steps >= s.problem.Steps {
				continue
			}
			s.steps += 1 + len(s.problem.Places)/4
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
			if s.room.make(s.price) < impossible {
				s.offer(b)
			}
		}
	}
}
