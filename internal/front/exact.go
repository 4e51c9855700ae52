package front

import (
	"math/bits"
	"slices"
)

// Where multiples bind, fewer members need not fit where more do. An exact folder therefore lists all counts that fit somewhere, in ascending
// order, and not only the largest.

// Holds says whether counts are among those that fit.
func (f *Space) Holds(fit Front, want Vector) bool {
	if !f.Exact {
		return fit.Holds(want)
	}
	_, ok := slices.BinarySearchFunc(fit, want, slices.Compare[Vector])
	return ok
}

// Takes is what of some counts is placed where others fit; false if it cannot be, for these are to be placed as they are.
func (f *Space) Takes(want, fit Vector) (Vector, bool) {
	if f.Exact {
		return fit, fit.Within(want)
	}
	return want.Least(fit), true
}

// RoomFor says whether there is room for the table in which exact sums are marked: twice the numbers of members of each role, and of groups of each
// kind, that may come of it. It depends on these alone, so that a sum of fewer children has room where that of all has.
func (f *Space) RoomFor(sides Vector) bool {
	size := int64(1)
	for _, n := range sides {
		if size *= 2*int64(n) + 1; size > 4*f.room {
			return false
		}
	}
	return true
}

// exactSum lists what fits in two places together. O(points of the smaller * table / 64).
func (f *Space) exactSum(a, b Front) Front {
	if len(a) == 0 || len(b) == 0 {
		return Front{}
	}
	wide := make(Vector, len(f.most)) // no sum is carried from one number to the next
	for r, n := range f.most {
		wide[r] = a.Most(r) + b.Most(r)
		f.sides[r] = min(n, wide[r])
	}
	if !f.RoomFor(f.sides) {
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
func (f *Space) roughExactSum(a, b Front) Front {
	f.Forgot = true
	sums := Front{}
	for _, p := range a.Few() {
		for _, q := range b.Few() {
			if sum := p.Plus(q); sum.Within(f.most) {
				sums = append(sums, sum)
			}
		}
	}
	return sums.Sorted()
}

// Plus is the sum of two vectors.
func (a Vector) Plus(b Vector) Vector {
	out := slices.Clone(a)
	for r, n := range b {
		out[r] += n
	}
	return out
}

func (a Vector) equal(b Vector) bool { return slices.Equal(a, b) }

// Sorted are points in ascending order, each once.
func (f Front) Sorted() Front {
	slices.SortFunc(f, slices.Compare[Vector])
	return slices.CompactFunc(f, Vector.equal)
}

// marks are points of a table, in ascending order.
type marks struct {
	sides Vector
	step  []int
	bits  bitset
}

func newMarks(sides Vector) *marks {
	m := &marks{sides: sides, step: make([]int, len(sides))}
	size := 1
	for r := len(sides) - 1; r >= 0; r-- {
		m.step[r], size = size, size*(int(sides[r])+1)
	}
	m.bits = make(bitset, (size+63)/64)
	return m
}

func (m *marks) place(p Vector) (at int) {
	for r, n := range p {
		at += int(n) * m.step[r]
	}
	return at
}

// within lists the marked points within counts.
func (m *marks) within(most Vector) Front {
	out := Front{}
	for w, word := range m.bits {
		for ; word != 0; word &= word - 1 {
			at := 64*w + bits.TrailingZeros64(word)
			p := make(Vector, len(most))
			for r, step := range m.step {
				p[r], at = int32(at/step), at%step
			}
			if p.Within(most) {
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
