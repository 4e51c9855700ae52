package moves

import "slices"

// split makes the branches that settle what a branch leaves open next: who leaves the narrowest vertex that holds too much, else where the largest gang goes that
// has left.
func (s *search) split(st *state) []decision {
	if x, full := st.full(s); full {
		return s.relieve(st, x)
	}
	if i := st.waits(s); i >= 0 {
		return s.settle(st, i)
	}
	return nil
}

// relieve decides about one gang of a vertex that holds too much: it leaves as a whole, or it stays in the vertex. A gang of the cheapest set is asked first. Where that
// has none such, its members go who may go elsewhere, and all other gangs stay; or one of them leaves all the same.
func (s *search) relieve(st *state, x int32) (out []decision) {
	items := s.items(st, x)
	chosen, suffice := s.cover(items, -st.room[x])
	if !suffice {
		return nil
	}
	most := -1
	for i, it := range items {
		if chosen[i] > 0 && it.whole && (most < 0 || it.frees[0] > items[most].frees[0]) {
			most = i
		}
	}
	if most >= 0 {
		g := items[most].gang
		return []decision{
			func(child *state) { child.leave(s, g, x) },
			func(child *state) { child.kept = append(child.kept, kept{g, x}) },
		}
	}
	s.choice(st, items)
	var stay []kept
	for _, it := range items {
		if it.whole {
			before := slices.Clone(stay)
			out = append(out, func(child *state) {
				child.kept = append(child.kept, before...)
				child.leave(s, it.gang, x)
			})
			stay = append(stay, kept{it.gang, x})
		}
	}
	thin := func(child *state) {
		for i, it := range items {
			if chosen[i] > 0 {
				s.thin(child, it.gang, x, int64(chosen[i])*it.each)
			}
		}
		child.kept = append(child.kept, stay...)
	}
	return append([]decision{thin}, out...)
}

// choice notes what the branch leaves out if members of different gangs, or units, could go in place of those that do.
func (s *search) choice(st *state, items []item) {
	ways := 0
	for _, it := range items {
		if !it.whole {
			ways++
		}
	}
	if ways > 1 && st.bound.less(s.loose) {
		s.loose = st.bound
	}
}

// thin lets so many members of a gang leave a vertex, those who hold most before others, and of equals those of the unit where fewest of the gang are.
func (s *search) thin(st *state, g, x int32, members int64) {
	type some struct {
		part  int32
		left  int64
		holds int64
	}
	var parts []some
	s.each(st, g, x, func(part int32, p Part, left int64) { parts = append(parts, some{part, left, p.Amount}) })
	slices.SortStableFunc(parts, func(a, b some) int {
		if a.holds != b.holds {
			return int(min(1, max(-1, b.holds-a.holds)))
		}
		return int(min(1, max(-1, a.left-b.left)))
	})
	for _, p := range parts {
		n := min(p.left, members)
		if members -= n; n > 0 {
			st.thin(s, g, p.part, n)
		}
	}
}

// settle puts the i-th of those who wait into each vertex that is open to it, the one with the least room to spare first.
func (s *search) settle(st *state, i int) (out []decision) {
	at := s.open(st, i)
	slices.SortStableFunc(at, func(a, b int32) int {
		spareA, spareB := st.room[a]-s.amount(st.whole[i].gang, a), st.room[b]-s.amount(st.whole[i].gang, b)
		switch {
		case spareA >= 0 && spareB >= 0:
			return int(min(1, max(-1, spareA-spareB)))
		default:
			return int(min(1, max(-1, spareB-spareA)))
		}
	})
	for _, x := range at {
		out = append(out, func(child *state) { child.take(s, i, x) })
	}
	return out
}
