// Who holds what a gang lacks, and why does nobody of them leave?

package placement

import (
	"cmp"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// holding is what a gang holds of a node, by resource.
type holding struct {
	gang    string
	amounts []int64
	members []*snapshot.Member
}

// each calls do for every gang on every node of a domain that takes members, with how many of them its end would make room for. The
// holding is good until the next call. O(nodes and members of the domain).
func (f *factFinder) each(d layout.Vertex, do func(h *holding, gain int64)) {
	v := f.p.View
	var held []holding
	for pos := v.First(d); pos < v.EndOf(d); pos++ {
		id := v.Node(pos)
		if !f.takes(id) {
			continue
		}
		held = f.heldOn(id, held)
		for i := range held {
			if n := f.room(id, held[i].amounts) - f.now[id]; n > 0 || len(held[i].members) > 1 {
				do(&held[i], n)
			}
		}
	}
}

// heldOn is what the members of each other gang hold on a node, in memory that is used again.
func (f *factFinder) heldOn(id int32, held []holding) []holding {
	held = held[:0]
	for m := range snapshot.MembersOn(f.p.Snapshot, id) {
		if m.Leaving && f.p.LeavingGone || f.p.IsOwn(m.Class.Gang) {
			continue
		}
		i := slices.IndexFunc(held, func(h holding) bool { return h.gang == m.Class.Gang })
		if i < 0 {
			if i = len(held); i < cap(held) {
				held = held[:i+1]
			} else {
				held = append(held, holding{})
			}
			held[i].gang, held[i].amounts, held[i].members = m.Class.Gang, m.Class.Holds, append(held[i].members[:0], m)
			continue
		}
		sum := slices.Clone(held[i].amounts) // the first one's are shared
		for r, amount := range m.Class.Holds {
			sum[r] += amount
		}
		held[i].amounts, held[i].members = sum, append(held[i].members, m)
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
	gangs := map[string]int64{}
	f.each(d, func(h *holding, gain int64) { gangs[h.gang] += gain })
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
func (f *factFinder) weigh() {
	p, tallies, byClass := f.p, map[string]*tally{}, map[*snapshot.MemberClass]*tally{}
	forbidden := p.Request.NeverPreempts || p.Request.QuotaLimit == quota.Borrow
	reclaims := p.Request.Quota != "" && p.Snapshot.Quotas != nil
	f.stay = map[explain.Code]*explain.Detail{}
	f.each(layout.Root, func(h *holding, gain int64) {
		of := byClass[h.members[0].Class]
		if of == nil {
			if of = tallies[h.gang]; of == nil {
				g, _ := p.Snapshot.Gangs.Get(&snapshot.GangMembers{Name: h.gang})
				of = &tally{lower: reclaims || g.Priority < p.Request.Priority, told: map[explain.Code]bool{}}
				tallies[h.gang] = of
			}
			byClass[h.members[0].Class] = of
		}
		of.slots += gain
		for _, m := range h.members {
			if m.Leaving || m.IsDaemon() || of.lower && !forbidden && !m.Pinned {
				continue // it might leave, or is no part of the question
			}
			if len(h.members) > 1 && f.room(m.Node, m.Class.Holds) == f.now[m.Node] {
				continue
			}
			f.stays(of, m, forbidden)
		}
	})
	gangs := map[string]int64{}
	for name, of := range tallies {
		gangs[name] = of.slots
	}
	f.whole = f.named(layout.Root, gangs)
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
