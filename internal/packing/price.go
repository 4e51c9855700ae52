package packing

import (
	"cmp"
	"math/bits"
	"slices"
)

// This file answers: what if members have prices? Prices that no packing can pay say no; prices that are bettered until
// nodes choose what is left say where the rest goes.

// rounds bounds how often prices are changed, patience how often in vain before they change by less.
const (
	rounds   = 240
	patience = 6
)

// Decide places members on nodes, or says that they do not fit, by prices: each node takes its dearest members. If all
// nodes together, each by itself, do not reach the price of all members, these do not fit. If nodes that take the dearest
// of what is left, one after the other, take all, they do. Roles of which too few are taken become dearer, others cheaper,
// in smaller steps from the best prices where that does not help. O(rounds * nodes * choose).
//
// order: roles.12
func (p *Packer) Decide(nodes []int32, want []int32) (on [][]int32, v Verdict) {
	m := market{p: p, counts: countKinds(nodes), want: want, price: slices.Clone(p.scale), pace: 2}
	for r := range m.price {
		m.price[r] = max(1, m.price[r]>>24)
	}
	for range rounds {
		if p.left.Spent() || m.pace > 1<<12 {
			break
		}
		if m.offer(); m.paid < m.asked {
			return nil, FitsNot
		}
		if on, ok := p.fillByPrice(nodes, m.price, want); ok {
			return on, Fits
		}
		m.better()
	}
	return nil, Unknown
}

// market is what nodes pay for members, each by itself, at some prices.
type market struct {
	p      *Packer
	counts []Count
	want   []int32
	price  []int64 // by role
	taken  []int64 // by role: members that the nodes take
	paid   int64   // by all nodes, or asked if they pay more
	asked  int64   // for all members

	best          []int64 // the prices at which nodes paid least of what was asked, and what was taken then
	bestTaken     []int64
	least, mostOf int64 // paid of asked at these
	vain          int   // rounds since
	pace          int64 // prices change by one part in so many
}

// offer finds what the nodes take.
func (m *market) offer() {
	m.taken, m.paid, m.asked = make([]int64, len(m.want)), 0, 0
	for r, n := range m.want {
		m.asked += int64(n) * m.price[r]
	}
	for _, c := range m.counts {
		some, most := m.p.dearest(c.Kind, m.price, m.want)
		if most > 0 && c.N > (1<<55)/most { // far more than members cost, which are no more than 2^55
			most = (1 << 55) / c.N
		}
		m.paid = min(m.paid+c.N*most, 1<<55)
		for r, n := range some {
			m.taken[r] += c.N * int64(n)
		}
	}
}

// better changes the prices by what is missing of each role.
func (m *market) better() {
	if m.best == nil || lessPart(m.paid, m.asked, m.least, m.mostOf) {
		m.best, m.bestTaken, m.least, m.mostOf = slices.Clone(m.price), m.taken, m.paid, m.asked
		m.vain = 0
	} else if m.vain++; m.vain >= patience {
		m.vain, m.pace = 0, 2*m.pace
		copy(m.price, m.best)
		m.taken = m.bestTaken
	}
	for r, n := range m.want {
		if n == 0 {
			continue
		}
		missing := max(-int64(n), min(int64(n), int64(n)-m.taken[r]))
		high, low := bits.Mul64(uint64(m.price[r])+64, uint64(max(missing, -missing)))
		step, _ := bits.Div64(high, low, uint64(n)*uint64(m.pace))
		if missing < 0 {
			m.price[r] = max(0, m.price[r]-int64(step))
		} else {
			m.price[r] = min(1<<30, m.price[r]+int64(step))
		}
	}
}

// lessPart says whether a of b is a smaller part than c of d.
func lessPart(a, b, c, d int64) bool {
	ah, al := bits.Mul64(uint64(a), uint64(d))
	ch, cl := bits.Mul64(uint64(c), uint64(b))
	return ah < ch || ah == ch && al < cl
}

// countKinds counts nodes by kind, ascending.
func countKinds(nodes []int32) (out []Count) {
	list := slices.Sorted(slices.Values(nodes))
	for _, k := range list {
		if n := len(out); n > 0 && out[n-1].Kind == k {
			out[n-1].N++
			continue
		}
		out = append(out, Count{k, 1})
	}
	return out
}

// fillByPrice lets node after node take the dearest members that are left.
func (p *Packer) fillByPrice(nodes []int32, price []int64, want []int32) (on [][]int32, ok bool) {
	left, open := slices.Clone(want), int64(0)
	for _, n := range left {
		open += int64(n)
	}
	on = make([][]int32, len(nodes))
	for at, kind := range nodes {
		if open == 0 || p.left.Spent() {
			break
		}
		some, _ := p.dearest(kind, price, left)
		if takes := p.kinds[kind].Takes; takes != nil && !takes(some) {
			some = p.fewer(kind, some)
		}
		for r, n := range some {
			left[r] -= n
			open -= int64(n)
		}
		on[at] = some
	}
	return on, open == 0
}

// fewer is as much of some members as the node takes, role by role.
func (p *Packer) fewer(kind int32, some []int32) []int32 {
	out := make([]int32, len(some))
	for r, n := range some {
		p.taken(kind, out, r, n)
	}
	return out
}

// choice is a search for the dearest members that a node takes, roles with the highest price for their size first.
type choice struct {
	p     *Packer
	kind  int32
	seq   []int
	price []int64
	most  []int32
	sizes []int64 // by role: the sum of its shares of the node
	free  []int64
	share []int64 // by resource: what one of its units weighs in sizes
	some  []int32
	best  []int32
	paid  int64 // by best
	tries int
}

// chooseTries bounds the members that are looked at for one node.
const chooseTries = 600

// dearest is the set of members with the highest price that a node takes, of most at most, and a bound that no set pays
// more than: its price itself, unless the search was ended.
func (p *Packer) dearest(kind int32, price []int64, most []int32) (some []int32, bound int64) {
	c := choice{p: p, kind: kind, price: price, most: most, free: slices.Clone(p.kinds[kind].Free)}
	c.some, c.best = make([]int32, len(most)), make([]int32, len(most))
	whole := c.weigh()
	c.try(0, 0)
	p.left.Spend(int64(c.tries + len(most)/2 + 8))
	if c.tries > chooseTries {
		return c.best, whole
	}
	return c.best, c.paid
}

// weigh chooses weights of the resources by which the size of members is bounded: those of one resource alone, or shares of
// the node of all together, whichever bounds the price best. It returns that bound.
func (c *choice) weigh() (least int64) {
	for r, alone := range c.p.alone(c.kind) {
		if c.most[r] > 0 && alone > 0 && c.price[r] > 0 {
			c.seq = append(c.seq, r)
		}
	}
	c.sizes, c.share = make([]int64, len(c.most)), make([]int64, len(c.free))
	best := -1
	for i := range len(c.free) + 1 {
		if i < len(c.free) && (c.free[i] <= 0 || c.free[i] >= 1<<42) {
			continue // never the one that binds, as free amounts are no larger than what all ask for
		}
		c.measure(i)
		if bound := c.bound(0, c.room()); best < 0 || bound < least {
			best, least = i, bound
		}
	}
	c.measure(best)
	return least
}

// measure finds the sizes of roles by one resource, or by all of them if there is no such resource, and sorts them: those
// that pay most for their size come first.
func (c *choice) measure(resource int) {
	for i, free := range c.free {
		c.share[i] = 0
		if free > 0 && free < 1<<42 && (i == resource || resource == len(c.free)) {
			c.share[i] = max(1, 1<<32/free)
		}
	}
	for _, r := range c.seq {
		c.sizes[r] = 0
		for i, ask := range c.p.asks[r] {
			c.sizes[r] += ask * c.share[i]
		}
	}
	slices.SortStableFunc(c.seq, func(a, b int) int {
		ah, al := bits.Mul64(uint64(c.price[a]), uint64(c.sizes[b]))
		bh, bl := bits.Mul64(uint64(c.price[b]), uint64(c.sizes[a]))
		return cmp.Or(cmp.Compare(bh, ah), cmp.Compare(bl, al), cmp.Compare(a, b))
	})
}

// room is the size that is left of the node.
func (c *choice) room() (sum int64) {
	for i, free := range c.free {
		sum += max(0, free) * c.share[i]
	}
	return sum
}

// bound is what roles from one of the sequence on pay at most in a room of some size.
func (c *choice) bound(from int, room int64) (sum int64) {
	alone := c.p.alone(c.kind)
	for _, r := range c.seq[from:] {
		n := int64(min(c.most[r], alone[r]))
		if size := c.sizes[r]; size > 0 && n > room/size {
			high, low := bits.Mul64(uint64(c.price[r]), uint64(room))
			part, _ := bits.Div64(high, low, uint64(size))
			return sum + int64(part)
		}
		sum += n * c.price[r]
		room -= n * c.sizes[r]
	}
	return sum
}

// try extends the members chosen by roles from one of the sequence on.
func (c *choice) try(from int, paid int64) {
	if c.tries++; paid > c.paid {
		c.paid = paid
		copy(c.best, c.some)
	}
	if from == len(c.seq) || c.tries > chooseTries || paid+c.bound(from, c.room()) <= c.paid {
		return
	}
	r := c.seq[from]
	n := c.p.roomFor(c.kind, r, c.free, c.most[r])
	for ; n >= 0; n-- {
		c.add(r, n)
		c.try(from+1, paid+int64(n)*c.price[r])
		c.add(r, -n)
		if c.tries > chooseTries {
			return
		}
	}
}

// add changes the number of members of a role.
func (c *choice) add(r int, n int32) {
	c.some[r] += n
	for i, ask := range c.p.asks[r] {
		c.free[i] -= int64(n) * ask
	}
}
