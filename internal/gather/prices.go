// How few grandchildren hold the members, in as few children as can be, if slots alone decide?

package gather

import (
	"cmp"
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
)

// prices finds the fewest grandchildren of a vertex that hold n members, in k children and no fewer suffice.
//
// A member above m in a grandchild saves a part of another grandchild: at this price a child is worth the sum of max(0, slots - m) over its own
// children. The k children that are worth most are a choice; and as j grandchildren of k children hold at most m * j members and what the k are
// worth, (n - worth) / m bounds j from below. The price is moved to the smallest grandchild that the last choice uses, which is where both
// meet if they do. Ours.
type prices struct {
	of    counted
	at    layout.Vertex // above the kids
	n, k  int64
	kids  []priced // with slots, in fill order: the most slots first, then in the order of paths
	order []int32  // of kids: those k that are worth most
	set   []int32  // the best choice so far: places in kids
	units int64    // grandchildren that it uses
	least int64    // no choice uses fewer
	price int64    // that gave the bound
	most  []int64  // see count
	tops  []int64  // see topWorths
	tried []int32  // the set that a search through the choices has at hand

	sorted []chosen   // children of a vertex that hold any
	over   []int16    // see index.Over
	pair   [2][]int64 // two sets that are compared
}

// counted is what is placed: members, or whole groups of the only level, each in one domain of a tier.
type counted struct {
	ask    *ask
	groups *index.GroupSums // nil: members
	place  int              // of the tier of groups
}

// below is what the children of x hold.
func (c *counted) below(x layout.Vertex) holds {
	switch {
	case c.groups != nil:
		return upTo(c.groups.SumsOf(c.ask.m.View, c.place, x), math.MaxInt64)
	case c.ask.capped:
		return upTo(c.ask.slots.Ix.SumsOf(x), c.ask.slots.At(x))
	}
	return upTo(c.ask.slots.Ix.SumsOf(x), math.MaxInt64)
}

// priced is a child.
type priced struct {
	at    layout.Vertex
	slots int64 // members, or groups, that it holds
	free  int64 // slots, once sets are compared
	worth int64
	below holds // its own children, once asked for
}

// list begins with the children of x; k of them hold the members, and no fewer.
func (p *prices) list(of counted, x layout.Vertex, n, k int64) {
	p.begin(of, x, n, k)
	slices.SortFunc(p.sorted, func(a, b chosen) int {
		if c := descending(a.slots, b.slots); c != 0 {
			return c
		}
		return cmp.Compare(a.at, b.at)
	})
	p.take(p.sorted)
}

// ofLargest is how many grandchildren the k children of x with the most slots use, and the slots of the smallest of these; see use.
func (p *prices) ofLargest(of counted, x layout.Vertex, n, k int64) (units, smallest int64) {
	p.begin(of, x, n, k)
	p.take(largest(p.sorted, n))
	p.set = p.set[:0]
	for i := range p.kids {
		p.set = append(p.set, int32(i))
	}
	return p.use(p.set, p.n)
}

// begin lists the children of x that hold any.
func (p *prices) begin(of counted, x layout.Vertex, n, k int64) {
	p.of, p.at, p.n, p.k = of, x, n, k
	if p.sorted = of.ask.withSlots(x, p.sorted[:0]); of.groups == nil {
		return
	}
	hold := p.sorted[:0]
	for _, c := range p.sorted {
		if n := int64(of.groups.Whole[of.place].At(c.at)); n > 0 {
			hold = append(hold, chosen{c.at, n})
		}
	}
	p.sorted = hold
}

// take makes some children the kids.
func (p *prices) take(list []chosen) {
	p.kids = p.kids[:0]
	for _, c := range list {
		p.kids = append(p.kids, priced{at: c.at, slots: c.slots})
	}
}

// below is what a kid's own children hold.
func (p *prices) below(i int32) *holds {
	kid := &p.kids[i]
	if kid.below.sums.Len == 0 {
		kid.below = p.of.below(kid.at)
	}
	return &kid.below
}

// weigh makes what the kids are worth at a price.
func (p *prices) weigh(price int64) {
	worths, ok := p.worthsOver(p.of, p.at, price, p.n)
	lo, _ := p.of.ask.m.View.Kids(p.at)
	for i := range p.kids {
		if kid := &p.kids[i]; ok {
			kid.worth = int64(worths[kid.at-lo])
		} else {
			kid.worth = p.below(int32(i)).worthAt(price)
		}
	}
}

// worthsOver are, child after child of x, what they are worth at a price where so many members are placed, if the index has that: it knows no limits. The
// list is good until the next call. O(children).
func (p *prices) worthsOver(of counted, x layout.Vertex, price, n int64) (_ []int16, ok bool) {
	if of.groups != nil || of.ask.capped {
		return nil, false
	}
	p.over, ok = of.ask.slots.Ix.Over(p.over[:0], x, price, n)
	return p.over, ok
}

// bound looks for the best choice by prices. least == units says that it is proven.
func (p *prices) bound() {
	if p.k == 1 {
		p.ofOne()
		return
	}
	p.set = p.set[:0]
	for i := range p.k { // the largest hold the members
		p.set = append(p.set, int32(i))
	}
	p.least, p.price = p.k, 1
	var price int64
	p.units, price = p.use(p.set, p.n)
	for range mostPrices {
		if p.least >= p.units || price < 1 {
			return
		}
		next := p.try(price)
		if next == price {
			return
		}
		price = next
	}
}

// ofOne finds the best child where one holds all: with the fewest grandchildren, then the fewest slots, then the first in the order of paths.
func (p *prices) ofOne() {
	p.set, p.units = append(p.set[:0], 0), math.MaxInt64
	for i := range p.kids {
		kid := &p.kids[i]
		if kid.slots < p.n { // so have all behind it
			break
		}
		units := int64(p.below(int32(i)).fewest(p.n))
		kid.free = p.of.ask.slots.At(kid.at)
		if best := &p.kids[p.set[0]]; cmp.Or(cmp.Compare(units, p.units), cmp.Compare(kid.free, best.free), cmp.Compare(kid.at, best.at)) < 0 {
			p.set[0], p.units = int32(i), units
		}
	}
	best := p.below(p.set[0])
	p.least, p.price = p.units, best.of(int32(p.units))
	if p.units > 1 {
		p.price -= best.of(int32(p.units) - 1)
	}
}

// leastAt is the bound at a price for the children of x, k of which hold n members, without a choice. O(children).
func (p *prices) leastAt(of counted, x layout.Vertex, n, k, price int64) int64 {
	worths, ok := p.worthsOver(of, x, price, n)
	lo, end := of.ask.m.View.Kids(x)
	top := p.tops[:0]
	for c := lo; c < end; c++ {
		worth := int64(0)
		if ok {
			worth = int64(worths[c-lo])
		} else if c != of.ask.m.View.Outside {
			below := of.below(c)
			worth = below.worthAt(price)
		}
		top, _ = keepLargest(top, worth, k)
	}
	p.tops = top
	for _, worth := range top {
		n -= worth
	}
	return max(k, (n+price-1)/price)
}

// mostPrices bounds the prices that are tried for one domain.
const mostPrices = 8

// try takes a price into account, and tells the next one, 0 if there is none.
func (p *prices) try(price int64) (next int64) {
	p.order = p.order[:0]
	p.weigh(price)
	more := func(i, j int32) int { return descending(p.kids[i].worth, p.kids[j].worth) }
	for i := range p.kids {
		p.order = keepFirst(p.order, int32(i), p.k, more)
	}
	left, room := p.n, int64(0)
	for _, i := range p.order {
		left, room = left-p.kids[i].worth, room+p.kids[i].slots
	}
	if least := (left + price - 1) / price; least > p.least {
		p.least, p.price = least, price
	}
	if room < p.n {
		return 0
	}
	units, next := p.use(p.order, p.n)
	if units < p.units {
		p.units = units
		p.set = append(p.set[:0], p.order...)
	}
	return next
}

// keepFirst is keepLargest for anything: it puts something into a list of what comes first, in order and so many at most, behind what is equal.
func keepFirst[T any](list []T, x T, most int64, compare func(a, b T) int) []T {
	at := len(list)
	for ; at > 0 && compare(x, list[at-1]) < 0; at-- {
		continue
	}
	if int64(at) == most {
		return list
	}
	if int64(len(list)) == most {
		list = list[:most-1]
	}
	return slices.Insert(list, at, x)
}

// fewest looks for fewer grandchildren than are known, as far as the bounds of the searches allow.
func (p *prices) fewest(of counted, x layout.Vertex, n, k, known int64) {
	if p.units = known; known == k {
		return
	}
	p.list(of, x, n, k)
	if p.bound(); p.least < known {
		p.prove()
	}
}

// use is how many of the largest grandchildren below some children hold n members, which they do, and the slots of the smallest of these. Each child
// has one at least.
func (p *prices) use(set []int32, n int64) (units, smallest int64) {
	left := n
	high := int64(1)
	for _, i := range set {
		first := p.below(i).of(1)
		left, high = left-first, max(high, first)
	}
	units = int64(len(set))
	if left <= 0 {
		return units, 0
	}
	// The largest size from which on all grandchildren hold the members.
	low := int64(1)
	for low < high {
		mid := (low + high + 1) / 2
		if _, room := p.above(set, mid); room >= left {
			low = mid
		} else {
			high = mid - 1
		}
	}
	count, room := p.above(set, low+1)
	return units + count + (left-room+low-1)/low, low
}

// above counts the grandchildren below some children that have at least so many slots, the largest of each child left out, and their slots.
func (p *prices) above(set []int32, size int64) (count, room int64) {
	for _, i := range set {
		below := p.below(i)
		if n := below.atLeast(size); n > 1 {
			count, room = count+int64(n)-1, room+below.of(n)-below.of(1)
		}
	}
	return count, room
}

// count makes a choice exact where prices leave a doubt, within what is left of the additions: most[k][j] is the most members in k children with j
// of their own children. False: too many additions.
func (p *prices) count() bool {
	k, j := p.k, p.units-1 // is there a choice with fewer units?
	size := (k + 1) * (j + 1)
	var work int64
	for i := range p.kids {
		work += k * (j + 1) * min(j, int64(p.below(int32(i)).sums.Len))
	}
	if work > p.of.ask.additions {
		return false
	}
	p.of.ask.additions -= work
	p.most = append(p.most[:0], make([]int64, size*int64(len(p.kids)+1))...)
	for i := range p.kids {
		before, now := p.most[int64(i)*size:int64(i+1)*size], p.most[int64(i+1)*size:int64(i+2)*size]
		copy(now, before)
		below := p.below(int32(i))
		for kids := int64(1); kids <= min(k, int64(i)+1); kids++ {
			for units := kids; units <= j; units++ {
				best := now[kids*(j+1)+units]
				for one := int64(1); one <= min(units-kids+1, int64(below.sums.Len)); one++ {
					best = max(best, before[(kids-1)*(j+1)+units-one]+below.of(int32(one)))
				}
				now[kids*(j+1)+units] = best
			}
		}
	}
	last := p.most[size*int64(len(p.kids)):]
	for units := k; units <= j; units++ {
		if last[k*(j+1)+units] >= p.n {
			p.units = units
			p.follow(size, j)
			break
		}
	}
	p.least = p.units
	return true
}

// follow reads the children of the choice that count found.
func (p *prices) follow(size, j int64) {
	p.set = p.set[:0]
	kids, units := p.k, p.units
	for i := len(p.kids) - 1; i >= 0 && kids > 0; i-- {
		before, now := p.most[int64(i)*size:int64(i+1)*size], p.most[int64(i+1)*size:int64(i+2)*size]
		below, want := p.below(int32(i)), now[kids*(j+1)+units]
		if want == before[kids*(j+1)+units] {
			continue
		}
		for one := int64(1); one <= min(units-kids+1, int64(below.sums.Len)); one++ {
			if before[(kids-1)*(j+1)+units-one]+below.of(int32(one)) == want {
				p.set, kids, units = append(p.set, int32(i)), kids-1, units-one
				break
			}
		}
	}
	slices.Sort(p.set)
}
