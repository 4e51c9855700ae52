// How few grandchildren hold the members, in as few children as can be, if slots alone decide?

package gather

import (
	"cmp"
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
	n, k  int64
	kids  []priced // with slots; once there is a bound in fill order: the most slots first, then in the order of paths
	order []int32  // of kids, by worth
	set   []int32  // the best choice so far: places in kids
	units int64    // grandchildren that it uses
	least int64    // no choice uses fewer
	price int64    // that gave the bound
	most  []int64  // see count
	tops  []int64  // see topWorths
	tried []int32  // the set that a search through the choices has at hand
}

// priced is a child.
type priced struct {
	at    layout.Vertex
	sums  index.ChildSums // of its own children
	slots int64
	worth int64
}

// list begins with the children of x; k of them hold the members, and no fewer.
func (p *prices) list(a *ask, x layout.Vertex, n, k int64) {
	p.n, p.k, p.kids = n, k, p.kids[:0]
	lo, end := a.m.View.Kids(x)
	for c := lo; c < end; c++ {
		if slots := a.slots.At(c); slots > 0 && c != a.m.View.Outside {
			p.kids = append(p.kids, priced{at: c, sums: a.slots.Ix.SumsOf(c), slots: slots})
		}
	}
}

// ofLargest is how many grandchildren the k children of x with the most slots use.
func (p *prices) ofLargest(a *ask, x layout.Vertex, n, k int64) int64 {
	p.n, p.k, p.kids, p.set = n, k, p.kids[:0], p.set[:0]
	lo, _ := a.m.View.Kids(x)
	for i, slots := range a.slotsBelow(x) {
		at := len(p.kids)
		for at > 0 && p.kids[at-1].slots < int64(slots) {
			at--
		}
		if c := lo + layout.Vertex(i); at < int(k) && c != a.m.View.Outside {
			if len(p.kids) == int(k) {
				p.kids = p.kids[:k-1]
			}
			p.kids = slices.Insert(p.kids, at, priced{at: c, slots: int64(slots)})
		}
	}
	for i := range p.kids {
		p.kids[i].sums = a.slots.Ix.SumsOf(p.kids[i].at)
		p.set = append(p.set, int32(i))
	}
	units, _ := p.use(p.set, p.n)
	return units
}

// bound looks for the best choice by prices. least == units says that it is proven.
func (p *prices) bound() {
	slices.SortStableFunc(p.kids, func(a, b priced) int { return descending(a.slots, b.slots) })
	p.order = p.order[:0]
	for i := range p.kids {
		p.order = append(p.order, int32(i))
	}
	p.set = append(p.set[:0], p.order[:p.k]...) // the largest hold the members
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

// leastAt is the bound at a price, without a choice.
func (p *prices) leastAt(price int64) int64 {
	top := p.tops[:0]
	for i := range p.kids {
		top, _ = keepLargest(top, p.kids[i].worthAt(price), p.k)
	}
	p.tops = top
	left := p.n
	for _, worth := range top {
		left -= worth
	}
	return max(p.k, (left+price-1)/price)
}

// mostPrices bounds the prices that are tried for one domain.
const mostPrices = 8

// try takes a price into account, and tells the next one, 0 if there is none.
func (p *prices) try(price int64) (next int64) {
	for i := range p.kids {
		p.kids[i].worth = p.kids[i].worthAt(price)
	}
	slices.SortFunc(p.order, func(i, j int32) int {
		return cmp.Or(descending(p.kids[i].worth, p.kids[j].worth), cmp.Compare(i, j))
	})
	left, room := p.n, int64(0)
	for _, i := range p.order[:p.k] {
		left, room = left-p.kids[i].worth, room+p.kids[i].slots
	}
	if least := (left + price - 1) / price; least > p.least {
		p.least, p.price = least, price
	}
	if room < p.n {
		return 0
	}
	units, next := p.use(p.order[:p.k], p.n)
	if units < p.units {
		p.units = units
		p.set = append(p.set[:0], p.order[:p.k]...)
	}
	return next
}

// worthAt is what a child is worth at a price.
func (c *priced) worthAt(price int64) int64 {
	n := c.sums.AtLeast(price + 1)
	if n == 0 {
		return 0
	}
	return c.sums.Of(n) - int64(n)*price
}

// use is how many of the largest grandchildren below some children hold n members, which they do, and the slots of the smallest of these. Each child
// has one at least.
func (p *prices) use(set []int32, n int64) (units, smallest int64) {
	left := n
	high := int64(1)
	for _, i := range set {
		left -= p.kids[i].sums.Of(1)
		high = max(high, p.kids[i].sums.Of(1))
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
		c := &p.kids[i]
		if n := c.sums.AtLeast(size); n > 1 {
			count, room = count+int64(n)-1, room+c.sums.Of(n)-c.sums.Of(1)
		}
	}
	return count, room
}

// count makes a choice exact where prices leave a doubt, within what is left of the additions: most[k][j] is the most members in k children with j
// of their own children. False: too many additions.
func (p *prices) count(additions *int64) bool {
	k, j := p.k, p.units-1 // is there a choice with fewer units?
	size := (k + 1) * (j + 1)
	var work int64
	for i := range p.kids {
		work += k * (j + 1) * min(j, int64(p.kids[i].sums.Len))
	}
	if work > *additions {
		return false
	}
	*additions -= work
	p.most = append(p.most[:0], make([]int64, size*int64(len(p.kids)+1))...)
	for i := range p.kids {
		before, now := p.most[int64(i)*size:int64(i+1)*size], p.most[int64(i+1)*size:int64(i+2)*size]
		copy(now, before)
		sums := &p.kids[i].sums
		for kids := int64(1); kids <= min(k, int64(i)+1); kids++ {
			for units := kids; units <= j; units++ {
				best := now[kids*(j+1)+units]
				for one := int64(1); one <= min(units-kids+1, int64(sums.Len)); one++ {
					best = max(best, before[(kids-1)*(j+1)+units-one]+sums.Of(int32(one)))
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
		sums, want := &p.kids[i].sums, now[kids*(j+1)+units]
		if want == before[kids*(j+1)+units] {
			continue
		}
		for one := int64(1); one <= min(units-kids+1, int64(sums.Len)); one++ {
			if before[(kids-1)*(j+1)+units-one]+sums.Of(int32(one)) == want {
				p.set, kids, units = append(p.set, int32(i)), kids-1, units-one
				break
			}
		}
	}
	slices.Sort(p.set)
}
