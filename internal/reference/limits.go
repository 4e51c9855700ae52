package reference

import (
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// limit bounds a number for every domain of a tier.
type limit struct{ tier, most int }

// limits are the hard limits of a gang.
type limits struct {
	alone  []int // tiers in whose domains nobody else may be
	apart  []limit
	within []limit
	hard   bool // some of them speaks of domains above nodes
}

// readLimits reads those of the gang and of its levels. Groups that are limited must gather in the layer, and so must a gang that lies
// within one domain.
func (s *solver) readLimits(network *validity.Network) {
	read := func(list []gang.Limit, each func(l gang.Limit, tier int)) (must []gang.Rule) {
		for _, l := range list {
			if tier, ok := network.TierOf(l.Layer); ok && !l.Preferred {
				tier = min(tier, network.RootTier()-1)
				s.limits.hard = s.limits.hard || tier > 0 || l.Kind == gang.Within && l.Most > 1
				each(l, tier)
				must = append(must, gang.Rule{Layer: l.Layer, Strength: gang.MustGather})
			}
		}
		return must
	}
	req := &s.in.Request
	var one []gang.Limit
	for _, l := range req.Limits {
		if l.Kind == gang.Within && l.Most == 1 {
			one = append(one, l)
		}
	}
	s.gang = tierRules(network, append(slices.Clone(req.Gather), read(one, func(gang.Limit, int) {})...))
	read(req.Limits, func(l gang.Limit, tier int) {
		switch {
		case l.OfParts: // is readCaps's
		case l.Kind == gang.Apart:
			s.limits.apart = append(s.limits.apart, limit{tier, l.Most})
		case l.Kind == gang.Alone:
			s.limits.alone = append(s.limits.alone, tier)
		case l.Most > 1:
			s.limits.within = append(s.limits.within, limit{tier, l.Most})
		}
	})
	for i, g := range validity.Levels(req, len(req.Members)+len(s.own)) {
		must := read(g.Limits, func(l gang.Limit, tier int) {
			most := l.Most
			switch l.Kind {
			case gang.Within: // one domain for each group is a rule
				return
			case gang.Alone:
				s.limits.alone, most = append(s.limits.alone, tier), 1
			default:
			}
			s.levels[i].apart = append(s.levels[i].apart, limit{tier, most})
		})
		s.levels[i].rules = tierRules(network, append(slices.Clone(g.Gather), must...))
	}
}

// keptOut holds if who runs near the node keeps the gang off it.
func (s *solver) keptOut(v *vertex, leavingGone bool) bool {
	return s.anyOther(leavingGone, func(r *cluster.Running) bool { return s.keepsOut(v, r) })
}

// anyOther holds if some member of another gang is so.
func (s *solver) anyOther(leavingGone bool, is func(r *cluster.Running) bool) bool {
	for i := range s.in.Spec.Running {
		r := &s.in.Spec.Running[i]
		if s.isOther(r) && (!leavingGone || validity.Stays(&s.in.Request, r)) && is(r) {
			return true
		}
	}
	return false
}

// isOther holds for members of other gangs.
func (s *solver) isOther(r *cluster.Running) bool {
	return r.Gang != s.in.Request.Name && r.Gang != "" && !s.isSibling(r)
}

// isSibling holds for members of gangs that start together: only leaving ones run, which are others to all gangs but their own.
func (s *solver) isSibling(r *cluster.Running) bool {
	return s.in.Together && slices.ContainsFunc(s.in.Request.Parts, func(p gang.Part) bool { return p.Name == r.Gang })
}

// keepsOut holds if a member of another gang keeps the gang off a node.
func (s *solver) keepsOut(v *vertex, r *cluster.Running) bool {
	return !s.in.Request.Tolerated && validity.Closes(&s.in.Spec, r, v.node.Name) || s.isCompany(v, r)
}

// isCompany holds if a member of another gang runs in a domain of the node in which the gang must be alone.
func (s *solver) isCompany(v *vertex, r *cluster.Running) bool { return s.meets(v, r, s.limits.alone) }

// meets holds if a member of another gang runs in a domain of the node, of one of these tiers.
func (s *solver) meets(v *vertex, r *cluster.Running, tiers []int) bool {
	in := func(tier int) bool { return above(v.domainOf(tier), s.at(r)) }
	return !r.Tolerated && slices.ContainsFunc(tiers, in)
}

// at is the vertex of a running member's node.
func (s *solver) at(r *cluster.Running) *vertex {
	i := slices.IndexFunc(s.vertices, func(v *vertex) bool { return v.node != nil && v.node.Name == r.Node })
	return s.vertices[i]
}

// domainsIn is in how many domains of a tier some nodes lie.
func domainsIn(nodes []*vertex, tier int) int {
	lie := map[*vertex]bool{}
	for _, v := range nodes {
		lie[v.domainOf(tier)] = true
	}
	return len(lie)
}

// domainOf is the highest vertex, v or above it, of at most a tier.
func (v *vertex) domainOf(tier int) *vertex {
	for v.parent != nil && v.parent.tier <= tier && !v.parent.outside {
		v = v.parent
	}
	return v
}

// atMost is how many new members fit below v by what keeps members apart.
func (s *solver) atMost(v *vertex, high int) int {
	for _, l := range s.limits.apart {
		if v.tier > l.tier {
			continue
		}
		d, running := v.domainOf(l.tier), 0
		for i := range s.own {
			if above(d, s.at(&s.own[i])) {
				running++
			}
		}
		high = min(high, max(0, l.most-running))
	}
	return high
}

// mostGroups is how many new groups of level i fit below v by what keeps them, or inner groups, apart, at most n; groups of which members
// run count.
func mostGroups(p *search, i int, v *vertex, n int) int {
	if i == len(p.solver.levels) {
		return max(0, p.solver.atMost(v, n))
	}
	for j := i; j < len(p.solver.levels); j++ {
		for _, l := range p.solver.levels[j].apart {
			if v.tier > l.tier {
				continue
			}
			d, running := v.domainOf(l.tier), 0
			for _, nodes := range p.running[j] {
				if slices.ContainsFunc(nodes, func(name string) bool { return above(d, p.solver.at(&cluster.Running{Node: name})) }) {
					running++
				}
			}
			n = min(n, max(0, l.most-running)*p.solver.size(j)/p.solver.size(i))
		}
	}
	return n
}

// broken holds if members that run break a limit already, which no new one can mend.
func (s *solver) broken(leavingGone bool) bool {
	for i := range s.own {
		v := s.at(&s.own[i])
		for _, l := range s.limits.apart {
			if d := v.domainOf(l.tier); d.own > l.most {
				return true
			}
		}
		for _, l := range s.limits.within {
			var nodes []*vertex
			for k := range s.own {
				nodes = append(nodes, s.at(&s.own[k]))
			}
			if domainsIn(nodes, l.tier) > l.most {
				return true
			}
		}
		if s.anyOther(leavingGone, func(r *cluster.Running) bool { return s.isCompany(v, r) }) {
			return true
		}
	}
	return false
}

// groupsBroken is the same for limits of groups, whatever leaves.
func groupsBroken(p *search) bool {
	for i, l := range p.solver.levels {
		for _, a := range l.apart {
			count := map[*vertex]int{}
			for _, nodes := range p.running[i] {
				used := map[*vertex]bool{}
				for _, name := range nodes {
					used[p.solver.at(&cluster.Running{Node: name}).domainOf(a.tier)] = true
				}
				for d := range used {
					if count[d]++; count[d] > a.most {
						return true
					}
				}
			}
		}
	}
	return false
}

// countsNested holds if nested groups are kept apart: such a gang has no further members while it waits.
func (s *solver) countsNested() bool {
	return len(s.levels) > 1 && slices.ContainsFunc(s.levels, func(l level) bool { return len(l.apart) > 0 })
}

// companyWaits lists the leaving members that keep the plan, with so many members on each node, away as long as they are there.
func (s *solver) companyWaits(counts map[string]int) (out []placement.Waited) {
	for i := range s.in.Spec.Running {
		r := &s.in.Spec.Running[i]
		keeps := func(v *vertex) bool {
			return v.node != nil && (counts[v.node.Name] > 0 && s.keepsOut(v, r) || v.own > 0 && s.isCompany(v, r))
		}
		if r.Leaving && s.isOther(r) && slices.ContainsFunc(s.vertices, keeps) {
			out = append(out, placement.Waited{MemberRef: cluster.MemberRef{Gang: r.Gang, Member: r.Member}, Node: r.Node})
		}
	}
	return out
}

// spans holds if the domains are counted that the gang uses below v: these stand for its children.
func (s *solver) spans(v *vertex) bool {
	return len(s.limits.within) > 0 && v.tier > s.limits.within[0].tier
}

// childrenOf are the vertices among which what v takes is divided.
func (s *solver) childrenOf(v *vertex) []*vertex {
	if s.spans(v) {
		return under(v, s.limits.within[0].tier)
	}
	return v.children
}

// holdsWithin holds if all that is placed fits below d into at most so many domains, for every way to choose these.
func holdsWithin(p *search, d *vertex) bool {
	if !p.solver.spans(d) {
		return true
	}
	l := p.solver.limits.within[0]
	list := under(d, l.tier)
	level, tier := 0, 0
	if len(p.solver.levels) > 0 {
		tier = p.tiers[1]
	}
	for mask := range uint(1) << len(list) {
		used, room := 0, 0
		for i, v := range list {
			if mask>>i&1 == 1 || v.own > 0 {
				used++
				room += max(0, highest(p.free(level, tier, tier, v).full))
			}
		}
		if used <= l.most && room >= groupsOfNew(p) {
			return true
		}
	}
	return false
}

// groupsOfNew is the number of new whole groups, without groups of members.
func groupsOfNew(p *search) int {
	if len(p.solver.levels) == 0 {
		return p.n
	}
	return p.full
}

// keepingTiers are the tiers at which groups of a level may stay whole in the children of v: below domains that are counted nothing is
// decided yet.
func keepingTiers(p *search, v *vertex, level int) (tiers []int) {
	if level < len(p.solver.levels) && p.solver.spans(v) {
		return []int{p.tiers[level+1]}
	}
	for t := range v.tier {
		tiers = append(tiers, t)
	}
	return tiers
}
