//go:build invariants

package placement

import (
	"fmt"
	"slices"
)

// must panics: what is checked here holds whatever the input is.
func must(holds bool, format string, args ...any) {
	if !holds {
		panic("invariant: " + fmt.Sprintf(format, args...))
	}
}

// checkPlan looks at a decided plan again: every vertex hands all that it gets to its children and gets no more than
// it has room for, every member has a position in the domain, and no tier is worse than the strategy says.
func (o *outcome) checkPlan(sh *share) {
	count := map[vertex]int64{}
	o.checkShare(sh, count)
	must(o.newMembers(&sh.demand) == o.members, "%d members are shared out, not %d", o.newMembers(&sh.demand), o.members)
	must(int64(len(o.positions)) == o.members, "%d of %d members have a position", len(o.positions), o.members)
	for _, pos := range o.positions {
		x := o.v.nodeVertex(pos)
		count[x]--
		must(o.v.contains(o.domain, x), "position %d is not in domain %d", pos, o.domain)
	}
	for x, n := range count {
		must(n == 0, "node %d takes %d members more than it has ranks", x, n)
	}
	where := slices.Clone(o.positions)
	for _, m := range o.running {
		where = append(where, m.pos)
	}
	must(o.v.tierOf(o.v.named(o.v.lowest(where))) <= o.strategy.gang, "the gang reaches more than tier %d", o.strategy.gang)
	for i, t := range o.reachedByGroups(o.positions) {
		must(t <= o.strategy.groups[i], "groups of level %d reach tier %d, not %d", i, t, o.strategy.groups[i])
	}
}

// checkShare goes down a share and counts the members of every node.
func (o *outcome) checkShare(sh *share, count map[vertex]int64) {
	n := o.newMembers(&sh.demand)
	must(n > 0, "vertex %d gets a share of nothing", sh.at)
	if room := o.slots.at(sh.at) + o.forced[sh.at]; o.beyond == 0 {
		must(n <= room, "vertex %d with room for %d takes %d members", sh.at, room, n)
	}
	if o.mult != nil && o.v.above(sh.at) >= 0 {
		unit := o.unit(o.v.above(sh.at))
		must((n+o.siblings[sh.at])%unit == 0, "vertex %d takes %d members, no multiple of %d", sh.at, n, unit)
	}
	if o.v.isNode(sh.at) {
		must(len(sh.parts) == 0 && count[sh.at] == 0, "node %d is split or used twice", sh.at)
		count[sh.at] = n
		return
	}
	for _, pos := range sh.run {
		must(o.v.contains(sh.at, o.v.nodeVertex(pos)), "position %d is not below vertex %d", pos, sh.at)
		count[o.v.nodeVertex(pos)]++
		n--
	}
	whole := make([]int64, len(o.sizes))
	for i := range sh.parts {
		part := &sh.parts[i]
		must(o.v.above(part.at) == sh.at, "vertex %d gets a part of vertex %d", part.at, sh.at)
		n -= o.newMembers(&part.demand)
		for level, units := range part.units {
			must(units >= 0, "vertex %d gets %d units of level %d", part.at, units, level)
			whole[level] += units
		}
		o.checkShare(part, count)
	}
	must(n == 0, "vertex %d keeps %d members to itself", sh.at, n)
	must(whole[0] <= sh.units[0], "the children of %d make groups of their own", sh.at)
}

// checkSnapshot looks at a snapshot again: what is free is what is allocatable without what runs, and every member
// stands once in each list that it belongs to.
func (c *Cluster) checkSnapshot() {
	var all, leaving []*member
	c.gangs.Ascend(func(g *gangMembers) bool {
		must(len(g.members) > 0, "gang %s has no members", g.name)
		all = append(all, g.members...)
		return true
	})
	for _, m := range all {
		_, ok := c.anchors.Get(anchor{m.affinityKey, m.gang})
		must(ok || m.affinityKey == "", "gang %s is not listed for affinity key %s", m.gang, m.affinityKey)
	}
	c.anchors.Ascend(func(a anchor) bool {
		must(slices.ContainsFunc(c.membersOf(a.gang), func(m *member) bool { return m.affinityKey == a.key }),
			"gang %s has no member with affinity key %s", a.gang, a.key)
		return true
	})
	on := make([][]*member, len(c.names))
	for i, m := range all {
		must(i == 0 || compareMembers(all[i-1], m) < 0, "member %s %s is out of order", m.gang, m.name)
		on[m.node] = append(on[m.node], m)
		if m.leaving {
			leaving = append(leaving, m)
		}
	}
	must(slices.Equal(c.leaving, leaving), "the leaving members are not those of the gangs")
	for id := range int32(len(c.names)) {
		s := c.static.at(id)
		must(slices.Equal(c.membersOn(id), on[id]), "the members on node %s are not those of the gangs", c.names[id])
		must(s.flags&present != 0 || len(on[id]) == 0, "members run on absent node %s", c.names[id])
		for r := range c.free {
			var free int64
			if s.flags&present != 0 {
				free = s.allocatable[r]
				for _, m := range on[id] {
					if c.bounds(s.allocatable, r) {
						free -= m.holds[r]
					}
				}
			}
			must(c.free[r].at(id) == free, "node %s has %d of %s free, not %d", c.names[id], c.free[r].at(id), c.resources[r], free)
		}
	}
}
