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
		s.values.put(x, bitsOf(s.list))
		s.domains.put(x, s.addUp())
		putAll(&s.nodeSums, first, s.list)
		for i := range below {
			s.most[i].put(x, s.list[0])
		}
		s.sumTops(x)
		return
	}
	s.list = s.domains.appendTo(s.list, lo, end)
	var bits uint64
	for c := lo; c < end; c++ {
		bits |= s.values.at(c)
	}
	s.values.put(x, bits)
	s.domains.put(x, s.addUp())
	s.domainSums.putAll(lo, s.list)
	for i, t := range below {
		var most int32
		for c := lo; c < end; c++ {
			if s.v.tier[c] <= t {
				most = max(most, s.domains.at(c))
			} else {
				most = max(most, s.most[i].at(c))
			}
		}
		s.most[i].put(x, most)
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
	s.tops.putAll(x*topSize, tops[:])
}

// appendTops lists the tops of a domain, those of a domain of the lowest layer being the sums of its own nodes.
func (ix *index) appendTops(list []int32, x vertex) []int32 {
	if ix.v.tier[x] > ix.v.tiers[1] {
		return ix.tops.appendTo(list, x*topSize, (x+1)*topSize)
	}
	lo, end := ix.v.firstPos[x], ix.v.endPos[x]
	return ix.nodeSums.appendTo(list, lo, min(end, lo+topSize))
}

// addUp turns the values of the list into their sums, the largest value first; it returns the sum of all.
func (s *summer) addUp() int32 {
	sortDescending(s.list)
	var sum int32
	for i, v := range s.list {
		sum += v
		s.list[i] = sum
	}
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
