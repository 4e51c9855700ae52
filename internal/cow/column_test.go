package cow

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Columns that fork from each other in any order are each what a copied slice would be, by entry and by page.
func TestColumnsEqualCopiedSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, PageSize, PageSize + 1, tableSize, 2*tableSize + 5}).Draw(t, "entries")
		columns, want := []Column[int32]{NewColumn[int32](n)}, [][]int32{make([]int32, n)}
		for range rapid.IntRange(1, 8).Draw(t, "forks") {
			from := rapid.IntRange(0, len(columns)-1).Draw(t, "from")
			c, w := columns[from].Fork(), slices.Clone(want[from])
			for range rapid.IntRange(0, 20).Draw(t, "sets") {
				i, v := rapid.IntRange(0, n-1).Draw(t, "entry"), rapid.Int32().Draw(t, "value")
				c.Set(int32(i), v)
				w[i] = v
			}
			columns, want = append(columns, c), append(want, w)
		}
		for f := range columns {
			var entries, paged []int32
			for i := range int32(n) {
				entries = append(entries, columns[f].At(i))
			}
			for p := range (n + PageSize - 1) / PageSize {
				paged = append(paged, columns[f].Page(p)...)
			}
			require.Equal(t, want[f], entries)
			require.Equal(t, want[f], paged[:n])
		}
	})
}

// A change copies a page, its table and the way to it, once each, however many entries the column has.
func TestColumnsShareWhatIsNotSet(t *testing.T) {
	c := NewColumn[int64](10 * tableSize)
	for i := range int32(10 * tableSize) {
		c.Set(i, int64(i))
	}
	var keep Column[int64]
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() {
		keep = c.Fork()
		for i := range int32(PageSize) {
			keep.Set(3*tableSize+i, -1)
		}
	}), 3.0)
	require.Equal(t, int64(3*tableSize), c.At(3*tableSize))
	require.Equal(t, &c.Page(0)[0], &keep.Page(0)[0])
	require.NotEqual(t, &c.Page(3 * tablePages)[0], &keep.Page(3 * tablePages)[0])
	require.Zero(t, testing.AllocsPerRun(10, func() { keep = c.Fork() }))
}
