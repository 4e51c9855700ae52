// Package cow answers: how do snapshots share what they have in common? [Column] and [Slab] are persistent arrays: a
// fork shares all pages, and whoever writes copies the page first (copy on write). A [Memo] keeps values computed from a
// snapshot and hands them to later snapshots, together with the log of what changed since.
//
// Who may write: only the owner of a fresh fork, and only until it publishes the snapshot that holds it. From then on an
// array is read by anybody, at any time. A Memo is safe for concurrent use always.
package cow

import "slices"

// A page is what one change of an entry copies, a table the pages that a change of one of them finds its way through.
// Small pages make Apply cheap, large ones make scans cheap.
const (
	PageSize   = 64
	tablePages = 32
	tableSize  = PageSize * tablePages
)

// Column is a persistent array in two levels: a fork shares all pages, and set copies the page it touches, and the
// table that this page stands in, unless the column owns them already. The zero column is empty. Readers of an old
// column never see a change.
type Column[T any] struct {
	tables []tableOf[T]
	shared bool // tables is another column's, too
}

// tableOf is a place in the upper level; whether the column owns the table is its own affair.
type tableOf[T any] struct {
	table *table[T]
	owned bool
}

type table[T any] struct {
	pages [tablePages]*[PageSize]T
	owned uint32 // bit by page; says something to the owner of the table only
}

// NewColumn has n zeros. They take the room of one page until they are set. O(n / page).
func NewColumn[T any](n int) Column[T] {
	zeros := new([PageSize]T)
	tables := make([]tableOf[T], (n+tableSize-1)/tableSize)
	for i := range tables {
		tables[i] = tableOf[T]{&table[T]{}, true}
		for p := range tables[i].table.pages {
			tables[i].table.pages[p] = zeros
		}
	}
	return Column[T]{tables: tables}
}

// NewFullColumn has n zeros in one piece, for those who will set them all. O(n).
func NewFullColumn[T any](n int) Column[T] {
	c := NewColumn[T](n)
	pages := (n + PageSize - 1) / PageSize
	flat := make([]T, pages*PageSize)
	for p := range pages {
		t := c.tables[p/tablePages].table
		t.pages[p%tablePages] = (*[PageSize]T)(flat[p*PageSize:])
		t.owned |= 1 << (p % tablePages)
	}
	return c
}

// Fork returns a column that can be set without c seeing it; c is not set any more. O(1).
func (c *Column[T]) Fork() Column[T] { return Column[T]{tables: c.tables, shared: true} }

// At is an entry. O(1).
func (c *Column[T]) At(i int32) T {
	return c.tables[uint32(i)/tableSize].table.pages[uint32(i)/PageSize%tablePages][uint32(i)%PageSize]
}

// Page has the entries from p * pageSize on, to be read only. The last page has more entries than the column.
func (c *Column[T]) Page(p int) []T {
	return c.tables[uint(p)/tablePages].table.pages[uint(p)%tablePages][:]
}

// Set costs O(1), and the first time in a page O(page + table), in the column O(n / table).
func (c *Column[T]) Set(i int32, v T) { c.own(uint32(i) / PageSize)[uint32(i)%PageSize] = v }

// own makes page p the column's own, to be written.
func (c *Column[T]) own(p uint32) *[PageSize]T {
	if c.shared {
		tables := make([]tableOf[T], len(c.tables))
		for i := range tables {
			tables[i].table = c.tables[i].table
		}
		c.tables, c.shared = tables, false
	}
	t := &c.tables[p/tablePages]
	if !t.owned {
		t.table, t.owned = &table[T]{pages: t.table.pages}, true
	}
	p %= tablePages
	if t.table.owned&(1<<p) == 0 {
		page := *t.table.pages[p]
		t.table.pages[p] = &page
		t.table.owned |= 1 << p
	}
	return t.table.pages[p]
}

// From has the entries from i to the end of its page, to be read only; ownFrom has them to be written.
func (c *Column[T]) From(i int32) []T { return c.Page(int(i / PageSize))[i%PageSize:] }

// OwnFrom has the entries from i to the end of its page, to be written.
func (c *Column[T]) OwnFrom(i int32) []T { return c.own(uint32(i / PageSize))[i%PageSize:] }

// Put sets an entry, unless it has the value already: pages that do not change stay shared.
func Put[T comparable](c *Column[T], i int32, value T) {
	if c.At(i) != value {
		c.Set(i, value)
	}
}

// Paged is a persistent array: a column or a slab.
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

// PutAll sets the entries from a place on, unless those of a page have the values already. O(values + pages copied).
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
