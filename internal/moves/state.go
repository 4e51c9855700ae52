package moves

import "slices"

// state is a branch: what is decided, and what there is room for then.
type state struct {
	room  []int64 // by vertex: what is free there, less what is to lie there or below; negative: it holds too much
	cost  Cost
	bound Cost // no solution below the branch costs less
	depth int
	whole []whole
	gone  []gone
	kept  []kept
}

// whole is a gang, or a want, that left a vertex and takes another one.
type whole struct {
	gang     int32 // of a want: behind the gangs
	left, to int32 // -1: none; none yet
}

// gone are members of a gang who left a unit for others of the domain that the gang is in.
type gone struct {
	gang, part int32
	members    int64
}

// kept is a gang that does not leave a vertex.
type kept struct{ gang, in int32 }

func (st *state) child() *state {
	return &state{
		room: slices.Clone(st.room), cost: st.cost, depth: st.depth + 1,
		whole: slices.Clone(st.whole), gone: slices.Clone(st.gone), kept: slices.Clone(st.kept),
	}
}

// moves says whether a gang moves as a whole.
func (st *state) moves(g int32) bool {
	return slices.ContainsFunc(st.whole, func(w whole) bool { return w.gang == g })
}

// touched says whether any member of a gang moves.
func (st *state) touched(g int32) bool {
	return slices.ContainsFunc(st.gone, func(o gone) bool { return o.gang == g }) || st.moves(g)
}

// left is how many of a part's members have not left.
func (st *state) left(s *search, g, part int32) int64 {
	n := s.p.Gangs[g].Parts[part].Members
	for _, o := range st.gone {
		if o.gang == g && o.part == part {
			n -= o.members
		}
	}
	return n
}

// first is what it costs beside the members that some of a gang move.
func (st *state) first(s *search, g int32) Cost {
	if st.touched(g) {
		return Cost{}
	}
	return Cost{Lost: s.p.Gangs[g].Lost, Gangs: 1}
}

// leave lets all of a gang leave a vertex.
func (st *state) leave(s *search, g, x int32) {
	st.cost = st.cost.plus(st.first(s, g))
	for i, part := range s.p.Gangs[g].Parts {
		n := st.left(s, g, int32(i))
		st.cost.Members += n
		for v := part.Unit; v >= 0; v = s.tree.parent[v] {
			if s.tree.holds(v, s.home[g]) {
				n = part.Members // those who went elsewhere in it leave as well
			}
			st.room[v] += n * part.Amount
		}
	}
	st.gone = slices.DeleteFunc(st.gone, func(o gone) bool { return o.gang == g })
	st.whole = append(st.whole, whole{g, x, -1})
}

// thin lets members of a part leave their unit for others of the gang's domain.
func (st *state) thin(s *search, g, part int32, members int64) {
	st.cost = st.cost.plus(st.first(s, g))
	st.cost.Members += members
	of := s.p.Gangs[g].Parts[part]
	for v := of.Unit; !s.tree.holds(v, s.home[g]); v = s.tree.parent[v] {
		st.room[v] += members * of.Amount
	}
	st.gone = append(st.gone, gone{g, part, members})
}

// take puts the i-th of those who left into a vertex.
func (st *state) take(s *search, i int, x int32) {
	w := &st.whole[i]
	w.to = x
	st.cost.Members += s.more(w.gang, x)
	amount := s.amount(w.gang, x)
	for v := x; v >= 0; v = s.tree.parent[v] {
		st.room[v] -= amount
	}
}

// full is the narrowest vertex that holds too much, of equals the one that holds most of that; false: there is none.
func (st *state) full(s *search) (x int32, is bool) {
	for v, room := range st.room {
		if room < 0 && (!is || s.tree.tier[v] == s.tree.tier[x] && room < st.room[x]) {
			x, is = int32(v), true
		}
	}
	return x, is
}

// waits is the largest of those who left and have no place yet; -1: there is none.
func (st *state) waits(s *search) int {
	best, most := -1, int64(-1)
	for i, w := range st.whole {
		if amount := s.asks(w.gang); w.to < 0 && amount > most {
			best, most = i, amount
		}
	}
	return best
}
