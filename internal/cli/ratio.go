package cli

import (
	"fmt"
	"math/big"
)

// ratio is what numbers are of others, pair by pair, in the mean, and the standard deviation of the pairs. Pairs whose second number is 0 are left out.
type ratio struct {
	Pairs  int        `json:"pairs"`
	Mean   hundredths `json:"mean"`
	Spread hundredths `json:"spread"`
	None   bool       `json:"none"` // no difference: 1 is less than two standard deviations away
}

// hundredths are a hundredth each.
type hundredths int64

// String is a number.
func (h hundredths) String() string { return fmt.Sprintf("%d.%02d", h/100, h%100) }

// MarshalJSON writes that number.
func (h hundredths) MarshalJSON() ([]byte, error) { return []byte(h.String()), nil }

// fine is into how many parts a ratio is cut before it is rounded.
const fine = 1_000_000

// ratioOf compares numbers, which are not negative, pair by pair.
func ratioOf(numbers, of []int64) (r ratio) {
	var each []*big.Int
	sum := new(big.Int)
	for i, n := range numbers {
		if of[i] > 0 {
			x := new(big.Int).Mul(big.NewInt(n), big.NewInt(fine))
			x.Div(x, big.NewInt(of[i]))
			each, sum = append(each, x), sum.Add(sum, x)
		}
	}
	if r.Pairs = len(each); r.Pairs == 0 {
		return r
	}
	mean, squares := sum.Div(sum, big.NewInt(int64(r.Pairs))), new(big.Int)
	for _, x := range each {
		off := new(big.Int).Sub(x, mean)
		squares.Add(squares, off.Mul(off, off))
	}
	spread := squares.Sqrt(squares.Div(squares, big.NewInt(int64(max(1, r.Pairs-1)))))
	off := new(big.Int).Sub(mean, big.NewInt(fine))
	r.None = r.Pairs < 2 || off.Sign() == 0 || off.CmpAbs(new(big.Int).Lsh(spread, 1)) < 0
	r.Mean, r.Spread = roundedHundredths(mean), roundedHundredths(spread)
	return r
}

func roundedHundredths(x *big.Int) hundredths {
	return hundredths((x.Int64() + fine/200) / (fine / 100))
}

// String is a ratio with its spread; one that is no difference is in brackets.
func (r ratio) String() string {
	switch text := r.Mean.String() + " +-" + r.Spread.String(); {
	case r.Pairs == 0:
		return "-"
	case r.None:
		return "(" + text + ")"
	default:
		return text
	}
}
