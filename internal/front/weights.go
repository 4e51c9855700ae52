package front

// Weights are numbers by role, then by kind.
type Weights []int64

// Of is what counts weigh.
func (w Weights) Of(a Vector) (sum int64) {
	for i, m := range a {
		sum += int64(m) * w[i]
	}
	return sum
}

// Most is the largest weight of any counts.
func (w Weights) Most(f Front) (most int64) {
	for _, p := range f {
		most = max(most, w.Of(p))
	}
	return most
}
