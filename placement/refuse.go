package placement

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// refuse explains why not even the least number of members can be placed, leaving members being gone.
func refuse(p *problem) *Unschedulable {
	p.leavingGone = !p.req.IgnoreLeaving && len(p.c.Leaving) > 0
	kept := *p
	kept.scratch, kept.pending, kept.levels = nil, nil, nil // they go to other plans
	u := &Unschedulable{Gang: p.req.Name, Kind: KindRule, Wanted: p.least, nodes: func() NodeCauses { return causes(&kept) }}
	if len(p.running) > 0 && p.team == nil {
		u.inTheWay = func() Obstacles { return inTheWay(&kept) }
	}
	if p.least > len(p.pending) {
		u.Rule, u.Fits = minMember, len(p.pending)
	}
	found := engineOf(p).Evidence()
	if found.wanted > 0 {
		u.Wanted = found.wanted
	}
	for _, f := range found.fits {
		u.Tiers = append(u.Tiers, TierFit{
			Tier: int(f.tier), Layer: p.v.LayerName(f.tier), Domain: p.v.Path(f.domain, p.c.Lineage.NodeName), Members: f.members, Groups: f.groups,
		})
		if u.Rule == "" {
			u.Fits = max(u.Fits, f.members)
		}
	}
	nameRule(p, u)
	u.Proven = !p.unsettled && found.proven()
	if p.unsettled && u.RefusedBy == nil {
		u.Kind = KindBudget
	}
	countMembersOf(p, u)
	return u
}

// nameRule names what binds.
func nameRule(p *problem, u *Unschedulable) {
	switch {
	case u.Rule != "":
	case p.refusedBy != nil:
		u.Kind, u.RefusedBy, u.Fits = KindQuota, p.refusedBy, engineOf(p).MostAdmitted()
		u.Rule = fmt.Sprintf("quota %s %s", strings.Join(p.refusedBy.Path, "/"), p.refusedBy.Rule)
	default:
		if u.Rule = binding(p); u.Rule == "" {
			u.Kind = KindNodes
		}
	}
}

// countMembersOf turns counts of units into counts of members.
func countMembersOf(p *problem, u *Unschedulable) {
	if p.members == nil {
		return
	}
	u.Wanted, u.Fits = p.members.least, u.Fits*p.size()
	for i := range u.Tiers {
		t := &u.Tiers[i]
		if len(p.levels) == 0 {
			t.Groups = t.Members
		}
		t.Members *= p.size()
	}
}

func (p *problem) withoutMultiples() *problem {
	plain := *p
	plain.mult, plain.forced, plain.evens = nil, nil, nil
	return &plain
}

// withoutRules is the gang without groups, free to lie anywhere.
func (p *problem) withoutRules() *problem {
	loose := *p
	loose.together = false
	loose.gather, loose.levels = p.free(), nil
	if p.inParts() {
		loose.whole = &part{gather: loose.gather, ranks: p.whole.all()}
		slices.Sort(loose.whole.ranks)
	}
	return &loose
}

// causes counts the nodes that take no member by the first cause that applies.
func causes(p *problem) NodeCauses {
	own := *p // what it prepares is its own: others may ask at the same time
	own.alignment.ownNeeds, p = nil, &own
	counts := map[string]int{}
	out := NodeCauses{}
	excluded := p.excluded()
	extra := p.leavingGifts()
	roles := []*problem{p}
	if p.hasRoles() {
		roles = p.ofRoles()
	}
	for id := range int32(len(p.c.Lineage.Names)) {
		if p.c.FlagsOf(id)&snapshot.Present == 0 {
			continue
		}
		out.Total++
		if cause := causeForAll(roles, func(one *problem) string { return one.cause(id, excluded, extra) }); cause != "" {
			counts[cause]++
		}
	}
	first := []string{"cordoned", "not-ready", "taint", "selector", "eligible", string(numa.CausePolicy)}
	last := []string{string(numa.CauseExclusive), string(numa.CauseCapacity)}
	middle := slices.SortedFunc(maps.Keys(counts), muster.CompareNatural)
	middle = slices.DeleteFunc(middle, func(name string) bool { return slices.Contains(first, name) || slices.Contains(last, name) })
	for _, name := range slices.Concat(first, middle, last) {
		if counts[name] > 0 {
			out.Rejected = append(out.Rejected, CauseCount{name, counts[name]})
		}
	}
	return out
}

func (p *problem) cause(id int32, excluded map[int32]bool, extra map[int32]gift) string {
	if cause := p.refusal(id); cause != "" {
		return cause
	}
	if excluded[id] {
		return "eligible"
	}
	inZones := p.zones().zoneCause(id, extra[id])
	if inZones == numa.CausePolicy {
		return string(inZones)
	}
	for _, n := range p.needs {
		if p.freeOf(id, n, extra[id].amounts) < n.amount {
			return "resource:" + n.name
		}
	}
	return string(inZones)
}
