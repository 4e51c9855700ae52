package reference

import (
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
)

// partCap bounds a number in every domain of a tier, of the members of one holder, or of holders that have any; or the domains in which
// a holder lies; or it keeps the domains of holders for these.
type partCap struct {
	limit
	holders []int
	members bool
	domains bool
	alone   bool
}

// readCaps reads the limits on numbers of the gang and of its parts; the holders are known.
func (s *partSolver) readCaps(v *validity.Division) {
	net := s.forestOf(s.whole.Tree).network
	at := func(v *validity.Division) int {
		return slices.IndexFunc(s.holders, func(h holder) bool { return h.Division == v })
	}
	add := func(list []gang.Limit, depth int) {
		for _, l := range list {
			tier, ok := net.TierOf(l.Layer)
			c := partCap{limit: limit{min(tier, net.RootTier()-1), l.Most}, members: depth == 0 && !l.OfParts, domains: l.Kind == gang.Within}
			if l.Kind == gang.Alone {
				c.most = 1
			}
			switch {
			case !ok || l.Preferred || l.Kind == gang.Within && l.Most == 1: // one is a MustGather
				continue
			case c.members:
				c.holders = []int{at(v)}
			default:
				for _, unit := range v.Below(max(1, depth)) {
					c.holders = append(c.holders, at(unit))
				}
			}
			s.addCap(c, l.Kind == gang.Alone)
		}
	}
	add(v.Limits, 0)
	for i, list := range v.CutLimits {
		add(list, i+1)
	}
	for _, inner := range v.Inner {
		s.readCaps(inner)
	}
}

// addCap adds a limit; alone: holders are alone, and one in each domain.
func (s *partSolver) addCap(c partCap, alone bool) {
	if !alone || !c.members {
		s.caps = append(s.caps, c)
	}
	if !alone {
		return
	}
	c.alone, c.members = true, true
	s.caps = append(s.caps, c)
	for _, h := range c.holders {
		s.holders[h].alone = append(s.holders[h].alone, c.tier)
	}
}

// keepsCaps holds if no domain has too many, those that run included, and none of whom a limit above nodes counts lies outside the tree.
func (p *packing) keepsCaps() bool {
	for _, c := range p.parts.caps {
		used := 0
		for _, n := range p.countsOf(&c) {
			if n > c.most && !c.domains && !c.alone || n == bothSides && c.alone {
				return false
			}
			used += min(n, 1)
		}
		if c.domains && used > c.most {
			return false
		}
		for i, v := range p.parts.base.nodes {
			in := func(h int) bool { return p.inside[h][i] > 0 }
			if (c.tier > 0 || c.domains) && v.outside && slices.ContainsFunc(c.holders, in) {
				return false
			}
		}
	}
	return true
}

// withCompany holds if a member of another gang keeps new members of a holder off a node, or is where running ones must be alone.
func (s *partSolver) withCompany(h int, v *vertex) bool {
	if !s.base.gone && s.withSibling(h, v) {
		return true
	}
	for ; h >= 0; h = s.holders[h].around {
		meets := func(r *cluster.Running) bool { return s.base.solver.meets(v, r, s.holders[h].alone) }
		if s.base.solver.anyOther(s.base.gone, meets) {
			return true
		}
	}
	return false
}

// withSibling holds if a leaving member of another of the gangs that start together keeps new members of a holder off a node.
func (s *partSolver) withSibling(h int, v *vertex) bool {
	if !s.base.solver.in.Together || h < 0 || s.holders[h].around < 0 {
		return false
	}
	var alone []int
	outermost := h
	for ; s.holders[h].around >= 0; h = s.holders[h].around {
		alone, outermost = append(alone, s.holders[h].alone...), h
	}
	spec := &s.base.solver.in.Spec
	return slices.ContainsFunc(spec.Running, func(r cluster.Running) bool {
		other := s.base.solver.isSibling(&r) && r.Gang != s.holders[outermost].Division.Name
		return other && (validity.Closes(spec, &r, v.node.Name) || s.base.solver.meets(v, &r, alone))
	})
}

// brokenAlone holds if running members that must be alone are not.
func (s *partSolver) brokenAlone() bool {
	for i := range s.holders {
		for k := range s.base.solver.own {
			r := &s.base.solver.own[k]
			if slices.Contains(s.holders[i].Division.Members, r.Member) && s.withCompany(i, s.base.solver.at(r)) {
				return true
			}
		}
	}
	return false
}

// countsOf counts for a limit, domain by domain in the order of paths.
func (p *packing) countsOf(c *partCap) (out []int) {
	var last *vertex
	for _, v := range p.parts.base.nodes {
		if d := v.domainOf(c.tier); d != last {
			last, out = d, append(out, p.countIn(c, d))
		}
	}
	return out
}

// bothSides is the count of a domain in which there is somebody who must be alone, and somebody else of the gang.
const bothSides = 3

func (p *packing) countIn(c *partCap, d *vertex) (n int) {
	if c.alone {
		all := partCap{holders: []int{0}, members: true}
		own := partCap{holders: c.holders, members: true}
		n, others := p.countIn(&own, d), p.countIn(&all, d)-p.countIn(&own, d)
		return min(n, 1) + 2*min(others, 1)
	}
	for _, h := range c.holders {
		members := 0
		for i, v := range p.parts.base.nodes {
			if above(d, v) {
				members += p.inside[h][i]
			}
		}
		if c.members {
			n += members
		} else {
			n += min(members, 1)
		}
	}
	return n
}
