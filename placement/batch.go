// How is a queue planned? Turn after turn, in up to three passes.

package placement

import (
	"context"
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
	// Index is the gang's place in the queue, Request the request there.
	Index   int
	Request *gang.Request
	// Pass is the limit of quotas under which the gang was planned.
	Pass quota.Limit
	// Cluster is the snapshot that the gang was planned on.
	Cluster *Cluster
	Result  *Result
	// Err is an [Unschedulable] or holds [muster.InvalidError]s.
	Err error
	// Start is, beside an Err, when the gang starts at the latest: room is held for it from then on ([BatchBy]). Nil: nothing is held for it.
	Start *Start
}

// Batch plans a queue: every gang on the snapshot that the ones before it left. It returns the snapshot after the last
// one, and the outcome of each gang, once, in the order in which plans were made; a gang without a plan stands where it
// was refused first, and stops nobody. The queue's order is the caller's: priorities are not looked at.
//
// Where there are quotas, all requests of the queue count as demand, and there are three passes: gangs are indivisible,
// and fair shares alone can leave two of them waiting for ever. In the first pass every gang is planned under
// [quota.Fair], with victims where its quota admits it. The second plans those that their quota refused under
// [quota.Borrow], without victims; it takes idle capacity, and no guarantee that a waiting gang could start with. The
// third plans the rest under [quota.Fair], with victims. A gang that all passes refuse reports its first refusal. A
// request with a limit of its own is planned once, under that, with victims unless it borrows.
//
// Requests with one name in Together have one turn, that of the first of them. Each pass plans them as [Together] does,
// with the rules in GatherTogether, and the limits in LimitsTogether, of all of them. They stand in the answer next to each other, on one snapshot; their
// results are for one Apply. Where they are refused, each that cannot be placed by itself says why, at the cost of a
// Plan, and the others say that they wait for these ([Unschedulable.Together]). If each could be placed alone, all have
// the refusal of all of them.
//
// A plan that waits or has victims is carried out too. Its members run in the snapshots after it; the victims, and the
// leaving members that it waits for, hold only what it leaves of theirs, so that later gangs that need the rest wait
// for them as well. A leaving member whose name a new one takes is gone there. A host that applies the plans in their
// order, each once the members that it waits for are gone, meets no [cluster.ConflictError] unless something else has
// changed.
//
// A gang with Slots is supported in a queue of its own alone ([muster.ErrNotSupported]): the host does not know what the plans
// before it take.
//
// Two requests may name one gang: members that the first one places run for the second. A nil request is a
// [muster.InvalidError], as is a gang without a name, whose members could not be told from others.
//
// Batch is a pure function and safe for concurrent use: c, the queue and the requests stay as they are. It plans gangs in
// a row that are refused side by side, in as many goroutines as GOMAXPROCS, all of which have ended when it returns; the
// answers are those of one gang after the other. Eligible and Score are called by the caller's goroutine. Each gang costs
// a [Plan], each plan an Apply; gangs of one shape share its index. The slice is the caller's. It holds the snapshots,
// which share unchanged parts: O(touched nodes), and the page tables, for each plan.
func Batch(c *Cluster, queue []*gang.Request) (*Cluster, []Planned) {
	return BatchContext(context.Background(), c, queue)
}

// BatchContext is [Batch] for a caller who may stop waiting; see [PlanContext]. Once the context is done, the gangs that
// have no plan yet are refused, each with the context's error; the plans so far stand.
func BatchContext(ctx context.Context, c *Cluster, queue []*gang.Request) (*Cluster, []Planned) {
	ctx, c = orBackground(ctx), withDemand(c, queue)
	turns := turnsOf(queue)
	c = newSideBySide(turns).plan(ctx, c)
	c, turns = nextPass(ctx, c, turns, quota.Borrow, victims.Nobody)
	c, turns = nextPass(ctx, c, turns, quota.Fair, victims.Anybody)
	return c, plannedOf(ctx, turns)
}

// plannedOf lists what became of the gangs of all turns.
func plannedOf(ctx context.Context, turns []turn) (all []Planned) {
	all = make([]Planned, 0, len(turns))
	for i := range turns {
		turns[i].refuseApart(ctx)
		all = append(all, turns[i].planned...)
	}
	return all
}

// withDemand is the snapshot in which all requests of the queue count as demand of their quotas. Of a resource for
// which the cluster knows more demand already, that stays.
func withDemand(c *Cluster, queue []*gang.Request) *Cluster {
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
		return c // a resource of a gang has no name: its plan says so
	}
	return next
}

// wholeRequest sums the resources of all members of a gang.
func wholeRequest(req *gang.Request) muster.Resources {
	sum := muster.Resources{}
	for i := range req.Members {
		sum.Add(asks(req, i))
	}
	return sum
}

// asks is what a member of a gang asks for.
func asks(req *gang.Request, i int) muster.Resources {
	if shape := req.Members[i].Shape; shape != nil {
		return shape.Resources
	}
	return req.Shape.Resources
}

// nextPass plans, under a limit, the turns that their quotas refused in the first pass, in the order of the queue. A
// turn that is planned now goes to the end of the list, which is the order in which plans were made; it has a limit
// then, so the loop passes it by. Each plan changes the snapshot and the list of waiting gangs, so the quotas are told
// anew.
//
// order: queue.2
func nextPass(ctx context.Context, c *Cluster, turns []turn, limit quota.Limit, leave victims.Leave) (*Cluster, []turn) {
	var told *Cluster // c with quotas that know the waiting gangs; nil after a plan
	for i := 0; i < len(turns); i++ {
		if !refusedByQuota(turns[i].err) || turns[i].limit() != "" {
			continue
		}
		if told == nil {
			told = withPending(c, turns)
		}
		done := turns[i].withLimit(limit)
		next := done.plan(ctx, told, leave)
		if done.err != nil {
			continue
		}
		turns = append(slices.Delete(turns, i, i+1), done)
		c, told, i = next, nil, i-1
	}
	return c, turns
}

// withPending is the snapshot with quotas that know the gangs of the queue that still wait.
func withPending(c *Cluster, turns []turn) *Cluster {
	told := *c.snapshot
	if quotas, err := c.snapshot.Quotas.WithQueue(pendingOf(c, turns)); err == nil { // never an error: each gang was planned
		told.Quotas = quotas
	}
	return &Cluster{&told}
}

// refusedByQuota says whether an error is a refusal by the quota.
func refusedByQuota(err error) bool {
	var refused *Unschedulable
	return errors.As(err, &refused) && refused.Refuser == RefuserQuota
}

// pendingOf lists the turns that were refused, as quotas see them, in the order of the queue; those in no quota are
// left out.
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
