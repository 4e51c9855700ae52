package moves

import "slices"

// Whoever leaves a vertex that holds too much: a knapsack of gangs that leave as a whole, and of gangs of which members may go elsewhere.

// finest is up to how many amounts, or parts of what is too much, are told apart.
const finest = 1 << 11

// item is a gang as it may leave a vertex: members one by one, those that hold most first, or so many at a time where they are very many; or all together.
type item struct {
	gang  int32
	whole bool
	first Cost    // beside the members
	frees []int64 // by how many times some leave, less one
	each  int64   // members that leave at a time
}

// least is how many members leave at least where some leave so many times: of the last time perhaps one is enough.
func (it *item) least(times int) int64 {
	if it.whole {
		return it.each
	}
	return int64(times-1)*it.each + 1
}

// items are the gangs that may leave a vertex, in their order.
func (s *search) items(st *state, x int32) (out []item) {
	for _, g := range s.on[x] {
		if s.p.Gangs[g].Fixed || st.moves(g) {
			continue
		}
		within := s.tree.holds(x, s.home[g])
		if within && (s.tree.parent[x] < 0 || slices.ContainsFunc(st.kept, func(k kept) bool { return k.gang == g && s.tree.holds(x, k.in) })) {
			continue
		}
		it := item{gang: g, whole: within, first: st.first(s, g)}
		s.each(st, g, x, func(_ int32, _ Part, left int64) { it.each += left })
		if within { // those who went elsewhere in its domain leave as well, and have moved already
			it.frees = []int64{s.asks(g)}
		} else {
			it.each = roundUp(it.each, finest)
			s.each(st, g, x, func(_ int32, p Part, left int64) {
				for range roundUp(left, it.each) {
					it.frees = append(it.frees, it.each*p.Amount)
				}
			})
			it.sum()
		}
		if len(it.frees) > 0 {
			out = append(out, it)
		}
	}
	return out
}

// sum adds up what members free, those that hold most first.
func (it *item) sum() {
	slices.SortFunc(it.frees, func(a, b int64) int { return int(min(1, max(-1, b-a))) })
	for i := range it.frees[min(1, len(it.frees)):] {
		it.frees[i+1] += it.frees[i]
	}
}

// each goes through the parts of a gang in a vertex that have somebody left.
func (s *search) each(st *state, g, x int32, f func(part int32, p Part, left int64)) {
	for i, p := range s.p.Gangs[g].Parts {
		if !s.tree.has(x, p.Unit) {
			continue
		}
		if n := st.left(s, g, int32(i)); n > 0 {
			f(int32(i), p, n)
		}
	}
}

// portions are the least in which an amount is counted, and how many of these it is.
func portions(amount int64) (portion int64, need int) {
	portion = roundUp(amount, finest)
	return portion, int(roundUp(amount, portion))
}

func roundUp(amount, by int64) int64 { return (amount + by - 1) / by }

// cover is how many of each item leave to free an amount of a vertex at the least cost; false: all of them do not suffice. What is more than the finest is counted in
// larger portions, in favour of the items: then those may be too few.
func (s *search) cover(items []item, amount int64) ([]int, bool) {
	portion, need := portions(amount)
	picks := make([][]int32, len(items))
	for i := range picks {
		picks[i] = make([]int32, need+1)
	}
	if s.costs(items, need, portion, picks)[need] == never {
		return nil, false
	}
	chosen := make([]int, len(items))
	for i, d := len(items)-1, need; i >= 0 && d > 0; i-- {
		if n := picks[i][d]; n > 0 {
			chosen[i] = int(n)
			d = max(0, d-int(roundUp(items[i].frees[n-1], portion)))
		}
	}
	return chosen, true
}

// costs is the least that it costs to free so many portions, by their number: never, if the items do not suffice. The slice is used again. picks, nil: they are not asked for, are how many of an
// item leave for it beside those before.
func (s *search) costs(items []item, need int, portion int64, picks [][]int32) []Cost {
	s.before, s.after = slices.Grow(s.before[:0], need+1)[:need+1], slices.Grow(s.after[:0], need+1)[:need+1]
	s.after[0] = Cost{}
	for d := 1; d <= need; d++ {
		s.after[d] = never
	}
	for i, it := range items {
		copy(s.before, s.after)
		for n, frees := range it.frees {
			w := int(roundUp(frees, portion))
			cost := it.first.plus(Cost{Members: it.least(n + 1)})
			s.work += need
			for d := 1; d <= need; d++ {
				if c := s.before[max(0, d-w)].plus(cost); c.less(s.after[d]) {
					s.after[d] = c
					if picks != nil {
						picks[i][d] = int32(n + 1)
					}
				}
			}
			if w >= need {
				break // more of them cost more
			}
		}
	}
	return s.after
}

// freeing is the least that it costs to free an amount of a vertex. Where nothing is decided about the gangs there it is looked up.
func (s *search) freeing(st *state, x int32, amount int64) Cost {
	switch {
	case amount <= 0:
		return Cost{}
	case amount > finest || s.decided(st, x):
		portion, need := portions(amount)
		return s.costs(s.items(st, x), need, portion, nil)[need]
	}
	if known := s.known[x]; len(known) <= int(amount) {
		need := min(finest, max(int(amount), 2*len(known)))
		s.known[x] = slices.Clone(s.costs(s.items(&state{}, x), need, 1, nil))
	}
	return s.known[x][amount]
}

// decided says whether something is decided about a gang with members in a vertex.
func (s *search) decided(st *state, x int32) bool {
	in := func(g int32) bool {
		return int(g) < len(s.p.Gangs) && !s.p.Gangs[g].Gathers && slices.ContainsFunc(s.p.Gangs[g].Parts, func(p Part) bool { return s.tree.has(x, p.Unit) })
	}
	return slices.ContainsFunc(st.whole, func(w whole) bool { return in(w.gang) }) || slices.ContainsFunc(st.gone, func(o gone) bool { return in(o.gang) }) ||
		slices.ContainsFunc(st.kept, func(k kept) bool { return in(k.gang) })
}
