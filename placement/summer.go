package placement

import "slices"

// summer makes the entries of domains from those of their children.
type summer struct {
	*index
	list []int32
}

func (s *summer) sum(x vertex) {
	lo, end := s.v.kids(x)
	s.list = s.list[:0]
	if lo == end {
		return
	}
	below := s.v.tiersBelow(s.v.tier[x])
	if s.v.isNode(lo) {
		first := s.v.firstPos[x]
		s.list = s.slots.appendTo(s.list, first, s.v.endPos[x])
		put(&s.values, x, bitsOf(s.list))
		put(&s.domains, x, s.prefixSums(&s.nodeSums, first))
		for i := range below {
			put(&s.most[i], x, s.list[0])
		}
		s.sumTops(x)
		return
	}
	s.list = s.domains.appendTo(s.list, lo, end)
	var bits uint64
	for c := lo; c < end; c++ {
		bits |= s.values.at(c)
	}
	put(&s.values, x, bits)
	put(&s.domains, x, s.prefixSums(&s.domainSums, lo))
	for i, t := range below {
		var most int32
		for c := lo; c < end; c++ {
			if s.v.tier[c] <= t {
				most = max(most, s.domains.at(c))
			} else {
				most = max(most, s.most[i].at(c))
			}
		}
		put(&s.most[i], x, most)
	}
	s.sumTops(x)
}

// bitsOf has a bit for each value.
func bitsOf(values []int32) (bits uint64) {
	for _, v := range values {
		bits |= 1 << min(v, 63)
	}
	return bits
}

// topSize is how many children the index knows the best domain of the lowest layer for.
const topSize = 32

// sumTops makes the tops of a domain. A node right below it stands for a domain of its own.
func (s *summer) sumTops(x vertex) {
	if len(s.most) < 2 || s.v.tier[x] <= s.v.tiers[1] {
		return
	}
	var tops [topSize]int32
	if lo, end := s.v.kids(x); !s.v.isNode(lo) {
		for c := lo; c < end; c++ {
			s.list = s.appendTops(s.list[:0], c)
			for k := range tops {
				if n := len(s.list); n > 0 {
					tops[k] = max(tops[k], s.list[min(k, n-1)])
				}
			}
		}
	} else {
		for k := range tops {
			tops[k] = s.most[0].at(x)
		}
	}
	putAll(&s.tops, x*topSize, tops[:])
}

// appendTops lists the tops of a domain, those of a domain of the lowest layer being the sums of its own nodes.
func (ix *index) appendTops(list []int32, x vertex) []int32 {
	if ix.v.tier[x] > ix.v.tiers[1] {
		return ix.tops.appendTo(list, x*topSize, (x+1)*topSize)
	}
	lo, end := ix.v.firstPos[x], ix.v.endPos[x]
	return ix.nodeSums.appendTo(list, lo, min(end, lo+topSize))
}

// prefixSums sorts the values in descending order and enters their sums from a place on; it returns the sum of all.
func (s *summer) prefixSums(into *column[int32], at int32) int32 {
	sortDescending(s.list)
	var sum int32
	for i, v := range s.list {
		sum += v
		s.list[i] = sum
	}
	putAll(into, at, s.list)
	return sum
}

// sortDescending counts where values are small, which they are on most nodes.
func sortDescending(values []int32) {
	var counts [64]int32
	for _, v := range values {
		if v >= int32(len(counts)) {
			slices.Sort(values)
			slices.Reverse(values)
			return
		}
		counts[v]++
	}
	i := 0
	for v := int32(len(counts)) - 1; v >= 0; v-- {
		for range counts[v] {
			values[i] = v
			i++
		}
	}
}
