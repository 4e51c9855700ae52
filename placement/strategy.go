package placement

import (
	"iter"
	"slices"
)

// strategy bounds the tiers of the gang and of each group level by what they are worth.
type strategy struct {
	gang   int32
	groups []int32
}

// strategies enumerates every strategy the rules allow, best first: the gang's tier, then the groups', outermost
// first. For k tiers and one level of groups these are the k(k+1)/2 strategies of the gather search.
func (p *problem) strategies() iter.Seq[strategy] {
	return func(yield func(strategy) bool) {
		for _, t := range p.gather.worths {
			groups := make([]int32, len(p.levels))
			if !p.groupTiers(0, t, groups, func() bool { return yield(strategy{t, slices.Clone(groups)}) }) {
				return
			}
		}
	}
}

// groupTiers enumerates the tiers of group level i and inwards; outer is the tier of what surrounds them. A tier at or
// above outer binds nothing more, so the first of these is the last.
func (p *problem) groupTiers(i int, outer int32, groups []int32, yield func() bool) bool {
	if i == len(groups) {
		return yield()
	}
	for _, t := range p.levels[i].worths {
		groups[i] = t
		if !p.groupTiers(i+1, min(t, outer), groups, yield) {
			return false
		}
		if t >= outer {
			break
		}
	}
	return true
}

// loosest is the strategy for a gang tier that binds groups by nothing but the hard rules.
func (p *problem) loosest(gang int32) strategy {
	s := strategy{gang: gang}
	for _, l := range p.levels {
		s.groups = append(s.groups, l.must)
	}
	return s
}

// found is a strategy with the domains that can hold the ask under it.
type found struct {
	*sums
	strategy
	domains []vertex
}

// feasible enumerates the strategies under which some domain can hold the ask, best first.
func (a *ask) feasible() iter.Seq[found] {
	return func(yield func(found) bool) {
		possible := map[int32][]vertex{} // by gang tier: domains for the loosest groups
		for st := range a.strategies() {
			domains, ok := possible[st.gang]
			if !ok {
				domains = a.roomyOf(st.gang)
				if len(a.levels) > 0 {
					domains = a.holding(a.loosest(st.gang), domains)
				}
				possible[st.gang] = domains
			}
			if len(domains) == 0 {
				continue
			}
			s, fits := a.newSums(st.groups)
			if !fits {
				continue
			}
			if domains = s.filter(domains); len(domains) > 0 && !yield(found{s, st, domains}) {
				return
			}
		}
	}
}

// holding filters domains by what a strategy can hold.
func (a *ask) holding(st strategy, domains []vertex) []vertex {
	s, fits := a.newSums(st.groups)
	if !fits {
		return nil
	}
	return s.filter(domains)
}

func (s *sums) filter(domains []vertex) []vertex {
	var out []vertex
	for _, d := range domains {
		if s.takes(d) {
			out = append(out, d)
		}
	}
	return out
}

// candidates lists the domains of a gang tier. While members run there is at most one: it is above them all.
func (a *ask) candidates(t int32) []vertex {
	if a.lca < 0 {
		return a.v.domainsOf(t)
	}
	if a.v.tierOf(a.lca) > t {
		return nil
	}
	d := a.lca
	for up := a.v.above(d); up >= 0 && a.v.tierOf(up) <= t; up = a.v.above(d) {
		d = up
	}
	return []vertex{a.v.named(d)}
}

// roomyOf lists the candidates with room for all new members, perhaps others as well.
func (a *ask) roomyOf(t int32) []vertex {
	if a.lca < 0 && a.slots.flat == nil {
		return a.roomy(rootVertex, t, nil)
	}
	return a.candidates(t)
}

// roomy lists the domains of tier t below x with room for all new members, in the order of paths. Domains without
// are passed over with everything below them.
func (a *ask) roomy(x vertex, t int32, out []vertex) []vertex {
	if a.slots.at(x) < a.members {
		return out
	}
	if a.v.tierOf(x) <= t {
		return append(out, x)
	}
	lo, end := a.v.kids(x)
	ix := a.slots.ix
	nodes := lo < end && a.v.isNode(lo)
	switch {
	case (nodes || t == 0) && int64(ix.largest[x]) < a.members,
		!nodes && lo < end && a.v.tier[lo] <= t && ix.sortedDomains[lo] < a.members:
		return out
	}
	for c := lo; c < end; c++ {
		out = a.roomy(c, t, out)
	}
	return out
}
