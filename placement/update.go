package placement

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/cow"
)

// applyResults carries a plan out: its members run. Its victims become leaving members, which hold only what the plan leaves of theirs until they
// are removed, and their budgets allow one less each. It is an Update and re-checks: if the snapshot has changed since the plan was made so that
// it no longer holds, or a member that it waits for is still there, the error is a [ConflictError]; for a result that no planner made it is a
// [muster.InvalidError]. c stays as it is. Several results are carried out one after the other, once the victims of all have made room: all or none.
func applyResults(c *Snapshot, results ...*Result) (*Snapshot, error) {
	if len(results) == 0 || slices.ContainsFunc(results, func(r *Result) bool { return r == nil || len(r.holds) == 0 }) {
		return nil, &muster.InvalidError{Field: "result", Reason: "missing: Plan makes one"}
	}
	if len(results) == 1 && len(results[0].Victims) == 0 {
		return apply(c, results[0])
	}
	return applyWithout(c, results, nil)
}

// apply is Apply for a result whose victims are gone.
func apply(c *Snapshot, res *Result) (*Snapshot, error) {
	for _, w := range res.WaitsFor {
		// One of the same name that came back, or runs elsewhere, is another member.
		if m := c.member(w.Gang, w.Member); m != nil && m.leaving && c.lineage.names[m.node] == w.Node {
			return nil, &ConflictError{Node: w.Node, Gang: w.Gang, Member: w.Member, Reason: "the plan waits for this member to be gone"}
		}
	}
	if err := admits(c, res); err != nil {
		return nil, err
	}
	next := c.fork()
	g, err := assigned(next, res)
	if err != nil {
		return nil, err
	}
	for _, m := range g.members {
		if res.strict(m.name) {
			if err := c.apart(m); err != nil {
				return nil, err
			}
		}
	}
	if err := next.enter(g.members); err != nil {
		return nil, err
	}
	if err := satisfy(next, res); err != nil {
		return nil, err
	}
	return c.succeed(next)
}

// assigned brings the members of a result inside.
func assigned(c *Snapshot, res *Result) (*arrivals, error) {
	for i := range res.Assignments {
		if rank := res.Assignments[i].Rank; rank < 0 {
			return nil, muster.Invalid(fmt.Sprintf("result.Assignments[%d].Rank", i), rank, "negative")
		}
	}
	g := &arrivals{gang: res.Gang, coming: len(res.Assignments)}
	kins, lacks := classesOf(c, res, g)
	near := int32(-1)
	for i := range res.Assignments {
		a := &res.Assignments[i]
		if res.Gang == "" || a.Member == "" {
			return nil, nameless(res.Gang, a.Member)
		}
		if near = c.presentNode(a.Node, near); near < 0 {
			return nil, absentNode(a.Node, res.Gang, a.Member)
		}
		kind := res.kindOf(a)
		if lacks[kind] != "" {
			return nil, overCommitted(a.Node, res.Gang, a.Member, lacks[kind], res.holds[kind][lacks[kind]])
		}
		m := member{class: kins[kind], name: a.Member, node: near, pinned: res.pinned[a.Member], placed: a.NUMA}
		m.index, m.indexed = res.indexes[a.Member]
		g.add(m)
	}
	sortMembers(g.members)
	return g, nil
}

// classesOf brings inside what a result's members hold, by kind, and names the first resource of each that the
// cluster lacks: a result may come from another one.
func classesOf(c *Snapshot, res *Result, g *arrivals) (kins []*memberClass, lacks []string) {
	pool := c.lineage.amounts()
	for _, r := range res.holds {
		kins = append(kins, g.class(memberClass{
			affinityKey: res.affinityKey, quota: res.quota, holds: pool.vector(r, 0), priority: res.priority, least: res.least,
		}))
		lacks = append(lacks, c.lacking(r, pool))
	}
	return kins, lacks
}

// Release takes members of a gang away; none named: all. A member that does not run is a [ConflictError].
func (c *Snapshot) Release(gang string, members ...string) (*Snapshot, error) {
	if len(members) > 0 {
		d := Delta{Remove: make([]MemberRef, len(members))}
		for i, name := range members {
			d.Remove[i] = MemberRef{Gang: gang, Member: name}
		}
		return c.Update(d)
	}
	gone := slices.Clone(c.membersOf(gang))
	if len(gone) == 0 {
		return nil, &ConflictError{Gang: gang, Reason: "no member of the gang runs"}
	}
	next := c.fork()
	next.touched = make([]int32, 0, len(gone))
	for _, m := range gone {
		next.giveBack(m)
		next.count(m, goes)
	}
	next.relist(gone, nil)
	return c.succeed(next)
}

// Update makes a new snapshot with a change applied as a whole; c stays as it is and shares what did not change. The
// cost is that of what changes, of the lists it stands in (the gang's members, the node's, those that leave), and of
// the page tables; a node that no tree had a place for when the cluster was built, or a new resource, rebuilds the
// cluster. The error is a [ConflictError] or holds [muster.InvalidError]s.
func (c *Snapshot) Update(d Delta) (*Snapshot, error) {
	next := c.fork()
	if err := next.leave(d.Remove, d.Leaving); err != nil {
		return nil, err
	}
	next, err := next.changeNodes(d.RemoveNodes, d.SetNodes)
	if err != nil {
		return nil, err
	}
	if err := next.place(d.Place); err != nil {
		return nil, err
	}
	if err := next.demandIn(d.Demand); err != nil {
		return nil, err
	}
	if err := next.setBudgets(d.Budgets); err != nil {
		return nil, err
	}
	return c.succeed(next)
}

// succeed makes next, which was forked from c or built anew, a snapshot that does not change any more.
func (c *Snapshot) succeed(next *Snapshot) (*Snapshot, error) {
	if err := next.book(); err != nil {
		return nil, err
	}
	if next.caches == nil { // not built anew
		next.caches = &caches{}
		// An index that would have to count a good part of the nodes again is left behind.
		c.caches.shapes.PassOn(&next.caches.shapes, next.touched, len(c.lineage.names)/8+64)
		if next.follows {
			c.caches.victims.PassOn(&next.caches.victims, next.moved, len(c.lineage.names)/8+64)
		}
		next.touched, next.moved, next.steps = nil, nil, nil
	}
	next.checkSnapshot()
	return next, nil
}

// fork shares everything with c and may be changed.
func (c *Snapshot) fork() *Snapshot {
	next := *c
	next.caches = nil
	next.follows = c.caches.victims.Kept()
	next.static, next.on, next.zones = c.static.fork(), c.on.Fork(), c.zones.Fork()
	next.free = make([]cow.Column[int64], len(c.free))
	for r := range c.free {
		next.free[r] = c.free[r].Fork()
	}
	c.lineage.cloning.Lock()
	next.gangs, next.anchors = c.gangs.Clone(), c.anchors.Clone()
	c.lineage.cloning.Unlock()
	return &next
}

// leave takes members away and marks others as leaving.
func (c *Snapshot) leave(remove, leaving []MemberRef) error {
	if len(remove)+len(leaving) == 0 {
		return nil
	}
	removed, marked := make(map[*member]bool, len(remove)), map[*member]bool{}
	gone, fresh := make([]*member, 0, len(remove)+len(leaving)), []*member(nil)
	find := c.finder(removed)
	for _, ref := range remove {
		m, err := find(ref)
		if err != nil {
			return err
		}
		c.giveBack(m)
		c.count(m, goes)
		removed[m], gone = true, append(gone, m)
	}
	for _, ref := range leaving {
		m, err := find(ref)
		if err != nil {
			return err
		}
		if m.leaving || marked[m] {
			continue
		}
		c.count(m, goes)
		going := *m
		going.leaving = true
		marked[m], gone, fresh = true, append(gone, m), append(fresh, &going)
	}
	sortMembers(gone)
	sortMembers(fresh)
	c.relist(gone, fresh)
	return nil
}

// finder finds running members but those removed. Members of one gang are mostly named together and in order, so it
// looks beside the last one first.
func (c *Snapshot) finder(removed map[*member]bool) func(MemberRef) (*member, error) {
	var gang string
	var members []*member
	next := 0
	return func(ref MemberRef) (*member, error) {
		if ref.Gang != gang {
			gang, members, next = ref.Gang, c.membersOf(ref.Gang), 0
		}
		var m *member
		if next < len(members) && members[next].name == ref.Member {
			m = members[next]
		} else if i, ok := place(members, ref.Member); ok {
			m, next = members[i], i
		}
		if m == nil || removed[m] {
			return nil, &ConflictError{Gang: ref.Gang, Member: ref.Member, Reason: "the member does not run"}
		}
		next++
		return m, nil
	}
}

// place adds running members; unlike a new cluster's, they must fit.
func (c *Snapshot) place(running []Running) error {
	if len(running) == 0 {
		return nil
	}
	gangs, of := arrivalsOf(running)
	pool, near := c.lineage.amounts(), int32(-1)
	for i := range running {
		r := &running[i]
		m, err := c.newMember(r, of[i], pool, near)
		if err != nil {
			return err
		}
		if near = m.node; near < 0 {
			return absentNode(r.Node, r.Gang, r.Member)
		}
		if lack := c.lacking(r.Resources, pool); lack != "" {
			return overCommitted(r.Node, r.Gang, r.Member, lack, r.Resources[lack])
		}
		of[i].add(m)
	}
	return c.enter(membersIn(gangs))
}

// enter lets members run, which are in the order of gang, then name, if none of them runs and all fit.
func (c *Snapshot) enter(fresh []*member) error {
	c.touched = slices.Grow(c.touched, len(fresh))
	var gang string
	var running []*member
	for i, m := range fresh {
		twice := i > 0 && m.class.gang == gang && m.name == fresh[i-1].name
		if i == 0 || m.class.gang != gang {
			gang, running = m.class.gang, c.membersOf(m.class.gang)
		}
		if twice || len(running) > 0 && named(running, m.name) != nil {
			return &ConflictError{Node: c.lineage.names[m.node], Gang: m.class.gang, Member: m.name, Reason: "the member runs already"}
		}
	}
	for _, m := range fresh {
		for r, amount := range m.class.holds {
			if amount == 0 {
				continue
			}
			if free := c.free[r].At(m.node); amount > free {
				return overCommitted(c.lineage.names[m.node], m.class.gang, m.name, c.lineage.resources[r], amount-max(free, 0))
			}
		}
		if err := c.zonesTake(m); err != nil {
			return err
		}
		if err := c.hold(m); err != nil {
			return err
		}
		c.count(m, comes)
	}
	c.relist(nil, fresh)
	return nil
}

func overCommitted(node, gang, member, resource string, by int64) error {
	return &ConflictError{Node: node, Gang: gang, Member: member, Resource: resource, By: by, Reason: "over-committed"}
}

func absentNode(node, gang, member string) error {
	return &ConflictError{Node: node, Gang: gang, Member: member, Reason: "the node is not in the cluster"}
}

// lacking is the first resource that is asked for and that no node has, empty if there is none; pool has just brought
// the resources inside.
func (c *Snapshot) lacking(r muster.Resources, pool *amounts) string {
	first := ""
	if !pool.dropped {
		return first
	}
	for name, amount := range r {
		if amount > 0 && c.lineage.resource(name) < 0 && (first == "" || muster.CompareNatural(name, first) < 0) {
			first = name
		}
	}
	return first
}
