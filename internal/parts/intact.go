package parts

import (
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// tightenSteps bounds the work for one gang after which groups are no longer made tighter than the strategy asks for.
func tightenSteps(p *problem.Problem) int64 { return 256 * int64(p.Steps()) }

// tightest keeps groups as tight as some of these domains can, kind by kind: as many as possible a tier below the bound, then two below, and so on. g
// is held by one of the domains.
func (c *capacity) tightest(domains []layout.Vertex) *capacity {
	best := c
	try := func(t *capacity) bool { return t != nil && slices.ContainsFunc(domains, t.holds) }
	for k := range c.search.groups {
		if c.search.groups[k].home >= 0 {
			continue
		}
		at := k // the groups of the kind that may still be tighter
		for i := c.p.View.TierIndex(best.tables.bounds[k]) - 1; i >= 0 && *c.search.steps < tightenSteps(c.p); i-- {
			tier := c.p.View.Tiers[i]
			if t := best.tighten(at, tier); try(t) {
				best = t
				continue
			}
			n := int(best.search.groupCount(at))
			if !best.search.canSplit(at) || n < 2 {
				break
			}
			m := sort.Search(n-1, func(m int) bool { return !try(best.splitOff(at, m+1, tier)) })
			if m == 0 {
				break
			}
			best = best.splitOff(at, m, tier)
			at = len(best.search.groups) - 1
		}
	}
	return best
}

// groupCount is how many groups there are of a kind.
func (s *search) groupCount(k int) int32 { return s.totals[len(s.roles)+k] }

// tighten lowers the bound of a kind.
func (c *capacity) tighten(k int, tier int32) *capacity {
	bounds := slices.Clone(c.tables.bounds)
	bounds[k] = tier
	for i := range c.search.groups {
		if up := c.search.groups[i].parent; up >= 0 {
			bounds[i] = min(bounds[i], bounds[up])
		}
	}
	return c.search.withBounds(c.strategy, bounds)
}

// canSplit says whether some groups of a kind can be bound otherwise than others: not where several groups would have to differ then in which of them
// they have, nor where inner groups would.
func (s *search) canSplit(k int) bool {
	if up := s.groups[k].parent; up >= 0 && s.groupCount(up) > 1 {
		return false
	}
	return !slices.ContainsFunc(s.groups[k].needs[len(s.roles):], func(n int32) bool { return n > 0 })
}

// splitOff is the scheme in which so many groups of a kind are a kind of their own, with a lower bound.
func (c *capacity) splitOff(k, n int, tier int32) *capacity {
	s := *c.search
	s.cached = nil
	r, m := len(s.roles), int32(n)
	move := func(a front.Vector) front.Vector {
		out := append(slices.Clone(a), 0)
		if out[r+k] > 0 {
			out[r+k], out[len(a)] = out[r+k]-m, m
		}
		return out
	}
	s.want, s.totals = move(s.want), move(s.totals)
	longer := func(list []front.Weights) []front.Weights {
		list = slices.Clone(list)
		for i, w := range list {
			if w != nil {
				list[i] = append(slices.Clone(w), w[r+k])
			}
		}
		return list
	}
	s.scales, s.multiples = longer(s.scales), longer(s.multiples)
	s.sizes = s.scales[0]
	s.groups = slices.Clone(s.groups)
	for i := range s.groups {
		s.groups[i].needs = move(s.groups[i].needs)
	}
	s.groups = append(s.groups, s.groups[k])
	return s.withBounds(c.strategy, append(slices.Clone(c.tables.bounds), tier))
}
