package moves

import "slices"

// All gangs across borders in one line: domain after domain, and unit after unit in these, is filled with gang after gang. So at most one comes into a unit from those
// before it, and one goes on to those behind it. Who lies in one domain stays in it: those in the line are behind what comes into it, and before what goes on.

// lining puts the gangs of some units into a line.
type lining struct {
	b     *borders
	units []int32 // ascending
	room  []int64 // by unit: without those who lie in one unit
	then  []map[int32]int64
}

// stretch is a piece of the line: members of a gang.
type stretch struct {
	gang    int32
	members int64
}

// lineUp lines the gangs up that are across the same borders as those of which there are too many in a unit.
func (b *borders) lineUp() {
	for _, units := range b.joined() {
		l := &lining{b: b, units: units, room: make([]int64, len(b.p.Room)), then: make([]map[int32]int64, len(b.at))}
		var gangs []int32
		for _, u := range units {
			l.room[u] = b.free(u)
			for _, g := range b.on[u] {
				if n := Members(b.at[g], u); len(b.at[g]) > 1 {
					l.room[u] += n
					if !slices.Contains(gangs, g) {
						gangs = append(gangs, g)
						l.then[g] = map[int32]int64{}
					}
				}
			}
		}
		slices.Sort(gangs)
		var line []stretch
		for _, g := range gangs {
			line = append(line, stretch{g, total(b.at[g])})
		}
		l.fill(int32(len(b.tree.first)-1), line)
		for _, g := range gangs {
			b.at[g] = HeldOf(l.then[g])
		}
	}
	b.list()
}

// HeldOf is how many members units have, in their order.
func HeldOf(in map[int32]int64) (out []Held) {
	for u, n := range in {
		out = append(out, Held{u, n})
	}
	slices.SortFunc(out, func(a, b Held) int { return int(a.Unit - b.Unit) })
	return out
}

// joined are the units that hang together by gangs across their borders, where one has too many of these.
func (b *borders) joined() (out [][]int32) {
	seen := make([]bool, len(b.on))
	for u := range b.on {
		if seen[u] || b.beyond(int32(u)) == 0 {
			continue
		}
		seen[u] = true
		units := []int32{int32(u)}
		for i := 0; i < len(units); i++ {
			for _, g := range b.on[units[i]] {
				for _, held := range b.at[g] {
					if !seen[held.Unit] {
						seen[held.Unit] = true
						units = append(units, held.Unit)
					}
				}
			}
		}
		slices.Sort(units)
		out = append(out, units)
	}
	return out
}

// fill puts a line into a vertex. Who lies in one of the vertices below it stays there; the others go into one of these after the other.
func (l *lining) fill(x int32, line []stretch) {
	if l.b.tree.tier[x] == 0 {
		for _, s := range line {
			l.then[s.gang][x] += s.members
		}
		return
	}
	f := filling{l: l, below: l.below(x)}
	f.inside, f.room = make([][]stretch, len(f.below)), make([]int64, len(f.below))
	for i, y := range f.below {
		f.room[i] = l.in(y)
	}
	for k, s := range line {
		comes := s.members < total(l.b.at[s.gang]) // from before the vertex, or it goes on to what is behind
		i := slices.IndexFunc(f.below, func(y int32) bool { return l.isIn(s.gang, y) })
		switch {
		case comes && k == 0:
			f.open = &s
		case comes:
			f.goesOn = append(f.goesOn, s)
		case i < 0:
			f.own = append(f.own, s)
		default:
			f.inside[i], f.room[i] = append(f.inside[i], s), f.room[i]-s.members
		}
	}
	f.spread()
	for i, y := range f.below {
		l.fill(y, f.inside[i])
	}
}

// below are the vertices right below one in which units of the line are.
func (l *lining) below(x int32) (out []int32) {
	t := l.b.tree
	for _, u := range l.units {
		if t.has(x, u) {
			out = append(out, t.at(u, t.tier[x]-1))
		}
	}
	return slices.Compact(out)
}

// in is the room of a vertex.
func (l *lining) in(x int32) (room int64) {
	for _, u := range l.units {
		if l.b.tree.has(x, u) {
			room += l.room[u]
		}
	}
	return room
}

// isIn says whether a gang lies in a vertex now.
func (l *lining) isIn(g, x int32) bool {
	in := l.b.at[g]
	return l.b.tree.has(x, in[0].Unit) && l.b.tree.has(x, in[len(in)-1].Unit)
}

// most is how many of a gang are in a vertex now.
func (l *lining) most(g, x int32) (n int64) {
	for _, held := range l.b.at[g] {
		if l.b.tree.has(x, held.Unit) {
			n += held.Members
		}
	}
	return n
}

// filling fills the vertices below another one.
type filling struct {
	l      *lining
	below  []int32
	room   []int64
	inside [][]stretch
	open   *stretch  // what is lined up now, and has begun before
	own    []stretch // what may be next
	goesOn []stretch // what is last: one at most
	full   []bool
}

// spread takes one vertex after the other, that first in which most of the gang are whose turn it is: so most of it stay. Of the next gangs that comes first of which most
// are there.
func (f *filling) spread() {
	f.full = make([]bool, len(f.below))
	for f.open != nil || len(f.own)+len(f.goesOn) > 0 {
		i := f.next()
		if i < 0 {
			return // never: they had room before
		}
		f.full[i] = true
		first, last := []stretch(nil), []stretch(nil)
		if f.open != nil && f.room[i] > 0 {
			first = []stretch{f.put(i)}
		}
		for f.open == nil && f.room[i] > 0 && len(f.own)+len(f.goesOn) > 0 {
			f.begin(i)
			all := total(f.l.b.at[f.open.gang])
			if s := f.put(i); s.members == all {
				f.inside[i] = append(f.inside[i], s)
			} else {
				last = []stretch{s}
			}
		}
		f.inside[i] = slices.Concat(first, f.inside[i], last)
	}
}

// put lines up in a vertex what there is room for of the gang whose turn it is.
func (f *filling) put(i int) stretch {
	s := stretch{f.open.gang, min(f.open.members, f.room[i])}
	f.room[i] -= s.members
	if f.open.members -= s.members; f.open.members == 0 {
		f.open = nil
	}
	return s
}

// begin makes it the turn of the gang of which most are in a vertex.
func (f *filling) begin(i int) {
	if len(f.own) == 0 {
		f.open, f.goesOn = &f.goesOn[0], f.goesOn[1:]
		return
	}
	best := 0
	for k, s := range f.own {
		if f.l.most(s.gang, f.below[i]) > f.l.most(f.own[best].gang, f.below[i]) {
			best = k
		}
	}
	s := f.own[best]
	f.open, f.own = &s, slices.Delete(f.own, best, best+1)
}

// next is the vertex in which most are of the gang whose turn it is, or will be; -1: all are full.
func (f *filling) next() int {
	var gang int32
	switch {
	case f.open != nil:
		gang = f.open.gang
	case len(f.own) > 0:
		gang = f.own[0].gang
	default:
		gang = f.goesOn[0].gang
	}
	best, most := -1, int64(-1)
	for i, y := range f.below {
		if n := f.l.most(gang, y); !f.full[i] && n > most {
			best, most = i, n
		}
	}
	return best
}
