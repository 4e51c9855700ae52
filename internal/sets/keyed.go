// What have children of the keys, alone and together, and who has the better values?

package sets

import "github.com/muster-sched/muster/internal/keys"

// with are the values of some children and n more, each of which has other values.
func with(v keys.Values, n int64, other *keys.Values) keys.Values {
	for k := range v {
		v[k] += n * other[k]
	}
	return v
}

// withSlots puts slots, of one child or in sum, into its values, so that the better number is the smaller one.
func withSlots(v keys.Values, slots int64, rules keys.Rules) keys.Values {
	if v[keys.Packing] = slots; rules.Roomy {
		v[keys.Packing] = -slots
	}
	return v
}

// compareBefore compares by the keys before slots, compareUpTo by those and by slots, compareBehind by those behind slots.
func compareBefore(a, b *keys.Values) int { return compareKeys(a, b, 0, keys.Packing) }
func compareUpTo(a, b *keys.Values) int   { return compareKeys(a, b, 0, keys.Packing+1) }
func compareBehind(a, b *keys.Values) int { return compareKeys(a, b, keys.Packing+1, keys.Count) }

// compareKeys is below 0 if a comes before b by the keys from one on that stand before another.
func compareKeys(a, b *keys.Values, from, end keys.Key) int {
	for k := from; k < end; k++ {
		if a[k] != b[k] {
			if a[k] < b[k] {
				return -1
			}
			return 1
		}
	}
	return 0
}
