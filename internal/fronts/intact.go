package fronts

import (
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: which groups stay whole in smaller domains than they must? As many as possible, once strategy
// and the gang's tier are known.

// tightenSteps are steps that must be left, or groups are left at their bounds: the domain is still to be chosen.
func tightenSteps(m *model.Model) int64 { return front.NewBudget(m.Steps, m.Stop).Fronts.Left() / 2 }

// tightest binds groups as tightly as one of the domains allows, class by class: as many groups as possible one tier
// below their bound, then two below, and so on. What one class got binds the next. Groups with a home are bound by
// it.
//
// At least one domain holds c, and so the result. Numbers are found by bisection: if m groups can be tighter so can
// m-1.
//
// order: parts.9
func (c *capacity) tightest(domains []layout.Vertex) *capacity {
	best := c
	try := func(t *capacity) bool { return t != nil && slices.ContainsFunc(domains, t.holds) }
	for k := range c.search.groups {
		if c.search.groups[k].home >= 0 {
			continue
		}
		at := k // the class with the groups that may still be tighter
		for i := c.m.View.TierIndex(best.tables.bounds[k]) - 1; i >= 0 && c.m.Left.Fronts.Left() > tightenSteps(c.m); i-- {
			tier := c.m.View.Tiers[i]
			if !best.search.groupFitsAt(at, tier) {
				break
			}
			if t := best.tighten(at, tier); try(t) {
				best = t
				continue
			}
			// Not all of them: at least one stays, so that the number is at most n-1. If not even one can be tighter,
			// none can be two tiers below.
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

// groupFitsAt says whether some domain of a tier may hold a group of a class, as far as it is known without fronts.
func (s *Search) groupFitsAt(k int, tier int32) bool {
	return s.joint == nil || s.joint.HeldAt(tier, s.loads[s.roles+k])
}

// groupCount is the number of groups of a class in the selection.
func (s *Search) groupCount(k int) int32 { return s.totals[s.roles+k] }

// tighten lowers the bound of a class, and so that of all classes inside it; nil if running members reach above a
// bound.
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

// canSplit says whether some groups of a class may be tighter than the rest: not if they lie in several groups, which
// would then differ, nor if they have inner groups, whose class would have to be split with them.
func (s *Search) canSplit(k int) bool {
	if up := s.groups[k].parent; up >= 0 && s.groupCount(up) > 1 {
		return false
	}
	return !slices.ContainsFunc(s.groups[k].needs[s.roles:], func(n int32) bool { return n > 0 })
}

// splitOff makes a class of n groups of class k, with a lower bound. All vectors and weights get one more dimension,
// in which the new class weighs as the old one, so that all fronts are found anew. Vertex classes stay: they know
// only members. The new class keeps `of`, by which mergeSplit finds its origin.
func (c *capacity) splitOff(k, n int, tier int32) *capacity {
	s := *c.search
	s.cached = nil
	r, m := s.roles, int32(n)
	end := r + len(s.groups)
	move := func(a front.Vector) front.Vector {
		out := slices.Insert(slices.Clone(a), end, 0)
		if out[r+k] > 0 {
			out[r+k], out[end] = out[r+k]-m, m
		}
		return out
	}
	s.want, s.totals = move(s.want), move(s.totals)
	longer := func(list []front.Weights) []front.Weights {
		list = slices.Clone(list)
		for i, w := range list {
			if w != nil {
				list[i] = slices.Insert(slices.Clone(w), end, w[r+k])
			}
		}
		return list
	}
	s.scales, s.multiples = longer(s.scales), longer(s.multiples)
	s.sizes, s.loads = s.scales[0], longer([]front.Weights{s.loads})[0]
	s.groups = slices.Clone(s.groups)
	for i := range s.groups {
		s.groups[i].needs = move(s.groups[i].needs)
	}
	s.groups = append(s.groups, s.groups[k])
	s.caps, s.counted = capsOf(&s), s.counted.weighed(&s)
	return s.withBounds(c.strategy, append(slices.Clone(c.tables.bounds), tier))
}
