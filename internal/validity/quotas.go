package validity

import (
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/quota"
)

// QuotaState is what the quotas of a cluster divide, what its members use of them and what is pending; nil if there are none. Members
// that leave use nothing; those in no quota lessen what there is to divide.
func QuotaState(spec *cluster.Spec) (*quota.State, error) {
	if spec.Quotas == nil {
		return nil, nil
	}
	total := spec.Total
	if total == nil {
		total = divided(spec)
	}
	s, err := spec.Quotas.State(total)
	for _, r := range spec.Running {
		if err == nil && r.Quota != "" && !r.Leaving {
			s, err = s.Use(r.Quota, r.Resources, pinnedOf(r.NonPreemptible, r.Resources))
		}
	}
	for name, demand := range spec.Demand {
		if err == nil {
			s, err = s.WithDemand(name, demand)
		}
	}
	return s, err
}

func pinnedOf(pinned bool, amounts muster.Resources) muster.Resources {
	if pinned {
		return amounts
	}
	return nil
}

// divided is what the nodes have, without what members hold that are in no quota.
func divided(spec *cluster.Spec) muster.Resources {
	total := muster.Resources{}
	for i := range spec.Nodes {
		for name, amount := range spec.Nodes[i].Allocatable {
			total[name] += amount
		}
	}
	for _, r := range spec.Running {
		for name, amount := range r.Resources {
			if r.Quota == "" && !r.Leaving {
				total[name] -= amount
			}
		}
	}
	for name, amount := range total {
		total[name] = max(0, amount)
	}
	return total
}

// Ask is what some of a gang's members take of its quota.
func Ask(req *gang.Request, members []gang.Member) quota.Ask {
	a := quota.Ask{Quota: req.Quota, Request: muster.Resources{}, Pinned: muster.Resources{}}
	for i := range members {
		for name, amount := range ShapeOf(req, &members[i]).Resources {
			a.Request[name] += amount
			if members[i].NonPreemptible {
				a.Pinned[name] += amount
			}
		}
	}
	return a
}

// quotas holds when no quota above the gang uses more than it may, the new members included, and those that are not preemptible no more
// than is guaranteed. What may be borrowed is not recomputed: there the maximum binds.
func (c *check) quotas() {
	if c.req.Quota == "" {
		return
	}
	var members []gang.Member
	for _, a := range c.res.Assignments {
		members = append(members, *c.members[a.Member])
	}
	state, err := wanting(c.spec, c.req)
	if err != nil {
		c.failf("the quotas: %w", err)
		return
	}
	ask := Ask(c.req, members)
	chain := chainOf(c.spec.Quotas, c.req.Quota)
	for _, q := range chain {
		used, pinned := usage(c.spec, q.Name)
		share := state.Share(q.Name)
		for resource, asked := range ask.Request {
			if asked == 0 || !governs(&q, resource) {
				continue
			}
			most := limitOf(c.req, chain, q.Name, share, resource)
			if used[resource]+asked > most {
				c.failf("quota %s: %d %s in use and %d new, of %d", q.Name, used[resource], resource, asked, most)
			}
			if n := ask.Pinned[resource]; n > 0 && promised(chain, resource) && pinned[resource]+n > q.Min[resource] {
				c.failf("quota %s: %d %s not preemptible and %d new, of %d guaranteed", q.Name, pinned[resource], resource, n, q.Min[resource])
			}
		}
	}
}

// chainOf is a quota and those above it, the top one last.
func chainOf(tree *quota.Tree, name string) []quota.Spec {
	var chain []quota.Spec
	for name != "" {
		q, _ := tree.Spec(name)
		chain, name = append(chain, q), q.Parent
	}
	return chain
}

// usage sums up what runs in a quota and below it.
func usage(spec *cluster.Spec, name string) (used, pinned muster.Resources) {
	used, pinned = muster.Resources{}, muster.Resources{}
	for _, r := range spec.Running {
		above := func(q quota.Spec) bool { return q.Name == name }
		if r.Leaving || !slices.ContainsFunc(chainOf(spec.Quotas, r.Quota), above) {
			continue
		}
		for resource, amount := range r.Resources {
			used[resource] += amount
			if r.NonPreemptible {
				pinned[resource] += amount
			}
		}
	}
	return used, pinned
}

// wanting is what the quotas say when the whole gang counts as demand.
func wanting(spec *cluster.Spec, req *gang.Request) (*quota.State, error) {
	state, err := QuotaState(spec)
	if err != nil {
		return nil, err
	}
	return state.Wanting(Ask(req, req.Members))
}

// limitOf is what a quota above the gang may use: its share, else its maximum.
func limitOf(req *gang.Request, chain []quota.Spec, name string, share muster.Resources, resource string) int64 {
	if req.QuotaLimit == "" || req.QuotaLimit == quota.Fair {
		return share[resource]
	}
	return maximum(chain, name, resource)
}

// maximum is the quota's own or that of the next one above which has one.
func maximum(chain []quota.Spec, name, resource string) int64 {
	from := slices.IndexFunc(chain, func(q quota.Spec) bool { return q.Name == name })
	for _, q := range chain[from:] {
		if most, ok := q.Max[resource]; ok {
			return most
		}
	}
	return math.MaxInt64
}

// promised holds for resources that a minimum of the chain names, and for all if there is no minimum.
func promised(chain []quota.Spec, resource string) bool {
	none := true
	for _, q := range chain {
		if _, ok := q.Min[resource]; ok {
			return true
		}
		none = none && len(q.Min) == 0
	}
	return none
}
