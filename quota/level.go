package quota

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// plus adds amounts; a sum that overflows is as large as an amount can be, which changes nothing: no budget is larger.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// claimant takes part in a sharing: it gets at most cap, and more the higher its weight.
type claimant struct {
	weight, cap int64
	got         int64
	place       int // which breaks ties
}

// sharing is what a sharing is worked out on, in any order of the list; it can be used again.
type sharing struct {
	list []claimant
	back bool // units are taken back
}

// share divides a budget among the list by the divisor method of Webster with caps: unit j of a claimant is due at
// (2j+1)/(2 weight), and the units that are due first are handed out, ties in the order of places. Weight 0 gets nothing. If
// all caps fit, everybody gets its own.
//
// No unit is handed out by itself. At a level L everybody of weight w gets min(cap, Lw rounded to the nearest); L = budget
// left / weight left, when those are taken out that their caps hold below it. What rounding leaves over or lacks, at most half a
// unit for each, is then handed out or taken back in order of the dues. O(n log n).
func (s *sharing) share(budget int64) {
	var weight wide
	open, fits, left := 0, true, budget
	for i := range s.list {
		c := &s.list[i]
		if c.got = 0; c.weight == 0 || c.cap == 0 {
			continue
		}
		if fits = fits && c.cap <= left; fits {
			left -= c.cap
		}
		weight = weight.plus(uint64(c.weight))
		s.swap(i, open)
		open++
	}
	if fits {
		for i := range s.list[:open] {
			s.list[i].got = s.list[i].cap
		}
		return
	}
	open, budget, weight = s.capped(open, budget, weight)
	left = budget
	for i := range s.list[:open] {
		c := &s.list[i]
		c.got = min(c.cap, rounded(budget, c.weight, weight))
		left -= c.got
	}
	s.settle(left)
}

func (s *sharing) swap(i, j int) { s.list[i], s.list[j] = s.list[j], s.list[i] }

// capped gives those their caps whom these hold below the level, of the first so many of the list, which have this weight. The
// others come first then; it returns how many they are, what is left for them, and their weight. Each one taken out raises the
// level. So passes over the others end it, in any order; after a few of them the order of the levels makes sure that one more does.
func (s *sharing) capped(open int, budget int64, weight wide) (int, int64, wide) {
	const passes = 8
	for pass, more := 0, true; more; pass++ {
		if pass == passes {
			slices.SortFunc(s.list[:open], func(a, b claimant) int {
				return product(a.cap, b.weight).compare(product(b.cap, a.weight))
			})
		}
		kept := 0
		for i := range s.list[:open] {
			c := &s.list[i]
			if weight.times(c.cap).compare(product(budget, c.weight)) > 0 {
				s.swap(i, kept)
				kept++
				continue
			}
			c.got = c.cap
			budget, weight = budget-c.cap, weight.minus(uint64(c.weight))
		}
		open, more = kept, kept < open
	}
	return open, budget, weight
}

// settle hands out what is left to those who are due first, or takes back what is missing from those who are due last. Those who
// can have a unit more, or less, are a heap at the front of the list, by that unit.
func (s *sharing) settle(left int64) {
	if left == 0 {
		return
	}
	s.back = left < 0
	step, n := int64(1), 0
	if s.back {
		step = -1
	}
	for i := range s.list { // those with their caps as well: their last unit may be due later than that of others
		if s.list[i].weight > 0 && s.takes(i) {
			s.swap(i, n)
			n++
		}
	}
	for i := n/2 - 1; i >= 0; i-- {
		s.sink(i, n)
	}
	for ; left != 0 && n > 0; left -= step {
		s.list[0].got += step
		if !s.takes(0) {
			n--
			s.swap(0, n)
		}
		s.sink(0, n)
	}
}

// takes says whether a claimant can have one more, or one less.
func (s *sharing) takes(i int) bool {
	c := &s.list[i]
	return s.back && c.got > 0 || !s.back && c.got < c.cap
}

// sink puts the i-th of a heap of n in its place.
func (s *sharing) sink(i, n int) {
	for {
		top := 2*i + 1
		if top >= n {
			return
		}
		if top+1 < n && s.before(top+1, top) {
			top++
		}
		if !s.before(top, i) {
			return
		}
		s.swap(i, top)
		i = top
	}
}

// before says whether the next unit of one is due before that of another; if units are taken back, whether its last one is due after
// that of the other.
func (s *sharing) before(i, j int) bool {
	a, b, unit := &s.list[i], &s.list[j], uint64(1)
	if s.back {
		a, b, unit = b, a, ^unit+1 // minus one
	}
	high, low := bits.Mul64(2*uint64(a.got)+unit, uint64(b.weight))
	otherHigh, otherLow := bits.Mul64(2*uint64(b.got)+unit, uint64(a.weight))
	switch {
	case high != otherHigh:
		return high < otherHigh
	case low != otherLow:
		return low < otherLow
	}
	return a.place < b.place
}

// wide is an integer of 192 bits, which holds an amount times a sum of weights.
type wide struct{ high, mid, low uint64 }

func product(a, b int64) wide { return unsigned(uint64(a), uint64(b)) }

func unsigned(a, b uint64) wide {
	high, low := bits.Mul64(a, b)
	return wide{0, high, low}
}

func (w wide) plus(n uint64) wide {
	low, carry := bits.Add64(w.low, n, 0)
	mid, carry := bits.Add64(w.mid, 0, carry)
	return wide{w.high + carry, mid, low}
}

func (w wide) minus(n uint64) wide {
	low, borrow := bits.Sub64(w.low, n, 0)
	mid, borrow := bits.Sub64(w.mid, 0, borrow)
	return wide{w.high - borrow, mid, low}
}

// times multiplies; w has at most 128 bits.
func (w wide) times(n int64) wide {
	carry, low := bits.Mul64(w.low, uint64(n))
	high, mid := bits.Mul64(w.mid, uint64(n))
	mid, over := bits.Add64(mid, carry, 0)
	return wide{high + over, mid, low}
}

func (w wide) compare(o wide) int {
	switch {
	case w.high != o.high:
		return cmp.Compare(w.high, o.high)
	case w.mid != o.mid:
		return cmp.Compare(w.mid, o.mid)
	}
	return cmp.Compare(w.low, o.low)
}

// rounded is t*w/total to the nearest integer, halves up: the largest q with (2q-1) * total <= 2tw. w is part of the total.
func rounded(t, w int64, total wide) int64 {
	twice := product(t, w)
	twice = wide{twice.mid >> 63, twice.mid<<1 | twice.low>>63, twice.low << 1}
	if total.mid == 0 && total.low < 1<<63 {
		sum := twice.plus(total.low) // at most (2t+1) * total, so that the quotient fits
		q, _ := bits.Div64(sum.mid, sum.low, 2*total.low)
		return int64(q)
	}
	low, high := int64(0), t // bits of t at most
	for low < high {
		mid := high - (high-low)/2
		// (2 mid - 1) * total, in two steps since 2 mid may overflow
		double := total.times(mid)
		double = wide{double.high<<1 | double.mid>>63, double.mid<<1 | double.low>>63, double.low << 1}
		if double.less(total).compare(twice) <= 0 {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// less subtracts a smaller number.
func (w wide) less(o wide) wide {
	low, borrow := bits.Sub64(w.low, o.low, 0)
	mid, borrow := bits.Sub64(w.mid, o.mid, borrow)
	high, _ := bits.Sub64(w.high, o.high, borrow)
	return wide{high, mid, low}
}
