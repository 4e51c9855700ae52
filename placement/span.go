package placement

import "sort"

// indexedSpan is spanOf from the index, where nobody runs: the largest children, until they suffice. Groups must be split
// here, or all stay whole at one tier and none at a lower one.
func (s *sums) indexedSpan(x vertex) (n int64, ok bool) {
	if s.slots.flat != nil || len(s.siblings) > 0 || x == rootVertex && s.slots.inTree || s.beyond > 0 {
		return 0, false
	}
	lo, end := s.v.kids(x)
	switch {
	case s.v.isNode(lo):
		return s.spanOfNodes(x)
	case len(s.levels) == 0:
		n, _ := fewestOf(&s.slots.ix.domainSums, lo, end, s.full)
		return n, true
	case s.indexed == nil:
		return 0, false
	}
	var lower int64
	for i, t := range s.v.tiersBelow(s.v.tierOf(x)) {
		whole := s.whole(0, t, x)
		if whole >= s.full {
			if lower > 0 || s.short > 0 && whole == s.full {
				return 0, false
			}
			return s.spanWithShort(x, i), true
		}
		lower = whole
	}
	return s.spanOfSplit(lo, end), true
}

// spanOfSplit is how many children take all members when groups are split between them and every child keeps the groups
// that it can hold whole.
func (s *sums) spanOfSplit(lo, end vertex) int64 {
	sums := &s.slots.ix.domainSums
	n, _ := fewestOf(sums, lo, end, s.members)
	return max(n, atLeast(sums, lo, end, s.sizes[0]))
}

// spanWithShort is how many of the children hold all groups, each whole in a domain of the tier at place i. The short one
// takes the place of a whole group, or lies beside those of a child that has room for it.
func (s *sums) spanWithShort(x vertex, i int) int64 {
	lo, end := s.v.kids(x)
	sums := &s.indexed.sums[i]
	n, sum := fewestOf(sums, lo, end, s.full)
	if s.short == 0 || sum > s.full && n > 0 {
		return n
	}
	var largest int64 = -1 // of the children with room for the short group
	for c := lo; c < end; c++ {
		if s.rest(0, s.v.tiers[i], c) >= s.short {
			largest = max(largest, s.whole(0, s.v.tiers[i], c))
		}
	}
	// The smallest of the set may have to make way for such a child.
	if last := valueAt(sums, lo, vertex(n)-1); n > 0 && (largest >= last || largest >= 0 && sum-last+largest >= s.full) {
		return n
	}
	return n + 1
}

// spanOfNodes is spanOf for a domain of nodes. Nodes with more slots hold more whole groups, so one order serves all.
func (s *sums) spanOfNodes(x vertex) (int64, bool) {
	lo, end := s.v.firstPos[x], s.v.endPos[x]
	sums := &s.slots.ix.nodeSums
	if len(s.levels) == 0 {
		n, _ := fewestOf(sums, lo, end, s.members)
		return n, true
	}
	if s.indexed == nil {
		return 0, false
	}
	size := s.sizes[0]
	if s.whole(0, 0, x) < s.full { // groups are split over the nodes, each keeps what it can hold whole
		n, _ := fewestOf(sums, lo, end, s.members)
		return max(n, atLeast(sums, lo, end, size)), true
	}
	if s.short > 0 {
		return 0, false
	}
	left, n := s.full, int64(0)
	for i := int32(0); i < end-lo && left > 0; i++ {
		left -= valueAt(sums, lo, i) / size
		n++
	}
	return n, true
}

// isWider is true only if spanOf is above span: so many children do not have room, even the largest.
func (s *sums) isWider(x vertex, span int64) bool {
	if s.slots.flat != nil || len(s.siblings) > 0 || s.v.isNode(x) {
		return false
	}
	lo, end := s.v.kids(x)
	switch {
	case span <= 0:
		return true
	case int64(end-lo) <= span:
		return false
	case s.v.isNode(lo):
		return int64(s.slots.ix.nodeSums.at(s.v.firstPos[x]+int32(span)-1)) < s.members
	case int64(s.slots.ix.domainSums.at(lo+int32(span)-1)) < s.members:
		return true
	case s.indexed == nil || x == rootVertex:
		return false
	}
	for i, t := range s.v.tiersBelow(s.v.tierOf(x)) {
		if s.whole(0, t, x) >= s.full {
			return int64(s.indexed.sums[i].at(lo+int32(span)-1)) < s.full
		}
	}
	return false
}

// fewestOf is how many of the first values behind sums in the interval make n, all of them if they do not, and what they
// make.
func fewestOf(sums *column[int32], lo, end int32, n int64) (count, sum int64) {
	if n <= 0 || lo == end {
		return 0, 0
	}
	i := sort.Search(int(end-lo)-1, func(i int) bool { return int64(sums.at(lo+int32(i))) >= n })
	return int64(i) + 1, int64(sums.at(lo + int32(i)))
}

// atLeast is how many values behind sums in the interval are no smaller than n.
func atLeast(sums *column[int32], lo, end int32, n int64) int64 {
	return int64(sort.Search(int(end-lo), func(i int) bool { return valueAt(sums, lo, int32(i)) < n }))
}

// valueAt is the i-th largest value of an interval of sums; 0 before the first.
func valueAt(sums *column[int32], lo, i int32) int64 {
	switch {
	case i < 0:
		return 0
	case i == 0:
		return int64(sums.at(lo))
	}
	return int64(sums.at(lo+i) - sums.at(lo+i-1))
}
