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
func (g *scheme) tightest(domains []layout.Vertex) *scheme {
	best := g
	try := func(t *scheme) bool { return t != nil && slices.ContainsFunc(domains, t.holds) }
	for k := range g.cast.kinds {
		if g.cast.kinds[k].home >= 0 {
			continue
		}
		at := k // the groups of the kind that may still be tighter
		for i := g.p.View.TierIndex(best.fitting.bounds[k]) - 1; i >= 0 && *g.cast.steps < tightenSteps(g.p); i-- {
			tier := g.p.View.Tiers[i]
			if t := best.tighten(at, tier); try(t) {
				best = t
				continue
			}
			n := int(best.cast.number(at))
			if !best.cast.splits(at) || n < 2 {
				break
			}
			m := sort.Search(n-1, func(m int) bool { return !try(best.apart(at, m+1, tier)) })
			if m == 0 {
				break
			}
			best = best.apart(at, m, tier)
			at = len(best.cast.kinds) - 1
		}
	}
	return best
}

// number is how many groups there are of a kind.
func (c *cast) number(k int) int32 { return c.most[len(c.roles)+k] }

// tighten lowers the bound of a kind.
func (g *scheme) tighten(k int, tier int32) *scheme {
	bounds := slices.Clone(g.fitting.bounds)
	bounds[k] = tier
	for i := range g.cast.kinds {
		if up := g.cast.kinds[i].parent; up >= 0 {
			bounds[i] = min(bounds[i], bounds[up])
		}
	}
	return g.cast.bound(g.strategy, bounds)
}

// splits says whether some groups of a kind can be bound otherwise than others: not where several groups would have to differ then in which of them
// they have, nor where inner groups would.
func (c *cast) splits(k int) bool {
	if up := c.kinds[k].parent; up >= 0 && c.number(up) > 1 {
		return false
	}
	return !slices.ContainsFunc(c.kinds[k].needs[len(c.roles):], func(n int32) bool { return n > 0 })
}

// apart is the scheme in which so many groups of a kind are a kind of their own, with a lower bound.
func (g *scheme) apart(k, n int, tier int32) *scheme {
	some := *g.cast
	some.fittings = nil
	r, m := len(some.roles), int32(n)
	move := func(a front.Vector) front.Vector {
		out := append(slices.Clone(a), 0)
		if out[r+k] > 0 {
			out[r+k], out[len(a)] = out[r+k]-m, m
		}
		return out
	}
	some.want, some.most = move(some.want), move(some.most)
	longer := func(list []front.Weights) []front.Weights {
		list = slices.Clone(list)
		for i, w := range list {
			if w != nil {
				list[i] = append(slices.Clone(w), w[r+k])
			}
		}
		return list
	}
	some.scales, some.counted = longer(some.scales), longer(some.counted)
	some.sizes = some.scales[0]
	some.kinds = slices.Clone(some.kinds)
	for i := range some.kinds {
		some.kinds[i].needs = move(some.kinds[i].needs)
	}
	some.kinds = append(some.kinds, some.kinds[k])
	return some.bound(g.strategy, append(slices.Clone(g.fitting.bounds), tier))
}
