package front

import (
	"math/bits"
	"slices"
)

// Where multiples bind, fewer members need not fit where more do. Exact fronts therefore list all vectors that fit, in
// ascending order, and not only the largest.

// Holds says whether a vector fits: it is within the front, or exactly in it where multiples bind.
func (s *Space) Holds(fit Front, want Vector) bool {
	if !s.Exact {
		return fit.Holds(want)
	}
	_, ok := slices.BinarySearchFunc(fit, want, slices.Compare[Vector])
	return ok
}

// Takes is the part of want that a place with room for fit takes. An exact vector must be taken as a whole, so that
// false means it exceeds want.
func (s *Space) Takes(want, fit Vector) (Vector, bool) {
	if s.Exact {
		return fit, fit.Within(want)
	}
	return want.Least(fit), true
}

// RoomFor says whether an exact table for vectors within sides has room. It allows for sums of twice the numbers; as it
// depends on sides alone, a sum over fewer children has room if the whole has.
func (s *Space) RoomFor(sides Vector) bool {
	size := int64(1)
	for _, n := range sides {
		if size *= 2*int64(n) + 1; size > 4*s.limit {
			return false
		}
	}
	return true
}

// exactSum lists every sum of one vector of each, within the gang's numbers. It is a convolution of bitsets. O(len of
// the shorter * table / 64).
//
// order: roles.6
func (s *Space) exactSum(a, b Front) Front {
	if len(a) == 0 || len(b) == 0 {
		return Front{}
	}
	wide := make(Vector, len(s.most)) // wide enough that no sum carries into the next dimension
	for r, n := range s.most {
		wide[r] = a.Most(r) + b.Most(r)
		s.sides[r] = min(n, wide[r])
	}
	if !s.RoomFor(s.sides) {
		return s.roughExactSum(a, b)
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
	*s.steps += int64(len(a)) * int64(len(of))
	return marks.within(s.most)
}

// roughExactSum sums samples of both exact fronts, where the table would be too large.
//
// order: roles.4
func (s *Space) roughExactSum(a, b Front) Front {
	s.Forgot = true
	sums := Front{}
	for _, p := range a.Sample() {
		for _, q := range b.Sample() {
			if sum := p.Plus(q); sum.Within(s.most) {
				sums = append(sums, sum)
			}
		}
	}
	return sums.Sorted()
}

// Plus is the sum of two vectors, not capped.
func (a Vector) Plus(b Vector) Vector {
	out := slices.Clone(a)
	for r, n := range b {
		out[r] += n
	}
	return out
}

func (a Vector) equal(b Vector) bool { return slices.Equal(a, b) }

// Sorted sorts the vectors in ascending order, each once. It reuses the slice.
func (f Front) Sorted() Front {
	slices.SortFunc(f, slices.Compare[Vector])
	return slices.CompactFunc(f, Vector.equal)
}

// marks is a set of vectors in a box, one bit each in ascending order.
type marks struct {
	sides Vector
	step  []int
	bits  bitset
}

// newMarks makes an empty set for vectors within sides.
func newMarks(sides Vector) *marks {
	m := &marks{sides: sides, step: make([]int, len(sides))}
	size := 1
	for r := len(sides) - 1; r >= 0; r-- {
		m.step[r], size = size, size*(int(sides[r])+1)
	}
	m.bits = make(bitset, (size+63)/64)
	return m
}

// place is the bit of a vector.
func (m *marks) place(p Vector) (at int) {
	for r, n := range p {
		at += int(n) * m.step[r]
	}
	return at
}

// within lists the marked vectors within most.
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

// add marks every bit of another set, shifted by a number of places. No marked bit may leave the table.
func (b bitset) add(of bitset, by int) {
	words, low := by/64, by%64
	for i, word := range of[:len(of)-words] {
		b[i+words] |= word << low
		if high := word >> (64 - low); high > 0 {
			b[i+words+1] |= high
		}
	}
}
