package front

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/steps"
)

// drawVector draws a vector within most.
func drawVector(t *rapid.T, most Vector, label string) Vector {
	out := make(Vector, len(most))
	for i, n := range most {
		out[i] = rapid.Int32Range(0, n).Draw(t, label)
	}
	return out
}

// drawMost draws the numbers of a gang.
func drawMost(t *rapid.T) Vector {
	return drawVector(t, slices.Repeat(Vector{5}, rapid.IntRange(1, 4).Draw(t, "dimensions")), "most")
}

// drawVectors draws vectors within most.
func drawVectors(t *rapid.T, most Vector, label string) (out []Vector) {
	for range rapid.IntRange(1, 5).Draw(t, label) {
		out = append(out, drawVector(t, most, label))
	}
	return out
}

// box lists all vectors within most, ascending.
func box(most Vector) Front {
	out := Front{{}}
	for _, n := range most {
		var longer Front
		for _, p := range out {
			for m := range n + 1 {
				longer = append(longer, append(slices.Clone(p), m))
			}
		}
		out = longer
	}
	return out
}

// sumsWithin lists the vectors within most that are a sum of one vector of each, ascending; whole: or within one.
func sumsWithin(a, b []Vector, most Vector, whole bool) Front {
	out := Front{}
	for _, want := range box(most) {
		fits := slices.ContainsFunc(a, func(p Vector) bool {
			return slices.ContainsFunc(b, func(q Vector) bool {
				for i, n := range want {
					if n > p[i]+q[i] || whole && n < p[i]+q[i] {
						return false
					}
				}
				return true
			})
		})
		if fits {
			out = append(out, want)
		}
	}
	return out
}

// checkLargest requires that f has exactly the largest of the vectors that fit.
func checkLargest(t *rapid.T, f, fit Front) {
	var want Front
	for _, p := range fit {
		if !slices.ContainsFunc(fit, func(q Vector) bool { return !slices.Equal(p, q) && p.Within(q) }) {
			want = append(want, p)
		}
	}
	got := slices.Clone(f)
	slices.SortFunc(got, slices.Compare[Vector])
	require.Equal(t, want, got)
}

// A sum has the largest vectors, within the gang's, that two vectors hold together; and none of them is in doubt.
func TestSumIsLargestOfAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := drawMost(t)
		s := NewSpace(most, 1<<16, unbounded())
		a, b := maximal(drawVectors(t, most, "a")), maximal(drawVectors(t, most, "b"))
		sum := s.Sum(a, b)
		require.False(t, s.Forgot)
		checkLargest(t, sum, sumsWithin(a, b, most, false))
		for _, p := range box(most) {
			require.Equal(t, sum.Holds(p), s.Holds(sum, p))
		}
	})
}

// Sums in two dimensions, by steps where they are concave and by pairs where not, are those of a table.
func TestSumInPlaneIsSumInTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := drawVector(t, Vector{40, 40}, "most")
		s := NewSpace(most, 1<<16, unbounded())
		a, b := drawLine(t, most, "a"), drawLine(t, most, "b")
		if a.IsZero() || b.IsZero() {
			return
		}
		sum := s.Sum(a, b)
		require.False(t, s.Forgot)
		for r, n := range most {
			s.sides[r] = min(n, a.Most(r)+b.Most(r))
		}
		require.True(t, s.tryBegin(s.sides))
		require.Equal(t, s.sumInTable(a, b), sum)
	})
}

func TestMultiplesOfScales(t *testing.T) {
	for _, c := range []struct {
		a, b  Weights
		alike bool
	}{
		{Weights{1, 2}, Weights{3, 6}, true},
		{Weights{1, 2}, Weights{2, 1}, false},
		{Weights{0, 1, 2}, Weights{0, 5, 1}, false},
		{Weights{0, 1, 2}, Weights{0, 2, 4}, true},
		{Weights{0, 1}, Weights{1, 0}, false},
		{Weights{1, 0}, Weights{0, 1}, false},
		{Weights{1, 1}, Weights{1, 0}, false},
		{Weights{1, 0}, Weights{1, 1}, false},
	} {
		require.Equal(t, c.alike, c.a.IsMultiple(c.b), "%v, %v", c.a, c.b)
	}
}

// drawLine draws a front of two dimensions, some of them concave.
func drawLine(t *rapid.T, most Vector, label string) Front {
	var list []Vector
	x, y, step := int32(0), rapid.Int32Range(0, most[1]).Draw(t, label), int32(0)
	for y >= 0 && x <= most[0] {
		list = append(list, Vector{x, y})
		if step += rapid.Int32Range(0, 2).Draw(t, label); rapid.IntRange(0, 5).Draw(t, label) == 0 {
			step = 0
		}
		x, y = x+1, y-step
	}
	return maximal(list)
}

// The table of a sum is that of its sides: a space remembers nothing of the sum before.
func TestSumForgetsTheSumBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := drawMost(t)
		used := NewSpace(most, 1<<16, unbounded())
		used.Sum(maximal(drawVectors(t, most, "before")), maximal(drawVectors(t, most, "before")))
		a, b := maximal(drawVectors(t, most, "a")), maximal(drawVectors(t, most, "b"))
		require.Equal(t, NewSpace(most, 1<<16, unbounded()).Sum(a, b), used.Sum(a, b))
	})
}

// An exact sum has all sums of one vector of each that are within the gang's, in ascending order.
func TestExactSumIsAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := drawMost(t)
		s := NewSpace(most, 1<<16, unbounded())
		s.Exact = true
		a, b := Front(drawVectors(t, most, "a")).sorted(), Front(drawVectors(t, most, "b")).sorted()
		sum := s.Sum(a, b)
		require.False(t, s.Forgot)
		require.Equal(t, sumsWithin(a, b, most, true), sum)
		for _, p := range box(most) {
			require.Equal(t, slices.ContainsFunc(sum, func(q Vector) bool { return slices.Equal(p, q) }), s.Holds(sum, p))
		}
	})
}

// Where the table is too large a sum may lack vectors, and then says so; but it has none that does not fit.
func TestCappedSumHasOnlyWhatFits(t *testing.T) {
	for _, exact := range []bool{false, true} {
		rapid.Check(t, func(t *rapid.T) {
			most := drawMost(t)
			s := NewSpace(most, rapid.IntRange(1, 12).Draw(t, "limit"), unbounded())
			s.Exact = exact
			a, b := Front(drawVectors(t, most, "a")), Front(drawVectors(t, most, "b"))
			if a, b = a.sorted(), b.sorted(); !exact {
				a, b = maximal(a), maximal(b)
			}
			sum, fit := s.Sum(a, b), sumsWithin(a, b, most, exact)
			for _, p := range sum {
				require.Contains(t, fit, p)
			}
			for _, p := range fit {
				require.True(t, s.Forgot || s.Holds(sum, p))
			}
		})
	}
}

// Samples of long fronts lose vectors, and the sum says so.
func TestSumOfLongFrontsIsSampled(t *testing.T) {
	var long Front
	for n := range int32(100) {
		long = append(long, Vector{n, 99 - n, 1})
	}
	s := NewSpace(Vector{1000, 1000, 2}, 1, unbounded())
	sum := s.Sum(long, long)
	require.True(t, s.Forgot)
	require.LessOrEqual(t, len(sum), KeptPoints*KeptPoints)
	require.Contains(t, sum, Vector{0, 198, 2})
	require.Contains(t, sum, Vector{198, 0, 2})
	require.Len(t, long.Sample(), KeptPoints)
}

// A table with halved sides holds only what was put into it.
func TestBeginHalvesTheWidestSide(t *testing.T) {
	s := NewSpace(Vector{9, 8, 5}, 12, unbounded())
	sides := Vector{9, 8, 5}
	require.True(t, s.Begin(sides), "9*6 places are more than 12")
	require.Equal(t, Vector{9, 2, 2}, sides)
	s.Put(Vector{1, 7, 1}, Vector{1, 0, 1})
	require.Equal(t, Front{{2, 2, 2}}, s.End())
	require.False(t, s.Begin(Vector{9, 2, 2}), "3*3 places have room")
	require.Empty(t, s.End())
}

// The front of both, and what fits beside some, are those of the vectors that fit one by one.
func TestMeetAndBesideAreOfAllVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := drawMost(t)
		a, b := maximal(drawVectors(t, most, "a")), maximal(drawVectors(t, most, "b"))
		some := drawVector(t, most, "some")
		var both, beside Front
		for _, p := range box(most) {
			if a.Holds(p) && b.Holds(p) {
				both = append(both, p)
			}
			if a.Holds(p.Plus(some)) {
				beside = append(beside, p)
			}
		}
		checkLargest(t, a.Meet(b), both)
		for _, p := range box(most) {
			require.Equal(t, slices.ContainsFunc(beside, func(q Vector) bool { return slices.Equal(p, q) }), a.Beside(some).Holds(p))
		}
	})
}

// unbounded are more steps than a test spends.
func unbounded() *steps.Budget {
	b := steps.New(1<<40, nil)
	return &b
}

// Where domains are counted an exact sum has each number in as few domains as it fits in, by every way to add up a pair; and none in more than
// there may be.
func TestExactSumCountsDomains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most, used := drawMost(t), rapid.SliceOfN(rapid.Int32Range(0, 2), 1, 2).Draw(t, "domains at most")
		all := append(slices.Clone(most), make(Vector, len(used))...)
		s := NewSpace(all, 1<<16, unbounded())
		s.Exact, s.Domains = true, used
		draw := func(name string) (f Front) {
			for _, p := range drawVectors(t, most, name) {
				for i := range used {
					p = append(slices.Clone(p), -rapid.Int32Range(0, used[i]).Draw(t, name+" uses"))
				}
				f = append(f, p)
			}
			return s.InFewest(f)
		}
		a, b := draw("a"), draw("b")
		var pairs []Vector
		for _, p := range a {
			for _, q := range b {
				if sum := p.Plus(q); sum.Within(all) && !s.tooWide(sum) {
					pairs = append(pairs, sum)
				}
			}
		}
		sum := s.Sum(a, b)
		require.False(t, s.Forgot)
		if a.IsZero() || b.IsZero() { // the other one as it is
			return
		}
		for _, p := range sum {
			require.Contains(t, pairs, p)
		}
		for _, p := range pairs {
			require.True(t, s.Holds(sum, p), "%v", p)
		}
		require.True(t, slices.IsSortedFunc(sum, slices.Compare[Vector]))
	})
}
