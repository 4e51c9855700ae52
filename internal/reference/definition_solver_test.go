package reference

import (
	"slices"
	"strings"
)

// Definition is the best strategy as docs/order.md words it, not as it computes it: found among all placements of
// the members, by node, and all ways to part them into groups.
type Definition struct {
	Placed  bool
	Outside int
	Worth   []int
	// Intact has, by path of every domain of the gang's tier that can hold the gang, the best vector of outermost groups
	// whole at each tier below the group tier, the short one included.
	Intact map[string][]int
}

// parted is one way to place and part a gang: the tiers reached, how many full outermost groups are whole at each tier,
// and from which tier on the short one is.
type parted struct {
	outside int
	nodes   []*vertex // used, running members included
	tiers   []int
	whole   []int // by tier
	short   int   // above all tiers if there is none
}

// definer enumerates for one number of members.
type definer struct {
	search *search
	nodes  []*vertex
	each   func(parted)
	intact map[string][]int // as in Definition, but tier by tier full groups, then short ones: full ones come first
}

// SolveByDefinition enumerates all placements of n new members. For tiny clusters, at most two levels of groups, and
// no running members in a gang with groups. Exponential in everything.
func SolveByDefinition(in Input, n int) (*Definition, error) {
	s, err := newSolver(&in)
	if err != nil {
		return nil, err
	}
	s.look(false)
	p := &search{solver: s, n: n}
	if len(s.levels) == 1 {
		p.rest = n % s.size(0)
	}
	d := &definer{search: p}
	for _, v := range s.vertices {
		if v.node != nil {
			d.nodes = append(d.nodes, v)
		}
	}
	out := &Definition{}
	d.each = func(x parted) { d.bestStrategy(out, x) }
	d.enumerate()
	if out.Placed {
		out.Intact, d.intact = map[string][]int{}, map[string][]int{}
		d.each = func(x parted) { d.bestIntact(out, x) }
		d.enumerate()
	}
	return out, nil
}

// bestStrategy keeps the lexicographically smallest vector of members outside and worths.
func (d *definer) bestStrategy(out *Definition, x parted) {
	worth, ok := d.worthOf(x)
	if !ok {
		return
	}
	vector := append([]int{x.outside}, worth...)
	if !out.Placed || slices.Compare(vector, append([]int{out.Outside}, out.Worth...)) < 0 {
		out.Placed, out.Outside, out.Worth = true, x.outside, worth
	}
}

// worthOf is false if a hard rule is broken.
func (d *definer) worthOf(x parted) ([]int, bool) {
	var worth []int
	for i, tier := range x.tiers {
		r := d.search.solver.gang
		if i > 0 {
			r = d.search.solver.levels[i-1].rules
		}
		if tier > r.must {
			return nil, false
		}
		worth = append(worth, r.worth(tier))
	}
	return worth, true
}

// bestIntact keeps, for the domain of the gang's tier that holds this placement, the best vector of whole groups. Group
// tiers may be better than the strategy's: worth only bounds them.
func (d *definer) bestIntact(out *Definition, x parted) {
	worth, ok := d.worthOf(x)
	if !ok || x.outside != out.Outside {
		return
	}
	for i, w := range worth {
		if w > out.Worth[i] {
			return
		}
	}
	domain := smallest(d.search.solver.root, x.nodes)
	for domain.parent != nil && domain.parent.tier <= out.Worth[0] && !domain.parent.outside {
		domain = domain.parent
	}
	var apart, vector []int
	if len(d.search.solver.levels) > 0 {
		for t := out.Worth[1] - 1; t >= 0; t-- {
			short := bit(x.short <= t && x.outside == 0) // a full tree takes its members like others
			apart = append(apart, x.whole[t], short)
			vector = append(vector, x.whole[t]+short)
		}
	}
	path := strings.Join(domain.path, "/")
	if best, ok := d.intact[path]; !ok || slices.Compare(apart, best) > 0 {
		d.intact[path], out.Intact[path] = apart, vector
	}
}

// enumerate tries all numbers of members on all nodes that keep the multiples.
func (d *definer) enumerate() {
	counts := make([]int, len(d.nodes))
	d.spread(d.search.n, 0, counts, d.slots(), func() {
		if d.keepsMultiples(counts) && d.keepsLimits(counts) {
			d.part(counts)
		}
	})
}

func (d *definer) slots() []int {
	var out []int
	for _, v := range d.nodes {
		out = append(out, v.fits)
	}
	return out
}

// spread calls back for every way to put n members on the nodes from i on, each with so many slots.
func (d *definer) spread(n, i int, counts, slots []int, each func()) {
	if i == len(counts) {
		if n == 0 {
			each()
		}
		return
	}
	for k := 0; k <= min(n, slots[i]); k++ {
		counts[i] = k
		d.spread(n-k, i+1, counts, slots, each)
	}
	counts[i] = 0
}

// keepsMultiples counts the members of every vertex that stands for the layer of a multiple.
func (d *definer) keepsMultiples(counts []int) bool {
	if (d.search.n+len(d.search.solver.own))%d.search.solver.stepBelow(d.search.solver.root.tier) != 0 {
		return false
	}
	for tier, m := range d.search.solver.multiple {
		for _, v := range under(d.search.solver.root, tier) {
			n := v.own
			for i, c := range counts {
				if above(v, d.nodes[i]) {
					n += c
				}
			}
			if n%m != 0 {
				return false
			}
		}
	}
	return true
}

// keepsLimits counts the members of the domains that limits speak of, and these domains.
func (d *definer) keepsLimits(counts []int) bool {
	s := d.search.solver
	below := func(l limit) (used int, most int) {
		for _, v := range under(s.root, l.tier) {
			n := v.own
			for i, c := range counts {
				if above(v, d.nodes[i]) {
					n += c
				}
			}
			used, most = used+bit(n > 0), max(most, n)
		}
		return used, most
	}
	for _, l := range s.limits.apart {
		if _, most := below(l); most > l.most {
			return false
		}
	}
	for _, l := range s.limits.within {
		if used, _ := below(l); used > l.most {
			return false
		}
	}
	return true
}

// part hands out a placement in every way to part it into groups.
func (d *definer) part(counts []int) {
	x := parted{nodes: d.used(counts), whole: make([]int, d.search.solver.root.tier+1), short: d.search.solver.root.tier + 1}
	for i, v := range d.nodes {
		if v.outside {
			x.outside += counts[i]
		}
		if v.own > 0 {
			x.nodes = append(x.nodes, v)
		}
	}
	x.tiers = []int{smallest(d.search.solver.root, x.nodes).tier}
	if len(d.search.solver.levels) == 0 {
		d.each(x)
		return
	}
	x.tiers = append(x.tiers, make([]int, len(d.search.solver.levels))...)
	d.group(slices.Clone(counts), d.search.n/d.search.solver.size(0), nil, x)
}

// group takes one full group after the other out of what is left, in descending order so that no parting comes twice;
// the short group is what remains.
func (d *definer) group(left []int, full int, last []int, x parted) {
	if full == 0 {
		if nodes := d.used(left); len(nodes) > 0 {
			x.tiers = slices.Clone(x.tiers)
			x.short = smallest(d.search.solver.root, nodes).tier
			x.tiers[1] = max(x.tiers[1], x.short)
		}
		d.each(x)
		return
	}
	counts := make([]int, len(left))
	d.spread(d.search.solver.size(0), 0, counts, left, func() {
		if last != nil && slices.Compare(counts, last) > 0 {
			return
		}
		next := x
		next.tiers, next.whole = slices.Clone(x.tiers), slices.Clone(x.whole)
		tier := smallest(d.search.solver.root, d.used(counts)).tier
		next.tiers[1] = max(next.tiers[1], tier)
		for t := tier; t < len(next.whole); t++ {
			next.whole[t]++
		}
		if len(d.search.solver.levels) > 1 {
			next.tiers[2] = max(next.tiers[2], d.innerTier(counts, d.search.solver.size(0)/d.search.solver.size(1)))
		}
		rest := slices.Clone(left)
		for i := range rest {
			rest[i] -= counts[i]
		}
		d.group(rest, full-1, slices.Clone(counts), next)
	})
}

// innerTier is the best worst tier over all ways to part one group into so many inner ones.
func (d *definer) innerTier(left []int, parts int) int {
	if parts == 0 {
		return 0
	}
	best := d.search.solver.root.tier
	counts := make([]int, len(left))
	d.spread(d.search.solver.size(1), 0, counts, slices.Clone(left), func() {
		rest := slices.Clone(left)
		for i := range rest {
			rest[i] -= counts[i]
		}
		tier := smallest(d.search.solver.root, d.used(counts)).tier
		if tier < best || parts == 1 {
			best = min(best, max(tier, d.innerTier(rest, parts-1)))
		}
	})
	return best
}

func (d *definer) used(counts []int) []*vertex {
	var out []*vertex
	for i, n := range counts {
		if n > 0 {
			out = append(out, d.nodes[i])
		}
	}
	return out
}
