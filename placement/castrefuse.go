package placement

import (
	"slices"
	"sort"
)

// refuse says in a refusal where how many of the members could be placed, and what binds. Where more members are known than must be placed it
// looks at those of the lowest ranks that would do: that others fit does not help.
func (c *cast) refuse(u *Unschedulable) {
	of := c
	if c.few != nil {
		of = c.recast(c.few)
		of.evens = of.withKept() // fewer members need not keep them in any case
		of.weighEvens()
		if len(c.req.Parts) > 0 {
			u.Wanted = c.few.size() // what parts need may be more than the minimum of the gang
		}
	}
	for _, t := range c.v.tiers {
		if t > c.gather.must {
			break
		}
		if fit, ok := of.bestAt(t); ok {
			u.Tiers = append(u.Tiers, fit)
			if u.Rule == "" {
				u.Fits = max(u.Fits, fit.Members)
			}
		}
	}
	c.nameRule(u)
	u.Proven = !c.unsettled && c.proven()
	if c.unsettled && u.RefusedBy == nil {
		u.Kind = KindBudget
	}
}

// bestAt finds the domain of a tier that could take the most new members; of equals that with the most slots of the first role, then the first in
// path order.
func (c *cast) bestAt(t int32) (TierFit, bool) {
	best, most := vertex(-1), couldTake{members: -1}
	for g := range c.anySchemes(c.loosest(t)) {
		for _, d := range c.candidates(t) {
			n := g.capacity(d)
			if n.members > most.members || n.members == most.members && best >= 0 && c.slots.at(d) > c.slots.at(best) {
				best, most = d, n
			}
		}
	}
	if best < 0 {
		return TierFit{}, false
	}
	return TierFit{
		Tier: int(t), Layer: c.v.layerName(t), Domain: c.v.path(best, c.c.nodeName), Members: most.members, Groups: most.groups,
	}, true
}

// couldTake is how much of a gang a domain could take.
type couldTake struct{ members, groups int }

// capacity is how much of the gang a domain could take: without groups of the members of the lowest ranks, else whole groups, kind by kind, then members
// of none.
func (g *scheme) capacity(d vertex) (most couldTake) {
	if len(g.kinds) == 0 && len(g.evens) > 0 {
		n := len(g.pending)
		for n > 0 && !(g.even(g.firstOnes(n)) && g.takes(d, g.firstOnes(n))) {
			n--
		}
		return couldTake{members: n}
	}
	if len(g.kinds) == 0 {
		return couldTake{members: sort.Search(len(g.pending), func(n int) bool { return !g.takes(d, g.firstOnes(n+1)) })}
	}
	room := g.fitsBelow(d)
	if d == rootVertex {
		room = g.folder.sum(room, g.fitsIn(g.v.outside))
	}
	for _, p := range room {
		n := g.fillUp(d, p)
		if g.folder.exact && (int64(n.members) != g.members(p) || !g.even(p)) {
			continue // what would be left of it must not be
		}
		if n.members > most.members {
			most = n
		}
	}
	return most
}

// firstOnes counts the first n pending members by role.
func (g *scheme) firstOnes(n int) counts {
	want := make(counts, len(g.want))
	for i := range n {
		want[g.role(i)]++
	}
	return want
}

// takes says whether a domain takes counts of members, outside the tree only such as have no room in it.
func (g *scheme) takes(d vertex, want counts) bool {
	if d != rootVertex && !g.v.contains(g.v.outside, d) {
		return g.folder.holds(g.fitsBelow(d), want)
	}
	outside, ok := g.splitOf(want)
	return ok && (d == rootVertex || slices.Equal(outside, want) && g.folder.holds(g.fitsBelow(d), want))
}

// fillUp is how much of the gang there is in counts.
func (g *scheme) fillUp(d vertex, room counts) (n couldTake) {
	room, r := slices.Clone(room), len(g.roles)
	for k := range g.kinds {
		if g.kinds[k].parent >= 0 {
			continue
		}
		one := make(counts, len(g.want))
		one[r+k] = 1
		one = g.expand(d, one)
		for range g.want[r+k] {
			if !one.within(room) {
				break
			}
			room = room.minus(one)
			n.members, n.groups = n.members+int(g.sizes[r+k]), n.groups+1
		}
	}
	for i := range g.roles {
		n.members += int(min(room[i], g.want[i]))
	}
	return n
}

// proven says whether nothing was left out when it was found that no content can be placed.
func (c *cast) proven() bool {
	all := c.contents()
	if c.spreads() {
		return c.provenAbroad(all)
	}
	if c.terrain.inexact { // there may be other ways to find zones
		c = c.loose()
	}
	for _, in := range all.least() {
		some := c.recast(in)
		g := some.under(some.loosest(c.gather.must))
		if g == nil {
			continue
		}
		if fits := g.fits(); fits && c.refusedBy == nil || slices.Contains(g.forgot, true) {
			return false // it was not tried, or not all of it
		}
	}
	return !all.truncated
}

// provenAbroad is proven for a gang with groups in other topologies.
func (c *cast) provenAbroad(all *contents) bool {
	for _, in := range all.least() {
		some := c.recast(in)
		some.beyond = some.members(some.want)
		if some.first(some.loosest(c.gather.must)) != nil && c.refusedBy == nil {
			return false // it was not tried
		}
	}
	return !all.truncated && !*c.doubt
}
