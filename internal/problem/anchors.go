// Where do running members pull a gang to? They are counted by vertex, and the lowest vertex above them is found.

package problem

import (
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// findAnchors counts running members of the gang, and of its affinity key, at their nodes and every vertex above.
// Leaving ones of the key count only if the request ignores that they leave. O(running members * tiers), but for those of the gang
// where the snapshot counts them.
func findAnchors(p *Problem) {
	if p.Model.Siblings = p.below; p.below == nil && p.Model.Running.Len() > 0 {
		p.Model.Siblings = layout.NewCensus(p.Model.View)
		for pos := range p.Model.Running.Positions() {
			p.Model.Siblings.Add(pos, 1)
		}
	}
	if p.Request.AffinityKey == "" {
		return
	}
	p.Model.Friends = layout.Tally{}
	p.Snapshot.EachWithKey(p.Request.AffinityKey, func(m *snapshot.Member) {
		if !m.Leaving || p.Request.IgnoreLeaving {
			p.Model.Friends.Add(p.Model.View, p.Model.View.NodeVertex(p.Model.View.At(m.Node)), 1)
		}
	})
}

// runningLCA is the lowest vertex above all running members of the gang, -1 if none run. O(running members), where the snapshot counts them
// O(tiers).
func runningLCA(p *Problem) layout.Vertex {
	if p.below != nil {
		return p.below.Lowest(p.Model.Running.At(0))
	}
	x, _ := p.Model.Running.LowestIn(p.Model.View, 0, p.Model.Ranks)
	return x
}

// IsOwn says whether the plan is for this gang, alone or with others.
func (p *Problem) IsOwn(name string) bool {
	if p.Team == nil {
		return name == p.Request.Name
	}
	return p.Team.Has(name)
}
