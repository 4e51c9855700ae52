package preempt

import (
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// one is a node of its own rack, what is free there, and candidates of one device each that leave one by one.
func one(free int64, amounts ...int64) *Problem {
	p := &Problem{
		Units: 1, Request: []int64{8}, Tiers: [][]int32{{0}}, First: 0, Last: -1, Strategies: []Strategy{{Gang: 0}},
		Nodes: []Node{{Free: []int64{free}}}, Exact: true,
	}
	for i, n := range amounts {
		p.Holdings = append(p.Holdings, Holding{Amounts: []int64{n}})
		p.Gangs = append(p.Gangs, Gang{Running: 1, Surplus: 1, Whole: true})
		p.Candidates = append(p.Candidates, Candidate{Gang: int32(i), Holding: int32(i), Order: int32(i)})
	}
	p.Fits = func(gone []int32, strategy int) (int64, bool) { return 0, fitsBrute(p, gone, strategy) }
	return p
}

// A search that may not go on says so, and a longer one knows better.
func TestSolveWithoutSteps(t *testing.T) {
	p := one(0, 8, 8, 8, 8, 8, 8)
	p.Exact = false
	p.Fits = func(gone []int32, _ int) (int64, bool) { return 0, len(gone) == 7 }
	p.Steps = 1
	s := Solve(*p)
	require.False(t, s.Found)
	require.False(t, s.Proven)
	p.Steps = 0
	s = Solve(*p)
	require.False(t, s.Found)
	require.True(t, s.Proven, "no seven of six")
	p.Fits = func(gone []int32, _ int) (int64, bool) { return 0, len(gone) >= 4 }
	s = Solve(*p)
	require.Equal(t, Cost{Members: 4, Unknown: 4}, s.Cost)
	require.True(t, s.Proven)
	p.Steps = 1
	s = Solve(*p)
	require.Len(t, s.Gone, 4, "nobody leaves who need not, proven or not")
	require.False(t, s.Proven)
	require.Less(t, s.LowerBound.Members, 4)
}

// Few candidates, of whom numbers tell little: four have to leave, whoever else does. No set without one of them is looked at twice.
func TestSolveFewThatNumbersDoNotTell(t *testing.T) {
	p := one(0, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8)
	p.Exact = false
	needed := []int32{1, 5, 8, 13}
	p.Fits = func(gone []int32, _ int) (int64, bool) {
		return 0, !slices.ContainsFunc(needed, func(i int32) bool { return !slices.Contains(gone, i) })
	}
	p.Steps = 1_000
	s := Solve(*p)
	require.Equal(t, needed, s.Gone)
	require.True(t, s.Proven)
}

// So many kinds on one node that their combinations cannot all be tried: the answer is good, and says that it may not be the best.
func TestSolveManyKindsOnANode(t *testing.T) {
	p := one(-20)
	for i := range int64(20) {
		p.Holdings = append(p.Holdings, Holding{Amounts: []int64{1 + i}})
		p.Gangs = append(p.Gangs, Gang{Running: 1, Surplus: 1, Whole: true})
		p.Candidates = append(p.Candidates, Candidate{Gang: int32(i), Holding: int32(i), Order: int32(i)})
	}
	s := Solve(*p)
	require.True(t, s.Found)
	require.True(t, fitsBrute(p, s.Gone, 0))
	require.LessOrEqual(t, s.LowerBound.Members, 2)
	if s.Proven {
		require.Len(t, s.Gone, 2)
	}
	for i := range s.Gone {
		less := append(append([]int32{}, s.Gone[:i]...), s.Gone[i+1:]...)
		require.False(t, fitsBrute(p, less, 0))
	}
}

// Amounts near the largest do not wrap around.
func TestSolveHugeAmounts(t *testing.T) {
	p := one(-1<<63+1, 1<<63-1, 1<<63-1)
	p.Request = []int64{1 << 62}
	s := Solve(*p)
	require.True(t, s.Found)
	require.Equal(t, []int32{0, 1}, s.Gone)
}

func (w *weight) big() *big.Int {
	n := new(big.Int)
	for _, word := range w {
		n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(word))
	}
	return n
}

// Weights are numbers of 256 bits, in which every field keeps what is put into it.
func TestWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		widths := rapid.SliceOfN(rapid.IntRange(0, 64), 4, 4).Draw(t, "widths")
		var fields []field
		shift := 0
		for _, width := range widths {
			fields = append(fields, field{shift, width})
			shift += width
		}
		var a, b weight
		var put []uint64
		for _, f := range fields {
			n := rapid.Uint64().Draw(t, "amount")
			if f.width < 64 {
				n &= 1<<f.width - 1
			}
			put = append(put, n)
			f.put(&a, n)
			f.put(&b, n/2)
		}
		for i, f := range fields {
			require.Equal(t, put[i], f.get(&a))
			require.Equal(t, put[i]/2, f.get(&b))
		}
		require.Equal(t, a.big().Cmp(b.big()) < 0, a.less(&b))
		diff := a.minus(&b)
		require.Zero(t, diff.big().Cmp(new(big.Int).Sub(a.big(), b.big())))
		sum := diff.plus(&b)
		require.Equal(t, a, sum)
		n := rapid.Uint64Range(1, 1<<40).Draw(t, "parts")
		part := a.over(n)
		require.Zero(t, part.big().Cmp(new(big.Int).Div(a.big(), new(big.Int).SetUint64(n))))
	})
}
