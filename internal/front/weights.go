package front

import "slices"

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

// Scarcest returns the scale by which most places are needed for a vector, and that number. No fewer places hold the
// vector: each is credited with its heaviest vector, and the heaviest places come first. If all places are too light,
// the number is that of all. O(scales * (vectors + places log places)).
func Scarcest(scales []Weights, places []Front, want Vector) (best Weights, n int) {
	room := make([]int64, len(places))
	for _, w := range scales {
		left, taken := w.Of(want), 0
		for i, f := range places {
			room[i] = w.Most(f)
		}
		slices.Sort(room)
		for i := len(room) - 1; i >= 0 && left > 0; i-- {
			left, taken = left-room[i], taken+1
		}
		if best == nil || taken > n {
			best, n = w, taken
		}
	}
	return best, n
}
