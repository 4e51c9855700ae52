package numa

import (
	"math"
	"math/bits"
)

// budget is how many steps the search takes before it asks for a better bound, and patience how many before it settles
// for bounds. Searches that need more than some hundred are far between.
const (
	budget   = 1 << 10
	patience = 1 << 15
)

// spread counts members of several zones each, w* of them: the largest number of members such that no set of zones
// contains the masks of more members than it has room for.
func (q *Need) spread(free []int64, zones Mask, limit int64) Count {
	w := q.width
	if zones.Width() <= w || q.copies(free, zones) == 0 {
		if zones.Width() < w {
			return Count{}
		}
		return exactly(q.copies(free, zones), limit) // one mask, or none
	}
	if zones.Width() <= fewZones {
		var room [1 << fewZones]int64
		var masks [70]Mask // 8 over 4
		var x [70]int64
		p := packing{left: room[:1<<zones.Width()], x: x[:]}
		p.masks = p.fill(q, free, zones, masks[:0])
		return p.count(limit)
	}
	p := packing{left: make([]int64, 1<<zones.Width()), greedy: true}
	p.masks = p.fill(q, free, zones, nil)
	p.x = make([]int64, len(p.masks))
	return p.count(limit)
}

// packing looks for numbers x of members on masks. Zones are positions among those that may be used.
type packing struct {
	masks []Mask // with room for a member, in the order in which they are tried
	// left is, by set of zones, how many more members may have their masks inside it.
	left  []int64
	x     []int64 // members by mask
	union Mask    // of the masks

	greedy bool // take the first numbers found
	steps  int  // still to take
	target int64
	best   int64
	answer []int64 // the numbers behind best; nil: nobody asks
}

// fill makes the table of f and appends the masks with room for a member.
func (p *packing) fill(q *Need, free []int64, zones Mask, masks []Mask) []Mask {
	n := len(q.zones.ids)
	for r, amount := range q.amounts {
		// The sums of the sets stand in a table of their own, built from smaller sets; a copy is counted by division
		// only where there is room for one.
		var few [1 << fewZones]int64
		sums := few[:]
		if len(p.left) > len(few) {
			sums = make([]int64, len(p.left))
		}
		size := 1
		for rest := zones; rest != 0; rest &= rest - 1 {
			free := free[r*n+rest.first()]
			for s := range size {
				sums[size+s] = sums[s] + free
			}
			size *= 2
		}
		for s := range p.left {
			switch {
			case r > 0 && p.left[s] == 0:
			case sums[s] < amount:
				p.left[s] = 0
			case r == 0:
				p.left[s] = sums[s] / amount
			case p.left[s] > 1:
				p.left[s] = min(p.left[s], sums[s]/amount)
			}
		}
	}
	for s, f := range p.left {
		if f > 0 && bits.OnesCount(uint(s)) == q.width {
			masks = append(masks, Mask(s))
			p.union |= Mask(s)
		}
	}
	return masks
}

// count searches for the largest packing, up to the limit.
func (p *packing) count(limit int64) Count {
	bound := min(limit, p.left[p.union])
	p.target = bound
	p.search()
	switch {
	case p.best == bound, p.greedy:
		return Count{p.best, bound}
	case p.steps > 0: // every way was tried
		return Count{p.best, p.best}
	}
	return p.refine(bound)
}

// search tries packings within the budget; taking the first numbers found is a step a mask.
func (p *packing) search() {
	p.steps = budget
	if p.greedy {
		p.steps = len(p.masks) + 2
	}
	p.try(0, 0)
}

// try gives the masks from i on every number of members that could still lead to more than the best, largest first.
func (p *packing) try(i int, placed int64) {
	if placed > p.best {
		p.best = placed
		copy(p.answer, p.x)
	}
	p.steps--
	if i == len(p.masks) || p.done() || p.most(i, placed) <= p.best {
		return
	}
	// The most that fit on this mask.
	mask, outside := p.masks[i], Mask(len(p.left)-1)&^p.masks[i]
	x := min(p.target-placed, p.left[mask])
	for more := outside; more != 0 && x > 0; more = (more - 1) & outside {
		x = min(x, p.left[mask|more])
	}
	p.take(mask, outside, x)
	for ; ; x-- {
		p.x[i] = x
		p.try(i+1, placed+x)
		if x == 0 || p.greedy || p.done() {
			break
		}
		p.take(mask, outside, -1)
	}
	p.take(mask, outside, -x)
	p.x[i] = 0
}

func (p *packing) done() bool { return p.best == p.target || p.steps <= 0 }

// take puts members on a mask: every set that contains it has as many fewer left.
func (p *packing) take(mask, outside Mask, members int64) {
	if members == 0 {
		return
	}
	for more := outside; ; more = (more - 1) & outside {
		p.left[mask|more] -= members
		if more == 0 {
			return
		}
	}
}

// most bounds what can be placed with the masks from i on: for any set of zones, what may still be inside it, and what
// the masks beside it can take one by one.
func (p *packing) most(i int, placed int64) int64 {
	most := min(p.target, placed+p.left[p.union])
	if most <= p.best || p.best == 0 || p.greedy || p.left[p.union] > math.MaxInt64>>8 {
		return most
	}
	// inside, by set: what the masks inside it can take, summed over subsets.
	var inside [1 << fewZones]int64
	for _, m := range p.masks[i:] {
		inside[m] = p.left[m]
	}
	size := len(p.left)
	for bit := 1; bit < size; bit *= 2 {
		for at := 0; at < size; at += 2 * bit {
			without, with := inside[at:at+bit], inside[at+bit:at+2*bit]
			for s := range min(len(with), len(without)) {
				with[s] += without[s]
			}
		}
	}
	for s, left := range p.left {
		most = min(most, placed+left+inside[size-1]-inside[s])
	}
	return most
}
