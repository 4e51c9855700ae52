// What have children of the keys, alone and together, and who has the better values?

package keys

// With are the values of some children and n more, each of which has other values.
func (v Values) With(n int64, other *Values) Values {
	for k := range v {
		v[k] += n * other[k]
	}
	return v
}

// WithSlots puts slots, of one child or in sum, into its values, so that the better number is the smaller one.
func (v Values) WithSlots(slots int64, rules Rules) Values {
	if v[Packing] = slots; rules.Roomy {
		v[Packing] = -slots
	}
	return v
}

// Compare is below 0 if v comes before other by the keys from one on that stand before another.
func (v *Values) Compare(other *Values, from, end Key) int {
	for k := from; k < end; k++ {
		if v[k] != other[k] {
			if v[k] < other[k] {
				return -1
			}
			return 1
		}
	}
	return 0
}
