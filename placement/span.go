package placement

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
		n, _ := fewestOf(s.slots.ix.sortedDomains[lo:end], s.full)
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
			return s.spanWithShort(s.indexed.sorted[i][lo:end], func(yield func(hi int64) bool) {
				for c := lo; c < end; c++ {
					if s.rest(0, t, c) >= s.short && !yield(s.whole(0, t, c)) {
						return
					}
				}
			}), true
		}
		lower = whole
	}
	return s.spanOfSplit(s.slots.ix.sortedDomains[lo:end]), true
}

// spanOfSplit is how many children, their slots in descending order, take all members when groups are split between
// them and every child keeps the groups that it can hold whole.
func (s *sums) spanOfSplit(sorted []int64) int64 {
	keeps := int64(0)
	for keeps < int64(len(sorted)) && sorted[keeps] >= s.sizes[0] {
		keeps++
	}
	n, _ := fewestOf(sorted, s.members)
	return max(keeps, n)
}

// leastSpan is a bound below spanOf: no node takes more than the largest.
func (s *sums) leastSpan(x vertex) int64 {
	if s.slots.flat != nil || len(s.siblings) > 0 || s.v.isNode(x) || !s.v.isNode(s.v.firstKid[x]) {
		return 0
	}
	largest := max(1, int64(s.slots.ix.largest[x]))
	return (s.members + largest - 1) / largest
}

// spanWithShort is how many of the children, their whole groups in descending order, hold all groups. The short one
// takes the place of a whole group, or lies beside those of a child that has room for it; holders are these.
func (s *sums) spanWithShort(sorted []int64, holders func(yield func(hi int64) bool)) int64 {
	n, sum := fewestOf(sorted, s.full)
	if s.short == 0 || sum > s.full && n > 0 {
		return n
	}
	var largest int64 = -1
	holders(func(hi int64) bool {
		largest = max(largest, hi)
		return true
	})
	// The smallest of the set may have to make way for a holder.
	if n > 0 && (largest >= sorted[n-1] || largest >= 0 && sum-sorted[n-1]+largest >= s.full) {
		return n
	}
	return n + 1
}

// spanOfNodes is spanOf for a domain of nodes. Nodes with more slots hold more whole groups, so one order serves all.
func (s *sums) spanOfNodes(x vertex) (int64, bool) {
	from, end := s.v.firstPos[x], s.v.endPos[x]
	ix := s.slots.ix
	if len(s.levels) == 0 {
		return fewestNodes(ix, from, end, s.members), true
	}
	if s.indexed == nil {
		return 0, false
	}
	size := s.sizes[0]
	if s.whole(0, 0, x) < s.full { // groups are split over the nodes, each keeps what it can hold whole
		var keeps int64
		for pos := from; pos < end && int64(ix.sortedNodes.at(pos)) >= size; pos++ {
			keeps++
		}
		return max(keeps, fewestNodes(ix, from, end, s.members)), true
	}
	if s.short > 0 {
		return 0, false
	}
	left, n := s.full, int64(0)
	for pos := from; pos < end && left > 0; pos++ {
		left -= int64(ix.sortedNodes.at(pos)) / size
		n++
	}
	return n, true
}

// fewestNodes is how many nodes of an interval take so many members.
func fewestNodes(ix *index, from, end int32, left int64) (count int64) {
	for pos := from; pos < end && left > 0; pos++ {
		left -= int64(ix.sortedNodes.at(pos))
		count++
	}
	return count
}

// fewestOf is how many of the first values make n, and what they make.
func fewestOf(values []int64, n int64) (count, sum int64) {
	for _, v := range values {
		if sum >= n {
			break
		}
		sum += v
		count++
	}
	return count, sum
}
