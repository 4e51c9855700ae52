package placement

import (
	"slices"
	"sort"
)

// refuse says in a refusal where how many of the members could be placed, lowest ranks first, and what binds.
func (c *cast) refuse(u *Unschedulable) {
	for _, t := range c.v.tiers {
		if t > c.gather.must {
			break
		}
		if fit, ok := c.bestAt(t); ok {
			u.Tiers = append(u.Tiers, fit)
			if u.Rule == "" {
				u.Fits = max(u.Fits, fit.Members)
			}
		}
	}
	c.nameRule(u)
	u.Proven = !c.forgot[rootVertex] && !c.forgot[c.v.outside] && !c.unsettled
}

// bestAt finds the domain of a tier that could take the most new members; of equals that with the most slots of the first role, then the first in
// path order.
func (c *cast) bestAt(t int32) (TierFit, bool) {
	best, most := vertex(-1), -1
	for _, d := range c.candidates(t) {
		n := c.capacity(d, t)
		if n > most || n == most && c.slots.at(d) > c.slots.at(best) {
			best, most = d, n
		}
	}
	if best < 0 {
		return TierFit{}, false
	}
	fit := TierFit{Tier: int(t), Layer: c.v.layerName(t), Domain: c.v.path(best, c.c.nodeName), Members: most}
	if len(c.levels) > 0 && most == len(c.pending) {
		fit.Groups = 1
	}
	return fit, true
}

// capacity is how many of the first pending members a domain could take; a group is placed whole or not at all.
func (c *cast) capacity(d vertex, t int32) int {
	some := *c.problem
	some.least, some.admitted = 1, len(c.pending)
	list := some.counts()
	i := sort.Search(len(list), func(i int) bool {
		g, ok := c.casting(list[i])
		if !ok {
			return true
		}
		g.use(c.loosest(t))
		return !g.holds(d)
	})
	if i == 0 {
		return 0
	}
	return list[i-1]
}

// causeForAll is why a node takes no member of any role: the cause for the first one.
func causeForAll(roles []*problem, cause func(one *problem) string) string {
	first := cause(roles[0])
	if first == "" || slices.ContainsFunc(roles[1:], func(one *problem) bool { return cause(one) == "" }) {
		return ""
	}
	return first
}
