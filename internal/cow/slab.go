package cow

import "slices"

// slabSize is the number of entries that one change of a slab copies.
const slabSize = 512

// Slab is a persistent array for values that plans read all over: its pages are larger than those of a [Column], and one
// level of them leads to an entry. The zero slab is empty.
type Slab[T comparable] struct {
	pages  [][]T
	owned  []bool
	shared bool // pages is another slab's, too, and owned means nothing
}

// NewSlab has n zeros. O(n).
func NewSlab[T comparable](n int) Slab[T] {
	flat := make([]T, n)
	pages := (n + slabSize - 1) / slabSize
	s := Slab[T]{pages: make([][]T, pages), owned: make([]bool, pages)}
	for p := range pages {
		end := min(n, (p+1)*slabSize)
		s.pages[p], s.owned[p] = flat[p*slabSize:end:end], true
	}
	return s
}

// Fork returns a slab that can be set without s seeing it; s is not set any more. O(1).
func (s *Slab[T]) Fork() Slab[T] { return Slab[T]{pages: s.pages, shared: true} }

// At is an entry. O(1).
func (s *Slab[T]) At(i int32) T { return s.pages[uint32(i)/slabSize][uint32(i)%slabSize] }

// own makes page p the slab's own, to be written. O(pages) at first, then O(page).
func (s *Slab[T]) own(p int32) []T {
	if s.shared {
		s.pages, s.owned, s.shared = slices.Clone(s.pages), make([]bool, len(s.pages)), false
	}
	if !s.owned[p] {
		s.pages[p], s.owned[p] = slices.Clone(s.pages[p]), true
	}
	return s.pages[p]
}

// Put sets an entry. One that has the value already stays, and its page stays shared.
func (s *Slab[T]) Put(i int32, value T) {
	if s.At(i) != value {
		s.OwnFrom(i)[0] = value
	}
}

// From has the entries from i to the end of its page, to be read only. O(1).
func (s *Slab[T]) From(i int32) []T { return s.pages[i/slabSize][i%slabSize:] }

// OwnFrom has the same entries to be written. O(pages + page) the first time.
func (s *Slab[T]) OwnFrom(i int32) []T { return s.own(i / slabSize)[i%slabSize:] }
