//go:build invariants

package placement

import (
	"slices"

	"github.com/muster-sched/muster/internal/invariant"
	"github.com/muster-sched/muster/internal/layout"
)

// checkPlan looks at a decided plan again: every vertex hands all that it gets to its children and gets no more than
// it has room for, every member has a position in the domain, and no tier is worse than the strategy says.
func (f *found) checkPlan(o *outcome, sh *share) {
	count := map[layout.Vertex]int64{}
	f.checkShare(o, sh, count)
	invariant.Hold(f.sums.newMembers(&sh.demand) == f.ask.members, "%d members are shared out, not %d", f.sums.newMembers(&sh.demand), f.ask.members)
	invariant.Hold(int64(len(o.positions)) == f.ask.members, "%d of %d members have a position", len(o.positions), f.ask.members)
	for _, pos := range o.positions {
		x := f.p.v.NodeVertex(pos)
		count[x]--
		invariant.Hold(f.p.v.Contains(o.domain, x), "position %d is not in domain %d", pos, o.domain)
	}
	for x, n := range count {
		invariant.Hold(n == 0, "node %d takes %d members more than it has ranks", x, n)
	}
	where := slices.Clone(o.positions)
	for _, m := range f.p.running {
		where = append(where, m.pos)
	}
	invariant.Hold(f.p.v.TierOf(f.p.v.Named(f.p.v.Lowest(where))) <= f.strategy.gang, "the gang reaches more than tier %d", f.strategy.gang)
	for i, t := range f.p.reachedByGroups(o.positions) {
		invariant.Hold(t <= f.strategy.groups[i], "groups of level %d reach tier %d, not %d", i, t, f.strategy.groups[i])
	}
}

// checkShare goes down a share and counts the members of every node.
func (f *found) checkShare(o *outcome, sh *share, count map[layout.Vertex]int64) {
	n := f.sums.newMembers(&sh.demand)
	invariant.Hold(n > 0, "vertex %d gets a share of nothing", sh.at)
	if room := f.ask.slots.at(sh.at) + f.p.forced[sh.at]; f.ask.beyond == 0 {
		invariant.Hold(n <= room, "vertex %d with room for %d takes %d members", sh.at, room, n)
	}
	if f.p.mult != nil && f.p.v.Above(sh.at) >= 0 {
		unit := f.p.unit(f.p.v.Above(sh.at))
		invariant.Hold((n+f.p.siblings[sh.at])%unit == 0, "vertex %d takes %d members, no multiple of %d", sh.at, n, unit)
	}
	if f.p.v.IsNode(sh.at) {
		invariant.Hold(len(sh.parts) == 0 && count[sh.at] == 0, "node %d is split or used twice", sh.at)
		count[sh.at] = n
		return
	}
	for _, pos := range sh.run {
		invariant.Hold(f.p.v.Contains(sh.at, f.p.v.NodeVertex(pos)), "position %d is not below vertex %d", pos, sh.at)
		count[f.p.v.NodeVertex(pos)]++
		n--
	}
	whole := make([]int64, len(f.ask.sizes))
	for i := range sh.parts {
		part := &sh.parts[i]
		invariant.Hold(f.p.v.Above(part.at) == sh.at, "vertex %d gets a part of vertex %d", part.at, sh.at)
		n -= f.sums.newMembers(&part.demand)
		for level, units := range part.demand.units {
			invariant.Hold(units >= 0, "vertex %d gets %d units of level %d", part.at, units, level)
			whole[level] += units
		}
		f.checkShare(o, part, count)
	}
	invariant.Hold(n == 0, "vertex %d keeps %d members to itself", sh.at, n)
	invariant.Hold(whole[0] <= sh.demand.units[0], "the children of %d make groups of their own", sh.at)
}
