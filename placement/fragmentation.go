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
// O(nodes and members of the domain).
func (f *factFinder) holders(d layout.Vertex) (out []explain.Holder) {
	v, s := f.p.View, f.p.Snapshot
	gangs, held := map[string]int64{}, []holding{}
	for pos := v.First(d); pos < v.EndOf(d); pos++ {
		id := v.Node(pos)
		switch {
		case s.FlagsOf(id)&(snapshot.Cordoned|snapshot.NotReady) != 0:
			if n := f.now[id]; n > 0 {
				out = append(out, explain.Holder{Node: s.Lineage.Names[id], Slots: n})
			}
		case f.takes(id):
			for i := range f.heldOn(id, &held) {
				if n := f.room(id, held[i].amounts) - f.now[id]; n > 0 {
					gangs[held[i].gang] += n
				}
			}
		}
	}
	for name, n := range gangs {
		out = append(out, explain.Holder{Gang: name, Slots: n})
	}
	slices.SortFunc(out, func(a, b explain.Holder) int {
		return cmp.Or(cmp.Compare(b.Slots, a.Slots), muster.CompareNatural(a.Gang, b.Gang), muster.CompareNatural(a.Node, b.Node))
	})
	return slices.Clip(out[:min(len(out), mostHolders)])
}

// holding is what a gang holds of a node, by resource.
type holding struct {
	gang    string
	amounts []int64
}

// heldOn is what the members of each other gang hold on a node, in memory that is used again.
func (f *factFinder) heldOn(id int32, held *[]holding) []holding {
	*held = (*held)[:0]
	for m := range snapshot.MembersOn(f.p.Snapshot, id) {
		if m.Leaving && f.p.LeavingGone || f.p.IsOwn(m.Class.Gang) {
			continue
		}
		i := slices.IndexFunc(*held, func(h holding) bool { return h.gang == m.Class.Gang })
		if i < 0 {
			*held = append(*held, holding{m.Class.Gang, m.Class.Holds})
			continue
		}
		sum := slices.Clone((*held)[i].amounts) // the first one's are shared
		for r, amount := range m.Class.Holds {
			sum[r] += amount
		}
		(*held)[i].amounts = sum
	}
	return *held
}
