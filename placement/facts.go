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
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// factFinder finds the facts of a refusal. p is the problem that was refused; with members of several shapes slots are those of the
// first.
type factFinder struct {
	p        *problem.Problem
	one      *problem.Problem // of the first shape
	why      *Unschedulable
	wanted   int64
	slots    []int64             // by position, the members before it
	now      []int64             // by id, how many members the amounts of a node allow
	out      func(id int32) bool // out of service, but for which it might take members
	released map[int32]room.Released
	lacks    []int          // by place in Needs, the nodes that have too little of it
	absent   []explain.Fact // of resources that no node has
	barred   map[explain.Code]*explain.Detail
	keys     map[explain.Code]map[string]int
	stay     [len(whyNobodyLeaves)]explain.Detail // see weigh
	open     []bool                               // by id, whether a node takes members as far as amounts and zones allow
	free     []int64                              // by id and place in Needs, see lay
	whole    []explain.Holder                     // who holds slots of the whole cluster
}

// facts lists the reason, then what keeps members away from nodes, then why nobody leaves.
func (f *factFinder) facts(ctx context.Context) []explain.Fact {
	f.count()
	f.absent = f.findAbsent()
	f.weigh()
	out := f.reasons()
	if f.why.Rule != RuleMinMember && f.why.RefusedBy == nil {
		out = append(out, f.absent...)
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

// count counts the slots of every node, in members, and why nodes have none. O(nodes * resources).
func (f *factFinder) count() {
	f.one = problem.EachAlone(f.p)[0]
	if f.one.Model.Limits != nil {
		f.one = f.one.WithLimits(f.one.Model.Limits.WithoutCaps(), nil) // slots are counted whatever the rules say
	}
	v, excluded := f.p.Model.View, f.one.Room.Slots().Excluded()
	f.released, f.lacks = f.one.Room.Slots().LeavingReleased(), make([]int, len(f.one.Room.Needs))
	f.barred, f.keys = map[explain.Code]*explain.Detail{}, map[explain.Code]map[string]int{}
	f.out = func(id int32) bool {
		return f.p.Snapshot.FlagsOf(id)&(snapshot.Cordoned|snapshot.NotReady) != 0 && !excluded.Has(id) && f.one.Room.Slots().ServesAgain(id)
	}
	slots := f.one.Room.Slots().Counter(excluded, f.released)
	f.slots, f.now = make([]int64, v.Nodes+1), make([]int64, v.Nodes)
	f.lay(excluded)
	for pos := range v.Nodes {
		id, n := v.Node(pos), int64(0)
		if f.now[id] = f.roomFor(id, nil); f.now[id] > 0 && f.open[id] { // else it has none
			if n = int64(slots(id)) * int64(f.one.Room.Size()); n > 0 && !f.one.Room.Zones().Bind() {
				f.now[id] = n
			}
		}
		f.slots[pos+1] = f.slots[pos] + n
		if n == 0 && f.p.Snapshot.FlagsOf(id)&snapshot.Present != 0 {
			f.bar(id, excluded)
		}
	}
}

// lay notes which nodes take members, and copies what they have free of what is needed side by side: members of a gang are on nodes
// in no order.
func (f *factFinder) lay(excluded room.Excluded) {
	needs, takes := f.one.Room.Needs, f.one.Room.Slots().Taking()
	f.open, f.free = make([]bool, len(f.now)), make([]int64, len(f.now)*len(needs))
	for id := range int32(len(f.now)) {
		f.open[id] = !excluded.Has(id) && takes(id)
		extra := f.released[id].Amounts
		for i, n := range needs {
			f.free[int(id)*len(needs)+i] = f.one.Room.Slots().FreeOf(id, n, extra)
		}
	}
}

// bar counts a node without slots by the first cause.
func (f *factFinder) bar(id int32, excluded room.Excluded) {
	room := f.now[id]
	if room == 0 && f.open[id] {
		for i, n := range f.one.Room.Needs {
			if f.free[int(id)*len(f.one.Room.Needs)+i] < n.Amount {
				f.lacks[i]++
			}
		}
	}
	if room == 0 {
		return
	}
	cause := f.one.Room.Slots().Cause(id, excluded, f.released)
	code, ok := nodeCodes[cause]
	if !ok || (code == explain.CodeCordon || code == explain.CodeNotReady) && !f.out(id) {
		return
	}
	d := f.barred[code]
	if d == nil {
		d, f.keys[code] = &explain.Detail{}, map[string]int{}
		f.barred[code] = d
	}
	d.Nodes, d.Slots = d.Nodes+1, d.Slots+room
	for _, key := range f.one.Room.Slots().Keys(id, cause) {
		f.keys[code][key]++
	}
}

// mostRoom bounds the members that a node is said to have room for, as slots are bounded: far more than any gang has.
const mostRoom = 1 << 24

// roomFor is how many members the amounts of a node allow once so much is given back, whatever else refuses them; nil: nothing.
func (f *factFinder) roomFor(id int32, held []int64) int64 {
	needs := f.one.Room.Needs
	if len(needs) == 0 {
		return f.one.Room.Slots().Room(id, nil) * int64(f.one.Room.Size()) // members that ask for nothing
	}
	free, least := f.free[int(id)*len(needs):], int64(mostRoom)
	for i := range needs {
		n, has := &needs[i], free[i]
		if held != nil && n.ID >= 0 && has != snapshot.Boundless {
			has += held[n.ID]
		}
		if has < n.Amount {
			return 0
		}
		least = min(least, has/n.Amount)
	}
	return least * int64(f.one.Room.Size())
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
	case u.ruleSaysAll():
		add(explain.CodeRule, explain.Detail{Rule: u.Rule})
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
	kind, _, _ := strings.Cut(u.Rule, " ")
	if is, _ := limits.IsKind(gang.LimitKind(kind)); is {
		add(explain.CodeLimit, explain.Detail{Rule: u.Rule})
	}
	if strings.HasPrefix(u.Rule, "MustGather") && strings.Contains(u.Rule, " for groups of ") {
		add(explain.CodeGroups, explain.Detail{Rule: u.Rule})
	}
	if f.boundElsewhere() {
		add(explain.CodeRunning, explain.Detail{Rule: u.Rule})
	}
	return out
}

// boundElsewhere says whether members that run keep the gang from a domain that has the slots.
func (f *factFinder) boundElsewhere() bool {
	must := f.p.Model.Gather.Must
	if f.p.Model.Running.Len() == 0 || must >= f.p.Model.View.RootTop {
		return false
	}
	return slices.ContainsFunc(f.p.Model.View.DomainsOf(must), func(d layout.Vertex) bool { return d != f.p.Model.View.Outside && f.in(d) >= f.wanted })
}

// ruleCodes are the codes of rules, but those of limits, by how [Unschedulable.Rule] begins. No two apply at once.
var ruleCodes = map[string]explain.Code{
	"MustGather": explain.CodeRule, "multiple": explain.CodeMultiple, "groups": explain.CodeGroups, "running members": explain.CodeRunning,
}

// findAbsent finds the resources that some member asks for and no node has, with the nearest of those that some node has. O(nodes * resources).
func (f *factFinder) findAbsent() (out []explain.Fact) {
	s := f.p.Snapshot
	had := make([]bool, len(s.Lineage.Resources))
	for id := range int32(len(s.Lineage.Names)) {
		if class := s.Static.ClassOf(id); s.FlagsOf(id)&snapshot.Present != 0 {
			for r, amount := range class.Capacity() {
				had[r] = had[r] || amount > 0
			}
		}
	}
	var names []string
	for r, name := range s.Lineage.Resources {
		if had[r] {
			names = append(names, name)
		}
	}
	asked := map[string]bool{}
	for _, one := range problem.EachAlone(f.p) {
		for _, n := range one.Room.Needs {
			asked[n.Name] = n.ID < 0 || !had[n.ID]
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(asked), muster.CompareNatural) {
		if asked[name] {
			d := explain.Detail{Resource: name, Nearest: known.Nearest(name, names)}
			out = append(out, explain.Fact{Code: explain.CodeNoResource, Detail: d, Proven: true})
		}
	}
	return out
}

// lacking counts the nodes that have too little of a resource, by its name.
func (f *factFinder) lacking() (out []explain.KeyCount) {
	for i, nodes := range f.lacks {
		absent := func(n explain.Fact) bool { return n.Detail.Resource == f.one.Room.Needs[i].Name }
		if nodes > 0 && !slices.ContainsFunc(f.absent, absent) {
			out = append(out, explain.KeyCount{Key: f.one.Room.Needs[i].Name, Nodes: nodes})
		}
	}
	return out
}

// nodeCodes are the codes of causes for which a node takes no member though it has room.
var nodeCodes = map[string]explain.Code{
	"cordoned": explain.CodeCordon, "not-ready": explain.CodeNotReady, "taint": explain.CodeTaint, "selector": explain.CodeSelector,
	"eligible": explain.CodeHostFilter, "closed": explain.CodeClosed, "occupied": explain.CodeOccupied, string(numa.CausePolicy): explain.CodeZonePolicy,
	string(numa.CauseExclusive): explain.CodeZoneExclusive, string(numa.CauseCapacity): explain.CodeZoneCapacity,
}

// nodes are the nodes that have room for members and may not take them.
func (f *factFinder) nodes() (out []explain.Fact) {
	for _, code := range explain.Codes() {
		d := f.barred[code]
		if d == nil {
			continue
		}
		for _, k := range mostFirst(f.keys[code]) {
			d.Keys = append(d.Keys, explain.KeyCount(k))
		}
		out = append(out, explain.Fact{Code: code, Detail: *d, Proven: true})
	}
	return out
}

// mostParts bounds the parts that are planned by themselves.
const mostParts = 16

// partsShare: these plans may take one such part of the steps of a plan, as trial plans take the rest.
const partsShare = 4

// partMinima names the parts whose least number of members does not fit even without all others.
func (f *factFinder) partMinima(ctx context.Context) (out []explain.Fact) {
	req := f.p.Request
	bounds := bounds.Search{Left: f.p.NewBudget().Part(partsShare)}
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
		bounds.Steps = bounds.Left.Steps()
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
