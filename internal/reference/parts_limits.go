package reference

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
)

// partCap bounds a number in every domain of a tier, of the members of one holder, or of holders that have any; or the domains in which
// a holder lies.
type partCap struct {
	limit
	holders []int
	members bool
	domains bool
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
			switch {
			case l.Kind == gang.Alone && c.members:
				c.most = math.MaxInt // of its own; only where they lie counts
			case l.Kind == gang.Alone:
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
			s.caps = append(s.caps, c)
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

// keepsCaps holds if no domain has too many, those that run included, and none of whom a limit above nodes counts lies outside the tree.
func (p *packing) keepsCaps() bool {
	for _, c := range p.parts.caps {
		used := 0
		for _, n := range p.countsOf(&c) {
			if n > c.most && !c.domains {
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

func (p *packing) countIn(c *partCap, d *vertex) (n int) {
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
