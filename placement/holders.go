// Who holds what a gang lacks, and why does nobody of them leave?

package placement

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/holds"
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
		if m.Leaving && f.p.Room.LeavingGone || f.p.IsOwn(m.Class.Gang) {
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
	v, gangs, held := f.p.Model.View, map[string]int64{}, []holding(nil)
	for pos := v.First(d); pos < v.EndOf(d); pos++ {
		id := v.Node(pos)
		if !f.open[id] {
			continue
		}
		held = f.heldOn(id, held)
		for i := range held {
			gangs[held[i].gang] += f.roomFor(id, heldBy(held[i].members)) - f.now[id]
		}
	}
	var most []explain.Holder
	for name, n := range gangs {
		most = among(most, f.holder(name, n))
	}
	return f.withNodes(d, most)
}

// holder tells of a gang of the snapshot that holds slots, or of what is held for one.
func (f *factFinder) holder(gang string, slots int64) explain.Holder {
	return explain.Holder{Gang: holds.Called(gang), Slots: slots, From: holds.From(f.p.Snapshot, gang)}
}

// withNodes are those that hold most of a domain, its nodes out of service among them, most slots first.
func (f *factFinder) withNodes(d layout.Vertex, most []explain.Holder) []explain.Holder {
	v, s := f.p.Model.View, f.p.Snapshot
	for pos := v.First(d); pos < v.EndOf(d); pos++ {
		if id := v.Node(pos); !f.open[id] && f.now[id] > 0 && f.out(id) {
			most = among(most, explain.Holder{Node: s.Lineage.Names[id], Slots: f.now[id]})
		}
	}
	return slices.Clip(most)
}

// among puts a holder in its place among those that hold most.
func among(most []explain.Holder, h explain.Holder) []explain.Holder {
	if n := len(most); h.Slots <= 0 || n == mostHolders && h.Slots < most[n-1].Slots {
		return most
	}
	at, _ := slices.BinarySearchFunc(most, h, func(a, b explain.Holder) int {
		return cmp.Or(cmp.Compare(b.Slots, a.Slots), muster.CompareNatural(a.Gang, b.Gang), muster.CompareNatural(a.Node, b.Node))
	})
	if at == mostHolders {
		return most
	}
	return slices.Insert(most[:min(len(most), mostHolders-1)], at, h)
}

// tally is what a gang holds in the whole cluster.
type tally struct {
	slots int64
	lower bool // its members may leave for the gang, unless something forbids it
	told  [len(whyNobodyLeaves)]bool
}

// weigh looks at all members once: who holds slots in the whole cluster, and which members that hold some do not leave, by why not.
// O(members).
func (f *factFinder) weigh() {
	p, byNode, whole := f.p, snapshot.ByNode{}, []explain.Holder(nil)
	reclaims := p.Request.Quota != "" && p.Snapshot.Quotas != nil
	p.Snapshot.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		if p.IsOwn(g.Name) {
			return true
		}
		of := tally{lower: reclaims || g.Priority < p.Request.Priority}
		byNode.Each(p.Snapshot, g.Members.Those(f.holds), func(id int32, on []*snapshot.Member) {
			if f.open[id] {
				f.hold(&of, id, on)
			}
		})
		whole = among(whole, f.holder(g.Name, of.slots))
		return true
	})
	f.whole = f.withNodes(layout.Root, whole)
}

// holds says whether a member holds something.
func (f *factFinder) holds(m *snapshot.Member) bool { return !m.Leaving || !f.p.Room.LeavingGone }

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
	why := byPriority
	switch {
	case m.Pinned:
		why = byPin
	case of.lower && forbidden:
		why = byRule
	}
	d := &f.stay[why]
	if d.Members++; !of.told[why] {
		of.told[why] = true
		d.Gangs++
	}
}

// whyNobodyLeaves are the codes that say why running members are no victims, which is no reason where somebody leaves.
var whyNobodyLeaves = [...]explain.Code{byRule: explain.CodePreemptionForbidden, byPriority: explain.CodePriority, byPin: explain.CodeProtected}

// The places of these codes.
const (
	byRule = iota
	byPriority
	byPin
)

// stayers are the running members that hold what the gang lacks, by why they do not leave for it.
func (f *factFinder) stayers() (out []explain.Fact) {
	for why, d := range f.stay {
		if d.Members > 0 {
			out = append(out, explain.Fact{Code: whyNobodyLeaves[why], Detail: d, Proven: true}) // facts puts them in their order
		}
	}
	return out
}
