package index

import (
	"slices"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/layout"
)

// summer makes the entries of domains from those of their children.
type summer struct {
	index *Index
	list  []int32
	like  func(a, b int32) bool // for aligned gangs: whether the nodes at two positions are alike
}

func (s *summer) sum(x layout.Vertex) {
	lo, end := s.index.V.Kids(x)
	s.list = s.list[:0]
	if lo == end {
		return
	}
	if s.like != nil {
		s.compareBelow(x)
	}
	below := s.index.V.TiersBelow(s.index.V.Tier[x])
	if s.index.V.IsNode(lo) {
		first := s.index.V.FirstPos[x]
		s.list = cow.AppendTo(s.list, &s.index.Slots, first, s.index.V.EndPos[x])
		s.index.Values.Put(x, bitsOf(s.list))
		s.index.Domains.Put(x, s.addUp())
		cow.PutAll(&s.index.nodeSums, first, s.list)
		s.putRows(x)
		for i := range below {
			s.index.Most[i].Put(x, s.list[0])
		}
		s.sumTops(x)
		return
	}
	s.list = cow.AppendTo(s.list, &s.index.Domains, lo, end)
	var bits uint64
	for c := lo; c < end; c++ {
		bits |= s.index.Values.At(c)
	}
	s.index.Values.Put(x, bits)
	s.index.Domains.Put(x, s.addUp())
	cow.PutAll(&s.index.domainSums, lo, s.list)
	for i, t := range below {
		var most int32
		for c := lo; c < end; c++ {
			if s.index.V.Tier[c] <= t {
				most = max(most, s.index.Domains.At(c))
			} else {
				most = max(most, s.index.Most[i].At(c))
			}
		}
		s.index.Most[i].Put(x, most)
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

// TopSize is how many children the index knows the best domain of a layer for.
const TopSize = 32

// sumTops makes the tops of a domain. A node right below it stands for a domain of its own.
func (s *summer) sumTops(x layout.Vertex) {
	for i := 1; i < len(s.index.Tops) && s.index.V.Tier[x] > s.index.V.Tiers[i]; i++ {
		var tops [TopSize]int32
		if lo, end := s.index.V.Kids(x); s.index.V.IsNode(lo) {
			for k := range tops {
				tops[k] = s.index.Most[0].At(x)
			}
		} else {
			for c := lo; c < end; c++ {
				s.raise(&tops, i, c)
			}
		}
		cow.PutAll(&s.index.Tops[i], x*TopSize, tops[:])
	}
}

// raise takes the tops of a domain into those of the one above. A domain of the layer itself has the sums of its children.
func (s *summer) raise(tops *[TopSize]int32, i int, x layout.Vertex) {
	s.list = s.list[:0]
	lo, end := s.index.V.Kids(x)
	switch {
	case s.index.V.Tier[x] > s.index.V.Tiers[i]:
		s.list = cow.AppendTo(s.list, &s.index.Tops[i], x*TopSize, (x+1)*TopSize)
	case lo == end:
		return
	case s.index.V.IsNode(lo):
		s.list = cow.AppendTo(s.list, &s.index.nodeSums, s.index.V.FirstPos[x], min(s.index.V.EndPos[x], s.index.V.FirstPos[x]+TopSize))
	default:
		s.list = cow.AppendTo(s.list, &s.index.domainSums, lo, min(end, lo+TopSize))
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
