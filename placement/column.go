package placement

import "slices"

// A page is what one change of an entry copies, a table the pages that a change of one of them finds its way through.
// Small pages make Apply cheap, large ones make scans cheap.
const (
	pageSize   = 64
	tablePages = 32
	tableSize  = pageSize * tablePages
)

// column is a persistent array in two levels: a fork shares all pages, and set copies the page it touches, and the
// table that this page stands in, unless the column owns them already. The zero column is empty. Readers of an old
// column never see a change.
type column[T any] struct {
	tables []tableOf[T]
	shared bool // tables is another column's, too
}

// tableOf is a place in the upper level; whether the column owns the table is its own affair.
type tableOf[T any] struct {
	*table[T]
	owned bool
}

type table[T any] struct {
	pages [tablePages]*[pageSize]T
	owned uint32 // bit by page; says something to the owner of the table only
}

// newColumn has n zeros. They take the room of one page until they are set. O(n / page).
func newColumn[T any](n int) column[T] {
	zeros := new([pageSize]T)
	tables := make([]tableOf[T], (n+tableSize-1)/tableSize)
	for i := range tables {
		tables[i] = tableOf[T]{&table[T]{}, true}
		for p := range tables[i].pages {
			tables[i].pages[p] = zeros
		}
	}
	return column[T]{tables: tables}
}

// newFullColumn has n zeros in one piece, for those who will set them all. O(n).
func newFullColumn[T any](n int) column[T] {
	c := newColumn[T](n)
	pages := (n + pageSize - 1) / pageSize
	flat := make([]T, pages*pageSize)
	for p := range pages {
		t := c.tables[p/tablePages].table
		t.pages[p%tablePages] = (*[pageSize]T)(flat[p*pageSize:])
		t.owned |= 1 << (p % tablePages)
	}
	return c
}

// fork returns a column that can be set without c seeing it; c is not set any more. O(1).
func (c *column[T]) fork() column[T] { return column[T]{tables: c.tables, shared: true} }

func (c *column[T]) at(i int32) T {
	return c.tables[uint32(i)/tableSize].pages[uint32(i)/pageSize%tablePages][uint32(i)%pageSize]
}

// page has the entries from p * pageSize on, to be read only. The last page has more entries than the column.
func (c *column[T]) page(p int) []T {
	return c.tables[uint(p)/tablePages].pages[uint(p)%tablePages][:]
}

// set costs O(1), and the first time in a page O(page + table), in the column O(n / table).
func (c *column[T]) set(i int32, v T) { c.own(uint32(i) / pageSize)[uint32(i)%pageSize] = v }

// own makes page p the column's own, to be written.
func (c *column[T]) own(p uint32) *[pageSize]T {
	if c.shared {
		tables := make([]tableOf[T], len(c.tables))
		for i := range tables {
			tables[i].table = c.tables[i].table
		}
		c.tables, c.shared = tables, false
	}
	t := &c.tables[p/tablePages]
	if !t.owned {
		t.table, t.owned = &table[T]{pages: t.pages}, true
	}
	p %= tablePages
	if t.table.owned&(1<<p) == 0 {
		page := *t.pages[p]
		t.pages[p] = &page
		t.table.owned |= 1 << p
	}
	return t.pages[p]
}

// from has the entries from i to the end of its page, to be read only; ownFrom has them to be written.
func (c *column[T]) from(i int32) []T    { return c.page(int(i / pageSize))[i%pageSize:] }
func (c *column[T]) ownFrom(i int32) []T { return c.own(uint32(i / pageSize))[i%pageSize:] }

// put sets an entry, unless it has the value already: pages that do not change stay shared.
func put[T comparable](c *column[T], i int32, value T) {
	if c.at(i) != value {
		c.set(i, value)
	}
}

// paged is a persistent array: a column or a slab.
type paged[T any] interface {
	from(i int32) []T
	ownFrom(i int32) []T
}

// appendTo appends the entries [lo, end) to a list. O(end - lo).
func appendTo[T any](list []T, from paged[T], lo, end int32) []T {
	for lo < end {
		page := from.from(lo)
		page = page[:min(int(end-lo), len(page))]
		list = append(list, page...)
		lo += int32(len(page))
	}
	return list
}

// putAll sets the entries from a place on, unless those of a page have the values already. O(values + pages copied).
func putAll[T comparable](into paged[T], at int32, values []T) {
	for len(values) > 0 {
		page := into.from(at)
		n := min(len(values), len(page))
		if !slices.Equal(page[:n], values[:n]) {
			copy(into.ownFrom(at), values[:n])
		}
		at, values = at+int32(n), values[n:]
	}
}
