package simulate

import (
	"errors"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// Placer says where a gang goes.
type Placer interface {
	// Place finds a place for all members of a gang that are to start, on a cluster as it is; nil: there is none, and the gang waits. An error ends the simulation.
	// It must give the same answer to the same question, and change nothing.
	Place(c *placement.Cluster, req *gang.Request) (*Place, error)
}

// Place is where a gang goes: a plan, which is applied with its zones and quota, or else a node for each member of the request, in their order; empty: the member is left out.
type Place struct {
	Plan  *placement.Result
	Nodes []string
}

// Muster places by [placement.Plan]. Whom the fair share of its quota refuses, and who asks for no other limit, is planned once more on what is idle ([quota.Borrow]), as in [placement.Batch].
type Muster struct{}

// Place implements [Placer].
func (Muster) Place(c *placement.Cluster, req *gang.Request) (*Place, error) {
	res, err := placement.Plan(c, req)
	if u := (*placement.Unschedulable)(nil); errors.As(err, &u) && u.Refuser == placement.RefuserQuota && req.QuotaLimit == "" {
		idle := *req
		idle.QuotaLimit = quota.Borrow
		res, err = placement.Plan(c, &idle)
	}
	switch {
	case errors.Is(err, placement.ErrUnschedulable):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &Place{Plan: res}, nil
}

// FirstFit places members one after the other, each on the first node, in the order in which the cluster lists them, that has the amounts free. It knows no topology and no
// rules: neither groups nor limits, affinity, taints, zones and quotas. O(nodes * members).
type FirstFit struct{}

// Place implements [Placer].
func (FirstFit) Place(c *placement.Cluster, req *gang.Request) (*Place, error) {
	out := &Place{}
	for n := range c.Nodes() {
		if len(out.Nodes) == len(req.Members) {
			break
		}
		if n.Cordoned || n.NotReady {
			continue
		}
		free, _ := c.Free(n.Name)
		for len(out.Nodes) < len(req.Members) && takes(free, shapeOf(req, len(out.Nodes)).Resources) {
			out.Nodes = append(out.Nodes, n.Name)
		}
	}
	if len(out.Nodes) < len(req.Members) {
		return nil, nil
	}
	return out, nil
}

// shapeOf is what a member of a gang asks for.
func shapeOf(req *gang.Request, member int) *gang.Shape {
	if own := req.Members[member].Shape; own != nil {
		return own
	}
	return &req.Shape
}

// takes takes amounts, and a place among the pods of a node, of what is free, if all of it is.
func takes(free, asks muster.Resources) bool {
	pods, bounded := free[muster.Pods]
	if bounded && pods < 1 {
		return false
	}
	for name, amount := range asks {
		if amount > free[name] {
			return false
		}
	}
	for name, amount := range asks {
		free[name] -= amount
	}
	if bounded && asks[muster.Pods] == 0 {
		free[muster.Pods]--
	}
	return true
}

// rows are the members of a gang as they run on the nodes of a place.
func (p *Place) rows(req *gang.Request, now int64) (rows []cluster.Running) {
	for i, node := range p.Nodes {
		if i >= len(req.Members) || node == "" {
			continue
		}
		m := &req.Members[i]
		rows = append(rows, cluster.Running{
			Gang: req.Name, Member: m.Name, Node: node, Resources: shapeOf(req, i).Resources, Index: m.Index, Indexed: m.Indexed, AffinityKey: req.AffinityKey,
			Quota: req.Quota, NonPreemptible: m.NonPreemptible, Priority: req.Priority, MinMember: req.MinMember, Started: now, End: req.End, Tolerated: req.Tolerated,
		})
	}
	return rows
}
