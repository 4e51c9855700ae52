// Does a decided plan keep what the search promises? Asked with the build tag `invariants` only.

package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/invariant"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// checkPlan checks a decided plan: every vertex hands all that it gets to its children and gets no more than it has
// room for, every new member has one position, in the domain, and neither gang nor groups reach above the tiers of the
// strategy.
func (f *found) checkPlan(o *model.Answer, sh *share) {
	count := map[layout.Vertex]int64{} // by node: members of the share, less those with a position
	f.checkShare(sh, count)
	invariant.Hold(f.ask.newMembers(&sh.demand) == f.ask.members, "%d members are shared out, not %d", f.ask.newMembers(&sh.demand), f.ask.members)
	invariant.Hold(int64(len(o.Positions)) == f.ask.members, "%d of %d members have a position", len(o.Positions), f.ask.members)
	for _, pos := range o.Positions {
		x := f.m.View.NodeVertex(pos)
		count[x]--
		invariant.Hold(f.m.View.Contains(o.Domain, x), "position %d is not in domain %d", pos, o.Domain)
	}
	for x, n := range count {
		invariant.Hold(n == 0, "node %d takes %d members more than it has ranks", x, n)
	}
	where := slices.Clone(o.Positions)
	for m := range f.m.Running.All() {
		where = append(where, m.Pos)
	}
	invariant.Hold(f.m.View.TierOf(f.m.View.Named(f.m.View.Lowest(where))) <= f.strategy.Gang, "the gang reaches more than tier %d", f.strategy.Gang)
	for i, t := range f.m.ReachedByGroups(o.Positions) {
		invariant.Hold(t <= f.strategy.Groups[i], "groups of level %d reach tier %d, not %d", i, t, f.strategy.Groups[i])
	}
}

// checkShare checks a share and all below it, and counts the members of every node into count.
func (f *found) checkShare(sh *share, count map[layout.Vertex]int64) {
	n := f.ask.newMembers(&sh.demand)
	invariant.Hold(n > 0, "vertex %d gets a share of nothing", sh.at)
	if room := f.ask.slots.At(sh.at) + f.m.Forced[sh.at]; f.ask.beyond == 0 {
		invariant.Hold(n <= room, "vertex %d with room for %d takes %d members", sh.at, room, n)
	}
	if f.m.Multiple != nil && f.m.View.Above(sh.at) >= 0 {
		unit := f.m.Unit(f.m.View.Above(sh.at))
		invariant.Hold((n+f.m.Siblings.At(sh.at))%unit == 0, "vertex %d takes %d members, no multiple of %d", sh.at, n, unit)
	}
	if f.m.View.IsNode(sh.at) {
		invariant.Hold(len(sh.parts) == 0 && count[sh.at] == 0, "node %d is split or used twice", sh.at)
		count[sh.at] = n
		return
	}
	for _, pos := range sh.run {
		invariant.Hold(f.m.View.Contains(sh.at, f.m.View.NodeVertex(pos)), "position %d is not below vertex %d", pos, sh.at)
		count[f.m.View.NodeVertex(pos)]++
		n--
	}
	isChild := func(x layout.Vertex) bool { return f.m.View.Above(x) == sh.at }
	if f.ask.groupsFrom > 0 || f.ask.layers != nil && f.ask.looksFurther(sh.at) { // the largest ones, on any layer
		isChild = func(x layout.Vertex) bool { return x != sh.at && f.m.View.Contains(sh.at, x) }
	}
	if f.ask.jumps(sh.at) {
		domains := f.ask.domainsBelow(sh.at, nil) // which are the children here
		isChild = func(x layout.Vertex) bool { return slices.Contains(domains, x) }
	}
	whole := make([]int64, len(f.ask.sizes)) // units that the parts take, by level
	for i := range sh.parts {
		part := &sh.parts[i]
		invariant.Hold(isChild(part.at), "vertex %d gets a part of vertex %d", part.at, sh.at)
		n -= f.ask.newMembers(&part.demand)
		for level, units := range part.demand.units {
			invariant.Hold(units >= 0, "vertex %d gets %d units of level %d", part.at, units, level)
			whole[level] += units
		}
		f.checkShare(part, count)
	}
	invariant.Hold(n == 0, "vertex %d keeps %d members to itself", sh.at, n)
	invariant.Hold(whole[0] <= sh.demand.units[0], "the children of %d make groups of their own", sh.at)
}
