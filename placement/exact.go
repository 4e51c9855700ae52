package placement

import (
	"math/bits"
	"slices"
)

// Where multiples bind, fewer members need not fit where more do. An exact folder therefore lists all counts that fit somewhere, in ascending
// order, and not only the largest.

// holds says whether counts are among those that fit.
func (f *folder) holds(fit frontier, want counts) bool {
	if !f.exact {
		return fit.holds(want)
	}
	_, ok := slices.BinarySearchFunc(fit, want, slices.Compare[counts])
	return ok
}

// takes is what of some counts is placed where others fit; false if it cannot be, for these are to be placed as they are.
func (f *folder) takes(want, fit counts) (counts, bool) {
	if f.exact {
		return fit, fit.within(want)
	}
	return want.least(fit), true
}

// roomFor says whether there is room for the table in which exact sums are marked: twice the numbers of members of each role, and of groups of each
// kind, that may come of it. It depends on these alone, so that a sum of fewer children has room where that of all has.
func (f *folder) roomFor(sides counts) bool {
	size := int64(1)
	for _, n := range sides {
		if size *= 2*int64(n) + 1; size > 4*f.room {
			return false
		}
	}
	return true
}

// exactSum lists what fits in two places together. O(points of the smaller * table / 64).
func (f *folder) exactSum(a, b frontier) frontier {
	if len(a) == 0 || len(b) == 0 {
		return frontier{}
	}
	wide := make(counts, len(f.most)) // no sum is carried from one number to the next
	for r, n := range f.most {
		wide[r] = a.most(r) + b.most(r)
		f.sides[r] = min(n, wide[r])
	}
	if !f.roomFor(f.sides) {
		return f.roughExactSum(a, b)
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	marks := newMarks(wide)
	of := slices.Clone(marks.bits)
	for _, p := range b {
		of.set(marks.place(p))
	}
	for _, p := range a {
		marks.bits.add(of, marks.place(p))
	}
	*f.steps += int64(len(a)) * int64(len(of))
	return marks.within(f.most)
}

// roughExactSum is an exact sum of a few points of each.
func (f *folder) roughExactSum(a, b frontier) frontier {
	f.forgot = true
	sums := frontier{}
	for _, p := range a.few() {
		for _, q := range b.few() {
			if sum := p.plus(q); sum.within(f.most) {
				sums = append(sums, sum)
			}
		}
	}
	return sums.sorted()
}

func (a counts) plus(b counts) counts {
	out := slices.Clone(a)
	for r, n := range b {
		out[r] += n
	}
	return out
}

func (a counts) equal(b counts) bool { return slices.Equal(a, b) }

// sorted are points in ascending order, each once.
func (f frontier) sorted() frontier {
	slices.SortFunc(f, slices.Compare[counts])
	return slices.CompactFunc(f, counts.equal)
}

// marks are points of a table, in ascending order.
type marks struct {
	sides counts
	step  []int
	bits  bitset
}

func newMarks(sides counts) *marks {
	m := &marks{sides: sides, step: make([]int, len(sides))}
	size := 1
	for r := len(sides) - 1; r >= 0; r-- {
		m.step[r], size = size, size*(int(sides[r])+1)
	}
	m.bits = make(bitset, (size+63)/64)
	return m
}

func (m *marks) place(p counts) (at int) {
	for r, n := range p {
		at += int(n) * m.step[r]
	}
	return at
}

// within lists the marked points within counts.
func (m *marks) within(most counts) frontier {
	out := frontier{}
	for w, word := range m.bits {
		for ; word != 0; word &= word - 1 {
			at := 64*w + bits.TrailingZeros64(word)
			p := make(counts, len(most))
			for r, step := range m.step {
				p[r], at = int32(at/step), at%step
			}
			if p.within(most) {
				out = append(out, p)
			}
		}
	}
	return out
}

type bitset []uint64

func (b bitset) set(i int) { b[i/64] |= 1 << (i % 64) }

// add marks what is marked in another set, so many places further. Nothing marked leaves the table.
func (b bitset) add(of bitset, by int) {
	words, low := by/64, by%64
	for i, word := range of[:len(of)-words] {
		b[i+words] |= word << low
		if high := word >> (64 - low); high > 0 {
			b[i+words+1] |= high
		}
	}
}

// listAll lists what fits into what is free on a node. Where that is too much the larger numbers are forgotten.
func (e *nodeCounts) listAll(free []int64) (f frontier, forgot bool) {
	for !e.scheme.fitting.folder.roomFor(e.sides) {
		widest := slices.Index(e.sides, slices.Max(e.sides))
		e.sides[widest], forgot = e.sides[widest]/2, true
	}
	e.list(0, free, &f)
	return f, forgot
}

// list puts every number of members of the roles from one on into what is free.
func (e *nodeCounts) list(role int, free []int64, out *frontier) {
	if role == len(e.scheme.cast.roles) {
		if e.zones != nil && e.at.total() > 0 && !e.zones.holds(e.scheme.p.byShape(e.at[:role])) {
			return
		}
		*out = append(*out, slices.Clone(e.at))
		return
	}
	left := slices.Clone(free)
	for n := range min(e.sides[role], e.room(role, free)) + 1 {
		e.at[role] = n
		e.list(role+1, left, out)
		for i, ask := range e.scheme.cast.asks[role] {
			left[i] -= ask
		}
	}
	e.at[role] = 0
}

// listAll lists what fits below a vertex once groups are made there of what is below: all of it is of use above, and is a multiple with what runs.
// Where that is too much few are made of few.
func (m *maker) listAll(x vertex, below frontier) (f frontier, forgot bool) {
	for i, most := range m.most {
		m.sides[i] = max(m.sides[i], min(most, below.most(i)))
	}
	if forgot = !m.scheme.fitting.folder.roomFor(m.sides); forgot {
		below = below.few()
	}
	out := frontier{}
	for _, p := range below {
		limit := -1
		if forgot {
			limit = len(out) + keptPoints
		}
		m.list(0, p, limit, &out)
	}
	return m.scheme.cast.evenAt(x, out.sorted()), forgot
}

// list makes every number of groups of the kinds from one on, the most first, until there are as many counts as are asked for; what is left goes up.
func (m *maker) list(i int, left counts, limit int, out *frontier) {
	if len(*out) == limit {
		return
	}
	if i == len(m.kinds) {
		if left.within(m.most) {
			*out = append(*out, left.plus(m.at))
		}
		return
	}
	k := &m.kinds[i]
	least, n := m.numbers(k, left)
	for ; n >= least; n-- {
		m.at[k.dim] = n
		m.list(i+1, k.without(n, left), limit, out)
	}
	m.at[k.dim] = 0
}
