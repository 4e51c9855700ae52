package reference

import (
	"slices"

	"github.com/muster-sched/muster/gang"
)

// whole chooses the domain and everything inside it.
func (p *search) whole() *placed {
	var best *placed
	for _, d := range p.candidates() {
		found := p.inside(d)
		if best == nil || p.betterDomain(found, best) {
			best = found
		}
	}
	return best
}

// inside is the placement of the whole gang in d.
func (p *search) inside(d *vertex) *placed {
	all := state{short: p.rest > 0, begun: true}
	all.units[0] = p.groupsOf(0)
	return p.place(d, all)
}

// betterDomain compares two placements of the whole gang by the keys of docs/order.md section 3. Candidates come in
// the order of paths, so equal ones are not better.
func (p *search) betterDomain(a, b *placed) bool {
	x, y := p.keys(a), p.keys(b)
	for i := range x.Intact {
		if c := slices.Compare(x.Intact[i], y.Intact[i]); c != 0 {
			return c > 0
		}
	}
	if x.Anchors != y.Anchors {
		return x.Anchors > y.Anchors
	}
	if c := slices.Compare(x.Span, y.Span); c != 0 {
		return c < 0
	}
	if a.v.node != nil && b.v.node != nil {
		if x.Zones != y.Zones {
			return x.Zones < y.Zones
		}
		if c := x.Waste.Cmp(y.Waste); c != 0 {
			return c < 0
		}
		if p.solver.byScore() { // in place of slots
			return a.v.score > b.v.score || a.v.score == b.v.score && (x.NUMA > y.NUMA || x.NUMA == y.NUMA && x.Score > y.Score)
		}
	}
	for i := range min(len(x.Free), len(y.Free)) {
		if x.Free[i] != y.Free[i] {
			return (x.Free[i] < y.Free[i]) != (p.solver.in.Request.Policy == gang.Spread)
		}
	}
	if x.NUMA != y.NUMA { // between nodes; domains have none
		return x.NUMA > y.NUMA
	}
	return x.Score > y.Score
}

func (s *solver) byScore() bool { return s.in.Request.Policy == gang.ByScore }

// keys of the domain that a placement fills.
func (p *search) keys(a *placed) Keys {
	k := Keys{Anchors: a.v.key, Span: p.solver.seen(a.span), Zones: a.v.zones, Waste: a.v.waste, NUMA: a.numa, Score: a.score}
	for i := range p.solver.levels {
		k.Intact = append(k.Intact, p.intact(i, a.v))
	}
	for v := a.v; v != nil; v = v.parent {
		k.Free = append(k.Free, v.high)
	}
	return k
}

// intact is how many of the groups of level i can lie whole in domains of every tier below the group tier, highest
// first, each tier for itself. The short group is one of them from the tier on at which it stays whole beside them.
func (p *search) intact(i int, d *vertex) []int {
	var out []int
	if p.solver.spans(d) {
		return nil
	}
	for t := p.tiers[i+1] - 1; t >= 0; t-- {
		whole := p.most(i, t, d)
		if d == p.solver.root && p.outside > 0 { // where it takes an exact number, but not of whole groups
			whole = 0
			for _, c := range d.children {
				whole += p.most(i, t, c)
			}
		}
		out = append(out, min(p.groupsOf(i), whole))
	}
	if i == 0 && p.rest > 0 && p.outside == 0 {
		for tier := p.shortTier(d); tier < p.tiers[1]; tier++ {
			out[p.tiers[1]-1-tier]++
		}
	}
	return out
}
