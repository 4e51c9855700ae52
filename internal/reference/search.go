package reference

import (
	"math/bits"
	"slices"
)

// search is the choice of a place for a fixed number of new members.
type search struct {
	*solver
	n       int   // new members
	outside int   // of them, members on nodes outside the tree
	rest    int   // members of a short last group, 0 if all groups are full
	tiers   []int // of the strategy: the gang's, then every level's
	tallies map[[3]int]tally
	placed  map[placedKey]*placed
}

// tally says which numbers of groups of one level fit below a vertex: bit k is k full groups, without or with the short
// group beside them.
type tally struct{ full, short uint64 }

// groupsOf is the number of full groups of level i; of members for the level after the last.
func (p *search) groupsOf(i int) int {
	if i == len(p.levels) {
		return p.n
	}
	if i == 0 {
		return p.n / p.size(0)
	}
	return p.groupsOf(0) * p.size(0) / p.size(i)
}

// use sets the strategy.
func (p *search) use(tiers []int) {
	p.tiers = slices.Clone(tiers)
	p.tallies, p.placed = map[[3]int]tally{}, map[placedKey]*placed{}
}

// tally of groups of level i, each inside a domain of tier t, inner levels as the strategy says. The numbers are those
// of docs/order.md section 2: where a group may lie anywhere below v, it is counted in groups of the next level, and
// else child by child. Sets of numbers, and not only the largest, so that multiples need no thought.
func (p *search) tally(i, t int, v *vertex) tally {
	key := [3]int{i, t, v.order}
	if i == len(p.levels) {
		key[1] = 0
	}
	if done, ok := p.tallies[key]; ok {
		return done
	}
	var out tally
	switch {
	case i == len(p.levels):
		out.full = p.members(v, 1, 0, p.n)
	case v.tier <= t && i == len(p.levels)-1:
		out.full = p.members(v, p.size(i), 0, p.groupsOf(i))
		if p.rest > 0 {
			out.short = p.members(v, p.size(i), p.rest, p.groupsOf(i))
		}
	case v.tier <= t:
		inner := p.tally(i+1, p.tiers[i+2], v)
		for k := range p.groupsOf(i) + 1 {
			out.full |= inner.full >> (k * p.size(i) / p.size(i+1)) & 1 << k
		}
	default:
		out = tally{full: 1}
		for _, c := range v.children {
			out = fold(out, p.exact(c, i, p.tally(i, t, c)), p.groupsOf(i))
		}
		out = p.keepMultiples(v, i, out)
	}
	p.tallies[key] = out
	return out
}

// members is the set of k for which k groups of a size and rest members more fit below v.
func (p *search) members(v *vertex, size, rest, most int) uint64 {
	var set uint64
	for k := range most + 1 {
		if v.takes(k*size + rest) {
			set |= 1 << k
		}
	}
	return set
}

// fold adds up two tallies side by side, up to this many groups.
func fold(a, b tally, most int) tally {
	var out tally
	for k := range most + 1 {
		if b.full>>k&1 == 1 {
			out.full |= a.full << k
			out.short |= a.short << k
		}
		if b.short>>k&1 == 1 {
			out.short |= a.full << k
		}
	}
	mask := uint64(1)<<(most+1) - 1
	return tally{out.full & mask, out.short & mask}
}

// exact keeps, for the vertex of all nodes outside the tree, what makes exactly the members that must lie there.
func (p *search) exact(v *vertex, i int, t tally) tally {
	if v != p.solver.outside {
		return t
	}
	var out tally
	for k := range p.groupsOf(i) + 1 {
		if k*p.size(i) == p.outside {
			out.full |= t.full & (1 << k)
		}
		if k*p.size(i)+p.rest == p.outside {
			out.short |= t.short & (1 << k)
		}
	}
	return out
}

// keepMultiples drops the numbers of groups that are no multiple in members.
func (p *search) keepMultiples(v *vertex, i int, t tally) tally {
	if v.step == 1 || v == p.solver.outside {
		return t
	}
	for k := range p.groupsOf(i) + 1 {
		if (k*p.size(i)+v.own)%v.step != 0 {
			t.full &^= 1 << k
		}
		if (k*p.size(i)+p.rest+v.own)%v.step != 0 {
			t.short &^= 1 << k
		}
	}
	return t
}

// most is the largest number of groups of level i that lie whole in domains of tier t below v.
func (p *search) most(i, t int, v *vertex) int {
	k := bits.Len64(p.tally(i, t, v).full) - 1
	if v == p.solver.outside {
		k = min(k, p.outside/p.size(i))
	}
	return max(k, 0)
}

// feasible holds if the gang fits below d by the strategy.
func (p *search) feasible(d *vertex) bool {
	if d.own != p.root.own || !p.sideOfTree(d) {
		return false
	}
	if out := p.solver.outside; out != nil && out.own > 0 && p.hard() {
		return false
	}
	if len(p.levels) == 0 {
		return d.takes(p.n)
	}
	if p.begun() {
		return p.outside > 0 && d.takes(p.n) || p.outside == 0 && p.begunFits(d)
	}
	t := p.tally(0, p.tiers[1], d)
	if p.rest > 0 {
		return t.short>>p.groupsOf(0)&1 == 1
	}
	return t.full>>p.groupsOf(0)&1 == 1
}

// sideOfTree holds if as many members as must lie outside the tree can do so below d.
func (p *search) sideOfTree(d *vertex) bool {
	switch {
	case d == p.root:
		return true
	case d.outside:
		return p.outside == p.n
	}
	return p.outside == 0
}

// candidates are the feasible domains of the gang's tier.
func (p *search) candidates() []*vertex {
	var out []*vertex
	for _, d := range under(p.root, p.tiers[0]) {
		if p.feasible(d) {
			out = append(out, d)
		}
	}
	return out
}

// strategies iterates over the vectors of worths, gang first, in lexicographic order.
func (s *solver) strategies(yield func([]int) bool) {
	levels := []rules{s.gang}
	for _, l := range s.levels {
		levels = append(levels, l.rules)
	}
	var extend func(prefix []int) bool
	extend = func(prefix []int) bool {
		if len(prefix) == len(levels) {
			return yield(prefix)
		}
		for _, w := range levels[len(prefix)].worths() {
			if !extend(append(slices.Clip(prefix), w)) {
				return false
			}
		}
		return true
	}
	extend(nil)
}

// loosest is the strategy that binds by the hard rules alone.
func (s *solver) loosest() []int {
	tiers := []int{s.gang.must}
	for _, l := range s.levels {
		tiers = append(tiers, l.rules.must)
	}
	return tiers
}

// fit finds out whether n new members can be placed at all, and with the fewest outside the tree; nil if not.
func (s *solver) fit(n int) *search {
	p := &search{solver: s, n: n}
	if len(s.levels) == 1 {
		p.rest = (n + len(s.own)) % s.size(0)
	}
	p.use(s.loosest())
	for out := range n + 1 {
		p.outside = out
		p.use(p.tiers)
		if s.fixOutside(out) && len(p.candidates()) > 0 {
			return p
		}
		if s.outside == nil {
			break
		}
	}
	return nil
}
