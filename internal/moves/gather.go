package moves

// Gangs that gather are away from the beginning, and wait for a domain: they cost what the one costs at least that has most of them, and the difference once they take another.

// gather lets a gang leave all its units.
func (s *search) gather(st *state, g int32) {
	of := &s.p.Gangs[g]
	for _, part := range of.Parts {
		for v := part.Unit; v >= 0; v = s.tree.parent[v] {
			st.room[v] += part.Members * part.Amount
		}
	}
	st.cost = st.cost.plus(Cost{of.Lost, s.fewest[g], 1})
	st.whole = append(st.whole, whole{g, -1, -1})
}

// outside is how many members of a gang are not in a vertex.
func (s *search) outside(g, x int32) (n int64) {
	for _, part := range s.p.Gangs[g].Parts {
		if !s.tree.has(x, part.Unit) {
			n += part.Members
		}
	}
	return n
}

// leastOutside is how many of a gang that gathers move at least.
func (s *search) leastOutside(g int32) (n int64) {
	of := &s.p.Gangs[g]
	if !of.Gathers {
		return 0
	}
	for x := s.tree.from[of.Tier]; x < s.tree.from[of.Tier+1]; x++ {
		if out := s.outside(g, x); x == s.tree.from[of.Tier] || out < n {
			n = out
		}
	}
	return n
}

// more is how many more of a gang, or want, move if it takes a vertex.
func (s *search) more(g, x int32) int64 {
	if int(g) >= len(s.p.Gangs) || !s.p.Gangs[g].Gathers {
		return 0
	}
	return s.outside(g, x) - s.fewest[g]
}
