// Do plans still hold, and what is the snapshot in which they are carried out?

package placement

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/holds"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// applyResults is [Cluster.Apply] on a snapshot: c stays as it is, and an error applies nothing. O(members of the
// results and their victims), and the lists and pages that hold them.
func applyResults(c *snapshot.Snapshot, results ...*Result) (*snapshot.Snapshot, error) {
	if len(results) == 0 || slices.ContainsFunc(results, func(r *Result) bool { return r == nil || len(r.holds) == 0 }) {
		return nil, &muster.InvalidError{Field: "result", Reason: "missing: Plan makes one"}
	}
	for _, r := range results {
		if _, held := holds.For(r.Gang); held {
			return nil, &muster.InvalidError{Field: "result.Gang", Value: r.Gang, Reason: "a gang cannot be called so"}
		}
	}
	bare := withoutOwnHolds(c, results)
	if len(results) == 1 && len(results[0].Victims) == 0 {
		next, err := applyOne(bare, results[0])
		return keepingDomains(c, next, err, results)
	}
	next, err := applyAfterLeaving(bare, results, nil)
	return keepingDomains(c, next, err, results)
}

// keepingDomains is the snapshot behind results if it keeps what is held in domains, as far as they are not above it.
func keepingDomains(c, next *snapshot.Snapshot, err error, results []*Result) (*snapshot.Snapshot, error) {
	if err != nil || len(next.Reserved) == 0 {
		return next, err
	}
	lowest := slices.MinFunc(results, func(a, b *Result) int { return cmp.Compare(a.priority, b.priority) })
	return holds.Kept(c, next, lowest.priority)
}

// withoutOwnHolds is the snapshot without what is held for the gangs of results: it ends with them.
func withoutOwnHolds(c *snapshot.Snapshot, results []*Result) *snapshot.Snapshot {
	return holds.Without(c, func(gang string) bool {
		return slices.ContainsFunc(results, func(r *Result) bool { return r.Gang == gang })
	})
}

// applyOne carries out a result whose victims are gone, and for which nothing is held. What is held for gangs of a lower priority ends where the
// result needs its room or its share of a quota. Checks come first, in the order in which they are told: members
// that it waits for, its quota, then room. The first failure is the error.
func applyOne(c *snapshot.Snapshot, res *Result) (*snapshot.Snapshot, error) {
	for _, w := range res.WaitsFor {
		// A member of that name that came back, or runs elsewhere, is another one.
		if m := c.Member(w.Gang, w.Member); m != nil && m.Leaving && c.Lineage.Names[m.Node] == w.Node {
			reason := "the plan waits for this member to be gone"
			return nil, &cluster.ConflictError{Node: w.Node, Gang: w.Gang, Member: w.Member, Reason: reason}
		}
	}
	c, back := holds.Meanwhile(c, res.Gang, res.end)
	for {
		next, err := enterOne(c, res)
		var conflict *cluster.ConflictError
		switch {
		case err == nil:
			return back(next)
		case !errors.As(err, &conflict):
			return nil, err
		}
		id := c.PresentNode(conflict.Node, -1) // a quota has none
		taken, ok := holds.Take(c, res.priority, id)
		if !ok {
			taken, ok = holds.Take(c, res.priority, -1)
		}
		if !ok {
			return nil, err
		}
		c = taken
	}
}

// enterOne lets the members of a result run beside all that is there.
func enterOne(c *snapshot.Snapshot, res *Result) (*snapshot.Snapshot, error) {
	if err := checkQuota(c, res); err != nil {
		return nil, err
	}
	// Nobody sees the fork before it is published: an error below just drops it.
	next := c.Fork()
	g, err := arrivalsOf(next, res)
	if err != nil {
		return nil, err
	}
	// Zones are judged by c, where none of the new members runs: among each other the plan has settled that.
	for _, m := range g.Members {
		if reason := m.Unwelcome(c); reason != "" {
			return nil, &cluster.ConflictError{Node: c.Lineage.Names[m.Node], Gang: m.Class.Gang, Member: m.Name, Reason: reason}
		}
		if err := c.Apart(m, res.keepsApart(m.Name)); err != nil {
			return nil, err
		}
	}
	if err := next.Enter(g.Members); err != nil {
		return nil, err
	}
	if err := lowerDemand(next, res); err != nil {
		return nil, err
	}
	return c.Succeed(next)
}

// arrivalsOf resolves the new members of a result against the snapshot, in the order of snapshot.CompareMembers. The
// hidden fields are those of a planner, but a caller may have changed the exported ones: so names, ranks and nodes are
// checked here. O(members).
func arrivalsOf(c *snapshot.Snapshot, res *Result) (*snapshot.Arrivals, error) {
	for i := range res.Assignments {
		if rank := res.Assignments[i].Rank; rank < 0 {
			return nil, muster.Invalid(fmt.Sprintf("result.Assignments[%d].Rank", i), rank, "negative")
		}
	}
	// Classes and missing resources are by shape; a member's shape is found by its rank or role.
	g := snapshot.NewArrivals(res.Gang, len(res.Assignments))
	classes, missing := classesOf(c, res, g)
	near := int32(-1) // the last node: often the next member has the same or the next one
	for i := range res.Assignments {
		a := &res.Assignments[i]
		var err error
		if near, err = c.NodeFor(res.Gang, a.Member, a.Node, near); err != nil {
			return nil, err
		}
		kind := res.holdingOf(a)
		if missing[kind] != "" {
			return nil, snapshot.OverCommitted(a.Node, res.Gang, a.Member, missing[kind], res.holds[kind][missing[kind]])
		}
		class := classes[kind]
		if layer := res.alone.of(a.Member); layer != class.Alone {
			own := *class
			own.Alone = layer
			class = g.Class(own)
		}
		m := snapshot.Member{Class: class, Name: a.Member, Node: near, Pinned: res.pinned[a.Member], Placed: a.NUMA}
		m.Index, m.Indexed = res.indexes[a.Member]
		g.Add(m)
	}
	if !slices.IsSortedFunc(g.Members, snapshot.CompareMembers) {
		slices.SortStableFunc(g.Members, snapshot.CompareMembers)
	}
	return g, nil
}

// classesOf makes one class of members for each shape of the result, and names the first resource of each that the
// cluster lacks, empty if none: a result may come from another cluster.
func classesOf(c *snapshot.Snapshot, res *Result, g *snapshot.Arrivals) (classes []*snapshot.MemberClass, missing []string) {
	pool := c.Lineage.Amounts()
	for _, r := range res.holds {
		classes = append(classes, g.Class(snapshot.MemberClass{
			AffinityKey: res.affinityKey, Quota: res.quota, Holds: pool.Vector(r, 0), Priority: res.priority, MinMember: res.least, End: res.end,
			Alone: res.alone.layer, AloneIn: res.aloneIn, Tolerated: res.tolerated,
		}))
		missing = append(missing, c.Lacking(r, pool))
	}
	return classes, missing
}

// checkQuota is an error if the quota no longer admits the members of a result: a conflict in the first resource that
// is short, or a defect if the quota is not there any more.
func checkQuota(c *snapshot.Snapshot, res *Result) error {
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
	short := refusal.Short[0] // the first of at least one
	return &cluster.ConflictError{
		Gang: res.Gang, Member: res.Assignments[0].Member, Resource: short.Resource, By: short.By,
		Reason: fmt.Sprintf("quota %s refuses by its %s", refusal.Quota, refusal.Rule),
	}
}

// ask is what a result takes of its quota: the resources of all new members, and those of members that are not
// preemptible.
func (res *Result) ask() quota.Ask {
	a := quota.Ask{Quota: res.quota, Request: muster.Resources{}, Pinned: muster.Resources{}}
	for i := range res.Assignments {
		holds := res.holds[res.holdingOf(&res.Assignments[i])]
		a.Request.Add(holds)
		if res.pinned[res.Assignments[i].Member] {
			a.Pinned.Add(holds)
		}
	}
	return a
}

// lowerDemand takes the placed members off the pending demand of their quota, down to 0: they are in use from now on.
func lowerDemand(c *snapshot.Snapshot, res *Result) error {
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

// carryOut is Apply as if the time had come: the leaving members that the plans wait for make room now, and hold from
// then on only what the plans leave of theirs. results are for one snapshot, c.
//
// order: queue.1
func carryOut(c *snapshot.Snapshot, results ...*Result) (*snapshot.Snapshot, error) {
	var waits []Waited // each once: several plans may wait for one member
	victims := 0
	for _, res := range results {
		victims += len(res.Victims)
		for _, w := range res.WaitsFor {
			if !slices.Contains(waits, w) {
				waits = append(waits, w)
			}
		}
	}
	// A plan that takes only free capacity needs no detour.
	if len(waits)+victims == 0 {
		return applyResults(c, results...)
	}
	next, err := applyAfterLeaving(withoutOwnHolds(c, results), results, waits)
	return keepingDomains(c, next, err, results)
}

// applyAfterLeaving applies plans after their victims, and the members in waits, have made room. These are removed, all
// at once, so that plans which share a node find it as they expect it. Then the plans are applied one by one. Last, the
// removed members come back as leaving ones with what is left of theirs: only now it is known how much that is.
//
// The members in waits run on c. A budget of a victim allows one less; leaving members counted in none any more.
func applyAfterLeaving(c *snapshot.Snapshot, results []*Result, waits []Waited) (*snapshot.Snapshot, error) {
	var d cluster.Delta
	var removed []*snapshot.Member
	for _, w := range waits {
		d.Remove, removed = append(d.Remove, w.MemberRef), append(removed, c.Member(w.Gang, w.Member))
	}
	for _, res := range results {
		for i := range res.Victims {
			v := &res.Victims[i]
			// A member of that name on another node is not the one that was chosen.
			m := c.Member(v.Gang, v.Member)
			if m == nil || c.Lineage.Names[m.Node] != v.Node {
				return nil, &cluster.ConflictError{Node: v.Node, Gang: v.Gang, Member: v.Member, Reason: "the victim does not run there"}
			}
			d.Remove, removed = append(d.Remove, v.MemberRef), append(removed, m)
		}
	}
	d.Budgets = c.BudgetsAfter(removed)
	next, err := c.Update(d)
	if err != nil {
		return nil, err
	}
	for _, res := range results {
		if next, err = applyOne(next, res); err != nil {
			return nil, err
		}
	}
	return next.Update(cluster.Delta{Place: stillHeld(next, removed)})
}

// stillHeld lists removed members again, as leaving ones, with the part of their amounts that is still free on c, the
// snapshot with the plans applied; the first on a node takes first. A member whose name a new one has taken is left
// out: a name can run only once in a gang. Shares of zones are cut before amounts, which lose with them.
func stillHeld(c *snapshot.Snapshot, removed []*snapshot.Member) []cluster.Running {
	var kept []cluster.Running
	// What earlier members of the list left, by node.
	free, zones := map[string]muster.Resources{}, map[int32]*numa.Occupancy{}
	for _, m := range removed {
		if c.Member(m.Class.Gang, m.Name) != nil {
			continue
		}
		r := c.ExportMember(m) // amounts are a copy; shares of zones are not, and are replaced below
		r.Leaving = true
		if zones[m.Node] == nil {
			zones[m.Node] = c.Zones.At(m.Node)
		}
		r.NUMA, zones[m.Node] = sharesLeft(zones[m.Node], r.NUMA)
		limitToShares(r.Resources, m.Placed, r.NUMA)
		if free[r.Node] == nil {
			free[r.Node], _ = c.FreeOn(r.Node)
		}
		left := free[r.Node]
		for name, amount := range r.Resources {
			if n, bounded := left[name]; bounded { // else the node takes any amount
				r.Resources[name] = min(amount, max(0, n))
				left[name] = n - r.Resources[name]
			}
		}
		kept = append(kept, r)
	}
	return kept
}

// sharesLeft cuts the shares of a member to the free amounts of its zones, and returns them with the zones that have
// them taken. Every share stays, perhaps with amounts of 0, so that shares before and after go in pairs.
func sharesLeft(zones *numa.Occupancy, placed *numa.Placed) (*numa.Placed, *numa.Occupancy) {
	if zones == nil || placed == nil {
		return placed, zones
	}
	kept := numa.Placed{Policy: placed.Policy, Kept: placed.Kept}
	for _, s := range placed.Shares {
		left := zones.Free(s.Zone)
		share := numa.Share{Zone: s.Zone, Resources: maps.Clone(s.Resources)}
		for name, amount := range share.Resources {
			if n, ok := left[name]; ok {
				share.Resources[name] = min(amount, n)
			}
		}
		kept.Shares = append(kept.Shares, share)
	}
	next, err := zones.Add(kept)
	if err != nil {
		return nil, zones // never: no sum grows beyond what the zones have
	}
	return &kept, next
}

// limitToShares takes the amounts that a member's shares lost off its amounts, in place. before and after have the same
// zones in the same order.
func limitToShares(amounts muster.Resources, before, after *numa.Placed) {
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
