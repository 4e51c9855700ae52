package preempt

import "slices"

// visit solves the relaxed problem of a branch: the set that it takes, and the key that no set below it is under. What the branch decides stays
// decided until the next one.
func (s *search) visit(st int, d *decision) (set []int32, bound []int64, ok bool) {
	s.steps++
	var touched []int32
	if s.coupled {
		touched = s.set(d)
	}
	if s.absurd {
		return nil, nil, false
	}
	best, ok := s.cheapestDomain(&s.Strategies[st], touched)
	if ok {
		set = s.settled()
		w := s.weightOf(set)
		w.add(&best.cost)
		bound = s.key(w, set)
		s.recount(best, touched)
		set = append(set, s.taken(&s.Strategies[st], best)...)
		d.domain = best
		slices.Sort(set)
	}
	s.forget()
	return set, bound, ok
}

// cheapestDomain is the domain in which room costs least, those with touched nodes being looked at again.
func (s *search) cheapestDomain(st *Strategy, touched []int32) (best domain, ok bool) {
	best.cost = impossible
	var again []int32 // where they begin
	for _, pos := range touched {
		lo := s.Tiers[st.Gang][s.first(st.Gang, pos)]
		if n := len(again); n == 0 || again[n-1] != lo {
			again = append(again, lo)
		}
	}
	for i := range s.domains {
		if _, changed := slices.BinarySearch(again, s.domains[i].lo); !changed {
			best = s.domains[i]
			break
		}
	}
	for _, lo := range again {
		i := slices.IndexFunc(s.domains, func(d domain) bool { return d.lo == lo })
		if i < 0 {
			continue
		}
		d := s.domains[i]
		s.recount(d, touched)
		d.cost = s.domainCost(st, d.lo, d.end)
		s.forget()
		if d.cost.less(&best.cost) || d.cost == best.cost && d.lo < best.lo {
			best = d
		}
	}
	return best, best.cost != impossible
}

// recount replaces the curves of touched nodes within a domain by what they are now.
func (s *search) recount(d domain, touched []int32) {
	for _, pos := range touched {
		if d.lo <= pos && pos < d.end {
			s.recountOne(pos, d)
		}
	}
}

func (s *search) recountOne(pos int32, d domain) {
	if s.saved == nil {
		s.saved = map[int32]*curve{}
	}
	if _, ok := s.saved[pos]; !ok {
		s.saved[pos] = s.curves[pos]
	}
	if s.curves[pos] = nil; s.slotsLeft[pos] > 0 {
		s.curves[pos] = s.curveOn(pos, d.lo, d.end)
	}
	if s.recounts++; s.recounts%4 == 0 {
		s.steps++
	}
}

// forget puts back the curves that were replaced.
func (s *search) forget() {
	for pos, old := range s.saved {
		s.curves[pos] = old
	}
	clear(s.saved)
}
