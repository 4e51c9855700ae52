package preempt

import (
	"cmp"
	"math"
	"slices"
)

// curve is what it costs to have j slots on a node, or j units below a domain, for j from 0 to its length less 1.
type curve struct {
	cost   []weight
	convex bool // no slot costs less than the one before it
}

func newCurve(cost []weight) *curve {
	c := &curve{cost: cost, convex: true}
	var last weight
	for j := 1; j < len(cost) && c.convex; j++ {
		step := cost[j].minus(&cost[j-1])
		c.convex = !step.less(&last)
		last = step
	}
	return c
}

// item is what leaves a node at once: a candidate, or all of a gang that are there and can only leave together.
type item struct {
	amounts []int64
	weight  weight
	shape   int32 // items of equal shape give back the same; below 0: no others are like it
	tag     int32
	first   int32 // candidate
	rest    []int32
}

// items lists what may still leave a node of an interval, what gives back the same side by side, the cheapest first.
func (s *search) items(pos, lo, end int32) []item {
	out := s.itemRoom[:0]
	for i := s.on[pos]; i < s.on[pos+1]; i++ {
		if s.stateOf(i) != open || !s.below(i) {
			continue
		}
		k, g := s.kind(i), s.Candidates[i].Gang
		if s.asOne(i) {
			if s.Gangs[g].Whole {
				out = s.bundle(out, i, lo, end)
			}
			continue
		}
		w := s.alone(i)
		if s.breaks(k) {
			s.layout.fields[budgets].put(&w, 1)
		}
		out = append(out, item{amounts: k.Amounts, weight: w, shape: s.shapes[s.Candidates[i].Holding], tag: k.Tag, first: i})
	}
	s.itemRoom = out
	for i := 1; i < len(out); i++ { // there are few
		for j := i; j > 0 && s.compareItems(&out[j], &out[j-1]) < 0; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

func (s *search) compareItems(a, b *item) int {
	if c := cmp.Compare(a.shape, b.shape); c != 0 {
		return c
	}
	if c := cmp.Compare(a.tag, b.tag); c != 0 && s.Slots != nil {
		return c
	}
	return cmp.Or(a.weight.compare(&b.weight), cmp.Compare(a.first, b.first))
}

// alike says whether two items give back the same.
func (s *search) alike(a, b *item) bool {
	return a.shape == b.shape && (s.Slots == nil || a.tag == b.tag)
}

// bundle adds a candidate of a gang that can only leave whole to what of it is on the node.
func (s *search) bundle(out []item, i, lo, end int32) []item {
	k, g := s.kind(i), s.Candidates[i].Gang
	at := slices.IndexFunc(out, func(o item) bool { return o.shape == -1-g })
	if at < 0 {
		w := s.share(g, lo, end)
		if s.full {
			w = s.remaining(g)
		}
		if s.breaks(k) {
			s.layout.fields[budgets].put(&w, 1)
		}
		return append(out, item{amounts: k.Amounts, weight: w, shape: -1 - g, first: i})
	}
	b := &out[at]
	sum := slices.Clone(b.amounts)
	addTo(sum, k.Amounts)
	b.amounts, b.rest = sum, append(slices.Clip(b.rest), i)
	if s.breaks(k) {
		s.layout.fields[budgets].put(&b.weight, 1)
	}
	return out
}

// asOne says whether a candidate leaves a node only together with the others of its gang there: those that can only leave whole, and while gangs
// cost what they cost whole those of which there are more on the node than may leave.
func (s *search) asOne(i int32) bool {
	c := &s.Candidates[i]
	of := &s.Gangs[c.Gang]
	if s.together(c.Gang) || !of.Ends || !s.full {
		return s.together(c.Gang)
	}
	n := 0
	for j := s.on[c.Position]; j < s.on[c.Position+1]; j++ {
		if s.Candidates[j].Gang == c.Gang && s.state[j] == open {
			n++
		}
	}
	return n > of.Surplus-s.out[c.Gang]
}

// remaining is what it costs that the rest of a gang leaves.
func (s *search) remaining(g int32) weight {
	w := s.wholes[g]
	for _, i := range s.of[g] {
		if s.state[i] == gone {
			own := s.alone(i)
			w = w.minus(&own)
		}
	}
	return w
}

// breaks says whether the leaving of one of a kind breaks a budget, those that are gone for sure having left. Of candidates that count in several budgets it
// is only said if they break one whoever else leaves.
func (s *search) breaks(k *Holding) bool {
	left := s.left
	if s.mixed {
		left = s.Budgets
	}
	for _, b := range k.Budgets {
		if left[b] <= 0 {
			return true
		}
	}
	return false
}

// freeWithout is what a node has free without some of its candidates, nil if it takes no unit, and, for Problem.Slots, who these are.
func (s *search) freeWithout(pos int32, left func(i int32) bool) (free []int64, without []int32) {
	n := &s.Nodes[pos]
	if n.Free == nil {
		return nil, nil
	}
	free = append(s.freeRoom[:0], n.Free...)
	s.freeRoom = free
	for i := s.on[pos]; i < s.on[pos+1]; i++ {
		if !left(i) {
			continue
		}
		addTo(free, s.kind(i).Amounts)
		if s.Slots != nil {
			without = append(without, i)
		}
	}
	return free, without
}

// freeOn is freeWithout those that are gone for sure.
func (s *search) freeOn(pos int32) (free []int64, without []int32) {
	return s.freeWithout(pos, func(i int32) bool { return s.stateOf(i) == gone })
}

// addTo adds amounts up; a sum that would overflow stops at the largest amount.
func addTo(sum, amounts []int64) {
	for r, a := range amounts {
		if sum[r] += a; a > 0 && sum[r] < a+math.MinInt64 {
			sum[r] = math.MaxInt64
		}
	}
}

// slots is how many units fit, at most as many as are placed.
func (s *search) slots(pos int32, free []int64, without []int32) int64 {
	if s.Slots != nil {
		return min(s.Units, s.Slots(pos, without))
	}
	n := s.Units
	for r, want := range s.Request {
		switch {
		case want == 0:
		case free[r] < want:
			return 0
		default:
			n = min(n, free[r]/want)
		}
	}
	return n
}

// curveOn finds the cheapest way to have every number of slots on a node of an interval; nil if it takes none.
func (s *search) curveOn(pos, lo, end int32) *curve {
	free, without := s.freeOn(pos)
	if free == nil {
		return nil
	}
	m := mix{search: s, pos: pos, free: free, away: without, items: s.items(pos, lo, end), best: s.bestRoom[:0]}
	m.all()
	s.bestRoom = m.best
	if len(m.best) == 0 {
		return nil
	}
	cost := make([]weight, len(m.best)+1)
	copy(cost[1:], m.best)
	for j := len(cost) - 2; j > 0; j-- {
		if cost[j+1].less(&cost[j]) {
			cost[j] = cost[j+1]
		}
	}
	if s.Nodes[pos].Outside {
		var w weight
		s.layout.fields[outside].put(&w, 1)
		var sum weight
		for j := 1; j < len(cost); j++ {
			sum.add(&w)
			cost[j].add(&sum)
		}
	}
	return newCurve(cost)
}

// takenFor lists the candidates that leave a node for so many slots at the price of its curve.
func (s *search) takenFor(pos, lo, end int32, slots int64, price weight) []int32 {
	if s.Nodes[pos].Outside {
		var w weight
		s.layout.fields[outside].put(&w, uint64(slots))
		price = price.minus(&w)
	}
	if price == (weight{}) {
		return nil
	}
	free, without := s.freeOn(pos)
	m := mix{search: s, pos: pos, free: free, away: without, items: s.items(pos, lo, end), wanted: slots, price: price}
	m.all()
	return m.found
}
