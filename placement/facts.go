// Which reasons stand in the way of a gang, and how many nodes and members does each concern?

package placement

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// factFinder finds the facts of a refusal. p is the problem that was refused; with members of several shapes slots are those of the
// first.
type factFinder struct {
	p      *problem.Problem
	one    *problem.Problem // of the first shape
	why    *Unschedulable
	wanted int64
	slots  []int64 // by position, the members before it
}

// facts lists the reason, then what keeps members away from nodes, then why nobody leaves.
func (f *factFinder) facts(ctx context.Context) []explain.Fact {
	f.count()
	out := f.reasons()
	if f.why.Rule != RuleMinMember && f.why.RefusedBy == nil {
		out = append(out, f.partMinima(ctx)...)
		out = append(out, f.nodes()...)
		out = append(out, f.stayers()...)
	}
	if !f.why.Proven {
		d := explain.Detail{}
		if f.why.Stopped != nil {
			d.Reason = f.why.Stopped.Error()
		}
		out = append(out, explain.Fact{Code: explain.CodeSteps, Detail: d, Proven: true})
	}
	slices.SortStableFunc(out, func(a, b explain.Fact) int {
		return slices.Index(explain.Codes(), a.Code) - slices.Index(explain.Codes(), b.Code)
	})
	return out
}

// count counts the slots of every node, in members.
func (f *factFinder) count() {
	f.one = f.p
	if f.p.HasRoles() {
		f.one = f.p.OfRoles()[0]
	}
	v := f.p.View
	slots := f.one.Slots().Counter(f.one.Slots().Excluded(), f.one.Slots().LeavingReleased())
	f.slots = make([]int64, v.Nodes+1)
	for pos := range v.Nodes {
		n := int64(slots(v.Node(pos))) * int64(f.one.Size())
		f.slots[pos+1] = f.slots[pos] + n
	}
}

// total is how many members fit in the whole cluster.
func (f *factFinder) total() int64 { return f.slots[len(f.slots)-1] }

// reasons are what [Unschedulable] names, as codes.
func (f *factFinder) reasons() (out []explain.Fact) {
	u := f.why
	add := func(code explain.Code, d explain.Detail) {
		d.Wanted, d.Fits = u.Wanted, u.Fits
		out = append(out, explain.Fact{Code: code, Detail: d, Proven: u.Proven})
	}
	switch {
	case len(u.Together) > 0:
		add(explain.CodeTogether, explain.Detail{Names: u.Together})
		return out
	case u.Rule == RuleMinMember:
		add(explain.CodeMembers, explain.Detail{})
		return out
	case u.RefusedBy != nil:
		code := explain.CodeQuotaLimit
		if u.RefusedBy.Rule == quota.RuleMin {
			code = explain.CodeQuotaMinimum
		}
		add(code, explain.Detail{Quota: u.RefusedBy.Quota, Short: u.RefusedBy.Short})
		return out
	case u.Rule == "" && f.total() < f.wanted:
		add(explain.CodeCapacity, explain.Detail{Slots: f.total(), Resources: f.lacking()})
		return out
	}
	if f.total() >= f.wanted {
		add(explain.CodeFragmentation, explain.Detail{Slots: f.total()})
	} else {
		add(explain.CodeCapacity, explain.Detail{Slots: f.total(), Resources: f.lacking()})
	}
	for prefix, code := range ruleCodes {
		if strings.HasPrefix(u.Rule, prefix) {
			add(code, explain.Detail{Rule: u.Rule})
		}
	}
	return out
}

// ruleCodes are the codes of rules, by how [Unschedulable.Rule] begins. No two apply at once.
var ruleCodes = map[string]explain.Code{
	"MustGather": explain.CodeRule, "multiple": explain.CodeMultiple, "groups": explain.CodeGroups, "running members": explain.CodeRunning,
}

// lacking counts the nodes that have too little of a resource, by its name.
func (f *factFinder) lacking() []explain.KeyCount {
	counts := map[string]int{}
	f.each(func(_ int32, cause string, _ int64) {
		if name, ok := strings.CutPrefix(cause, "resource:"); ok {
			counts[name]++
		}
	})
	var out []explain.KeyCount
	for _, name := range slices.SortedFunc(maps.Keys(counts), muster.CompareNatural) {
		out = append(out, explain.KeyCount{Key: name, Nodes: counts[name]})
	}
	return out
}

// each calls do for every node that takes no member: with the first cause, and how many members would fit there by its amounts.
func (f *factFinder) each(do func(id int32, cause string, slots int64)) {
	excluded, extra := f.one.Slots().Excluded(), f.one.Slots().LeavingReleased()
	for pos := range f.p.View.Nodes {
		id := f.p.View.Node(pos)
		if f.slots[pos+1] > f.slots[pos] || f.p.Snapshot.FlagsOf(id)&snapshot.Present == 0 {
			continue
		}
		cause := f.one.Slots().Cause(id, excluded, extra)
		do(id, cause, f.one.Slots().Room(id, extra[id].Amounts)*int64(f.one.Size()))
	}
}

// nodeCodes are the codes of causes for which a node takes no member though it has room.
var nodeCodes = map[string]explain.Code{
	"cordoned": explain.CodeCordon, "not-ready": explain.CodeNotReady, "taint": explain.CodeTaint, "selector": explain.CodeSelector,
	"eligible": explain.CodeHostFilter, string(numa.CausePolicy): explain.CodeZonePolicy,
	string(numa.CauseExclusive): explain.CodeZoneExclusive, string(numa.CauseCapacity): explain.CodeZoneCapacity,
}

// nodes counts nodes that have room for members and may not take them.
func (f *factFinder) nodes() (out []explain.Fact) {
	details, keys := map[explain.Code]*explain.Detail{}, map[explain.Code]map[string]int{}
	f.each(func(id int32, cause string, slots int64) {
		code, ok := nodeCodes[cause]
		if !ok || slots == 0 {
			return
		}
		d := details[code]
		if d == nil {
			d, keys[code] = &explain.Detail{}, map[string]int{}
			details[code] = d
		}
		d.Nodes, d.Slots = d.Nodes+1, d.Slots+slots
		if key := f.one.Slots().Which(id, cause); key != "" {
			keys[code][key]++
		}
	})
	for _, code := range slices.Sorted(maps.Keys(details)) { // facts puts them in their order
		for _, k := range mostFirst(keys[code]) {
			details[code].Keys = append(details[code].Keys, explain.KeyCount(k))
		}
		out = append(out, explain.Fact{Code: code, Detail: *details[code], Proven: true})
	}
	return out
}

// stayers counts running members that hold what the gang lacks, by why they do not leave for it.
func (f *factFinder) stayers() (out []explain.Fact) {
	p, counts, gangs := f.p, map[explain.Code]*explain.Detail{}, map[explain.Code]string{}
	forbidden := p.Request.NeverPreempts || p.Request.QuotaLimit == quota.Borrow
	reclaims := p.Request.Quota != "" && p.Snapshot.Quotas != nil
	p.Snapshot.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		for _, m := range g.Members {
			if p.IsOwn(g.Name) || m.Leaving || m.IsDaemon() || !f.holdsSlots(m) {
				continue
			}
			code := explain.CodePriority
			switch {
			case m.Pinned:
				code = explain.CodeProtected
			case forbidden && (reclaims || g.Priority < p.Request.Priority):
				code = explain.CodePreemptionForbidden
			case reclaims || g.Priority < p.Request.Priority:
				continue // it might leave
			}
			d := counts[code]
			if d == nil {
				d = &explain.Detail{}
				counts[code] = d
			}
			if d.Members++; gangs[code] != g.Name {
				gangs[code] = g.Name
				d.Gangs++
			}
		}
		return true
	})
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, explain.Fact{Code: code, Detail: *counts[code], Proven: true})
	}
	return out
}

// holdsSlots says whether a member that leaves would make room for one of the gang on its node.
func (f *factFinder) holdsSlots(m *snapshot.Member) bool {
	return f.one.Slots().Taking()(m.Node) && f.freed(m.Node, m.Class.Holds) > 0
}

// freed is how many members more fit on a node once so much is given back, whatever its zones say.
func (f *factFinder) freed(id int32, held []int64) int64 {
	extra := f.one.Slots().LeavingReleased()[id].Amounts
	before := f.one.Slots().Room(id, extra)
	with := slices.Clone(held)
	for r, amount := range extra {
		with[r] += amount
	}
	return (f.one.Slots().Room(id, with) - before) * int64(f.one.Size())
}

// mostParts bounds the parts that are planned by themselves.
const mostParts = 16

// partMinima names the parts whose least number of members does not fit even without all others.
func (f *factFinder) partMinima(ctx context.Context) (out []explain.Fact) {
	req := f.p.Request
	bounds := problem.Bounds{Left: f.p.NewBudget()}
	for i := range req.Parts[:min(len(req.Parts), mostParts)] {
		alone := *req
		alone.Parts, alone.MinParts, alone.MinMember, alone.Total, alone.Members = req.Parts[i:i+1], 0, 0, 0, nil
		names := map[string]bool{}
		collect(&req.Parts[i], names)
		for k := range req.Members {
			if names[req.Members[k].Name] {
				alone.Members = append(alone.Members, req.Members[k])
			}
		}
		if len(alone.Members) == 0 || bounds.Left.Packing.Spent() {
			continue
		}
		_, err := planOn(ctx, f.p.Snapshot, &alone, victims.Anybody, bounds)
		var why *Unschedulable
		if errors.As(err, &why) && why.Rule != RuleMinMember && why.RefusedBy == nil {
			d := explain.Detail{Part: req.Parts[i].Name, Wanted: why.Wanted, Fits: why.Fits}
			out = append(out, explain.Fact{Code: explain.CodePartMinimum, Detail: d, Proven: why.Proven})
		}
	}
	return out
}

// collect has the names of all members of a part.
func collect(p *gang.Part, names map[string]bool) {
	for _, name := range p.Members {
		names[name] = true
	}
	for i := range p.Parts {
		collect(&p.Parts[i], names)
	}
}
