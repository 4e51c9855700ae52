package placement

import (
	"errors"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/victims"
	"github.com/muster-sched/muster/quota"
)

// Planned is what became of one gang of a queue. Exactly one of Result and Err is set.
type Planned struct {
	// Index is the gang's place in the queue, Request what stands there.
	Index   int
	Request *gang.Request
	// Pass is the limit of quotas under which the gang was planned.
	Pass quota.Limit
	// Cluster is the snapshot that the gang was planned on.
	Cluster *Cluster
	Result  *Result
	// Err is an [Unschedulable] or holds [muster.InvalidError]s.
	Err error
}

// Batch plans a queue: every gang on the snapshot that the ones before it left. It returns the snapshot after the last
// one, and what became of each gang, once, in the order in which plans were made; a gang without a plan stands where it
// was refused first, and stops nobody. The queue's order is the caller's: priorities are not looked at.
//
// Where there are quotas, all that the queue asks for counts as demand, and there are three passes, since gangs are indivisible and fair
// shares alone can leave two of them waiting for ever: in the first every gang is planned under [quota.Fair], with victims where its quota
// admits it; in the second those that their quota refused under [quota.Borrow], which takes what is idle and no guarantee that a gang
// still waiting could start with, without victims; in the third those that are left under [quota.Fair], with victims. A gang that is
// refused in all of them reports its first refusal. A request with a limit of its own is planned once, under that, with victims unless it
// borrows.
//
// Requests with one name in Together have one turn, that of the first of them. They are planned as by [Together] in each of the passes, with the
// rules in GatherTogether of all of them, and stand in the answer next to each other, on one snapshot; their results are for one Apply. Where they
// are refused, those that cannot be placed by themselves say why, at the cost of a Plan each, and the others that they wait for these
// ([Unschedulable.Together]); if each could be placed alone, all have the refusal of all of them.
//
// A plan that waits or has victims is carried out too: its members run in the snapshots after it, and the leaving members that it
// waits for, and the victims, hold only what it leaves of theirs, so that whoever needs the rest waits for them as well. A leaving member
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
	c = expecting(c, queue)
	turns := turnsOf(queue)
	for i := range turns {
		c = turns[i].first(c)
	}
	c, turns = again(c, turns, quota.Borrow, victims.Nobody)
	c, turns = again(c, turns, quota.Fair, victims.Anybody)
	planned := make([]Planned, 0, len(queue))
	for i := range turns {
		turns[i].tellApart()
		planned = append(planned, turns[i].planned...)
	}
	return c, planned
}

// expecting is the snapshot in which all that a queue asks for counts as demand.
func expecting(c *Cluster, queue []*gang.Request) *Cluster {
	if s, err := c.made(); err != nil || s.Quotas == nil {
		return c
	}
	demand := map[string]muster.Resources{}
	for _, req := range queue {
		if req == nil || !c.snapshot.Quotas.IsLeaf(req.Quota) {
			continue
		}
		if demand[req.Quota] == nil {
			demand[req.Quota] = muster.Resources{}
		}
		demand[req.Quota].Add(wholeRequest(req))
	}
	for name, sum := range demand {
		_, _, told := c.snapshot.Quotas.Usage(name)
		for resource, amount := range told {
			sum[resource] = max(sum[resource], amount)
		}
	}
	if len(demand) == 0 {
		return c
	}
	next, err := c.Update(cluster.Delta{Demand: demand})
	if err != nil {
		return c // an amount of a gang has no name: its plan says so
	}
	return next
}

// wholeRequest is what all members of a gang ask for.
func wholeRequest(req *gang.Request) muster.Resources {
	sum := muster.Resources{}
	for i := range req.Members {
		shape := req.Members[i].Shape
		if shape == nil {
			shape = &req.Shape
		}
		sum.Add(shape.Resources)
	}
	return sum
}

// again is another pass over the gangs that quotas refused in the first one.
func again(c *Cluster, turns []turn, limit quota.Limit, who victims.Leave) (*Cluster, []turn) {
	var told *Cluster // c, who waits being known; nil: not yet
	for i := 0; i < len(turns); i++ {
		if !refusedByQuota(turns[i].err) || turns[i].limit() != "" {
			continue
		}
		if told == nil {
			told = knowing(c, turns)
		}
		done := turns[i].under(limit)
		next := done.plan(told, who)
		if done.err != nil {
			continue
		}
		turns = append(slices.Delete(turns, i, i+1), done)
		c, told, i = next, nil, i-1
	}
	return c, turns
}

// knowing is the snapshot in which the gangs of a queue that still wait are known.
func knowing(c *Cluster, turns []turn) *Cluster {
	told := *c.snapshot
	if quotas, err := c.snapshot.Quotas.WithQueue(pendingOf(c, turns)); err == nil { // each of the gangs was looked at
		told.Quotas = quotas
	}
	return &Cluster{&told}
}

func refusedByQuota(err error) bool {
	var refused *Unschedulable
	return errors.As(err, &refused) && refused.Kind == KindQuota
}

// pendingOf lists what in a queue still waits, in its order: gangs that start together are one.
func pendingOf(c *Cluster, turns []turn) []quota.Pending {
	var out []quota.Pending
	for i := range turns {
		var refused *Unschedulable
		if !errors.As(turns[i].err, &refused) || !c.snapshot.Quotas.IsLeaf(turns[i].request().Quota) {
			continue
		}
		out = append(out, turns[i].pending(refused.Wanted))
	}
	return out
}
