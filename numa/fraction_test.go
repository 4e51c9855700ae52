package numa

import (
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawFractions draws fractions below 1 that often add up to simple numbers: some are split in two.
func drawFractions(t *rapid.T, label string) (list []fraction, sum *big.Rat) {
	sum = new(big.Rat)
	for range rapid.IntRange(1, 4).Draw(t, label) {
		whole := rapid.OneOf(rapid.Uint64Range(2, 12), rapid.Uint64Range(2, 1<<63-1)).Draw(t, "whole")
		part := rapid.Uint64Range(0, whole-1).Draw(t, "part")
		if rapid.Bool().Draw(t, "split") {
			some := rapid.Uint64Range(0, part).Draw(t, "some")
			list = append(list, fraction{some, whole}, fraction{part - some, whole})
		} else {
			list = append(list, fraction{part, whole})
		}
		sum.Add(sum, new(big.Rat).SetFrac(new(big.Int).SetUint64(part), new(big.Int).SetUint64(whole)))
	}
	return list, sum
}

func TestSumsOfFractionsAreComparedExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, sumX := drawFractions(t, "x")
		y, sumY := drawFractions(t, "y")
		if rapid.Bool().Draw(t, "nearly equal") {
			y, sumY = nil, new(big.Rat)
			for _, f := range x {
				if scale := uint64(1<<62) / f.whole; scale > 1 {
					f.part, f.whole = f.part*scale, f.whole*scale
				}
				y = append(y, f)
			}
			if y[0].part+1 < y[0].whole && rapid.Bool().Draw(t, "a little more") {
				y[0].part++
			}
			for _, f := range y {
				sumY.Add(sumY, new(big.Rat).SetFrac(new(big.Int).SetUint64(f.part), new(big.Int).SetUint64(f.whole)))
			}
		}
		require.Equal(t, sumX.Cmp(sumY), compareSums(x, y))
	})
}

// Exactly one less before the point, with digits still to come, is less.
func TestSumsThatDifferByAboutOne(t *testing.T) {
	x, y := []fraction{{1, 9}}, []fraction{{7, 9}, {1, 3}}
	require.Equal(t, -1, compareSums(slices.Clone(x), slices.Clone(y)))
	require.Equal(t, 1, compareSums(y, x))
}

func TestCeilingOfSumsOfFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, sum := drawFractions(t, "x")
		scale := rapid.OneOf(rapid.Just[uint64](10*Point), rapid.Uint64Range(1, 100)).Draw(t, "scale")
		k := uint64(len(x))
		sum.Mul(sum, new(big.Rat).SetFrac(new(big.Int).SetUint64(scale), new(big.Int).SetUint64(k)))
		want, rest := new(big.Int).QuoRem(sum.Num(), sum.Denom(), new(big.Int))
		if rest.Sign() > 0 {
			want.Add(want, big.NewInt(1))
		}
		require.Equal(t, want.Int64(), ceiling(x, scale, k))
	})
}

// A sum just above a whole number, closer than a digit tells, is rounded up; one that is whole is not.
func TestCeilingBesideWholeNumbers(t *testing.T) {
	const large = 1<<63 - 25
	require.EqualValues(t, 1, ceiling([]fraction{{1, 3}, {2, 3}}, 2, 2))
	require.EqualValues(t, 1, ceiling([]fraction{{1, 3}, {1, 3}, {1, 3}}, 3, 3))
	// (large+1)/2 / large = 1/2 + 1/(2*large), and 1/3 + 1/6 beside it.
	require.EqualValues(t, 2, ceiling([]fraction{{(large + 1) / 2, large}, {1, 2}}, 2, 2))
	require.EqualValues(t, 2, ceiling([]fraction{{large / 3 * 2, large / 3 * 3}, {1, 3}, {1, large}}, 3, 3))
	// 3 + 1/large, of which a digit of each part shows less than 3.
	require.EqualValues(t, 4, ceiling([]fraction{{1, 3}, {2, 3}, {1, 3}, {2, 3}, {1, 3}, {2, 3}, {1, large}}, 7, 7))
	require.EqualValues(t, 1, ceiling([]fraction{{1, 1 << 62}}, 1, 1))
	require.EqualValues(t, 0, ceiling([]fraction{{0, 5}, {0, 7}}, 10, 2))
}
