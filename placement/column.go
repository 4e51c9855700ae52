package placement

// pageSize is the number of entries that one change copies. Small pages make Apply cheap, large ones make scans cheap.
const pageSize = 256

// column is a persistent array: a copy shares all pages, and set copies the page it touches unless the column owns it
// already. The zero column is empty. Readers of an old copy never see a change.
type column[T any] struct {
	pages [][]T
	owned []bool // pages that no other column shares; nil: none
	n     int
}

func newColumn[T any](n int) column[T] {
	c := column[T]{pages: make([][]T, (n+pageSize-1)/pageSize), n: n}
	flat := make([]T, n)
	for i := range c.pages {
		c.pages[i] = flat[i*pageSize : min((i+1)*pageSize, n) : min((i+1)*pageSize, n)]
	}
	return c
}

// fork returns a column that can be set without c seeing it. O(pages).
func (c *column[T]) fork() column[T] {
	pages := make([][]T, len(c.pages))
	copy(pages, c.pages)
	return column[T]{pages: pages, owned: make([]bool, len(pages)), n: c.n}
}

func (c *column[T]) at(i int32) T { return c.pages[i/pageSize][i%pageSize] }

func (c *column[T]) set(i int32, v T) {
	p := i / pageSize
	if c.owned != nil && !c.owned[p] {
		c.pages[p] = append([]T(nil), c.pages[p]...)
		c.owned[p] = true
	}
	c.pages[p][i%pageSize] = v
}
