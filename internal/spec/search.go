// How many groups fit below a vertex, and which domains hold the gang?

package spec

import (
	"math/bits"
	"slices"
)

// search is the choice of a place for a fixed number of new members.
type search struct {
	solver  *solver
	n       int           // new members
	outside int           // of them, members on nodes outside the tree
	full    int           // new groups of the outermost level that are whole
	rest    int           // members of a new short last group, 0 if there is none
	begun   []*begunGroup // in the order in which they find a home
	running [][][]*vertex // by level: the nodes of every group of which members run
	tiers   []int         // of the strategy: the gang's, then every level's
	tallies map[tallyKey]tally
	placed  map[placedKey]*placed
	// reserved is what begun groups take at and below their homes, in units of the level after theirs.
	reserved map[reservedKey]int
	// loose while the nodes outside the tree need not take exactly what must lie there.
	loose bool
}

// tally says which numbers of groups of one level fit below a vertex: bit k is k full groups, without or with the short group
// beside them.
type tally struct{ full, short uint64 }

type tallyKey struct {
	level, tier, short int
	v                  *vertex
	loose              bool
}

// fit finds out whether n new members can be placed at all, and with the fewest outside the tree; nil if not.
func (s *solver) fit(n int) *search {
	p := &search{solver: s, n: n}
	p.cut()
	if p.broken() {
		return nil
	}
	for out := range n + 1 {
		p.outside = out
		if s.fixOutside(out) {
			if p.use(s.loosest()); len(p.candidates()) > 0 {
				return p
			}
		}
		if s.outside == nil {
			break
		}
	}
	return nil
}

// use sets the strategy.
func (p *search) use(tiers []int) {
	p.tiers = slices.Clone(tiers)
	p.tallies, p.placed = map[tallyKey]tally{}, map[placedKey]*placed{}
	p.settle()
}

// groupsOf is the number of full groups of level i that are placed; of members for the level after the last.
func (p *search) groupsOf(i int) int {
	if i == len(p.solver.m.Levels) {
		return p.n
	}
	n := p.full * p.solver.size(0) / p.solver.size(i)
	for _, g := range p.begun {
		if g.level < i {
			n += p.solver.membersOf(g) / p.solver.size(i)
		}
	}
	return n
}

// tally of groups of level i, each inside a domain of tier t, the short one in a domain of tier short, inner levels as the strategy
// says, beside the begun groups of level i and further in. The numbers are those of docs/order/2-strategy.md: where a group may lie
// anywhere below v, it is counted in groups of the next level, and else child by child. Sets of numbers, and not only the largest,
// so that multiples need no thought.
func (p *search) tally(i, t, short int, v *vertex) tally {
	if i == len(p.solver.m.Levels) {
		t, short = 0, 0
	}
	key := tallyKey{i, t, short, v, p.loose}
	if done, ok := p.tallies[key]; ok {
		return done
	}
	out := tally{full: 1}
	if v.tier <= t {
		out = p.anywhere(i, v)
	} else {
		for _, c := range v.children {
			out = fold(out, p.exact(c, i, p.tally(i, t, short, c)), p.groupsOf(i))
		}
		out = p.keepMultiples(v, i, out)
		whole := p.anywhere(i, v)
		if v.tier <= short && p.rest > 0 {
			out.short = whole.short & out.full
		}
		if len(p.begun) > 0 { // one that lies in several children takes slots that are counted in each
			out.full, out.short = out.full&whole.full, out.short&whole.short
		}
	}
	keep := uint64(1)<<(p.mostGroups(i, v, p.groupsOf(i))+1) - 1
	out.full, out.short = out.full&keep, out.short&keep
	p.tallies[key] = out
	return out
}

// anywhere is the tally of groups that may lie anywhere below v.
func (p *search) anywhere(i int, v *vertex) (out tally) {
	switch q := len(p.solver.m.Levels); {
	case i < q-1:
		inner := p.tally(i+1, p.tiers[i+2], p.tiers[i+2], v)
		for k := range p.groupsOf(i) + 1 {
			units := k*p.solver.size(i)/p.solver.size(i+1) + p.reserved[reservedKey{i, v}]
			out.full |= inner.full >> units & 1 << k
		}
	case i == q-1:
		out.full = p.members(v, p.solver.size(i), p.beside(i, v), p.groupsOf(i))
		if p.rest > 0 {
			out.short = p.members(v, p.solver.size(i), p.rest+p.beside(i, v), p.groupsOf(i))
		}
	default:
		out.full = p.members(v, 1, 0, p.n)
	}
	return out
}

// free is the tally beside all begun groups.
func (p *search) free(i, t, short int, v *vertex) tally {
	out := p.exact(v, i, p.tally(i, t, short, v))
	if before := p.before(i, v); before > 0 {
		out.full = out.full>>before | 1
	}
	return out
}

// members is the set of k for which k groups of a size and rest members more fit below v.
func (p *search) members(v *vertex, size, rest, most int) uint64 {
	var set uint64
	for k := range most + 1 {
		if m := k*size + rest; v.takes(m) || m <= v.high && (len(p.begun) > 0 || p.loose && v == p.solver.outside) {
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
	if v != p.solver.outside || p.loose {
		return t
	}
	var out tally
	for k := range p.groupsOf(i) + 1 {
		members := k*p.solver.size(i) + p.beside(i, v)
		if members == p.outside {
			out.full |= t.full & (1 << k)
		}
		if members+p.rest == p.outside {
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
		if (k*p.solver.size(i)+v.own)%v.step != 0 {
			t.full &^= 1 << k
		}
		if (k*p.solver.size(i)+p.rest+v.own)%v.step != 0 {
			t.short &^= 1 << k
		}
	}
	return t
}

// roomOf is the largest number of units of level i that fit below v beside begun groups, each in a domain of tier t.
func (p *search) roomOf(i, t int, v *vertex) int {
	p.loose = true
	defer func() { p.loose = false }()
	return max(0, highest(p.free(i, t, t, v).full))
}

// most is the largest number of groups of level i that lie whole in domains of tier t below v, beside begun groups.
func (p *search) most(i, t int, v *vertex) int {
	k := bits.Len64(p.tally(i, t, t, v).full) - 1 - p.before(i, v)
	if v == p.solver.outside {
		k = min(k, (p.outside-p.beside(0, v))/p.solver.size(i))
	}
	return max(k, 0)
}

// feasible holds if the gang fits below d by the strategy.
func (p *search) feasible(d *vertex) bool {
	s := p.solver
	switch {
	case d.own != s.root.own || !p.sideOfTree(d) || !p.holdsWithin(d):
		return false
	case s.outside != nil && s.outside.own > 0 && s.m.Hard:
		return false
	case len(s.m.Levels) == 0:
		return d.takes(p.n)
	case !p.settled(d):
		return false
	}
	t := p.tally(0, p.tiers[1], p.tiers[1], d)
	if p.rest > 0 {
		return t.short>>p.full&1 == 1
	}
	return t.full>>p.full&1 == 1
}

// sideOfTree holds if as many members as must lie outside the tree can do so below d.
func (p *search) sideOfTree(d *vertex) bool {
	switch {
	case d == p.solver.root:
		return true
	case d.outside:
		return p.outside == p.n
	}
	return p.outside == 0
}

// candidates are the feasible domains of the gang's tier.
func (p *search) candidates() (out []*vertex) {
	for _, d := range under(p.solver.root, p.tiers[0]) {
		if p.feasible(d) {
			out = append(out, d)
		}
	}
	return out
}

// highest and lowest are the largest and the smallest number of a set.
func highest(set uint64) int { return bits.Len64(set) - 1 }
func lowest(set uint64) int  { return bits.TrailingZeros64(set) }
