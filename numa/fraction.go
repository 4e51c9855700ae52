package numa

import (
	"cmp"
	"math/bits"
)

// Utilisation is a sum of fractions with denominators of up to 63 bits each, so that a product of them overflows any
// integer. Fractions are compared digit by digit instead, as in long division, in digits of 64 bits.

// fraction is below 1, its denominator below 2^63.
type fraction struct{ part, whole uint64 }

// digit takes the next digit of the fraction off.
func (f *fraction) digit() uint64 {
	if f.part == 0 {
		return 0
	}
	var d uint64
	d, f.part = bits.Div64(f.part, 0, f.whole)
	return d
}

// compareSums compares the sum of x with the sum of y, exactly, and consumes both. O(k^2) digits at worst, one in
// general.
//
// After j digits the sums, scaled by 2^64j, are known to differ by `ahead`, give or take len(x)+len(y) = K. Sums that
// differ do so by at least 1/(product of the denominators) > 2^-63K; so with K+1 digits what is still undecided is equal.
func compareSums(x, y []fraction) int {
	ahead := int64(0)
	for range len(x) + len(y) + 1 {
		high, low := uint64(ahead), uint64(0)
		more := uint64(0)
		for i := range x {
			var carry uint64
			low, carry = bits.Add64(low, x[i].digit(), 0)
			high += carry
			more |= x[i].part
		}
		for i := range y {
			var borrow uint64
			low, borrow = bits.Sub64(low, y[i].digit(), 0)
			high -= borrow
			more |= y[i].part
		}
		switch {
		case more == 0:
			return cmp.Compare(int64(high)|int64(low>>1|low&1), 0)
		case int64(high) > 0 || high == 0 && low >= uint64(len(y)):
			return 1
		case int64(high) < -1 || int64(high) == -1 && (low == 0 || -low >= uint64(len(x))):
			return -1
		}
		ahead = int64(low)
	}
	return 0
}

// ceiling is the smallest integer not below scale*sum/k, for k fractions. The sum is consumed.
func ceiling(sum []fraction, scale, k uint64) int64 {
	exact := append(make([]fraction, 0, 8), sum...)
	var high, low, more uint64
	for i := range sum {
		var carry uint64
		low, carry = bits.Add64(low, sum[i].digit(), 0)
		high += carry
		more |= sum[i].part
	}
	// scale*sum/k as whole + rest/(k*2^64), short of the truth by less than scale/2^64.
	above, rest := bits.Mul64(low, scale)
	above += high * scale
	whole, over := above/k, above%k
	if over == 0 && rest == 0 && more == 0 {
		return int64(whole)
	}
	// Is whole+1 still enough?
	if _, full := bits.Add64(rest, scale*k, 0); more != 0 && over == k-1 && full != 0 {
		limit := append(make([]fraction, 0, 24), fraction{(whole + 1) * k % scale, scale})
		for range (whole + 1) * k / scale {
			limit = append(limit, fraction{1, 2}, fraction{1, 2})
		}
		if compareSums(exact, limit) > 0 {
			whole++
		}
	}
	return int64(whole + 1)
}

// compareUse is positive if mask a is more used than b; both have room and the same width.
func (s *search) compareUse(a, b Mask) int {
	n := len(s.need.zones.ids)
	more, less, alike := false, false, true
	for r := range s.need.amounts {
		free, other := sum(s.free[r*n:r*n+n], a), sum(s.free[r*n:r*n+n], b)
		more = more || free < other
		less = less || free > other
		if !s.need.uniform {
			capacity := s.need.allocatable[r*n : r*n+n]
			alike = alike && sum(capacity, a) == sum(capacity, b)
		}
	}
	if alike && !(more && less) {
		switch {
		case more:
			return 1
		case less:
			return -1
		}
		return 0
	}
	return s.compareSlack(a, b)
}

// compareSlack is apart from its caller for the sake of the stack.
func (s *search) compareSlack(a, b Mask) int {
	var few, fewB [8]fraction
	return compareSums(s.slack(fewB[:0], b), s.slack(few[:0], a))
}
