package placement

// pageSize is the number of entries that one change copies. Small pages make Apply cheap, large ones make scans cheap.
const pageSize = 256

// column is a persistent array: a fork shares all pages, and set copies the page it touches unless the column owns it
// already. The zero column is empty. Readers of an old column never see a change.
type column[T any] struct {
	pages []*[pageSize]T
	owned []bool // pages that no other column shares; nil: all of them
}

func newColumn[T any](n int) column[T] {
	flat := make([][pageSize]T, (n+pageSize-1)/pageSize)
	c := column[T]{pages: make([]*[pageSize]T, len(flat))}
	for i := range flat {
		c.pages[i] = &flat[i]
	}
	return c
}

// fork returns a column that can be set without c seeing it. O(pages).
func (c *column[T]) fork() column[T] {
	pages := make([]*[pageSize]T, len(c.pages))
	copy(pages, c.pages)
	return column[T]{pages: pages, owned: make([]bool, len(pages))}
}

func (c *column[T]) at(i int32) T { return c.pages[uint32(i)/pageSize][uint32(i)%pageSize] }

func (c *column[T]) set(i int32, v T) {
	p := uint32(i) / pageSize
	if c.owned != nil && !c.owned[p] {
		page := *c.pages[p]
		c.pages[p], c.owned[p] = &page, true
	}
	c.pages[p][uint32(i)%pageSize] = v
}
