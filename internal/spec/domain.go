// Which domain is the best, and by which keys?

package spec

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
)

// keys are what candidate domains are compared by, in this order (docs/order/3-domain.md).
type keys struct {
	intact  [][]int // by level: how many groups can lie whole at each tier below the group tier, highest first
	friends int
	span    []int // layer by layer, the highest first
	waste   int64 // of nodes
	zones   int64 // of nodes, for an aligned gang
	host    int64 // of nodes, under ByScore
	free    []int // slots of the domain, of its parent, and so on
	numa    int64 // of a node, for an aligned gang
	score   int64
}

// ranked lists the placements of the gang in all feasible domains, best first.
func (p *search) ranked() (out []*placed) {
	all := state{short: p.rest > 0, begun: true}
	all.units[0] = p.groupsOf(0)
	of := map[*placed]keys{}
	for _, d := range p.candidates() {
		found := p.place(d, all)
		out, of[found] = append(out, found), p.keys(found)
	}
	// Candidates come in the order of paths.
	slices.SortStableFunc(out, func(a, b *placed) int { return p.compareDomains(of[a], of[b], a.v.isNode && b.v.isNode) })
	return out
}

// compareDomains is below 0 if a is better, 0 if only paths are left.
func (p *search) compareDomains(a, b keys, nodes bool) int {
	for i := range min(len(a.intact), len(b.intact)) {
		if c := slices.Compare(b.intact[i], a.intact[i]); c != 0 {
			return c
		}
	}
	if c := cmp.Or(cmp.Compare(b.friends, a.friends), slices.Compare(a.span, b.span)); c != 0 {
		return c
	}
	if nodes {
		if c := cmp.Or(cmp.Compare(a.zones, b.zones), cmp.Compare(a.waste, b.waste), cmp.Compare(b.host, a.host)); c != 0 {
			return c
		}
	}
	for i := range min(len(a.free), len(b.free)) {
		if nodes && p.solver.byScore() {
			break // the host has decided
		}
		if c := cmp.Compare(a.free[i], b.free[i]); c != 0 {
			if p.solver.m.Policy == gang.Spread {
				return -c
			}
			return c
		}
	}
	return cmp.Or(cmp.Compare(b.numa, a.numa), cmp.Compare(b.score, a.score)) // a domain has no NUMA score
}

// keys of the domain that a placement fills.
func (p *search) keys(a *placed) keys {
	k := keys{friends: a.v.key, span: p.solver.compared(a.v, a.span), zones: a.v.zones, waste: a.v.waste, numa: a.numa, score: a.score}
	if p.solver.byScore() {
		k.host = a.v.score
	}
	for i := range p.solver.m.Levels {
		k.intact = append(k.intact, p.intact(i, a.v))
	}
	for v := a.v; v != nil; v = v.parent {
		k.free = append(k.free, v.high)
	}
	return k
}

// intact is how many of the groups of level i can lie whole in domains of every tier below the group tier, highest first, each tier
// for itself. The short group is one of them from the tier on at which it stays whole beside them.
func (p *search) intact(i int, d *vertex) (out []int) {
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
