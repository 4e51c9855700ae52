package reference

import (
	"cmp"
	"math/big"
	"math/bits"
	"slices"

	"github.com/muster-sched/muster/gang"
)

// set is a set of receiving children, in fill order, with what each takes.
type set struct {
	portions []portion
	counts   []int
	short    int // index of the child that takes the short group, -1 if none does
	place    int // what that counts for in units

	used, own, key, share int
	below                 []int   // vertices in use below the children, layer by layer
	zones                 int     // in sum, if the children are nodes
	waste                 big.Rat // the same
	withShort             int     // 1 if a child holds the short group already
	sum                   int
	slots                 []int // descending
	score                 int64 // of the members as filled, if the children are nodes
}

// chooseSet tries all sets of children and hands out the units to the best one.
func (p *search) chooseSet(h hand, portions []portion) {
	var best *set
	for mask := uint(1); mask < 1<<len(portions); mask++ {
		used := usedChildren(portions, mask)
		if best != nil && used > best.used {
			continue
		}
		s := p.fill(portions, mask, h)
		if s == nil {
			continue
		}
		s.used = used
		countOthers(p, s, h.at, portions, mask)
		if best == nil || p.betterSet(s, best, h) {
			best = s
		}
	}
	for i, c := range best.portions {
		c.child.given = best.counts[i]
		c.child.state.short = c.child.state.short || best.short == i
	}
}

// stateOf is what the units handed out make of child i of a set.
func (p *search) stateOf(s *set, i int, h hand) state {
	c := s.portions[i]
	out := state{units: c.child.state.units, short: s.short == i}
	out.units[h.level] = s.counts[i] - c.child.given
	return out
}

// usedChildren counts the children of the set and those beside it that hold running members of the gang, or the short
// group already.
func usedChildren(portions []portion, mask uint) int {
	used := bits.OnesCount(mask)
	for i, c := range portions {
		if mask>>i&1 == 0 && (c.child.v.own > 0 || c.child.state.short) {
			used++
		}
	}
	return used
}

// fill gives every child of the set its number of units; nil if the set does not suffice. A child that takes the short
// group and nothing else counts as receiving, but only where the set cannot do otherwise.
func (p *search) fill(portions []portion, mask uint, h hand) *set {
	s := &set{short: -1, place: 1}
	if h.level == len(p.solver.levels) {
		s.place = p.rest
	}
	for i, c := range portions {
		switch {
		case mask>>i&1 == 1:
			s.portions = append(s.portions, c)
		case c.low > 0:
			return nil
		}
	}
	slices.SortStableFunc(s.portions, func(a, b portion) int { return p.fillOrder(a, b, h.nodes) })
	if !p.units(s, h) {
		return nil
	}
	s.share = p.evenShare(s, h)
	for i, c := range s.portions {
		s.own, s.key, s.sum = s.own+c.child.v.own, s.key+c.child.v.key, s.sum+c.child.v.high
		s.withShort += bit(c.child.state.short)
		s.slots = append(s.slots, c.child.v.high)
		if h.nodes {
			s.zones += c.child.v.zones
			s.waste.Add(&s.waste, c.child.v.waste)
			s.score += p.place(c.child.v, p.stateOf(s, i, h)).score
		}
	}
	slices.SortFunc(s.slots, func(a, b int) int { return cmp.Compare(b, a) })
	return s
}

// fillOrder: more running members of the gang first, then (between nodes) fewer zones, then more slots (between nodes
// under ByScore: a higher score); the sort is stable, so path order decides last.
func (p *search) fillOrder(a, b portion, nodes bool) int {
	if c := cmp.Compare(b.child.v.own, a.child.v.own); c != 0 {
		return c
	}
	if nodes && a.child.v.zones != b.child.v.zones {
		return cmp.Compare(a.child.v.zones, b.child.v.zones)
	}
	if p.solver.byScore() && nodes {
		return cmp.Compare(b.child.v.score, a.child.v.score)
	}
	return cmp.Compare(b.child.v.high, a.child.v.high)
}

// units distributes the units and finds the child of the short group: the last in fill order that can hold it. The
// short group counts as the one unit that its child must take.
func (p *search) units(s *set, h hand) bool {
	numbers := make([]uint64, len(s.portions))
	for i, c := range s.portions {
		numbers[i] = c.full &^ 1
	}
	s.short = -1
	if p.solver.looksDown() {
		return p.fillNarrow(s, h, numbers)
	}
	if !h.short {
		return p.fillUp(s, h.n, numbers)
	}
	for i := len(s.portions) - 1; i >= 0; i-- {
		beside := slices.Clone(numbers)
		beside[i] = s.portions[i].short
		if s.short = i; p.fillUp(s, h.n, beside) {
			return true
		}
	}
	s.short = -1
	return false
}

// evenShare is the smallest upper bound of the children, none above the level to which the units fill them evenly, each
// at least to its lower bound.
func (p *search) evenShare(s *set, h hand) int {
	step := s.portions[0].child.v.step
	if h.level < len(p.solver.levels) {
		step = lcm(step, p.solver.size(h.level)) / p.solver.size(h.level)
	}
	share := 0
	for next := step; ; next += step {
		sum := 0
		for _, c := range s.portions {
			sum += max(next, c.low)
		}
		if sum > h.n {
			break
		}
		share = next
	}
	for _, c := range s.portions {
		share = min(share, highest(c.full))
	}
	return share
}

// even is what a child counts for when sets are filled evenly: its units, the short group being one, or its members.
func (s *set) even(i int) int {
	return s.counts[i] + s.place*bit(i == s.short || s.portions[i].child.state.short)
}

// fillUp gives every child the least number of units that it may take, and then the rest: to each in fill order as
// much as it can take or, to fill evenly, one step at a time to the child with the fewest.
func (p *search) fillUp(s *set, units int, numbers []uint64) bool {
	s.counts = make([]int, len(numbers))
	for i, allowed := range numbers {
		if allowed == 0 {
			return false
		}
		s.counts[i] = lowest(allowed)
		units -= s.counts[i]
	}
	for units > 0 {
		i, step := p.next(s, numbers)
		if i < 0 || step > units {
			return false
		}
		s.counts[i] += step
		units -= step
	}
	return units == 0
}

// next is the child that takes more, and how much more: one step.
func (p *search) next(s *set, numbers []uint64) (child, step int) {
	policy := p.solver.in.Request.Policy
	even := policy == gang.Spread || policy == gang.Balanced
	child = -1
	for i, allowed := range numbers {
		more := allowed >> (s.counts[i] + 1)
		if more != 0 && (child < 0 || even && s.even(i) < s.even(child)) {
			child, step = i, lowest(more)+1
		}
	}
	return child, step
}

// betterSet compares two sets that suffice by docs/order.md section 4.
func (p *search) betterSet(a, b *set, h hand) bool {
	policy := p.solver.in.Request.Policy
	for _, c := range []int{
		cmp.Compare(b.used, a.used),
		slices.Compare(b.below, a.below),
		cmp.Compare(a.own, b.own),
		cmp.Compare(a.withShort, b.withShort),
		cmp.Compare(a.key, b.key),
		cmp.Compare(b.zones, a.zones),
		b.waste.Cmp(&a.waste),
	} {
		if c != 0 {
			return c > 0
		}
	}
	if policy == gang.Balanced && a.share != b.share {
		return a.share > b.share
	}
	if policy == gang.ByScore && h.nodes {
		if a.score != b.score {
			return a.score > b.score
		}
	} else if c := cmp.Or(cmp.Compare(a.sum, b.sum), slices.Compare(a.slots, b.slots)); c != 0 {
		return (c < 0) != (policy == gang.Spread)
	}
	if c := slices.Compare(scoresOf(p, a, h), scoresOf(p, b, h)); c != 0 {
		return c > 0
	}
	return slices.Compare(orders(a), orders(b)) < 0
}

// scoresOf are the NUMA score, between nodes, and the host score of all members as they are placed below the set.
func scoresOf(p *search, s *set, h hand) []int64 {
	scores := make([]int64, 2)
	for i, c := range s.portions {
		below := p.place(c.child.v, p.stateOf(s, i, h))
		if h.nodes {
			scores[0] += below.numa
		}
		scores[1] += below.score
	}
	return scores
}

// orders are the places of the children of the set.
func orders(s *set) []int {
	var out []int
	for _, c := range s.portions {
		out = append(out, c.child.place)
	}
	slices.Sort(out)
	return out
}
