package placement

import (
	"fmt"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// asks is what the first n units of a gang take of its quota.
func (p *problem) asks(n int) quota.Ask {
	members := p
	if p.members != nil {
		members, n = p.members, n*p.size()
	}
	a := quota.Ask{Quota: p.req.Quota, Request: muster.Resources{}, Pinned: muster.Resources{}}
	for i, m := range members.pending[:n] {
		shape := p.shapeOf(i)
		a.Request.Add(shape.Resources)
		if p.pinned[m.name] {
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

// refusedTogether is the state of the quotas in which the gang waits, if its quota does not admit all units at once; nil if it does.
// The whole gang counts as demand.
func refusedTogether(p *problem) (*quota.State, error) {
	p.admitted = len(p.pending)
	if err := p.c.CheckQuota("request.Quota", p.req.Quota); err != nil || p.req.Quota == "" {
		return nil, err
	}
	whole := p.asks(len(p.pending))
	state, err := p.c.Quotas.Wanting(whole)
	if err != nil {
		return nil, err
	}
	refusal, err := state.Admit(whole, p.req.QuotaLimit)
	if err != nil || refusal == nil {
		return nil, err
	}
	return state, nil
}

// admits checks, for a result, that the quota still admits its members.
func admits(c *snapshot.Snapshot, res *Result) error {
	if res.quota == "" {
		return nil
	}
	if err := c.CheckQuota("result", res.quota); err != nil {
		return err
	}
	refusal, err := c.Quotas.Admit(res.ask(), res.limit)
	if err != nil || refusal == nil {
		return err
	}
	short := refusal.Short[0]
	return &cluster.ConflictError{
		Gang: res.Gang, Member: res.Assignments[0].Member, Resource: short.Resource, By: short.By,
		Reason: fmt.Sprintf("quota %s refuses by its %s", refusal.Quota, refusal.Rule),
	}
}

// ask is what the members of a result take of its quota.
func (res *Result) ask() quota.Ask {
	a := quota.Ask{Quota: res.quota, Request: muster.Resources{}, Pinned: muster.Resources{}}
	for i := range res.Assignments {
		holds := res.holds[res.kindOf(&res.Assignments[i])]
		a.Request.Add(holds)
		if res.pinned[res.Assignments[i].Member] {
			a.Pinned.Add(holds)
		}
	}
	return a
}

// satisfy takes what was placed off the demand of its quota.
func satisfy(c *snapshot.Snapshot, res *Result) error {
	if res.quota == "" {
		return nil
	}
	_, _, demand := c.Quotas.Usage(res.quota)
	for name, amount := range res.ask().Request {
		if has, ok := demand[name]; ok {
			demand[name] = max(0, has-amount)
		}
	}
	var err error
	c.Quotas, err = c.Quotas.WithDemand(res.quota, demand)
	return err
}
