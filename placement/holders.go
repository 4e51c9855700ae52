// Who holds what a gang lacks, and why does nobody of them leave?

package placement

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// holding are members of a gang on one node.
type holding struct {
	gang    string
	members []*snapshot.Member
}

// heldOn are the members of each other gang on a node, in memory that is used again.
func (f *factFinder) heldOn(id int32, held []holding) []holding {
	held = held[:0]
	for m := range snapshot.MembersOn(f.p.Snapshot, id) {
		if m.Leaving && f.p.LeavingGone || f.p.IsOwn(m.Class.Gang) {
			continue
		}
		i := slices.IndexFunc(held, func(h holding) bool { return h.gang == m.Class.Gang })
		if i < 0 {
			i, held = len(held), slices.Grow(held, 1)[:len(held)+1]
			held[i].gang, held[i].members = m.Class.Gang, held[i].members[:0]
		}
		held[i].members = append(held[i].members, m)
	}
	return held
}

// mostHolders is how many holders of a domain are named.
const mostHolders = 8

// holders lists who holds slots of a domain: gangs by what the end of each alone would make room for, and nodes out of service.
// O(nodes and members of the domain).
func (f *factFinder) holders(d layout.Vertex) []explain.Holder {
	if d == layout.Root {
		return f.whole
	}
	v, gangs, held := f.p.View, map[string]int64{}, []holding(nil)
	for pos := v.First(d); pos < v.EndOf(d); pos++ {
		id := v.Node(pos)
		if !f.takes(id) {
			continue
		}
		held = f.heldOn(id, held)
		for i := range held {
			gangs[held[i].gang] += f.room(id, heldBy(held[i].members)) - f.now[id]
		}
	}
	return f.named(d, gangs)
}

// named lists gangs that hold slots of a domain, and its nodes out of service, most slots first.
func (f *factFinder) named(d layout.Vertex, gangs map[string]int64) (out []explain.Holder) {
	v, s := f.p.View, f.p.Snapshot
	for name, n := range gangs {
		if n > 0 {
			out = append(out, explain.Holder{Gang: name, Slots: n})
		}
	}
	for pos := v.First(d); pos < v.EndOf(d); pos++ {
		id := v.Node(pos)
		if f.now[id] > 0 && f.out(id) {
			out = append(out, explain.Holder{Node: s.Lineage.Names[id], Slots: f.now[id]})
		}
	}
	slices.SortFunc(out, func(a, b explain.Holder) int {
		return cmp.Or(cmp.Compare(b.Slots, a.Slots), muster.CompareNatural(a.Gang, b.Gang), muster.CompareNatural(a.Node, b.Node))
	})
	return slices.Clip(out[:min(len(out), mostHolders)])
}

// tally is what a gang holds in the whole cluster.
type tally struct {
	slots int64
	lower bool // its members may leave for the gang, unless something forbids it
	told  map[explain.Code]bool
}

// weigh looks at all members once: who holds slots in the whole cluster, and which members that hold some do not leave, by why not.
// O(members).
func (f *factFinder) weigh() {
	p, slots, byNode := f.p, map[string]int64{}, snapshot.ByNode{}
	reclaims := p.Request.Quota != "" && p.Snapshot.Quotas != nil
	f.stay = map[explain.Code]*explain.Detail{}
	f.lay()
	p.Snapshot.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		if p.IsOwn(g.Name) {
			return true
		}
		of := tally{lower: reclaims || g.Priority < p.Request.Priority}
		byNode.Each(p.Snapshot, f.holding(g.Members), func(id int32, on []*snapshot.Member) {
			if f.open[id] {
				f.hold(&of, id, on)
			}
		})
		slots[g.Name] = of.slots
		return true
	})
	f.whole = f.named(layout.Root, slots)
}

// lay copies what every node has free of what is needed side by side, as members of a gang are on nodes in no order.
func (f *factFinder) lay() {
	f.open, f.free = make([]bool, len(f.now)), make([]int64, len(f.now)*len(f.one.Needs))
	for id := range int32(len(f.now)) {
		if f.open[id] = f.takes(id); f.open[id] {
			extra := f.released[id].Amounts
			for i, n := range f.one.Needs {
				f.free[int(id)*len(f.one.Needs)+i] = f.one.Slots().FreeOf(id, n, extra)
			}
		}
	}
}

// roomFor is room for an open node and what some of its members hold.
func (f *factFinder) roomFor(id int32, held []int64) int64 {
	needs := f.one.Needs
	if len(needs) == 0 {
		return f.room(id, held)
	}
	free, least := f.free[int(id)*len(needs):], int64(math.MaxInt64)
	for i := range needs {
		n, has := &needs[i], free[i]
		if n.ID >= 0 && has != snapshot.Boundless {
			has += held[n.ID]
		}
		least = min(least, max(0, has)/n.Amount)
	}
	return least * int64(f.one.Size())
}

// holding are the members that hold something, in a list of their own where not all do.
func (f *factFinder) holding(members []*snapshot.Member) []*snapshot.Member {
	left := func(m *snapshot.Member) bool { return m.Leaving && f.p.LeavingGone }
	if !slices.ContainsFunc(members, left) {
		return members
	}
	return slices.DeleteFunc(slices.Clone(members), left)
}

// hold adds what members of a gang hold on a node.
func (f *factFinder) hold(of *tally, id int32, on []*snapshot.Member) {
	gain := f.roomFor(id, heldBy(on)) - f.now[id]
	if gain <= 0 && len(on) == 1 {
		return
	}
	of.slots += gain
	forbidden := f.p.Request.NeverPreempts || f.p.Request.QuotaLimit == quota.Borrow
	for _, m := range on {
		if m.Leaving || m.IsDaemon() || of.lower && !forbidden && !m.Pinned {
			continue // it might leave, or is no part of the question
		}
		if len(on) == 1 || f.roomFor(id, m.Class.Holds) > f.now[id] {
			f.stays(of, m, forbidden)
		}
	}
}

// heldBy sums up what members hold; the slice is to be read only.
func heldBy(members []*snapshot.Member) []int64 {
	sum := members[0].Class.Holds // which others share
	for i, m := range members[1:] {
		if i == 0 {
			sum = slices.Clone(sum)
		}
		for r, amount := range m.Class.Holds {
			sum[r] += amount
		}
	}
	return sum
}

// stays counts a member that does not leave.
func (f *factFinder) stays(of *tally, m *snapshot.Member, forbidden bool) {
	code := explain.CodePriority
	switch {
	case m.Pinned:
		code = explain.CodeProtected
	case of.lower && forbidden:
		code = explain.CodePreemptionForbidden
	}
	d := f.stay[code]
	if d == nil {
		d = &explain.Detail{}
		f.stay[code] = d
	}
	if d.Members++; !of.told[code] {
		if of.told == nil {
			of.told = map[explain.Code]bool{}
		}
		of.told[code] = true
		d.Gangs++
	}
}

// stayers are the running members that hold what the gang lacks, by why they do not leave for it.
func (f *factFinder) stayers() (out []explain.Fact) {
	for _, code := range slices.Sorted(maps.Keys(f.stay)) { // facts puts them in their order
		out = append(out, explain.Fact{Code: code, Detail: *f.stay[code], Proven: true})
	}
	return out
}
