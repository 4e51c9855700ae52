package placement

import "slices"

// counts are numbers of members by role, and of groups by kind.
type counts []int32

// within says whether no role is counted more often than in most.
func (a counts) within(most counts) bool {
	for r, n := range a {
		if n > most[r] {
			return false
		}
	}
	return true
}

// least is the smaller number of each role.
func (a counts) least(b counts) counts {
	out := make(counts, len(a))
	for r := range a {
		out[r] = min(a[r], b[r])
	}
	return out
}

// minus is what is left when others are taken away that are within a.
func (a counts) minus(b counts) counts {
	out := make(counts, len(a))
	for r := range a {
		out[r] = a[r] - b[r]
	}
	return out
}

func (a counts) total() (n int64) {
	for _, m := range a {
		n += int64(m)
	}
	return n
}

// frontier are the largest counts that fit somewhere together: whatever is within one of them fits too. None is within another.
type frontier []counts

func (f frontier) holds(want counts) bool { return slices.ContainsFunc(f, want.within) }

// zero says whether nobody fits.
func (f frontier) zero() bool { return len(f) == 1 && f[0].total() == 0 }

// keptPoints is how many counts are kept of a frontier that has more combinations.
const keptPoints = 32

// folder makes frontiers, of points and of other frontiers. For all numbers of the other roles it keeps the most members of the main role that
// fit beside them; that is a table as long as there are few roles with many members.
type folder struct {
	most counts // of the gang
	// room is how many numbers of all roles but the main one are told apart at a vertex.
	room int64
	// exact: multiples bind, see exactSum.
	exact bool
	main  int // the role with the most members
	none  frontier
	box   counts  // the table's sides; of the main role 0
	step  []int   // by role, in the table
	best  []int32 // -1: not at all
	// forgot says that the last frontier made lacks some counts.
	forgot bool
	steps  *int64 // counts pairs of points
	sides  counts // of a sum
	kept   []int32
	lesser []bool // by place in the table: as many of the main role fit beside one more of another
	// Room for frontiers.
	spare       frontier
	spareCounts counts
}

// carve takes n zeros from what is spare; where there are too few this is replaced.
func carve[S ~[]T, T any](spare *S, n int) S {
	if n > len(*spare) {
		*spare = make(S, max(n, 64))
	}
	out := (*spare)[:n:n]
	*spare = (*spare)[n:]
	return out
}

func newFolder(most counts, room int, steps *int64) *folder {
	f := &folder{most: most, room: int64(room), steps: steps, sides: make(counts, len(most)), none: frontier{make(counts, len(most))}, box: make(counts, len(most)), step: make([]int, len(most))}
	for r, n := range most {
		if n > most[f.main] {
			f.main = r
		}
	}
	return f
}

// begin clears a table for counts up to sides; false if it would be too large.
func (f *folder) begin(sides counts) bool {
	size := int64(1)
	for r, n := range sides {
		if r == f.main {
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

// beginWithin is begin that halves the widest sides until the table has room; forgot says that it did.
func (f *folder) beginWithin(sides counts) (forgot bool) {
	for !f.begin(sides) {
		widest := -1
		for r, n := range sides {
			if r != f.main && (widest < 0 || n > sides[widest]) {
				widest = r
			}
		}
		sides[widest], forgot = sides[widest]/2, true
	}
	return forgot
}

// put notes that counts a and b fit together, capped at the gang's.
func (f *folder) put(a, b counts) {
	at := 0
	for r := range a {
		if r != f.main {
			at += int(min(f.box[r], a[r]+b[r])) * f.step[r]
		}
	}
	f.best[at] = max(f.best[at], min(f.most[f.main], a[f.main]+b[f.main]))
}

// end lists the largest counts of the table.
func (f *folder) end() frontier {
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
	out := carve(&f.spare, len(f.kept))
	for k, i := range f.kept {
		point := carve(&f.spareCounts, dims)
		f.locate(int(i), point)
		point[f.main] = f.best[i]
		out[k] = point
	}
	return out
}

// pairs calls visit with all places of the table, role by role, and those with one more of the role; the larger ones first.
func (f *folder) pairs(visit func(i, next int)) {
	for r, n := range f.box {
		if r == f.main || n == 0 {
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
func (f *folder) locate(i int, at counts) {
	for r := range at {
		if r != f.main {
			at[r] = int32(i / f.step[r] % (int(f.box[r]) + 1))
		}
	}
}

// sum is the frontier of two places together. O(points of a * points of b + table).
func (f *folder) sum(a, b frontier) frontier {
	f.forgot = false
	switch {
	case a.zero():
		return b
	case b.zero():
		return a
	case f.exact:
		return f.exactSum(a, b)
	case a.holds(f.most) || b.holds(f.most):
		return frontier{f.most}
	case len(a) == 1 && len(b) == 1:
		return frontier{f.capped(a[0], b[0])}
	}
	*f.steps += int64(len(a)) * int64(len(b))
	for r, n := range f.most {
		f.sides[r] = min(n, a.most(r)+b.most(r))
	}
	if !f.begin(f.sides) {
		return f.roughSum(a, b)
	}
	for _, p := range a {
		for _, q := range b {
			f.put(p, q)
		}
	}
	return f.end()
}

// capped is the sum of two points.
func (f *folder) capped(p, q counts) counts {
	sum := make(counts, len(p))
	for r := range p {
		sum[r] = min(f.most[r], p[r]+q[r])
	}
	return sum
}

// most is the largest number of a role.
func (f frontier) most(role int) (n int32) {
	for _, p := range f {
		n = max(n, p[role])
	}
	return n
}

// roughSum is a sum of a few points of each.
func (f *folder) roughSum(a, b frontier) frontier {
	f.forgot = true
	var sums []counts
	for _, p := range a.few() {
		for _, q := range b.few() {
			sums = append(sums, f.capped(p, q))
		}
	}
	return maximal(sums)
}

// few are points of a frontier at equal distances in its order.
func (f frontier) few() frontier {
	if len(f) <= keptPoints {
		return f
	}
	out := make(frontier, keptPoints)
	for i := range out {
		out[i] = f[i*(len(f)-1)/(keptPoints-1)]
	}
	return out
}

// maximal drops what is within another point.
func maximal(points []counts) frontier {
	slices.SortFunc(points, func(a, b counts) int { return slices.Compare(b, a) })
	var out frontier
	for _, p := range points {
		if !slices.ContainsFunc(out, p.within) {
			out = append(out, p)
		}
	}
	return out
}
