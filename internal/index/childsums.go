package index

import (
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/layout"
)

// ChildSums are sums over the children of a domain, the largest child first: of slots, or of whole groups. Binary
// search in them answers how few children suffice.
type ChildSums struct {
	Run     []int32            // all of them, where they lie in one page
	Nodes   *cow.Column[int32] // else, where the children are nodes
	domains *cow.Slab[int32]   // else
	lo, Len int32
}

// SumsOf are the sums of slots over the children of x.
func (ix *Index) SumsOf(x layout.Vertex) ChildSums {
	lo, end := ix.V.Kids(x)
	if ix.V.IsNode(lo) {
		first := ix.V.FirstPos[x]
		return ChildSums{Run: inOnePage(&ix.nodeSums, first, end-lo), Nodes: &ix.nodeSums, lo: first, Len: end - lo}
	}
	return ChildSums{Run: inOnePage(&ix.domainSums, lo, end-lo), domains: &ix.domainSums, lo: lo, Len: end - lo}
}

// SumsOf are the sums of groups, each whole in a domain of the tier at place i, over the children of x, which are
// domains.
func (g *GroupSums) SumsOf(v *layout.View, i int, x layout.Vertex) ChildSums {
	lo, end := v.Kids(x)
	return ChildSums{Run: inOnePage(&g.Sums[i], lo, end-lo), domains: &g.Sums[i], lo: lo, Len: end - lo}
}

// inOnePage are n entries from lo on, nil if they lie in several pages.
func inOnePage(from cow.Paged[int32], lo, n int32) []int32 {
	if n == 0 {
		return nil
	}
	if page := from.From(lo); int(n) <= len(page) {
		return page[:n]
	}
	return nil
}

// Of is the sum of the n largest children, n being at least 1 and no more than there are.
func (c *ChildSums) Of(n int32) int64 {
	switch {
	case c.Run != nil:
		return int64(c.Run[n-1])
	case c.Nodes != nil:
		return int64(c.Nodes.At(c.lo + n - 1))
	}
	return int64(c.domains.At(c.lo + n - 1))
}

// Child is the n-th largest child, 0 for n = 0.
func (c *ChildSums) Child(n int32) int64 {
	switch n {
	case 0:
		return 0
	case 1:
		return c.Of(1)
	}
	return c.Of(n) - c.Of(n-1)
}

// Fewest is how many of the largest children make n, all if they do not, and what they make. O(log children).
func (c *ChildSums) Fewest(n int64) (count int32, sum int64) {
	if n <= 0 || c.Len == 0 {
		return 0, 0
	}
	count = c.first(c.Len-1, func(i int32) bool { return c.Of(i+1) >= n }) + 1
	return count, c.Of(count)
}

// AtLeast is how many children are no smaller than n. O(log children).
func (c *ChildSums) AtLeast(n int64) int32 {
	return c.first(c.Len, func(i int32) bool { return c.Child(i+1) < n })
}

// first is the first of n places from which on something holds, n if there is none.
func (c *ChildSums) first(n int32, holds func(i int32) bool) int32 {
	lo := int32(0)
	for lo < n {
		if mid := (lo + n) / 2; holds(mid) {
			n = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
