// What do limits on numbers leave?

package spec

import (
	"slices"

	"github.com/muster-sched/muster/internal/index"
)

// apart are the limits on members in every domain of a tier.
func (s *solver) apart() []index.Cap {
	if s.m.Limits == nil {
		return nil
	}
	return s.m.Limits.Apart
}

// groupsApart are those on the groups of a level.
func (s *solver) groupsApart(level int) []index.Cap {
	if s.m.Limits == nil || level >= len(s.m.Limits.Groups) {
		return nil
	}
	return s.m.Limits.Groups[level]
}

// atMost is how many new members fit below v by what keeps members apart.
func (s *solver) atMost(v *vertex, high int) int {
	for _, l := range s.apart() {
		if v.tier > int(l.Tier) {
			continue
		}
		d, running := v.domainOf(int(l.Tier)), 0
		for r := range s.m.Running.All() {
			running += bit(above(d, s.byNode[r.Pos]))
		}
		high = min(high, max(0, int(l.Most)-running))
	}
	return high
}

// mostGroups is how many new groups of level i fit below v by what keeps them, or inner groups, apart, at most n; groups of which
// members run count.
func (p *search) mostGroups(i int, v *vertex, n int) int {
	s := p.solver
	if i == len(s.m.Levels) {
		return max(0, s.atMost(v, n))
	}
	for j := i; j < len(s.m.Levels); j++ {
		for _, l := range s.groupsApart(j) {
			if v.tier > int(l.Tier) {
				continue
			}
			d, running := v.domainOf(int(l.Tier)), 0
			for _, nodes := range p.running[j] {
				running += bit(slices.ContainsFunc(nodes, func(n *vertex) bool { return above(d, n) }))
			}
			n = min(n, max(0, int(l.Most)-running)*s.size(j)/s.size(i))
		}
	}
	return n
}

// broken holds if members that run break a limit already, which no new one can mend: others are in the way, or there are too many
// members in a domain, or too many domains.
func (s *solver) broken() bool {
	if s.m.Running.Len() == 0 || s.m.Limits == nil {
		return false
	}
	if s.room.Company || s.m.Limits.AreHard() && s.outside != nil && s.outside.own > 0 {
		return true
	}
	for _, v := range s.vertices {
		for _, l := range s.apart() {
			if v.isNode && v.own > 0 && v.domainOf(int(l.Tier)).own > int(l.Most) {
				return true
			}
		}
	}
	for _, l := range s.m.Limits.Within {
		used := map[*vertex]bool{}
		for r := range s.m.Running.All() {
			used[s.byNode[r.Pos].domainOf(int(l.Tier))] = true
		}
		if len(used) > int(l.Most) {
			return true
		}
	}
	return false
}

// broken holds if members or groups that run break a limit already.
func (p *search) broken() bool {
	if p.solver.broken() {
		return true
	}
	for i := range p.solver.m.Levels {
		for _, l := range p.solver.groupsApart(i) {
			count := map[*vertex]int{}
			for _, nodes := range p.running[i] {
				used := map[*vertex]bool{}
				for _, v := range nodes {
					used[v.domainOf(int(l.Tier))] = true
				}
				for d := range used {
					if count[d]++; count[d] > int(l.Most) {
						return true
					}
				}
			}
		}
	}
	return false
}

// spans holds if the domains are counted that the gang uses below v: these stand for its children.
func (s *solver) spans(v *vertex) bool {
	return s.m.Limits != nil && len(s.m.Limits.Within) > 0 && v.tier > int(s.m.Limits.Within[0].Tier)
}

// childrenOf are the vertices among which what v takes is divided.
func (s *solver) childrenOf(v *vertex) []*vertex {
	if s.spans(v) {
		return under(v, int(s.m.Limits.Within[0].Tier))
	}
	return v.children
}

// holdsWithin holds if all that is placed fits below d into at most so many domains, for every way to choose these.
func (p *search) holdsWithin(d *vertex) bool {
	s := p.solver
	if !s.spans(d) {
		return true
	}
	list, tier, groups := s.childrenOf(d), 0, p.n
	if len(s.m.Levels) > 0 {
		tier, groups = p.tiers[1], p.full
	}
	for mask := range uint(1) << len(list) {
		used, room := 0, 0
		for i, v := range list {
			if mask>>i&1 == 1 || v.own > 0 {
				used++
				room += max(0, highest(p.free(0, tier, tier, v).full))
			}
		}
		if used <= int(s.m.Limits.Within[0].Most) && room >= groups {
			return true
		}
	}
	return false
}

// keepingTiers are the tiers at which groups of a level may stay whole in the children of v: below domains that are counted nothing
// is decided yet.
func (p *search) keepingTiers(v *vertex, level int) (tiers []int) {
	if level < len(p.solver.m.Levels) && p.solver.spans(v) {
		return []int{p.tiers[level+1]}
	}
	for t := range v.tier {
		tiers = append(tiers, t)
	}
	return tiers
}
