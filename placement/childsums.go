package placement

// childSums are sums over the children of a domain, the largest child first: of slots, or of whole groups. Binary search
// in them answers how few children suffice.
type childSums struct {
	run     []int32        // all of them, where they lie in one page
	nodes   *column[int32] // else, where the children are nodes
	domains *slab[int32]   // else
	lo, len int32
}

// sumsOf are the sums of slots over the children of x.
func (ix *index) sumsOf(x vertex) childSums {
	lo, end := ix.v.kids(x)
	if ix.v.isNode(lo) {
		first := ix.v.firstPos[x]
		return childSums{run: inOnePage(&ix.nodeSums, first, end-lo), nodes: &ix.nodeSums, lo: first, len: end - lo}
	}
	return childSums{run: inOnePage(&ix.domainSums, lo, end-lo), domains: &ix.domainSums, lo: lo, len: end - lo}
}

// sumsOf are the sums of groups, each whole in a domain of the tier at place i, over the children of x, which are domains.
func (g *groupSums) sumsOf(v *view, i int, x vertex) childSums {
	lo, end := v.kids(x)
	return childSums{run: inOnePage(&g.sums[i], lo, end-lo), domains: &g.sums[i], lo: lo, len: end - lo}
}

// inOnePage are n entries from lo on, nil if they lie in several pages.
func inOnePage(from paged[int32], lo, n int32) []int32 {
	if n == 0 {
		return nil
	}
	if page := from.from(lo); int(n) <= len(page) {
		return page[:n]
	}
	return nil
}

// of is the sum of the n largest children, n being at least 1 and no more than there are.
func (c *childSums) of(n int32) int64 {
	switch {
	case c.run != nil:
		return int64(c.run[n-1])
	case c.nodes != nil:
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
	count = c.first(c.len-1, func(i int32) bool { return c.of(i+1) >= n }) + 1
	return count, c.of(count)
}

// atLeast is how many children are no smaller than n. O(log children).
func (c *childSums) atLeast(n int64) int32 {
	return c.first(c.len, func(i int32) bool { return c.child(i+1) < n })
}

// first is the first of n places from which on something holds, n if there is none.
func (c *childSums) first(n int32, holds func(i int32) bool) int32 {
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
