package frontsets

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// By slots and weights the set is the best of all that have enough of both: the fewest children, the fewest slots, the
// smallest largest child, then the next, then the order of paths.
func TestTwoNumbersEqualEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "children")
		two := twoNumbers{missing: rapid.Int64Range(0, 20).Draw(t, "weight"), slots: rapid.Int64Range(0, 12).Draw(t, "slots")}
		var items []Item
		for i := range n {
			items = append(items, Item{Slots: rapid.Int64Range(0, 4).Draw(t, "slots")})
			two.children, two.weights = append(two.children, i), append(two.weights, rapid.Int64Range(0, 5).Draw(t, "weight"))
		}
		two.group(items)
		var best []int
		for some := range 1 << n {
			var set []int
			slots, weight := int64(0), int64(0)
			for i := range n {
				if some>>i&1 > 0 {
					set, slots, weight = append(set, i), slots+items[i].Slots, weight+two.weights[i]
				}
			}
			if slots >= two.slots && weight >= two.missing && len(set) > 0 && (best == nil || fewer(items, set, best)) {
				best = set
			}
		}
		for size := 1; size <= n; size++ {
			cells := two.fill(size)
			require.LessOrEqual(t, cells, int64(mostWeightCells))
			slots, ok := two.fewest(size)
			require.Equal(t, best != nil && len(best) <= size, ok, "sets of %d", size)
			if ok {
				require.Equal(t, best, two.firstOf(two.numbers(size, slots)))
				return
			}
		}
		require.Nil(t, best)
	})
}

// fewer says whether a set is better than another.
func fewer(items []Item, a, b []int) bool {
	slots := func(set []int) (list []int64, sum int64) {
		for _, i := range set {
			list, sum = append(list, items[i].Slots), sum+items[i].Slots
		}
		slices.SortFunc(list, func(x, y int64) int { return cmp.Compare(y, x) })
		return list, sum
	}
	largeA, sumA := slots(a)
	largeB, sumB := slots(b)
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(sumA, sumB), slices.Compare(largeA, largeB), slices.Compare(a, b)) < 0
}
