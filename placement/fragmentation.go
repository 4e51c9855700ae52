// How far is the best domain of each tier from holding a gang, and who holds its slots?

package placement

import (
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// fragmentation describes the domain with the most slots of every tier, the first one of equals; where members run already, the one
// that holds them. O(nodes * tiers + members).
func (f *factFinder) fragmentation() (out []explain.Fragmentation) {
	v := f.p.Model.View
	for _, tier := range v.Tiers {
		d, ok := f.roomiest(tier)
		if !ok {
			continue
		}
		out = append(out, explain.Fragmentation{
			Tier: int(tier), Layer: v.LayerName(tier), Slots: f.total(), Best: f.in(d), Missing: max(0, f.wanted-f.in(d)),
			Domain: v.Path(d, f.p.Snapshot.Lineage.NodeName), HeldBy: f.holders(d),
		})
	}
	return out
}

// roomiest is the domain of a tier with the most slots, the first one of equals; the root and false, if the tier has none.
func (f *factFinder) roomiest(tier int32) (best layout.Vertex, ok bool) {
	v, most := f.p.Model.View, int64(-1)
	if f.p.Model.LCA >= 0 {
		best = f.p.Model.AboveRunning(tier)
		return max(best, layout.Root), best >= 0
	}
	starts := v.Intervals()[v.TierIndex(tier)] // of the domains that have nodes
	for i, first := range starts {
		end := v.Nodes
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		if n := f.slots[end] - f.slots[first]; n > most && (n > 0 || f.hasNode(first, end)) {
			best, most = v.Highest(v.NodeVertex(first), tier), n
		}
	}
	return best, most >= 0
}

// hasNode says whether the cluster has any node at the positions [first, end): a topology may name others.
func (f *factFinder) hasNode(first, end int32) bool {
	for pos := first; pos < end; pos++ {
		if f.p.Snapshot.FlagsOf(f.p.Model.View.Node(pos))&snapshot.Present != 0 {
			return true
		}
	}
	return false
}

// in is how many members fit in a domain, whatever the rules say.
func (f *factFinder) in(d layout.Vertex) int64 {
	return f.slots[f.p.Model.View.EndOf(d)] - f.slots[f.p.Model.View.First(d)]
}
