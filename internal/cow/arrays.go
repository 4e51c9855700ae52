// Package cow answers: how do snapshots share what they have in common? [Column] and [Slab] are persistent arrays: a
// fork shares all pages, and whoever writes copies the page first (copy on write). A [Memo] keeps values computed from a
// snapshot and hands them to later snapshots, together with the log of what changed since.
//
// Who may write: only the owner of a fresh fork, and only until it publishes the snapshot that holds it. From then on an
// array is read by anybody, at any time. A Memo is safe for concurrent use always.
package cow

import (
	"slices"
)

// A change of an entry copies its page, and once a fork the table of pages above it. Small pages make Apply cheap, large
// ones make scans cheap.
const (
	PageSize   = 64
	tablePages = 32
	tableSize  = PageSize * tablePages
)

// Column is a persistent array in two levels, tables of pages. A fork shares all of them. Set copies the page that it
// touches and its table, unless the column owns them already. The zero column is empty. Readers of an old column never
// see a change.
type Column[T any] struct {
	tables []slot[T]
	shared bool // tables is another column's, too
}

// slot holds a table in the upper level. A fork copies the slots, not the tables, so ownership stands here.
type slot[T any] struct {
	table *table[T]
	owned bool
}

type table[T any] struct {
	pages      [tablePages]*[PageSize]T
	ownedPages uint32 // bit by page; holds for the owner of the table alone
}

// NewColumn has n zeros. They share one page, and one table, until they are set. O(n / table).
func NewColumn[T any](n int) Column[T] {
	zeros, empty := new([PageSize]T), &table[T]{}
	for p := range empty.pages {
		empty.pages[p] = zeros
	}
	tables := make([]slot[T], (n+tableSize-1)/tableSize)
	for i := range tables {
		tables[i].table = empty
	}
	return Column[T]{tables: tables}
}

// NewFullColumn has n zeros in pages of its own, for a caller that sets them all. O(n).
func NewFullColumn[T any](n int) Column[T] {
	c := NewColumn[T](n)
	pages := (n + PageSize - 1) / PageSize
	flat := make([]T, pages*PageSize)
	for p := range pages {
		at := &c.tables[p/tablePages]
		if !at.owned {
			at.table, at.owned = &table[T]{pages: at.table.pages}, true
		}
		t := at.table
		t.pages[p%tablePages] = (*[PageSize]T)(flat[p*PageSize:])
		t.ownedPages |= 1 << (p % tablePages)
	}
	return c
}

// Fork returns a column that can be set without c seeing it; c is not set any more. O(1).
func (c *Column[T]) Fork() Column[T] { return Column[T]{tables: c.tables, shared: true} }

// At is an entry. O(1).
func (c *Column[T]) At(i int32) T {
	return c.tables[uint32(i)/tableSize].table.pages[uint32(i)/PageSize%tablePages][uint32(i)%PageSize]
}

// Page has the entries from p * PageSize on, to be read only. The last page may reach beyond the column. O(1).
func (c *Column[T]) Page(p int) []T {
	return c.tables[uint(p)/tablePages].table.pages[uint(p)%tablePages][:]
}

// Set costs O(1), and the first time in a page O(page + table), in the column O(n / table).
func (c *Column[T]) Set(i int32, v T) { c.own(uint32(i) / PageSize)[uint32(i)%PageSize] = v }

// own makes page p the column's own, to be written.
func (c *Column[T]) own(p uint32) *[PageSize]T {
	if c.shared {
		tables := make([]slot[T], len(c.tables))
		for i := range tables {
			tables[i].table = c.tables[i].table
		}
		c.tables, c.shared = tables, false
	}
	at := &c.tables[p/tablePages]
	if !at.owned {
		at.table, at.owned = &table[T]{pages: at.table.pages}, true
	}
	t := at.table
	p %= tablePages
	if t.ownedPages&(1<<p) == 0 {
		page := *t.pages[p]
		t.pages[p] = &page
		t.ownedPages |= 1 << p
	}
	return t.pages[p]
}

// From has the entries from i to the end of its page, to be read only. O(1).
func (c *Column[T]) From(i int32) []T { return c.Page(int(i / PageSize))[i%PageSize:] }

// OwnFrom has the same entries to be written. It costs what Set costs.
func (c *Column[T]) OwnFrom(i int32) []T { return c.own(uint32(i / PageSize))[i%PageSize:] }

// Put sets an entry. One that has the value already stays, and its page stays shared.
func Put[T comparable](c *Column[T], i int32, value T) {
	if c.At(i) != value {
		c.Set(i, value)
	}
}

// Paged is a persistent array, a column or a slab.
type Paged[T any] interface {
	From(i int32) []T
	OwnFrom(i int32) []T
}

// AppendTo appends the entries [lo, end) to a list. O(end - lo).
func AppendTo[T any](list []T, from Paged[T], lo, end int32) []T {
	for lo < end {
		page := from.From(lo)
		page = page[:min(int(end-lo), len(page))]
		list = append(list, page...)
		lo += int32(len(page))
	}
	return list
}

// PutAll sets the entries from a place on. Pages that have the values already stay shared. O(values + pages copied).
func PutAll[T comparable](into Paged[T], at int32, values []T) {
	for len(values) > 0 {
		page := into.From(at)
		n := min(len(values), len(page))
		if !slices.Equal(page[:n], values[:n]) {
			copy(into.OwnFrom(at), values[:n])
		}
		at, values = at+int32(n), values[n:]
	}
}

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
