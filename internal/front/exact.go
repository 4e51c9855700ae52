package front

import (
	"math/bits"
	"slices"
)

// Where multiples bind, fewer members need not fit where more do: two may fit where three do not, and four do again.
// Exact fronts therefore list all vectors that fit, in ascending order, and not only the largest. This file has the
// operations of a Space on them.

// Holds says whether a vector fits: it is within a front of the space, or in it where multiples bind, in no more domains than it has left.
// O(front), O(log front) in two dimensions and where multiples bind.
func (s *Space) Holds(fit Front, want Vector) bool {
	switch {
	case !s.Exact && len(want) == 2 && len(s.Domains) == 0 && len(fit) > 4:
		return fit.holdsInPlane(want)
	case !s.Exact:
		return fit.Holds(want)
	}
	counts := len(want) - len(s.Domains)
	i, _ := slices.BinarySearchFunc(fit, want, func(p, want Vector) int { return slices.Compare(p[:counts], want[:counts]) })
	for ; i < len(fit) && slices.Equal(fit[i][:counts], want[:counts]); i++ {
		if want.Within(fit[i]) {
			return true
		}
	}
	return false
}

// Takes is the part of want that a place takes by a vector of its front, in memory of the caller's. An exact vector must be taken as a
// whole, as less need not fit: false means that it exceeds want. So do more domains than are left.
func (s *Space) Takes(want, fit, take Vector) bool {
	counts := len(fit) - len(s.Domains)
	for r, n := range fit[:counts] {
		if take[r] = min(n, want[r]); take[r] < n && s.Exact {
			return false
		}
	}
	if len(s.Domains) == 0 {
		return true
	}
	if copy(take[counts:], fit[counts:]); take.Total() == 0 {
		clear(take[counts:]) // who takes nothing uses no domain
	}
	for r := counts; r < len(fit); r++ {
		if take[r] < want[r] {
			return false
		}
	}
	return true
}

// RoomFor says whether an exact table for vectors within sides has room, at most 4*limit bits. It allows for sums of
// twice the numbers: exactSum adds vectors that are each within the gang's numbers before it drops what exceeds them.
// It depends on sides alone and grows with them, so that a sum over fewer children has room if the whole has.
func (s *Space) RoomFor(sides Vector) bool {
	size := int64(1)
	for _, n := range sides {
		if size *= 2*int64(n) + 1; size > 4*s.limit { // compared each time, before the product can overflow
			return false
		}
	}
	return true
}

// exactSum lists every sum of one vector of each front, within the gang's numbers. A front is a set of bits, and adding
// a vector to all of its vectors is one shift, because the place of a sum is the sum of the places. So the shorter
// front gives the shifts. O(len of the shorter * table / 64).
//
// order: roles.6
func (s *Space) exactSum(a, b Front) Front {
	if len(a) == 0 || len(b) == 0 {
		return Front{}
	}
	if len(s.Domains) > 0 {
		return s.exactSumOfDomains(a, b)
	}
	return s.sumOfBits(a, b, s.most)
}

// sumOfBits is exactSum of vectors that are nowhere below zero, within most.
func (s *Space) sumOfBits(a, b Front, all Vector) Front {
	wide := make(Vector, len(all)) // so wide that no sum carries into the next dimension, nor leaves the table
	for r, n := range all {
		wide[r] = a.Most(r) + b.Most(r)
		s.sides[r] = min(n, wide[r])
	}
	if !s.RoomFor(s.sides) {
		return s.roughExactSum(a, b, all)
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	size := int64(1)
	for _, n := range wide {
		size *= int64(n) + 1
	}
	if !s.Spend((int64(len(a))*size/64 + size/4) / 4) { // a word of bits costs less than a pair of vectors
		s.Forgot = true
		return Front{}
	}
	marks := newMarks(wide)
	of := slices.Clone(marks.bits) // the longer front, still empty
	for _, p := range b {
		of.set(marks.place(p))
	}
	for _, p := range a {
		marks.bits.add(of, marks.place(p))
	}
	marked := int64(0)
	for _, word := range marks.bits {
		marked += int64(bits.OnesCount64(word))
	}
	if !s.Spend(marked * int64(len(wide)) / 2) {
		s.Forgot = true
		return Front{}
	}
	return marks.within(all)
}

// exactSumOfDomains is exactSum where domains are counted: in bits they count from zero up. Of sums that differ in domains alone those in
// the fewest are kept.
func (s *Space) exactSumOfDomains(a, b Front) Front {
	all := slices.Clone(s.most)
	copy(all[len(all)-len(s.Domains):], s.Domains)
	out := s.turned(s.sumOfBits(s.turned(a), s.turned(b), all))
	return s.InFewest(out)
}

// turned counts domains on the other side of zero, in vectors of its own.
func (s *Space) turned(f Front) Front {
	out := make(Front, len(f))
	for i, p := range f {
		out[i] = slices.Clone(p)
		for r := len(p) - len(s.Domains); r < len(p); r++ {
			out[i][r] = -p[r]
		}
	}
	return out
}

// InFewest sorts the vectors of an exact front in ascending order, as Holds needs them, each once, and drops those that use more domains than others with the same numbers, or more than there
// may be. It reuses the slice.
func (s *Space) InFewest(f Front) Front {
	if len(s.Domains) == 0 {
		return f.sorted()
	}
	slices.SortFunc(f, func(a, b Vector) int { return slices.Compare(b, a) }) // of equal numbers those in the fewest come first
	out := f[:0]
	for _, p := range f {
		if !s.tooWide(p) && !s.worse(p, out) {
			out = append(out, p)
		}
	}
	slices.Reverse(out)
	return out
}

// worse says whether a vector is within one of the last ones of a list, with the same numbers.
func (s *Space) worse(p Vector, list Front) bool {
	counts := len(p) - len(s.Domains)
	for i := len(list) - 1; i >= 0 && slices.Equal(list[i][:counts], p[:counts]); i-- {
		if p.Within(list[i]) {
			return true
		}
	}
	return false
}

// roughExactSum sums samples of both exact fronts, where the table would be too large. All its vectors fit, since each
// is the sum of two that do; others are forgotten. O(KeptPoints² log KeptPoints).
//
// order: roles.4
func (s *Space) roughExactSum(a, b Front, all Vector) Front {
	s.Forgot = true
	if !s.Spend(roughSteps * int64(4+len(s.most)) / 4) {
		return Front{}
	}
	sums := Front{}
	for _, p := range a.Sample() {
		for _, q := range b.Sample() {
			if sum := p.Plus(q); sum.Within(all) {
				sums = append(sums, sum)
			}
		}
	}
	return sums.sorted()
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

// sorted sorts the vectors in ascending order, each once. It reuses the slice.
func (f Front) sorted() Front {
	slices.SortFunc(f, slices.Compare[Vector])
	return slices.CompactFunc(f, Vector.equal)
}

// marks is a set of vectors in a box, one bit for each place of the box.
type marks struct {
	sides Vector // the largest number of each dimension
	step  []int  // places from one number of a dimension to the next; the last dimension is the closest
	bits  bitset
}

// newMarks makes an empty set for vectors within sides. O(box / 64).
func newMarks(sides Vector) *marks {
	m := &marks{sides: sides, step: make([]int, len(sides))}
	size := 1
	for r := len(sides) - 1; r >= 0; r-- {
		m.step[r], size = size, size*(int(sides[r])+1)
	}
	m.bits = make(bitset, (size+63)/64)
	return m
}

// place is the bit of a vector. It is linear: the place of a sum is the sum of the places. Places ascend with vectors.
func (m *marks) place(p Vector) (at int) {
	for r, n := range p {
		at += int(n) * m.step[r]
	}
	return at
}

// within lists the marked vectors within most, in ascending order.
func (m *marks) within(most Vector) Front {
	out, n := Front{}, 0
	for _, word := range m.bits {
		n += bits.OnesCount64(word)
	}
	memory := make(Vector, n*len(most)) // one piece for all
	for w, word := range m.bits {
		for ; word != 0; word &= word - 1 { // drops the lowest bit
			at := 64*w + bits.TrailingZeros64(word)
			p := memory[:len(most):len(most)]
			for r, step := range m.step {
				p[r], at = int32(at/step), at%step
			}
			if p.Within(most) {
				out, memory = append(out, p), memory[len(most):]
			}
		}
	}
	return out
}

// bitset is a set of small numbers.
type bitset []uint64

func (b bitset) set(i int) { b[i/64] |= 1 << (i % 64) }

// add marks every bit of another set of the same length, shifted by a number of places. No shifted bit may leave the
// table.
func (b bitset) add(of bitset, by int) {
	words, low := by/64, by%64
	for i, word := range of[:len(of)-words] {
		b[i+words] |= word << low
		if high := word >> (64 - low); high > 0 { // 0 for low = 0: Go shifts out all bits
			b[i+words+1] |= high
		}
	}
}
