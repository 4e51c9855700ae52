package placement

import "sort"

// childSums are sums over the children of a domain, the largest child first: of slots, or of whole groups. Binary search
// in them answers how few children suffice.
type childSums struct {
	nodes   *column[int32] // where the children are nodes
	domains *slab[int32]   // else
	lo, len int32
}

// sumsOf are the sums of slots over the children of x.
func (ix *index) sumsOf(x vertex) childSums {
	lo, end := ix.v.kids(x)
	if ix.v.isNode(lo) {
		return childSums{nodes: &ix.nodeSums, lo: ix.v.firstPos[x], len: end - lo}
	}
	return childSums{domains: &ix.domainSums, lo: lo, len: end - lo}
}

// sumsOf are the sums of groups, each whole in a domain of the tier at place i, over the children of x, which are domains.
func (g *groupSums) sumsOf(v *view, i int, x vertex) childSums {
	lo, end := v.kids(x)
	return childSums{domains: &g.sums[i], lo: lo, len: end - lo}
}

// of is the sum of the n largest children, n being at least 1 and no more than there are.
func (c *childSums) of(n int32) int64 {
	if c.nodes != nil {
		return int64(c.nodes.at(c.lo + n - 1))
	}
	return int64(c.domains.at(c.lo + n - 1))
}

// child is the n-th largest child, 0 for n = 0.
func (c *childSums) child(n int32) int64 {
	switch n {
	case 0:
		return 0
	case 1:
		return c.of(1)
	}
	return c.of(n) - c.of(n-1)
}

// fewest is how many of the largest children make n, all if they do not, and what they make. O(log children).
func (c *childSums) fewest(n int64) (count int32, sum int64) {
	if n <= 0 || c.len == 0 {
		return 0, 0
	}
	count = int32(sort.Search(int(c.len)-1, func(i int) bool { return c.of(int32(i)+1) >= n })) + 1
	return count, c.of(count)
}

// atLeast is how many children are no smaller than n. O(log children).
func (c *childSums) atLeast(n int64) int32 {
	return int32(sort.Search(int(c.len), func(i int) bool { return c.child(int32(i)+1) < n }))
}
