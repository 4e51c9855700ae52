package problem

import (
	"iter"

	"github.com/muster-sched/muster/internal/layout"
)

// Strategies enumerates every strategy the rules allow, best first: the gang's tier, then the groups', outermost
// first. For k tiers and one level of groups these are the k(k+1)/2 strategies of the gather search. The slice of groups is
// the iterator's.
func (p *Problem) Strategies() iter.Seq[Strategy] {
	return func(yield func(Strategy) bool) {
		groups := make([]int32, len(p.Levels))
		for _, t := range p.Gather.Worths {
			if !groupTiers(p, 0, t, groups, func() bool { return yield(Strategy{Gang: t, Groups: groups}) }) {
				return
			}
		}
	}
}

// groupTiers enumerates the tiers of group level i and inwards; outer is the tier of what surrounds them. A tier at or
// above outer binds nothing more, so the first of these is the last.
func groupTiers(p *Problem, i int, outer int32, groups []int32, yield func() bool) bool {
	if i == len(groups) {
		return yield()
	}
	for _, t := range p.Levels[i].Gather.Worths {
		groups[i] = t
		if !groupTiers(p, i+1, min(t, outer), groups, yield) {
			return false
		}
		if t >= outer {
			break
		}
	}
	return true
}

// Loosest is the strategy for a gang tier that binds groups by nothing but the hard rules.
func (p *Problem) Loosest(gang int32) Strategy {
	s := Strategy{Gang: gang}
	for _, l := range p.Levels {
		s.Groups = append(s.Groups, l.Gather.Must)
	}
	return s
}

// Candidates lists the domains of a gang tier. While members run there is at most one: it is above them all.
func (p *Problem) Candidates(t int32) []layout.Vertex {
	if p.LCA < 0 {
		return p.View.DomainsOf(t)
	}
	if d := p.AboveRunning(t); d >= 0 {
		return []layout.Vertex{d}
	}
	return nil
}

// AboveRunning is the domain of a tier that holds all running members of the gang, -1 if there is none.
func (p *Problem) AboveRunning(t int32) layout.Vertex {
	if p.View.TierOf(p.LCA) > t {
		return -1
	}
	return p.View.Named(p.View.Highest(p.LCA, t))
}
