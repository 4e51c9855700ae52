package front

import (
	"cmp"
	"math/bits"
	"slices"
)

// Weights are the weights of roles, then of classes of groups; none is negative. They bound from below how many places
// a vector needs.
type Weights []int64

// Of is the weight of a vector.
func (w Weights) Of(a Vector) (sum int64) {
	for i, m := range a {
		sum += int64(m) * w[i]
	}
	return sum
}

// Most is the weight of the heaviest vector, 0 for an empty front.
func (w Weights) Most(f Front) (most int64) {
	for _, p := range f {
		most = max(most, w.Of(p))
	}
	return most
}

// IsMultiple says whether two scales weigh alike, but for a factor.
func (w Weights) IsMultiple(other Weights) bool {
	pivot := max(0, slices.IndexFunc(w, func(n int64) bool { return n > 0 }))
	for i := range w {
		if w[pivot] > 0 && other[pivot] == 0 || compareProducts(w[pivot], other[i], w[i], other[pivot]) != 0 {
			return false
		}
	}
	return true
}

// Scarcest returns the scale by which most places are needed for a vector, of such the one by which these have least to
// spare, and that number. No fewer places hold the vector: each is credited with its heaviest vector, and the heaviest
// places come first. If all places are too light, the number is that of all.
// O(scales * (vectors + places log places)).
func Scarcest(scales []Weights, places []Front, want Vector) (best Weights, n int) {
	room := make([]int64, len(places))
	var wanted, taken int64 // by the best scale: the weight of the vector, and that of the places
	for _, w := range scales {
		need, sum, count := w.Of(want), int64(0), 0
		for i, f := range places {
			room[i] = w.Most(f)
		}
		slices.Sort(room)
		for i := len(room) - 1; i >= 0 && sum < need; i-- {
			sum, count = sum+room[i], count+1
		}
		if best == nil || cmp.Or(cmp.Compare(count, n), compareProducts(need, taken, wanted, sum)) > 0 {
			best, n, wanted, taken = w, count, need, sum
		}
	}
	return best, n
}

// compareProducts compares a*b with c*d; none is negative.
func compareProducts(a, b, c, d int64) int {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	other, rest := bits.Mul64(uint64(c), uint64(d))
	return cmp.Or(cmp.Compare(hi, other), cmp.Compare(lo, rest))
}
