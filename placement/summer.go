package placement

import "slices"

// summer makes the entries of domains from those of their children.
type summer struct {
	index *index
	list  []int32
	like  func(a, b int32) bool // for aligned gangs: whether the nodes at two positions are alike
}

func (s *summer) sum(x vertex) {
	lo, end := s.index.v.kids(x)
	s.list = s.list[:0]
	if lo == end {
		return
	}
	if s.like != nil {
		s.compareBelow(x)
	}
	below := s.index.v.tiersBelow(s.index.v.tier[x])
	if s.index.v.isNode(lo) {
		first := s.index.v.firstPos[x]
		s.list = appendTo(s.list, &s.index.slots, first, s.index.v.endPos[x])
		s.index.values.put(x, bitsOf(s.list))
		s.index.domains.put(x, s.addUp())
		putAll(&s.index.nodeSums, first, s.list)
		s.putRows(x)
		for i := range below {
			s.index.most[i].put(x, s.list[0])
		}
		s.sumTops(x)
		return
	}
	s.list = appendTo(s.list, &s.index.domains, lo, end)
	var bits uint64
	for c := lo; c < end; c++ {
		bits |= s.index.values.at(c)
	}
	s.index.values.put(x, bits)
	s.index.domains.put(x, s.addUp())
	putAll(&s.index.domainSums, lo, s.list)
	for i, t := range below {
		var most int32
		for c := lo; c < end; c++ {
			if s.index.v.tier[c] <= t {
				most = max(most, s.index.domains.at(c))
			} else {
				most = max(most, s.index.most[i].at(c))
			}
		}
		s.index.most[i].put(x, most)
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

// topSize is how many children the index knows the best domain of a layer for.
const topSize = 32

// sumTops makes the tops of a domain. A node right below it stands for a domain of its own.
func (s *summer) sumTops(x vertex) {
	for i := 1; i < len(s.index.tops) && s.index.v.tier[x] > s.index.v.tiers[i]; i++ {
		var tops [topSize]int32
		if lo, end := s.index.v.kids(x); s.index.v.isNode(lo) {
			for k := range tops {
				tops[k] = s.index.most[0].at(x)
			}
		} else {
			for c := lo; c < end; c++ {
				s.raise(&tops, i, c)
			}
		}
		putAll(&s.index.tops[i], x*topSize, tops[:])
	}
}

// raise takes the tops of a domain into those of the one above. A domain of the layer itself has the sums of its children.
func (s *summer) raise(tops *[topSize]int32, i int, x vertex) {
	s.list = s.list[:0]
	lo, end := s.index.v.kids(x)
	switch {
	case s.index.v.tier[x] > s.index.v.tiers[i]:
		s.list = appendTo(s.list, &s.index.tops[i], x*topSize, (x+1)*topSize)
	case lo == end:
		return
	case s.index.v.isNode(lo):
		s.list = appendTo(s.list, &s.index.nodeSums, s.index.v.firstPos[x], min(s.index.v.endPos[x], s.index.v.firstPos[x]+topSize))
	default:
		s.list = appendTo(s.list, &s.index.domainSums, lo, min(end, lo+topSize))
	}
	for k := range tops {
		tops[k] = max(tops[k], s.list[min(k, len(s.list)-1)])
	}
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
	largest := int32(0)
	for _, v := range values {
		if v >= int32(len(counts)) {
			slices.Sort(values)
			slices.Reverse(values)
			return
		}
		counts[v]++
		largest = max(largest, v)
	}
	i := 0
	for v := largest; v > 0; v-- {
		for range counts[v] {
			values[i] = v
			i++
		}
	}
	clear(values[i:])
}

// compareBelow finds out whether all nodes below x are alike.
func (s *summer) compareBelow(x vertex) {
	one := int32(0)
	lo, end := s.index.v.kids(x)
	for c := lo; c < end && one >= 0; c++ {
		other := int32(0)
		if !s.index.v.isNode(c) {
			other = s.index.alike.at(c)
		} else if pos := s.index.v.position(c); s.index.slots.at(pos) > 0 {
			other = pos + 1
		}
		switch {
		case one == 0:
			one = other
		case other < 0 || other > 0 && !s.like(one-1, other-1):
			one = -1
		}
	}
	s.index.alike.put(x, one)
}
