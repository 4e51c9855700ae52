// How far is the best domain of each tier from holding a gang, and who holds its slots?

package placement

import (
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/layout"
)

// fragmentation describes the domain with the most slots of every tier, the first one of equals; where members run already, the one
// that holds them. O(nodes * tiers + members).
func (f *factFinder) fragmentation() (out []explain.Fragmentation) {
	v := f.p.View
	for _, tier := range v.Tiers {
		best, most := layout.Vertex(-1), int64(-1)
		for _, d := range f.p.Candidates(tier) {
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
