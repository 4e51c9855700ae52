package quota

import (
	"cmp"
	"container/heap"
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

// sharing is what a sharing is worked out on; it can be used again.
type sharing struct {
	list []claimant
	open []*claimant
	dues dues
}

// share divides a budget among the list by the divisor method of Webster with caps: unit j of a claimant is due at
// (2j+1)/(2 weight), and the units that are due first are handed out, ties in the order of the list. Weight 0 gets nothing. If
// all caps fit, everybody gets its own.
//
// No unit is handed out by itself. At a level L everybody of weight w gets min(cap, Lw rounded to the nearest); L = budget
// left / weight left, when those are taken out that their caps hold below it. What rounding leaves over or lacks, at most half a
// unit for each, is then handed out or taken back in order of the dues. O(n log n).
func (s *sharing) share(budget int64) {
	s.open = s.open[:0]
	fits, left := true, budget
	for i := range s.list {
		c := &s.list[i]
		if c.got = 0; c.weight == 0 || c.cap == 0 {
			continue
		}
		s.open = append(s.open, c)
		if fits = fits && c.cap <= left; fits {
			left -= c.cap
		}
	}
	if fits {
		for _, c := range s.open {
			c.got = c.cap
		}
		return
	}
	budget, weight := s.capped(budget)
	left = budget
	for _, c := range s.open {
		c.got = min(c.cap, rounded(budget, c.weight, weight))
		left -= c.got
	}
	s.settle(left)
}

// capped gives those their caps whom these hold below the level, and returns what is left for the others, who stay open, and
// their weight. Each one taken out raises the level. So passes over the others end it, in any order; after a few of them the
// order of the levels makes sure that one more does.
func (s *sharing) capped(budget int64) (int64, wide) {
	var weight wide
	for _, c := range s.open {
		weight = weight.plus(uint64(c.weight))
	}
	const passes = 8
	for pass, more := 0, true; more; pass++ {
		if pass == passes {
			slices.SortFunc(s.open, func(a, b *claimant) int {
				return product(a.cap, b.weight).compare(product(b.cap, a.weight))
			})
		}
		more = false
		kept := s.open[:0]
		for _, c := range s.open {
			if weight.times(c.cap).compare(product(budget, c.weight)) > 0 {
				kept = append(kept, c)
				continue
			}
			c.got, more = c.cap, true
			budget, weight = budget-c.cap, weight.minus(uint64(c.weight))
		}
		s.open = kept
	}
	return budget, weight
}

// settle hands out what is left to those who are due first, or takes back what is missing from those who are due last.
func (s *sharing) settle(left int64) {
	if left == 0 {
		return
	}
	q := &s.dues
	q.list, q.back = q.list[:0], left < 0
	step := int64(1)
	if q.back {
		step = -1
	}
	for i := range s.list { // those with their caps as well: their last unit may be due later than that of others
		if c := &s.list[i]; c.weight > 0 && q.takes(c) {
			q.list = append(q.list, c)
		}
	}
	heap.Init(q)
	for left != 0 && len(q.list) > 0 {
		c := q.list[0]
		c.got, left = c.got+step, left-step
		if q.takes(c) {
			heap.Fix(q, 0)
		} else {
			heap.Pop(q)
		}
	}
}

// dues is a heap of claimants by the unit that they would get next, the first due on top; back: by that which they got last, the
// last due on top.
type dues struct {
	list []*claimant
	back bool
}

// takes says whether a claimant can have one more, or one less.
func (q *dues) takes(c *claimant) bool { return q.back && c.got > 0 || !q.back && c.got < c.cap }

func (q *dues) Len() int      { return len(q.list) }
func (q *dues) Swap(i, j int) { q.list[i], q.list[j] = q.list[j], q.list[i] }
func (q *dues) Push(any)      {}

func (q *dues) Pop() any {
	q.list = q.list[:len(q.list)-1]
	return nil
}

func (q *dues) Less(i, j int) bool {
	a, b := q.list[i], q.list[j]
	if q.back {
		c := compareDues(a.got-1, a.weight, b.got-1, b.weight)
		return c > 0 || c == 0 && a.place > b.place
	}
	c := compareDues(a.got, a.weight, b.got, b.weight)
	return c < 0 || c == 0 && a.place < b.place
}

// compareDues compares when unit i of weight v and unit j of weight w are due.
func compareDues(i, v, j, w int64) int {
	a, b := unsigned(2*uint64(i)+1, uint64(w)), unsigned(2*uint64(j)+1, uint64(v))
	return a.compare(b)
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
