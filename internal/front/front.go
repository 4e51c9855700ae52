// Package front answers: which combinations of members of several shapes fit together? A [Vector] counts members by
// role and groups by class, a [Front] lists the largest vectors that fit in one place, and a [Space] makes fronts and
// sums them.
//
// Invariants: no vector of a Front is within another, unless multiples bind; then a Front lists every vector that fits,
// in ascending order. A Space bounds its tables: where one would be too large it says so (Forgot) and what it makes may
// lack vectors, but never has one that does not fit. So it does once the steps of the search are spent. A Space belongs to
// one search.
package front

import (
	"slices"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/steps"
)

// Vector counts members by role, then groups by class.
type Vector []int32

// Within says whether no number exceeds the one in most.
func (a Vector) Within(most Vector) bool {
	for r, n := range a {
		if n > most[r] {
			return false
		}
	}
	return true
}

// Least is the smaller number in each dimension.
func (a Vector) Least(b Vector) Vector {
	out := make(Vector, len(a))
	for r := range a {
		out[r] = min(a[r], b[r])
	}
	return out
}

// Minus is a without b, which must be within a.
func (a Vector) Minus(b Vector) Vector {
	out := make(Vector, len(a))
	for r := range a {
		out[r] = a[r] - b[r]
	}
	return out
}

// Total is the sum of all numbers above 0, which count members and groups.
func (a Vector) Total() (n int64) {
	for _, m := range a {
		n += int64(max(0, m))
	}
	return n
}

// Front lists the largest vectors that fit in one place; any vector within one of them fits too. None is within
// another. An exact front lists every vector that fits, see Space.Exact.
type Front []Vector

// Holds says whether a vector is within the front.
func (f Front) Holds(want Vector) bool { return slices.ContainsFunc(f, want.Within) }

// IsZero says whether only the zero vector fits.
func (f Front) IsZero() bool { return len(f) == 1 && f[0].Total() == 0 }

// KeptPoints is the largest number of vectors in a sample of a front.
const KeptPoints = 32

// roughSteps is what a sum of samples costs for each four dimensions, all of whose vectors are compared with each other.
const roughSteps = KeptPoints * KeptPoints * KeptPoints

// Space makes and sums fronts of one gang. Its table has, for every combination of numbers of all dimensions but the
// main one, the largest number of the main one beside it; so it stays small while few dimensions are large.
//
// A Space belongs to one search and is not safe for concurrent use. Fronts it returns are never written again.
type Space struct {
	most Vector // the numbers of the whole gang; sums are capped at them
	// limit is the largest number of places of a table.
	limit int64
	// Exact: multiples bind, and fronts list every vector that fits.
	Exact bool
	// Domains: as many of the last dimensions count, below zero, the domains that a vector is spread over, each by a limit of its own, so that
	// it fits where fewer are used, too. No more of them may be; nil: there are no such dimensions.
	Domains  []int32
	Features features.Set // of the problem
	Main     int          // the dimension with the largest number
	Zero     Front        // of a place where nothing fits
	// The table: its sides (0 for the main dimension), the stride of each dimension, and by place the largest main
	// number; -1: nothing fits.
	box  Vector
	step []int
	best []int32
	// Forgot says that the front summed last lacks vectors.
	Forgot    bool
	left      *steps.Budget
	sides     Vector  // scratch of a sum
	plane     plane   // sums in two dimensions
	kept      []int32 // scratch of End: the places of the front
	dominated []bool  // by place: one more of another dimension has as many of the main one
	// Memory for fronts.
	spare        Front
	spareNumbers Vector
}

// Carve takes n zero values from the head of spare, and replaces spare where they are too few. One allocation so serves
// many short slices.
func Carve[S ~[]T, T any](spare *S, n int) S {
	if n > len(*spare) {
		*spare = make(S, max(n, 64))
	}
	out := (*spare)[:n:n]
	*spare = (*spare)[n:]
	return out
}

// NewSpace makes a space for vectors within most, which is the caller's to keep unchanged. Tables have at most limit
// places (exact ones 4*limit bits). left are the steps that may be spent, the caller's: pairs of vectors that are summed,
// and places of tables.
func NewSpace(most Vector, limit int, left *steps.Budget) *Space {
	n := len(most)
	s := &Space{most: most, limit: int64(limit), left: left, Zero: Front{make(Vector, n)}}
	s.sides, s.box, s.step = make(Vector, n), make(Vector, n), make([]int, n)
	for dim, m := range most {
		if m > most[s.Main] {
			s.Main = dim
		}
	}
	return s
}

// Spend takes so many steps from those that are left, all if there are fewer. It says whether there were enough.
func (s *Space) Spend(n int64) bool { return s.left.Afford(n) }

// Spent says whether no steps are left.
func (s *Space) Spent() bool { return s.left.Spent() }

// tryBegin clears a table for vectors within sides, or returns false if it would exceed the limit. O(table).
func (s *Space) tryBegin(sides Vector) bool {
	size := int64(1)
	for r, n := range sides {
		if r == s.Main {
			continue
		}
		if s.countsDomains(r) {
			n = s.domains(r)
		}
		s.box[r], s.step[r] = n, int(size)
		if size *= int64(n) + 1; size > s.limit {
			return false
		}
	}
	s.Spend(2 * size * int64(len(sides))) // End goes through it twice in each dimension
	s.best = slices.Grow(s.best[:0], int(size))[:size]
	for i := range s.best {
		s.best[i] = -1
	}
	return true
}

// Begin clears a table for vectors within sides. It halves the widest dimension until the table has room, in sides too,
// and says whether vectors are forgotten so.
func (s *Space) Begin(sides Vector) (forgot bool) {
	for !s.tryBegin(sides) {
		widest := -1
		for r, n := range sides {
			if r != s.Main && !s.countsDomains(r) && (widest < 0 || n > sides[widest]) {
				widest = r
			}
		}
		sides[widest], forgot = sides[widest]/2, true
	}
	return forgot
}

// Put notes that a+b fits, capped at the gang's numbers and at the sides of the table; nothing, if that uses too many domains.
// O(dimensions).
func (s *Space) Put(a, b Vector) {
	at := 0
	for r := range a {
		switch n := a[r] + b[r]; {
		case r == s.Main:
		case s.countsDomains(r):
			if n += s.domains(r); n < 0 { // those that are left
				return
			}
			at += int(n) * s.step[r]
		default:
			at += int(min(s.box[r], n)) * s.step[r]
		}
	}
	s.best[at] = max(s.best[at], min(s.most[s.Main], a[s.Main]+b[s.Main]))
}

// End lists the front of all vectors that were put. O(table * dimensions).
func (s *Space) End() Front {
	// Numbers that fit beside more of another dimension fit beside fewer. Places are visited downwards, so that the
	// larger neighbour is final.
	s.eachNeighbor(func(i, next int) { s.best[i] = max(s.best[i], s.best[next]) })
	// Now numbers of the main dimension only fall from a place to the next. A vector is within another of the front
	// exactly if one more of some dimension has as many of the main one.
	s.dominated = slices.Grow(s.dominated[:0], len(s.best))[:len(s.best)]
	clear(s.dominated)
	s.eachNeighbor(func(i, next int) { s.dominated[i] = s.dominated[i] || s.best[i] == s.best[next] })
	s.kept = s.kept[:0]
	for i, n := range s.best {
		if n >= 0 && !s.dominated[i] {
			s.kept = append(s.kept, int32(i))
		}
	}
	dims := len(s.box)
	out := Carve(&s.spare, len(s.kept))
	for k, i := range s.kept {
		point := Carve(&s.spareNumbers, dims)
		s.locate(int(i), point)
		point[s.Main] = s.best[i]
		out[k] = point
	}
	return out
}

// eachNeighbor visits each place of the table together with the place of one more in a dimension, dimension by
// dimension, larger places first.
func (s *Space) eachNeighbor(visit func(i, next int)) {
	for r, n := range s.box {
		if r == s.Main || n == 0 {
			continue
		}
		step := s.step[r]
		for base := 0; base < len(s.best); base += step * (int(n) + 1) {
			for i := base + step*int(n) - 1; i >= base; i-- {
				visit(i, i+step)
			}
		}
	}
}

// locate finds the numbers of all dimensions but the main one at a place of the table.
func (s *Space) locate(i int, at Vector) {
	for r := range at {
		if r != s.Main {
			at[r] = int32(i / s.step[r] % (int(s.box[r]) + 1))
		}
		if s.countsDomains(r) {
			at[r] -= s.domains(r)
		}
	}
}

// Sum is the front of two places together: all sums of one vector each, capped. Forgot says afterwards whether vectors
// are missing; once steps are spent all are but those of a. O(len(a) * len(b) + table).
//
// order: roles.3
func (s *Space) Sum(a, b Front) Front {
	s.Forgot = false
	switch {
	case a.IsZero():
		return b
	case b.IsZero():
		return a
	case s.Exact:
		return s.exactSum(a, b)
	case s.Holds(a, s.most) || s.Holds(b, s.most):
		return Front{s.most}
	case len(a) == 1 && len(b) == 1 && len(s.Domains) == 0:
		return Front{s.capped(a[0], b[0])}
	case s.inPlane():
		sum, ok := s.sumInPlane(a, b)
		if !ok {
			s.Forgot = true
			return a
		}
		return sum
	}
	if !s.Spend(s.cost(a, b)) {
		s.Forgot = true
		return a
	}
	for r, n := range s.most {
		s.sides[r] = min(n, a.Most(r)+b.Most(r))
	}
	if !s.tryBegin(s.sides) {
		return s.roughSum(a, b)
	}
	return s.sumInTable(a, b)
}

// sumInTable adds every vector of one front to every vector of the other, in a table that is empty.
func (s *Space) sumInTable(a, b Front) Front {
	for _, p := range a {
		for _, q := range b {
			s.Put(p, q)
		}
	}
	return s.End()
}

// cost is what it costs to add up all vectors of two fronts.
func (s *Space) cost(a, b Front) int64 {
	return int64(len(a)) * int64(len(b)) * int64(3+len(s.most)) / 4
}

// capped is the sum of two vectors, at most the gang's numbers.
func (s *Space) capped(p, q Vector) Vector {
	sum := make(Vector, len(p))
	for r := range p {
		sum[r] = min(s.most[r], p[r]+q[r])
	}
	return sum
}

// Most is the largest number of a dimension.
func (f Front) Most(role int) (n int32) {
	for _, p := range f {
		n = max(n, p[role])
	}
	return n
}

// roughSum sums samples of both fronts, where the table would be too large. All its vectors fit, but some that fit are
// forgotten.
//
// order: roles.4
func (s *Space) roughSum(a, b Front) Front {
	s.Forgot = true
	s.Spend(roughSteps * int64(4+len(s.most)) / 4)
	var sums []Vector
	for _, p := range a.Sample() {
		for _, q := range b.Sample() {
			if sum := s.capped(p, q); !s.tooWide(sum) {
				sums = append(sums, sum)
			}
		}
	}
	return maximal(sums)
}

// Sample is the front itself, or KeptPoints of its vectors at equal distances.
func (f Front) Sample() Front {
	if len(f) <= KeptPoints {
		return f
	}
	out := make(Front, KeptPoints)
	for i := range out {
		out[i] = f[i*(len(f)-1)/(KeptPoints-1)]
	}
	return out
}

// maximal sorts vectors in descending order and drops those within another. A vector can only be within one that sorts
// before it.
func maximal(points []Vector) Front {
	slices.SortFunc(points, func(a, b Vector) int { return slices.Compare(b, a) })
	var out Front
	for _, p := range points {
		if !slices.ContainsFunc(out, p.Within) {
			out = append(out, p)
		}
	}
	return out
}

// Meet is the front of the vectors within both fronts. O((len * other)²).
func (f Front) Meet(other Front) Front {
	var out []Vector
	for _, p := range f {
		for _, q := range other {
			out = append(out, p.Least(q))
		}
	}
	return maximal(out)
}

// Beside is the front of the vectors that fit together with the vector some, empty if that does not fit. The vectors
// left keep the differences that set them apart, so none is within another.
func (f Front) Beside(some Vector) Front {
	var out Front
	for _, p := range f {
		if some.Within(p) {
			out = append(out, p.Minus(some))
		}
	}
	return out
}
