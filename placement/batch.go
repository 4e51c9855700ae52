package placement

import (
	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// Planned is what became of one gang of a queue. Exactly one of Result and Err is set.
type Planned struct {
	// Index is the gang's place in the queue, Request what stands there.
	Index   int
	Request *gang.Request
	// Cluster is the snapshot that the gang was planned on.
	Cluster *Cluster
	Result  *Result
	// Err is an [Unschedulable] or holds [muster.InvalidError]s.
	Err error
}

// Batch plans a queue: every gang on the snapshot that the ones before it left. It returns the snapshot after the last
// one, and what became of each gang, once, in the order in which plans were made; a gang without a plan stands where it
// was refused first, and stops nobody. Today that is the order of the queue; once quotas give a refused gang another
// try, plans made then come later. The queue's order is the caller's: priorities are not looked at.
//
// A plan that waits is carried out too: its members run in the snapshots after it, and the leaving members that it
// waits for hold only what it leaves of theirs, so that whoever needs the rest waits for them as well. A leaving member
// whose name a new one takes is gone there. A host that applies the plans in their order, each once the members that
// it waits for are gone, meets no [ConflictError] unless something else has changed.
//
// Two requests may name one gang: members that the first one places run for the second. A nil request is a
// [muster.InvalidError], as is a gang without a name, whose members could not be told from others.
//
// Batch is a pure function and safe for concurrent use: c, the queue and the requests stay as they are. For each gang
// it costs a [Plan], for each plan an Apply; gangs of one shape share its index. The slice is the caller's. It holds
// the snapshots, which share what did not change: O(touched nodes), and the page tables, for each plan.
func Batch(c *Cluster, queue []*gang.Request) (*Cluster, []Planned) {
	planned := make([]Planned, len(queue))
	for i, req := range queue {
		p := &planned[i]
		p.Index, p.Request, p.Cluster = i, req, c
		p.Result, c, p.Err = c.planNext(req)
	}
	return c, planned
}

// planNext plans a gang and returns the snapshot for the next one; c itself if there is no plan.
func (c *Cluster) planNext(req *gang.Request) (*Result, *Cluster, error) {
	res, err := Plan(c, req)
	if err != nil {
		return nil, c, err
	}
	next, err := c.carryOut(res)
	if err != nil {
		return nil, c, err
	}
	return res, next, nil
}

// carryOut is Apply at the time when a plan of this snapshot can be applied. Members that it waits for make room now,
// and keep of what they hold as much as the plan leaves.
func (c *Cluster) carryOut(res *Result) (*Cluster, error) {
	if len(res.WaitsFor) == 0 {
		return c.Apply(res)
	}
	var d Delta
	away := make([]*member, len(res.WaitsFor))
	for i, w := range res.WaitsFor {
		d.Remove = append(d.Remove, w.MemberRef)
		away[i] = c.member(w.Gang, w.Member)
	}
	next, err := c.Update(d)
	if err != nil {
		return nil, err
	}
	if next, err = next.Apply(res); err != nil {
		return nil, err
	}
	return next.Update(Delta{Place: next.remains(away)})
}

// remains is what members that were taken away can still hold, the first of a node first. Those whose names are taken
// hold nothing.
func (c *Cluster) remains(away []*member) []Running {
	var kept []Running
	free := map[string]muster.Resources{}
	for _, m := range away {
		if c.member(m.gang, m.name) != nil {
			continue
		}
		r := c.exportMember(m)
		if free[r.Node] == nil {
			free[r.Node], _ = c.Free(r.Node)
		}
		left := free[r.Node]
		for name, amount := range r.Resources {
			if n, bounded := left[name]; bounded {
				r.Resources[name] = min(amount, max(0, n))
				left[name] = n - r.Resources[name]
			}
		}
		kept = append(kept, r)
	}
	return kept
}
