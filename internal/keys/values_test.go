package keys

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Values add up over children, and the first key of a range in which they differ decides.
func TestValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (v Values) {
			for k := range v {
				v[k] = rapid.Int64Range(-2, 2).Draw(t, name)
			}
			return v
		}
		a, b, n := draw("a"), draw("b"), rapid.Int64Range(0, 3).Draw(t, "n")
		sum := a
		for range n {
			sum = sum.With(1, &b)
		}
		require.Equal(t, sum, a.With(n, &b))
		from := rapid.IntRange(0, int(Count)).Draw(t, "from")
		end := rapid.IntRange(from, int(Count)).Draw(t, "end")
		require.Equal(t, cmp.Compare(slices.Compare(a[from:end], b[from:end]), 0), a.Compare(&b, Key(from), Key(end)))
	})
}

// Fewer slots are better, where the policy keeps room free more are.
func TestWithSlots(t *testing.T) {
	few, many := Values{}.WithSlots(1, Rules{}), Values{}.WithSlots(2, Rules{})
	require.Negative(t, few.Compare(&many, 0, Count))
	few, many = Values{}.WithSlots(1, Rules{Roomy: true}), Values{}.WithSlots(2, Rules{Roomy: true})
	require.Positive(t, few.Compare(&many, 0, Count))
}
