package problem

import (
	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/quota"
)

// Asks is what the first n units of a gang take of its quota.
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

// pinnedMembers are the members of a gang that are not preemptible, nil if there are none.
func pinnedMembers(req *gang.Request) (pinned map[string]bool) {
	for i := range req.Members {
		if m := &req.Members[i]; m.NonPreemptible {
			if pinned == nil {
				pinned = map[string]bool{}
			}
			pinned[m.Name] = true
		}
	}
	return pinned
}

// RefusedTogether is the state of the quotas in which the gang waits, if its quota does not admit all units at once; nil if it does.
// The whole gang counts as demand.
func RefusedTogether(p *Problem) (*quota.State, error) {
	p.Admitted = len(p.Pending)
	if err := p.Snapshot.CheckQuota("request.Quota", p.Request.Quota); err != nil || p.Request.Quota == "" {
		return nil, err
	}
	whole := p.Asks(len(p.Pending))
	state, err := p.Snapshot.Quotas.Wanting(whole)
	if err != nil {
		return nil, err
	}
	refusal, err := state.Admit(whole, p.Request.QuotaLimit)
	if err != nil || refusal == nil {
		return nil, err
	}
	return state, nil
}
