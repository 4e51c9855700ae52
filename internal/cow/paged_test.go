package cow

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// array is a column or a slab with the methods that both have.
type array interface {
	Paged[int32]
	At(i int32) int32
	put(i, value int32)
	fork() array
}

type column struct{ Column[int32] }

func (c *column) put(i, value int32) { Put(&c.Column, i, value) }
func (c *column) fork() array        { return &column{c.Fork()} }

type slab struct{ Slab[int32] }

func (s *slab) put(i, value int32) { s.Put(i, value) }
func (s *slab) fork() array        { return &slab{s.Fork()} }

// arrays are the persistent arrays, by name.
var arrays = map[string]func(n int) array{
	"column":      func(n int) array { return &column{NewColumn[int32](n)} },
	"full column": func(n int) array { return &column{NewFullColumn[int32](n)} },
	"slab":        func(n int) array { return &slab{NewSlab[int32](n)} },
}

// Arrays that fork from each other in any order are each what a copied slice would be, however they are written and read.
func TestPagedArraysEqualCopiedSlices(t *testing.T) {
	for name, create := range arrays {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.SampledFrom([]int{1, PageSize, slabSize, slabSize + 1, tableSize, tableSize + 70}).Draw(t, "entries")
				interval := func(t *rapid.T, most int) (lo, end int) {
					lo = rapid.IntRange(0, n-1).Draw(t, "from")
					return lo, rapid.IntRange(lo, min(n, lo+most)).Draw(t, "to")
				}
				forks, want := []array{create(n)}, [][]int32{make([]int32, n)}
				for range rapid.IntRange(1, 8).Draw(t, "forks") {
					from := rapid.IntRange(0, len(forks)-1).Draw(t, "of")
					a, w := forks[from].fork(), slices.Clone(want[from])
					for range rapid.IntRange(0, 6).Draw(t, "changes") {
						lo, end := interval(t, 700)
						values := rapid.SliceOfN(rapid.Int32Range(0, 2), min(end-lo, 3), end-lo).Draw(t, "values")
						switch rapid.IntRange(0, 2).Draw(t, "by") {
						case 0:
							PutAll(a, int32(lo), values)
							copy(w[lo:], values)
						case 1:
							a.put(int32(lo), 7)
							w[lo] = 7
						case 2:
							a.OwnFrom(int32(lo))[0] = 9
							w[lo] = 9
						}
					}
					forks, want = append(forks, a), append(want, w)
				}
				for i, a := range forks {
					require.Equal(t, want[i], AppendTo(nil, a, 0, int32(n)))
					lo, end := interval(t, n)
					require.Equal(t, append([]int32{-1}, want[i][lo:end]...), AppendTo([]int32{-1}, a, int32(lo), int32(end)))
					require.Equal(t, want[i][lo], a.At(int32(lo)))
				}
			})
		})
	}
}

// A page is copied when a value changes, not when it is put again.
func TestPagesOfEqualValuesStayShared(t *testing.T) {
	for name, create := range arrays {
		a := create(2 * tableSize)
		fork := a.fork()
		fork.put(5, 0)
		PutAll(fork, tableSize-100, make([]int32, 200))
		for _, i := range []int32{5, tableSize - 100, tableSize + 99} {
			require.Same(t, &a.From(i)[0], &fork.From(i)[0], name)
		}
		fork.put(5, 1)
		PutAll(fork, tableSize-1, []int32{0, 3})
		require.NotSame(t, &a.From(5)[0], &fork.From(5)[0], name)
		require.Same(t, &a.From(tableSize - 1)[0], &fork.From(tableSize - 1)[0], name)
		require.NotSame(t, &a.From(tableSize)[0], &fork.From(tableSize)[0], name)
		require.Equal(t, []int32{0, 0, 1, 3}, []int32{a.At(5), a.At(tableSize), fork.At(5), fork.At(tableSize)}, name)
		require.Zero(t, testing.AllocsPerRun(5, func() { fork.put(6, 2) }), name)
	}
}
