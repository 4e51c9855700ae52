package placement

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Columns that fork from each other in any order are each what a copied slice would be, by entry and by page.
func TestColumnsEqualCopiedSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, pageSize, pageSize + 1, tableSize, 2*tableSize + 5}).Draw(t, "entries")
		columns, want := []column[int32]{newColumn[int32](n)}, [][]int32{make([]int32, n)}
		for range rapid.IntRange(1, 8).Draw(t, "forks") {
			from := rapid.IntRange(0, len(columns)-1).Draw(t, "from")
			c, w := columns[from].fork(), slices.Clone(want[from])
			for range rapid.IntRange(0, 20).Draw(t, "sets") {
				i, v := rapid.IntRange(0, n-1).Draw(t, "entry"), rapid.Int32().Draw(t, "value")
				c.set(int32(i), v)
				w[i] = v
			}
			columns, want = append(columns, c), append(want, w)
		}
		for f := range columns {
			var entries, paged []int32
			for i := range int32(n) {
				entries = append(entries, columns[f].at(i))
			}
			for p := range (n + pageSize - 1) / pageSize {
				paged = append(paged, columns[f].page(p)...)
			}
			require.Equal(t, want[f], entries)
			require.Equal(t, want[f], paged[:n])
		}
	})
}

// A change copies a page, its table and the way to it, once each, however many entries the column has.
func TestColumnsShareWhatIsNotSet(t *testing.T) {
	c := newColumn[int64](10 * tableSize)
	for i := range int32(10 * tableSize) {
		c.set(i, int64(i))
	}
	var keep column[int64]
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() {
		keep = c.fork()
		for i := range int32(pageSize) {
			keep.set(3*tableSize+i, -1)
		}
	}), 3.0)
	require.Equal(t, int64(3*tableSize), c.at(3*tableSize))
	require.Equal(t, &c.page(0)[0], &keep.page(0)[0])
	require.NotEqual(t, &c.page(3 * tablePages)[0], &keep.page(3 * tablePages)[0])
	require.Zero(t, testing.AllocsPerRun(10, func() { keep = c.fork() }))
}
