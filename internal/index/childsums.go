package index

import (
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/layout"
)

// ChildSums are prefix sums over the children of a domain, the largest child first: of slots, or of whole groups. They
// answer how few children suffice, by binary search. They do not tell which child is the n-th largest.
type ChildSums struct {
	Run     []int32            // all sums, to be read only; nil if they do not lie in one page
	Nodes   *cow.Column[int32] // where the children are nodes; else nil
	domains *cow.Slab[int32]   // where the children are domains; else nil
	lo, Len int32              // the place of the first sum in either; the number of children
}

// SumsOf are the sums of slots over the children of x. O(1).
func (ix *Index) SumsOf(x layout.Vertex) ChildSums {
	lo, end := ix.V.Kids(x)
	if ix.V.IsNode(lo) {
		first := ix.V.FirstPos[x]
		return ChildSums{Run: inOnePage(&ix.nodeSums, first, end-lo), Nodes: &ix.nodeSums, lo: first, Len: end - lo}
	}
	return ChildSums{Run: inOnePage(&ix.domainSums, lo, end-lo), domains: &ix.domainSums, lo: lo, Len: end - lo}
}

// SumsOf are the sums of groups over the children of x, which are domains; each group is whole in a domain of the tier
// at place i. O(1).
func (g *GroupSums) SumsOf(v *layout.View, i int, x layout.Vertex) ChildSums {
	lo, end := v.Kids(x)
	return ChildSums{Run: inOnePage(&g.Sums[i], lo, end-lo), domains: &g.Sums[i], lo: lo, Len: end - lo}
}

// inOnePage lists n entries from lo on, nil if there are none or they lie in several pages.
func inOnePage(from cow.Paged[int32], lo, n int32) []int32 {
	if n == 0 {
		return nil
	}
	if page := from.From(lo); int(n) <= len(page) {
		return page[:n]
	}
	return nil
}

// Of is the sum of the n largest children, with n from 1 to Len. O(1).
func (c *ChildSums) Of(n int32) int64 {
	switch {
	case c.Run != nil:
		return int64(c.Run[n-1])
	case c.Nodes != nil:
		return int64(c.Nodes.At(c.lo + n - 1))
	}
	return int64(c.domains.At(c.lo + n - 1))
}

// Child is the number of the n-th largest child, from 1; 0 for n = 0. O(1).
func (c *ChildSums) Child(n int32) int64 {
	switch n {
	case 0:
		return 0
	case 1:
		return c.Of(1)
	}
	return c.Of(n) - c.Of(n-1)
}

// Fewest is the least number of children that make n, all if they do not, and the sum of so many of the largest.
// O(log children).
func (c *ChildSums) Fewest(n int64) (count int32, sum int64) {
	if n <= 0 || c.Len == 0 {
		return 0, 0
	}
	count = c.first(c.Len-1, func(i int32) bool { return c.Of(i+1) >= n }) + 1
	return count, c.Of(count)
}

// AtLeast is the number of children that are no smaller than n. O(log children).
func (c *ChildSums) AtLeast(n int64) int32 {
	if run := c.Run; run != nil {
		if n > int64(run[0]) {
			return 0
		}
		lo, end := int32(1), c.Len // the first child is large enough
		for lo < end {
			if mid := (lo + end) / 2; int64(run[mid]-run[mid-1]) < n {
				end = mid
			} else {
				lo = mid + 1
			}
		}
		return lo
	}
	return c.first(c.Len, func(i int32) bool { return c.Child(i+1) < n })
}

// first is the first of n places from which on something holds, n if there is none: it must hold at all places behind.
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

// compareBelow finds out whether all nodes with slots below x are alike, and enters one of them. Being alike is
// transitive, so each child is compared by one node.
func (s *summer) compareBelow(x layout.Vertex) {
	one := int32(0)
	lo, end := s.index.V.Kids(x)
	for c := lo; c < end && one >= 0; c++ {
		other := int32(0)
		if !s.index.V.IsNode(c) {
			other = s.index.Alike.At(c)
		} else if pos := s.index.V.Position(c); s.index.Slots.At(pos) > 0 {
			other = pos + 1
		}
		switch {
		case one == 0:
			one = other
		case other < 0 || other > 0 && !s.like(one-1, other-1):
			one = -1
		}
	}
	s.index.Alike.Put(x, one)
}
