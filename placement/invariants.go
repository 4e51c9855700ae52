//go:build invariants

package placement

import (
	"slices"

	"github.com/muster-sched/muster/internal/invariant"
	"github.com/muster-sched/muster/internal/layout"
)

// checkPlan looks at a decided plan again: every vertex hands all that it gets to its children and gets no more than
// it has room for, every member has a position in the domain, and no tier is worse than the strategy says.
func (o *outcome) checkPlan(sh *share) {
	count := map[layout.Vertex]int64{}
	o.checkShare(sh, count)
	invariant.Hold(o.found.sums.newMembers(&sh.demand) == o.found.ask.members, "%d members are shared out, not %d", o.found.sums.newMembers(&sh.demand), o.found.ask.members)
	invariant.Hold(int64(len(o.positions)) == o.found.ask.members, "%d of %d members have a position", len(o.positions), o.found.ask.members)
	for _, pos := range o.positions {
		x := o.found.p.v.NodeVertex(pos)
		count[x]--
		invariant.Hold(o.found.p.v.Contains(o.domain, x), "position %d is not in domain %d", pos, o.domain)
	}
	for x, n := range count {
		invariant.Hold(n == 0, "node %d takes %d members more than it has ranks", x, n)
	}
	where := slices.Clone(o.positions)
	for _, m := range o.found.p.running {
		where = append(where, m.pos)
	}
	invariant.Hold(o.found.p.v.TierOf(o.found.p.v.Named(o.found.p.v.Lowest(where))) <= o.found.strategy.gang, "the gang reaches more than tier %d", o.found.strategy.gang)
	for i, t := range o.found.p.reachedByGroups(o.positions) {
		invariant.Hold(t <= o.found.strategy.groups[i], "groups of level %d reach tier %d, not %d", i, t, o.found.strategy.groups[i])
	}
}

// checkShare goes down a share and counts the members of every node.
func (o *outcome) checkShare(sh *share, count map[layout.Vertex]int64) {
	n := o.found.sums.newMembers(&sh.demand)
	invariant.Hold(n > 0, "vertex %d gets a share of nothing", sh.at)
	if room := o.found.ask.slots.at(sh.at) + o.found.p.forced[sh.at]; o.found.ask.beyond == 0 {
		invariant.Hold(n <= room, "vertex %d with room for %d takes %d members", sh.at, room, n)
	}
	if o.found.p.mult != nil && o.found.p.v.Above(sh.at) >= 0 {
		unit := o.found.p.unit(o.found.p.v.Above(sh.at))
		invariant.Hold((n+o.found.p.siblings[sh.at])%unit == 0, "vertex %d takes %d members, no multiple of %d", sh.at, n, unit)
	}
	if o.found.p.v.IsNode(sh.at) {
		invariant.Hold(len(sh.parts) == 0 && count[sh.at] == 0, "node %d is split or used twice", sh.at)
		count[sh.at] = n
		return
	}
	for _, pos := range sh.run {
		invariant.Hold(o.found.p.v.Contains(sh.at, o.found.p.v.NodeVertex(pos)), "position %d is not below vertex %d", pos, sh.at)
		count[o.found.p.v.NodeVertex(pos)]++
		n--
	}
	whole := make([]int64, len(o.found.ask.sizes))
	for i := range sh.parts {
		part := &sh.parts[i]
		invariant.Hold(o.found.p.v.Above(part.at) == sh.at, "vertex %d gets a part of vertex %d", part.at, sh.at)
		n -= o.found.sums.newMembers(&part.demand)
		for level, units := range part.demand.units {
			invariant.Hold(units >= 0, "vertex %d gets %d units of level %d", part.at, units, level)
			whole[level] += units
		}
		o.checkShare(part, count)
	}
	invariant.Hold(n == 0, "vertex %d keeps %d members to itself", sh.at, n)
	invariant.Hold(whole[0] <= sh.demand.units[0], "the children of %d make groups of their own", sh.at)
}
