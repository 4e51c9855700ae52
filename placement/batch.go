package placement

import (
	"errors"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
	"github.com/muster-sched/muster/numa"
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

// carryOut is Apply at the time when plans of this snapshot can be applied. Members that they wait for make room now,
// and keep of what they hold as much as the plans leave.
func carryOut(c *snapshot.Snapshot, results ...*Result) (*snapshot.Snapshot, error) {
	var waits []Waited
	victims := 0
	for _, res := range results {
		victims += len(res.Victims)
		for _, w := range res.WaitsFor {
			if !slices.Contains(waits, w) {
				waits = append(waits, w)
			}
		}
	}
	if len(waits)+victims == 0 {
		return applyResults(c, results...)
	}
	return applyWithout(c, results, waits)
}

// applyWithout applies plans after their victims and members that they wait for have made room.
func applyWithout(c *snapshot.Snapshot, results []*Result, waits []Waited) (*snapshot.Snapshot, error) {
	var d cluster.Delta
	var away []*snapshot.Member
	for _, w := range waits {
		d.Remove, away = append(d.Remove, w.MemberRef), append(away, c.Member(w.Gang, w.Member))
	}
	for _, res := range results {
		for i := range res.Victims {
			v := &res.Victims[i]
			m := c.Member(v.Gang, v.Member)
			if m == nil || c.Lineage.Names[m.Node] != v.Node {
				return nil, &cluster.ConflictError{Node: v.Node, Gang: v.Gang, Member: v.Member, Reason: "the victim does not run there"}
			}
			d.Remove, away = append(d.Remove, v.MemberRef), append(away, m)
		}
	}
	d.Budgets = c.BudgetsAfter(away)
	next, err := c.Update(d)
	if err != nil {
		return nil, err
	}
	for _, res := range results {
		if next, err = apply(next, res); err != nil {
			return nil, err
		}
	}
	return next.Update(cluster.Delta{Place: remains(next, away)})
}

// remains is what members that were taken away can still hold, the first of a node first. Those whose names are taken
// hold nothing.
func remains(c *snapshot.Snapshot, away []*snapshot.Member) []cluster.Running {
	var kept []cluster.Running
	free, zones := map[string]muster.Resources{}, map[int32]*numa.Occupancy{}
	for _, m := range away {
		if c.Member(m.Class.Gang, m.Name) != nil {
			continue
		}
		r := c.ExportMember(m)
		r.Leaving = true
		if zones[m.Node] == nil {
			zones[m.Node] = c.Zones.At(m.Node)
		}
		r.NUMA, zones[m.Node] = within(zones[m.Node], r.NUMA)
		boundByShares(r.Resources, m.Placed, r.NUMA)
		if free[r.Node] == nil {
			free[r.Node], _ = c.FreeOn(r.Node)
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

// within is what a member can still hold of the zones of its node, and the zones when it does.
func within(zones *numa.Occupancy, placed *numa.Placed) (*numa.Placed, *numa.Occupancy) {
	if zones == nil || placed == nil {
		return placed, zones
	}
	less := numa.Placed{Policy: placed.Policy}
	for _, s := range placed.Shares {
		left := zones.Free(s.Zone)
		share := numa.Share{Zone: s.Zone, Resources: maps.Clone(s.Resources)}
		for name, amount := range share.Resources {
			if n, ok := left[name]; ok {
				share.Resources[name] = min(amount, n)
			}
		}
		less.Shares = append(less.Shares, share)
	}
	next, err := zones.Add(less)
	if err != nil {
		return nil, zones // never: no sum grows beyond what the zones have
	}
	return &less, next
}

// boundByShares takes off the amounts of a member what is missing of its shares.
func boundByShares(amounts muster.Resources, before, after *numa.Placed) {
	if before == nil || after == nil {
		return
	}
	for i, s := range before.Shares {
		for name, amount := range s.Resources {
			if has, ok := amounts[name]; ok {
				amounts[name] = max(0, has-(amount-after.Shares[i].Resources[name]))
			}
		}
	}
}
