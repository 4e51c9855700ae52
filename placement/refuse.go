// Why is there no plan? The evidence of a refusal, in counts.

package placement

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// refuse explains why not even the least number of members can be placed, leaving members being gone. Causes of nodes
// and members in the way are counted when asked for, on a copy without scratch.
func refuse(p *problem.Problem) *Unschedulable {
	p.Room.LeavingGone = search.Awaits(p)
	kept := p.Kept()
	u := &Unschedulable{Gang: p.Request.Name, Refuser: RefuserRule, Wanted: p.Model.Least, nodes: func() NodeCauses { return countCauses(kept, room.Slots.LeavingReleased) }}
	if p.Model.Running.Len() > 0 && p.Team == nil && p.Request.Slots == nil {
		u.inTheWay = func() Obstacles { return inTheWay(kept) }
	}
	if p.Model.Least > len(p.Model.Pending) {
		u.Rule, u.Fits = RuleMinMember, len(p.Model.Pending)
	}
	found := search.For(p).Evidence()
	if found.Wanted > 0 {
		u.Wanted = found.Wanted
	}
	proven := !(p.Bounds.Bare && p.Unsettled) && found.Proven()
	u.Proven, u.AtLeast = !p.Unsettled && proven, !proven
	tellTiers(p, u, found.Fits, proven)
	nameRule(p, u)
	u.AtLeast = u.AtLeast && u.Rule != RuleMinMember && u.RefusedBy == nil // these say the number
	if p.Unsettled && u.RefusedBy == nil {
		u.Refuser = RefuserSteps
	}
	countMembersOf(p, u)
	return u
}

// tellTiers says of each tier what fits in its best domain, and how much that is at most where no minimum is the reason.
func tellTiers(p *problem.Problem, u *Unschedulable, fits []model.Fit, proven bool) {
	u.Tiers = slices.Grow(u.Tiers, len(fits))
	for _, f := range fits {
		if f.Domain = present(p, f.Domain); f.Domain < 0 {
			continue
		}
		u.Tiers = append(u.Tiers, TierFit{
			Tier: int(f.Tier), Layer: p.Model.View.LayerName(f.Tier), Domain: p.Model.View.Path(f.Domain, p.Snapshot.Lineage.NodeName),
			Members: f.Members, Groups: f.Groups, AtLeast: f.AtLeast || !proven,
		})
		if u.Rule == "" {
			u.Fits = max(u.Fits, f.Members)
		}
		u.AtLeast = u.AtLeast || f.AtLeast
	}
}

// present is the best domain of a tier. No node has room where that is one which the snapshot lacks: then it is the first that is there, in the
// tree if the other one is, and -1 if none is there.
//
// order: refusals.1
func present(p *problem.Problem, d layout.Vertex) layout.Vertex {
	v := p.Model.View
	isThere := func(pos int32) bool { return p.Snapshot.FlagsOf(v.Node(pos))&snapshot.Present != 0 }
	if !v.IsNode(d) || isThere(v.Position(d)) {
		return d
	}
	first, end := int32(0), v.FirstPos[v.Outside]
	if v.Position(d) >= end {
		first, end = end, v.Nodes
	}
	for pos := first; pos < end; pos++ {
		if isThere(pos) {
			return v.NodeVertex(pos)
		}
	}
	return -1
}

// nameRule names the reason, the first of these: too few members (named already), the quota, too few slots, or the rule
// that binds.
//
// order: refusals.2
func nameRule(p *problem.Problem, u *Unschedulable) {
	switch {
	case u.Rule != "" || p.Bounds.Bare:
	case p.RefusedBy != nil:
		binds := p.Snapshot.Quotas.Binding(p.RefusedBy)
		u.Refuser, u.RefusedBy, u.Fits = RefuserQuota, binds, search.For(p).MostAdmitted()
		u.Rule = fmt.Sprintf("quota %s %s", strings.Join(binds.Path, "/"), binds.Rule)
	default:
		if u.Rule = search.Binding(p); u.Rule == "" {
			u.Refuser = RefuserNodes
		}
	}
}

// countMembersOf turns counts of units into counts of members, where whole groups are placed like members: a unit has
// p.Size() of them.
func countMembersOf(p *problem.Problem, u *Unschedulable) {
	if p.Unbundled == nil {
		return
	}
	u.Wanted, u.Fits = p.Unbundled.Model.Least, u.Fits*p.Room.Size()
	for i := range u.Tiers {
		t := &u.Tiers[i]
		if len(p.Model.Levels) == 0 {
			t.Groups = t.Members
		}
		t.Members *= p.Room.Size()
	}
}

// countCauses counts the nodes that take no member by the first cause that applies, and lists these in the order in
// which they are tried: fixed ones first, then resources in natural order, then fixed ones. released are what nodes get
// back. O(nodes * resources).
func countCauses(p *problem.Problem, released func(room.Slots) map[int32]room.Released) NodeCauses {
	p = p.Kept() // with caches of its own: others may ask at the same time
	counts, which := map[string]int{}, map[string]map[string]int{}
	out := NodeCauses{}
	excluded, extra := p.Room.Slots().Excluded(), released(p.Room.Slots())
	roles := problem.EachAlone(p)
	for id := range int32(len(p.Snapshot.Lineage.Names)) {
		if p.Snapshot.FlagsOf(id)&snapshot.Present == 0 {
			continue
		}
		out.Total++
		of := func(one *problem.Problem) string { return one.Room.Slots().Cause(id, excluded, extra) }
		if cause := problem.CauseForAll(roles, of); cause != "" {
			counts[cause]++
			if key := roles[0].Room.Slots().Which(id, cause); key != "" {
				if which[cause] == nil {
					which[cause] = map[string]int{}
				}
				which[cause][key]++
			}
		}
	}
	first := []string{"cordoned", "not-ready", "taint", "selector", "eligible", "closed", "occupied", string(numa.CausePolicy)}
	last := []string{string(numa.CauseExclusive), string(numa.CauseCapacity)}
	middle := slices.SortedFunc(maps.Keys(counts), muster.CompareNatural)
	middle = slices.DeleteFunc(middle, func(name string) bool { return slices.Contains(first, name) || slices.Contains(last, name) })
	for _, name := range slices.Concat(first, middle, last) {
		if counts[name] > 0 {
			out.Rejected = append(out.Rejected, CauseCount{name, counts[name], mostFirst(which[name])})
		}
	}
	return out
}

// mostFirst lists keys by the number of their nodes, then in natural order.
func mostFirst(counts map[string]int) []KeyCount {
	var out []KeyCount
	for key, n := range counts {
		out = append(out, KeyCount{key, n})
	}
	slices.SortFunc(out, func(a, b KeyCount) int { return cmp.Or(b.Nodes-a.Nodes, muster.CompareNatural(a.Key, b.Key)) })
	return out
}
