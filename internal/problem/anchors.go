// Where do running members pull a gang to? They are counted by vertex, and the lowest vertex above them is found.

package problem

import (
	"iter"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// findAnchors counts running members of the gang, and of its affinity key, at their nodes and every vertex above.
// Leaving ones of the key count only if the request ignores that they leave. O(running members * tiers).
func findAnchors(p *Problem) {
	for i, m := range p.Model.Running {
		if i == 0 {
			p.Model.Siblings = make(layout.Tally, 2*len(p.Model.Running))
		}
		p.Model.Siblings[p.Model.View.NodeVertex(m.Pos)]++
	}
	for i := 0; i < len(p.Model.Running); { // neighbours under one leaf at once
		leaf, n := p.Model.View.LeafOf[p.Model.Running[i].Pos], i
		for i < len(p.Model.Running) && p.Model.View.LeafOf[p.Model.Running[i].Pos] == leaf {
			i++
		}
		p.Model.Siblings.Add(p.Model.View, leaf, int64(i-n))
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

// runningLCA is the lowest vertex above all running members of the gang, -1 if none run.
func runningLCA(p *Problem) layout.Vertex {
	x := layout.Vertex(-1)
	for _, m := range p.Model.Running {
		if at := p.Model.View.NodeVertex(m.Pos); x < 0 {
			x = at
		} else {
			x = p.Model.View.LCA(x, at)
		}
	}
	return x
}

// IsOwn says whether the plan is for this gang, alone or with others.
func (p *Problem) IsOwn(name string) bool {
	if p.Team == nil {
		return name == p.Request.Name
	}
	return p.Team.Has(name)
}

// runningAt iterates over the positions of the gang's running members.
func runningAt(p *Problem) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := range p.Model.Running {
			if !yield(p.Model.Running[i].Pos) {
				return
			}
		}
	}
}
