package front

// Weights are the weights of roles, then of classes of groups.
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
