// Sums of costs as numbers of 256 bits. Nothing here knows what the bits stand for; that is layout.go.

package preempt

import (
	"cmp"
	"math/bits"
)

// weight is a sum of costs as one number of 256 bits, the most significant word first. The cost that counts most stands
// in the highest bits, so that weights add up and compare as the costs do.
type weight [4]uint64

// impossible is above every sum of costs: the cost of what cannot be had.
var impossible = weight{1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1}

// add adds v to w. A layout leaves room for every sum, so that there is no carry beyond the highest word.
func (w *weight) add(v *weight) {
	var carry uint64
	w[3], carry = bits.Add64(w[3], v[3], 0)
	w[2], carry = bits.Add64(w[2], v[2], carry)
	w[1], carry = bits.Add64(w[1], v[1], carry)
	w[0], _ = bits.Add64(w[0], v[0], carry)
}

// plus is the sum of w and v.
func (w *weight) plus(v *weight) weight {
	sum := *w
	sum.add(v)
	return sum
}

// minus is the difference of w and v; v must not be above w.
func (w *weight) minus(v *weight) weight {
	var out weight
	var borrow uint64
	out[3], borrow = bits.Sub64(w[3], v[3], 0)
	out[2], borrow = bits.Sub64(w[2], v[2], borrow)
	out[1], borrow = bits.Sub64(w[1], v[1], borrow)
	out[0], _ = bits.Sub64(w[0], v[0], borrow)
	return out
}

// less says whether w is below v.
func (w *weight) less(v *weight) bool {
	for i := range w {
		if w[i] != v[i] {
			return w[i] < v[i]
		}
	}
	return false
}

// compare is negative if w is below v, 0 if they are equal.
func (w *weight) compare(v *weight) int {
	for i := range w {
		if c := cmp.Compare(w[i], v[i]); c != 0 {
			return c
		}
	}
	return 0
}

// over is w divided by n, rounded down. It divides the number as a whole: a remainder of one cost moves on to those
// that count less, and n parts are never above w.
func (w *weight) over(n uint64) weight {
	var out weight
	var rest uint64
	for i := range w {
		out[i], rest = bits.Div64(rest, w[i], n)
	}
	return out
}

// field is the place of one cost in a weight: its lowest bit, and how many bits it has.
type field struct{ shift, width int }

// put adds an amount to the field. A field without width is that of a cost that is 0 for all sets.
func (f field) put(w *weight, amount uint64) {
	if amount == 0 || f.width == 0 {
		return
	}
	word, bit := 3-f.shift/64, f.shift%64
	var carry uint64
	w[word], carry = bits.Add64(w[word], amount<<bit, 0)
	high := amount >> (64 - bit) // 0 for a whole word
	for word--; word >= 0 && high|carry != 0; word-- {
		w[word], carry = bits.Add64(w[word], high, carry)
		high = 0
	}
}

// get reads the amount in the field.
func (f field) get(w *weight) uint64 {
	if f.width == 0 {
		return 0
	}
	word, bit := 3-f.shift/64, f.shift%64
	amount := w[word] >> bit
	if bit > 0 && word > 0 {
		amount |= w[word-1] << (64 - bit)
	}
	return amount << (64 - f.width) >> (64 - f.width)
}
