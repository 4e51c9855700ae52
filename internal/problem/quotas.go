// What do members take of their quota?

package problem

import (
	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/quota"
)

// Asks is the amounts that the first n units of a gang take of its quota; those of members that are not preemptible
// count in Pinned too. O(n * resources).
func (p *Problem) Asks(n int) quota.Ask {
	members := p
	if p.Unbundled != nil {
		members, n = p.Unbundled, n*p.Size()
	}
	a := quota.Ask{Quota: p.Request.Quota, Request: muster.Resources{}, Pinned: muster.Resources{}}
	for i, m := range members.Pending[:n] {
		shape := p.ShapeOf(i)
		a.Request.Add(shape.Resources)
		if p.Pinned[m.Name] {
			a.Pinned.Add(shape.Resources)
		}
	}
	return a
}

// Demand is the amounts that all new members take of the gang's quota, also for a problem of some of them.
func (p *Problem) Demand() quota.Ask {
	if p.Parts.All != nil {
		p = p.Parts.All
	}
	return p.Asks(len(p.Pending))
}
