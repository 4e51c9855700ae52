// Which of the choices of children that use the fewest grandchildren is the best, and how many members does each child take?

package gather

import (
	"cmp"
	"slices"
)

// mostChoices bounds the steps of a search through the sets of children of one domain.
const mostChoices = 1 << 12

// choices is a search through the sets of k children, which leaves out those that hold too few members at the price that is known.
type choices struct {
	p     *prices
	units int64 // a set that uses more is of no use
	any   bool  // the first set is enough; else it is the one with the fewest slots in sum, and so on
	free  int64 // then: slots of the best so far
	equal int   // then: all children from here on have as many slots, so that of these the first are the best
	found bool  // a set, which is the best of the prices then
	steps int
}

// taking is what the set at hand has.
type taking struct {
	slots, free, worth int64 // see priced
}

// with is what it has with one more child.
func (t taking) with(kid *priced) taking {
	return taking{t.slots + kid.slots, t.free + kid.free, t.worth + kid.worth}
}

// prove makes the best choice exact, as far as the bounds of the searches allow.
func (p *prices) prove() {
	for p.least < p.units {
		p.topWorths()
		c := choices{p: p, units: p.units - 1, any: true}
		switch c.extend(0, taking{}); {
		case c.found:
		case c.steps <= mostChoices:
			p.least = p.units
		default:
			p.count()
			return
		}
	}
}

// settle looks for the set with the fewest slots in sum, the smallest largest child, and so on, then the first in the order of paths, among the sets
// of k children that use as few grandchildren as the one that is known. Beyond mostChoices the best set found so far is taken.
func (p *prices) settle() {
	if p.k == 1 { // which is settled
		return
	}
	p.topWorths()
	slices.Sort(p.set) // in fill order
	for i := range p.kids {
		p.kids[i].free = p.of.ask.slots.At(p.kids[i].at)
	}
	c := choices{p: p, units: p.units, equal: len(p.kids) - 1}
	for _, i := range p.set {
		c.free += p.kids[i].free
	}
	for last := p.kids[c.equal]; c.equal > 0 && p.kids[c.equal-1].slots == last.slots && p.kids[c.equal-1].free == last.free; {
		c.equal--
	}
	c.extend(0, taking{})
}

// topWorths makes, for each child, the worths in sum of the 0, 1, ..., k children from it on that are worth most.
func (p *prices) topWorths() {
	size := int(p.k) + 1
	p.tops = append(p.tops[:0], make([]int64, (len(p.kids)+1)*size)...)
	top := make([]int64, 0, size)
	p.weigh(p.price)
	for i := len(p.kids) - 1; i >= 0; i-- {
		top, _ = keepLargest(top, p.kids[i].worth, p.k)
		var sum int64
		for j := 1; j < size; j++ {
			if j <= len(top) {
				sum += top[j-1]
			}
			p.tops[i*size+j] = sum
		}
	}
	p.tried = p.tried[:0]
}

// extend tries all sets that go on from the one at hand with children from i on.
func (c *choices) extend(i int, at taking) {
	p := c.p
	left := int(p.k) - len(p.tried)
	if c.steps++; c.steps > mostChoices || c.any && c.found || len(p.kids)-i < left {
		return
	}
	if left == 0 {
		c.try(at)
		return
	}
	room, small := at.slots, at.free
	for j := range left {
		room, small = room+p.kids[i+j].slots, small+p.kids[len(p.kids)-1-j].slots
	}
	switch {
	case room < p.n, !c.any && small > c.free:
		return
	case at.worth+p.tops[i*(int(p.k)+1)+left]+c.units*p.price < p.n: // too few at this price
		return
	case !c.any && i >= c.equal && !c.mayBeat(i, left, at.free):
		return
	}
	p.tried = append(p.tried, int32(i))
	c.extend(i+1, at.with(&p.kids[i]))
	p.tried = p.tried[:len(p.tried)-1]
	c.extend(i+1, at)
}

// mayBeat says whether the set at hand and the next children come before the best so far, where these are the best of the equal ones that are left.
func (c *choices) mayBeat(i, left int, free int64) bool {
	p, kept := c.p, len(c.p.tried)
	for j := range left {
		p.tried = append(p.tried, int32(i+j))
		free += p.kids[i+j].free
	}
	better := c.better(p.tried, free)
	p.tried = p.tried[:kept]
	return better
}

// try looks at a complete set.
func (c *choices) try(at taking) {
	p := c.p
	if at.slots < p.n || !c.any && !c.better(p.tried, at.free) {
		return
	}
	if units, _ := p.use(p.tried, p.n); units <= c.units {
		p.set, p.units, c.found, c.free = append(p.set[:0], p.tried...), units, true, at.free
	}
}

// better says whether a set with so many slots in sum comes before the best so far: by these, then by those of the children, the largest first, then by paths.
func (c *choices) better(set []int32, free int64) bool {
	p := c.p
	order := cmp.Compare(free, c.free)
	if order == 0 {
		size := func(i int32) int64 { return -p.kids[i].free }
		order = slices.Compare(sortedBy(&p.pair[1], p.set, size), sortedBy(&p.pair[0], set, size))
	}
	if order == 0 {
		path := func(i int32) int64 { return int64(p.kids[i].at) }
		order = slices.Compare(sortedBy(&p.pair[0], set, path), sortedBy(&p.pair[1], p.set, path))
	}
	return order < 0
}

// sortedBy are the numbers of some children, the smallest first, in memory that is used again.
func sortedBy(list *[]int64, set []int32, number func(i int32) int64) []int64 {
	out := (*list)[:0]
	for _, i := range set {
		out = append(out, number(i))
	}
	slices.Sort(out)
	*list = out
	return out
}

// share gives the members to the children of the best set, in fill order: each takes the most with which the others need no more grandchildren than
// are left. The parts come in the order of paths.
func (p *prices) share() []part {
	if p.of.groups != nil { // kids come by groups
		slices.SortStableFunc(p.set, func(i, j int32) int {
			return descending(p.kids[i].free, p.kids[j].free)
		})
	}
	parts := make([]part, 0, len(p.set))
	r := sharing{p: p, n: p.n, units: p.units}
	for j, i := range p.set {
		_, r.smallest = p.use(p.set[j:], r.n)
		r.child, r.others = p.below(i), p.set[j+1:]
		take := r.takes(r.most())
		parts, r.n, r.units = append(parts, part{p.kids[i].at, take}), r.n-take, r.units-int64(r.child.fewest(take))
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.at, b.at) })
	return parts
}

// sharing is what is left for a child and the others behind it in fill order.
type sharing struct {
	p        *prices
	n, units int64
	smallest int64 // slots of the smallest grandchild if the largest ones below these children are used
	child    *holds
	others   []int32
}

// takes is how many members the child takes in so many of its own children: the others have one each at least.
func (r *sharing) takes(units int64) int64 {
	return min(r.child.of(int32(units)), r.n-int64(len(r.others)))
}

// suffices says whether the others hold what is left then.
func (r *sharing) suffices(units int64) bool {
	return r.n-r.takes(units) <= r.p.roomIn(r.others, r.units-units)
}

// most is the largest number of its own children with which the child takes part. What all hold together first rises with it and then falls, and is
// largest where the child has those of the largest grandchildren that are its own.
func (r *sharing) most() int64 {
	top := min(int64(r.child.sums.Len), r.units-int64(len(r.others)))
	low := min(top, max(1, int64(r.child.atLeast(r.smallest+1))))
	high := min(top, max(low, int64(r.child.atLeast(max(1, r.smallest)))))
	for high > low && !r.suffices(high) {
		high--
	}
	for high < top { // all that do not suffice come behind all that do
		mid := (high + top + 1) / 2
		if r.suffices(mid) {
			high = mid
		} else {
			top = mid - 1
		}
	}
	return high
}

// roomIn is how many members the largest grandchildren below some children hold, so many, each child having one at least.
func (p *prices) roomIn(set []int32, units int64) (room int64) {
	units -= int64(len(set))
	low, high := int64(0), int64(0)
	for _, i := range set {
		first := p.below(i).of(1)
		room, high = room+first, max(high, first)
	}
	// The smallest size of which, and above, there are no more than so many.
	for low < high {
		mid := low + (high-low)/2
		if count, _ := p.above(set, mid+1); count <= units {
			high = mid
		} else {
			low = mid + 1
		}
	}
	count, more := p.above(set, low+1)
	room += more
	if low > 0 { // the rest are of this size, as far as there are so many
		same, _ := p.above(set, low)
		room += min(units-count, same-count) * low
	}
	return room
}
