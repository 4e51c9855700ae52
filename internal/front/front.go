// Package front answers: which combinations of members of several shapes fit together? A [Vector] counts members by role
// and groups by kind, a [Front] lists the largest vectors that fit in one place, and a [Space] sums fronts up the tree
// and turns members into whole groups.
//
// Invariants: no vector of a Front is within another, unless multiples bind; then a Front lists every vector that fits, in
// ascending order. A Space bounds its tables: where one would be too large it says so (Forgot) and what it makes may lack
// vectors, but never has one that does not fit. A Space belongs to one search.
package front

import (
	"encoding/binary"
	"slices"
)

// Vector are numbers of members by role, and of groups by kind.
type Vector []int32

// Within says whether no role is counted more often than in most.
func (a Vector) Within(most Vector) bool {
	for r, n := range a {
		if n > most[r] {
			return false
		}
	}
	return true
}

// Least is the smaller number of each role.
func (a Vector) Least(b Vector) Vector {
	out := make(Vector, len(a))
	for r := range a {
		out[r] = min(a[r], b[r])
	}
	return out
}

// Minus is what is left when others are taken away that are within a.
func (a Vector) Minus(b Vector) Vector {
	out := make(Vector, len(a))
	for r := range a {
		out[r] = a[r] - b[r]
	}
	return out
}

// Total is the sum of all numbers.
func (a Vector) Total() (n int64) {
	for _, m := range a {
		n += int64(m)
	}
	return n
}

// Front are the largest counts that fit somewhere together: whatever is within one of them fits too. None is within another.
type Front []Vector

// Holds says whether a vector is within one of the front.
func (f Front) Holds(want Vector) bool { return slices.ContainsFunc(f, want.Within) }

// Zero says whether nobody fits.
func (f Front) Zero() bool { return len(f) == 1 && f[0].Total() == 0 }

// KeptPoints is how many counts are kept of a frontier that has more combinations.
const KeptPoints = 32

// Space makes frontiers, of points and of other frontiers. For all numbers of the other roles it keeps the most members of the main role that
// fit beside them; that is a table as long as there are few roles with many members.
type Space struct {
	most Vector // of the gang
	// room is how many numbers of all roles but the main one are told apart at a vertex.
	room int64
	// Exact: multiples bind, see exactSum.
	Exact bool
	Main  int // the role with the most members
	None  Front
	box   Vector  // the table's sides; of the main role 0
	step  []int   // by role, in the table
	best  []int32 // -1: not at all
	// Forgot says that the last frontier made lacks some counts.
	Forgot bool
	steps  *int64 // counts pairs of points
	sides  Vector // of a sum
	kept   []int32
	lesser []bool // by place in the table: as many of the main role fit beside one more of another
	// Room for frontiers.
	spare       Front
	spareCounts Vector
}

// Carve takes n zeros from what is spare; where there are too few this is replaced.
func Carve[S ~[]T, T any](spare *S, n int) S {
	if n > len(*spare) {
		*spare = make(S, max(n, 64))
	}
	out := (*spare)[:n:n]
	*spare = (*spare)[n:]
	return out
}

// NewSpace is for vectors up to most; a table has room for so many places, and steps counts the work.
func NewSpace(most Vector, room int, steps *int64) *Space {
	f := &Space{most: most, room: int64(room), steps: steps, sides: make(Vector, len(most)), None: Front{make(Vector, len(most))}, box: make(Vector, len(most)), step: make([]int, len(most))}
	for r, n := range most {
		if n > most[f.Main] {
			f.Main = r
		}
	}
	return f
}

// begin clears a table for counts up to sides; false if it would be too large.
func (f *Space) begin(sides Vector) bool {
	size := int64(1)
	for r, n := range sides {
		if r == f.Main {
			continue
		}
		f.box[r], f.step[r] = n, int(size)
		if size *= int64(n) + 1; size > f.room {
			return false
		}
	}
	f.best = slices.Grow(f.best[:0], int(size))[:size]
	for i := range f.best {
		f.best[i] = -1
	}
	return true
}

// BeginWithin is begin that halves the widest sides until the table has room; forgot says that it did.
func (f *Space) BeginWithin(sides Vector) (forgot bool) {
	for !f.begin(sides) {
		widest := -1
		for r, n := range sides {
			if r != f.Main && (widest < 0 || n > sides[widest]) {
				widest = r
			}
		}
		sides[widest], forgot = sides[widest]/2, true
	}
	return forgot
}

// Put notes that counts a and b fit together, capped at the gang's.
func (f *Space) Put(a, b Vector) {
	at := 0
	for r := range a {
		if r != f.Main {
			at += int(min(f.box[r], a[r]+b[r])) * f.step[r]
		}
	}
	f.best[at] = max(f.best[at], min(f.most[f.Main], a[f.Main]+b[f.Main]))
}

// End lists the largest counts of the table.
func (f *Space) End() Front {
	// What fits beside more of another role fits beside fewer. Going down, what is one more is complete.
	f.pairs(func(i, next int) { f.best[i] = max(f.best[i], f.best[next]) })
	f.lesser = slices.Grow(f.lesser[:0], len(f.best))[:len(f.best)]
	clear(f.lesser)
	f.pairs(func(i, next int) { f.lesser[i] = f.lesser[i] || f.best[i] == f.best[next] })
	f.kept = f.kept[:0]
	for i, n := range f.best {
		if n >= 0 && !f.lesser[i] {
			f.kept = append(f.kept, int32(i))
		}
	}
	dims := len(f.box)
	out := Carve(&f.spare, len(f.kept))
	for k, i := range f.kept {
		point := Carve(&f.spareCounts, dims)
		f.locate(int(i), point)
		point[f.Main] = f.best[i]
		out[k] = point
	}
	return out
}

// pairs calls visit with all places of the table, role by role, and those with one more of the role; the larger ones first.
func (f *Space) pairs(visit func(i, next int)) {
	for r, n := range f.box {
		if r == f.Main || n == 0 {
			continue
		}
		step := f.step[r]
		for base := 0; base < len(f.best); base += step * (int(n) + 1) {
			for i := base + step*int(n) - 1; i >= base; i-- {
				visit(i, i+step)
			}
		}
	}
}

// locate finds the numbers of all roles but the main one of a place in the table.
func (f *Space) locate(i int, at Vector) {
	for r := range at {
		if r != f.Main {
			at[r] = int32(i / f.step[r] % (int(f.box[r]) + 1))
		}
	}
}

// Sum is the frontier of two places together. O(points of a * points of b + table).
func (f *Space) Sum(a, b Front) Front {
	f.Forgot = false
	switch {
	case a.Zero():
		return b
	case b.Zero():
		return a
	case f.Exact:
		return f.exactSum(a, b)
	case a.Holds(f.most) || b.Holds(f.most):
		return Front{f.most}
	case len(a) == 1 && len(b) == 1:
		return Front{f.capped(a[0], b[0])}
	}
	*f.steps += int64(len(a)) * int64(len(b))
	for r, n := range f.most {
		f.sides[r] = min(n, a.Most(r)+b.Most(r))
	}
	if !f.begin(f.sides) {
		return f.roughSum(a, b)
	}
	for _, p := range a {
		for _, q := range b {
			f.Put(p, q)
		}
	}
	return f.End()
}

// capped is the sum of two points.
func (f *Space) capped(p, q Vector) Vector {
	sum := make(Vector, len(p))
	for r := range p {
		sum[r] = min(f.most[r], p[r]+q[r])
	}
	return sum
}

// Most is the largest number of a role.
func (f Front) Most(role int) (n int32) {
	for _, p := range f {
		n = max(n, p[role])
	}
	return n
}

// roughSum is a sum of a few points of each.
func (f *Space) roughSum(a, b Front) Front {
	f.Forgot = true
	var sums []Vector
	for _, p := range a.Few() {
		for _, q := range b.Few() {
			sums = append(sums, f.capped(p, q))
		}
	}
	return maximal(sums)
}

// Few are points of a frontier at equal distances in its order.
func (f Front) Few() Front {
	if len(f) <= KeptPoints {
		return f
	}
	out := make(Front, KeptPoints)
	for i := range out {
		out[i] = f[i*(len(f)-1)/(KeptPoints-1)]
	}
	return out
}

// maximal drops what is within another point.
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

// AppendTo appends the counts to a key.
func (a Vector) AppendTo(key []byte) []byte {
	for _, n := range a {
		key = binary.LittleEndian.AppendUint32(key, uint32(n))
	}
	return key
}

// Meet are the largest counts within both.
func (f Front) Meet(other Front) Front {
	var out []Vector
	for _, p := range f {
		for _, q := range other {
			out = append(out, p.Least(q))
		}
	}
	return maximal(out)
}

// Beside are the largest counts that fit together with some.
func (f Front) Beside(some Vector) Front {
	var out Front
	for _, p := range f {
		if some.Within(p) {
			out = append(out, p.Minus(some))
		}
	}
	return out
}
