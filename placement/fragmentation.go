// How far is the best domain of each tier from holding a gang, and who holds its slots?

package placement

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// fragmentation describes the domain with the most slots of every tier, the first one of equals. O(nodes * tiers + members).
func (f *factFinder) fragmentation() (out []explain.Fragmentation) {
	v := f.p.View
	for _, tier := range v.Tiers {
		best, most := layout.Vertex(-1), int64(-1)
		for _, d := range v.DomainsOf(tier) {
			if n := f.in(d); n > most && (d != v.Outside || v.FirstPos[d] < v.EndPos[d]) {
				best, most = d, n
			}
		}
		if best < 0 {
			continue
		}
		out = append(out, explain.Fragmentation{
			Tier: int(tier), Layer: v.LayerName(tier), Slots: f.total(), Best: most, Missing: max(0, f.wanted-most),
			Domain: v.Path(best, f.p.Snapshot.Lineage.NodeName), HeldBy: f.holders(best),
		})
	}
	return out
}

// in is how many members fit in a domain, whatever the rules say.
func (f *factFinder) in(d layout.Vertex) int64 {
	return f.slots[f.p.View.EndOf(d)] - f.slots[f.p.View.First(d)]
}

// mostHolders is how many holders of a domain are named.
const mostHolders = 8

// holders lists who holds slots of a domain: gangs by what the end of each alone would make room for, and nodes out of service.
func (f *factFinder) holders(d layout.Vertex) []explain.Holder {
	v, s := f.p.View, f.p.Snapshot
	gangs := map[string]int64{}
	var out []explain.Holder
	excluded, takes := f.one.Slots().Excluded(), f.one.Slots().Taking()
	for pos := v.First(d); pos < v.EndOf(d); pos++ {
		id := v.Node(pos)
		if s.FlagsOf(id)&(snapshot.Cordoned|snapshot.NotReady) != 0 {
			if n := f.freed(id, make([]int64, len(s.Lineage.Resources))) + f.room(id); n > 0 {
				out = append(out, explain.Holder{Node: s.Lineage.Names[id], Slots: n})
			}
			continue
		}
		if !excluded[id] && takes(id) {
			for name, amounts := range f.heldOn(id) {
				gangs[name] += f.freed(id, amounts)
			}
		}
	}
	for name, n := range gangs {
		if n > 0 {
			out = append(out, explain.Holder{Gang: name, Slots: n})
		}
	}
	slices.SortFunc(out, func(a, b explain.Holder) int {
		return cmp.Or(cmp.Compare(b.Slots, a.Slots), muster.CompareNatural(a.Gang, b.Gang), muster.CompareNatural(a.Node, b.Node))
	})
	return out[:min(len(out), mostHolders)]
}

// heldOn is what the members of each other gang hold on a node, by resource.
func (f *factFinder) heldOn(id int32) map[string][]int64 {
	held := map[string][]int64{}
	for _, m := range snapshot.MembersOn(f.p.Snapshot, id) {
		if m.Leaving && f.p.LeavingGone || f.p.IsOwn(m.Class.Gang) {
			continue
		}
		if held[m.Class.Gang] == nil {
			held[m.Class.Gang] = make([]int64, len(m.Class.Holds))
		}
		for r, amount := range m.Class.Holds {
			held[m.Class.Gang][r] += amount
		}
	}
	return held
}

// room is how many members the amounts of a node allow.
func (f *factFinder) room(id int32) int64 {
	return f.one.Slots().Room(id, f.one.Slots().LeavingReleased()[id].Amounts) * int64(f.one.Size())
}
