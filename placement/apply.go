package placement

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// applyResults carries a plan out: its members run. Its victims become leaving members, which hold only what the plan leaves of theirs until they
// are removed, and their budgets allow one less each. It is an Update and re-checks: if the snapshot has changed since the plan was made so that
// it no longer holds, or a member that it waits for is still there, the error is a [ConflictError]; for a result that no planner made it is a
// [muster.InvalidError]. c stays as it is. Several results are carried out one after the other, once the victims of all have made room: all or none.
func applyResults(c *snapshot.Snapshot, results ...*Result) (*snapshot.Snapshot, error) {
	if len(results) == 0 || slices.ContainsFunc(results, func(r *Result) bool { return r == nil || len(r.holds) == 0 }) {
		return nil, &muster.InvalidError{Field: "result", Reason: "missing: Plan makes one"}
	}
	if len(results) == 1 && len(results[0].Victims) == 0 {
		return apply(c, results[0])
	}
	return applyWithout(c, results, nil)
}

// apply is Apply for a result whose victims are gone.
func apply(c *snapshot.Snapshot, res *Result) (*snapshot.Snapshot, error) {
	for _, w := range res.WaitsFor {
		// One of the same name that came back, or runs elsewhere, is another member.
		if m := c.Member(w.Gang, w.Member); m != nil && m.Leaving && c.Lineage.Names[m.Node] == w.Node {
			return nil, &cluster.ConflictError{Node: w.Node, Gang: w.Gang, Member: w.Member, Reason: "the plan waits for this member to be gone"}
		}
	}
	if err := admits(c, res); err != nil {
		return nil, err
	}
	next := c.Fork()
	g, err := assigned(next, res)
	if err != nil {
		return nil, err
	}
	for _, m := range g.Members {
		if res.strict(m.Name) {
			if err := c.Apart(m); err != nil {
				return nil, err
			}
		}
	}
	if err := next.Enter(g.Members); err != nil {
		return nil, err
	}
	if err := satisfy(next, res); err != nil {
		return nil, err
	}
	return c.Succeed(next)
}

// assigned brings the members of a result inside.
func assigned(c *snapshot.Snapshot, res *Result) (*snapshot.Arrivals, error) {
	for i := range res.Assignments {
		if rank := res.Assignments[i].Rank; rank < 0 {
			return nil, muster.Invalid(fmt.Sprintf("result.Assignments[%d].Rank", i), rank, "negative")
		}
	}
	g := &snapshot.Arrivals{Gang: res.Gang, Coming: len(res.Assignments)}
	kins, lacks := classesOf(c, res, g)
	near := int32(-1)
	for i := range res.Assignments {
		a := &res.Assignments[i]
		if res.Gang == "" || a.Member == "" {
			return nil, snapshot.Nameless(res.Gang, a.Member)
		}
		if near = c.PresentNode(a.Node, near); near < 0 {
			return nil, snapshot.AbsentNode(a.Node, res.Gang, a.Member)
		}
		kind := res.kindOf(a)
		if lacks[kind] != "" {
			return nil, snapshot.OverCommitted(a.Node, res.Gang, a.Member, lacks[kind], res.holds[kind][lacks[kind]])
		}
		m := snapshot.Member{Class: kins[kind], Name: a.Member, Node: near, Pinned: res.pinned[a.Member], Placed: a.NUMA}
		m.Index, m.Indexed = res.indexes[a.Member]
		g.Add(m)
	}
	snapshot.SortMembers(g.Members)
	return g, nil
}

// classesOf brings inside what a result's members hold, by kind, and names the first resource of each that the
// cluster lacks: a result may come from another one.
func classesOf(c *snapshot.Snapshot, res *Result, g *snapshot.Arrivals) (kins []*snapshot.MemberClass, lacks []string) {
	pool := c.Lineage.Amounts()
	for _, r := range res.holds {
		kins = append(kins, g.Class(snapshot.MemberClass{
			AffinityKey: res.affinityKey, Quota: res.quota, Holds: pool.Vector(r, 0), Priority: res.priority, MinMember: res.least,
		}))
		lacks = append(lacks, c.Lacking(r, pool))
	}
	return kins, lacks
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
