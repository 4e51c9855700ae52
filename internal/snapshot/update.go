// How does the next snapshot come about? A fork is written, change by change, and published.

package snapshot

import (
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/invariant"
)

// Update makes a new snapshot with a change applied as a whole; c stays as it is and shares everything that did not
// change. The cost is that of the changes, of the lists that hold them (the gang's members, the node's, the leaving
// ones), and of the page tables; with trees it is O(nodes). A node without an id, or a new resource, rebuilds the cluster. The error is a
// [cluster.ConflictError] or holds [muster.InvalidError]s.
//
// The order is that of the fields of the delta: members leave before their nodes do, and members that come find the
// room of those that left and the nodes as they are now. An error leaves the fork half written; nobody has it.
func (c *Snapshot) Update(d cluster.Delta) (*Snapshot, error) {
	var leftOut []error
	seen := d.Observed
	if seen {
		d, leftOut = observed(c, &d)
	}
	next := c.Fork()
	if err := next.leave(&d); err != nil {
		return nil, err
	}
	if err := setMinima(next, d.Minima); err != nil {
		return nil, err
	}
	next, err := changeTrees(next, d.Trees)
	if err != nil {
		return nil, err
	}
	var coming []cluster.Running // if the nodes have to know their resources
	if seen {
		coming = d.Place
	}
	if next, err = next.changeNodes(d.RemoveNodes, d.SetNodes, coming); err != nil {
		return nil, err
	}
	next.Reserved = c.Reserved
	if seen {
		leftOut = append(leftOut, arrive(next, d.Place)...)
	} else if err := next.place(d.Place); err != nil {
		return nil, err
	}
	if err := next.demandIn(d.Demand); err != nil {
		return nil, err
	}
	if err := next.setBudgets(d.Budgets); err != nil {
		return nil, err
	}
	next.LeftOut = leftOut
	return c.Succeed(next)
}

// Succeed publishes next, a fork of c or a snapshot built anew, and hands the caches of c to it. From here on next
// never changes. The error is that of a quota that does not take the changes. Cost: the ledgers and the cached values;
// the values themselves are updated by the first plan that asks for them.
func (c *Snapshot) Succeed(next *Snapshot) (*Snapshot, error) {
	if err := next.book(); err != nil {
		return nil, err
	}
	// A fork has no caches yet. A snapshot built anew has its own and takes over none: its nodes may have other ids.
	if next.Caches == nil {
		next.Caches = c.Caches.passedOn(next)
	}
	// Forks of next begin with these: what stayed in them two forks would write.
	next.touched, next.moved, next.steps = nil, nil, nil
	if invariant.On {
		next.checkSnapshot()
	}
	return next, nil
}

// Fork is a copy of c that its caller may write until [Snapshot.Succeed]. It shares all arrays and sets; each of them
// copies a part when that is written first. O(resources). Safe for concurrent use: snapshots of one lineage share nodes
// of the ordered sets, and to clone one writes to the original, hence the lock.
func (c *Snapshot) Fork() *Snapshot {
	next := *c
	next.Caches, next.LeftOut = nil, nil // without caches it is a fork, whose changes are logged
	next.Kinds.own, next.feeds.own = false, false
	next.follows = c.Caches.Leavable.Kept() || c.Caches.Reserves.Kept() // else nobody reads the log of moves
	next.Static, next.on, next.Zones = c.Static.fork(), c.on.Fork(), c.Zones.Fork()
	next.Closed.by = c.Closed.by.Fork()
	next.Free = make([]cow.Column[int64], len(c.Free))
	for r := range c.Free {
		next.Free[r] = c.Free[r].Fork()
	}
	c.Lineage.cloning.Lock()
	next.Gangs, next.anchors = c.Gangs.Clone(), c.anchors.Clone()
	c.Lineage.cloning.Unlock()
	return &next
}

// leave takes members away and marks others as leaving. A removed member gives its resources back at once; a leaving
// one keeps them until it is removed, but counts in no quota any more. Members that are leaving already stay as they
// are.
//
// A published member never changes, so a marked one is replaced: gone has the old values, fresh the new ones, and
// relist exchanges them in every list in one go.
func (c *Snapshot) leave(d *cluster.Delta) error {
	if len(d.Remove)+len(d.RemoveGangs)+len(d.Leaving)+len(d.LeavingGangs) == 0 {
		return nil
	}
	l := leavers{c: c}
	gone, err := l.named(d.Remove, d.RemoveGangs, true)
	if err != nil {
		return err
	}
	leaving, err := l.named(d.Leaving, d.LeavingGangs, false)
	if err != nil {
		return err
	}
	c.touched = slices.Grow(c.touched, len(gone)+len(leaving))
	for _, m := range gone {
		c.giveBack(m)
		c.count(m, goes)
	}
	marked, fresh := make(map[*Member]bool, len(leaving)), make([]*Member, 0, len(leaving))
	for _, m := range leaving {
		if m.Leaving || marked[m] {
			continue
		}
		c.count(m, goes) // before it is marked: leaving members are not counted
		going := *m
		going.Leaving = true
		marked[m], gone, fresh = true, append(gone, m), append(fresh, &going)
	}
	sortMembers(gone)
	sortMembers(fresh)
	c.relist(gone, fresh)
	return nil
}

// leavers finds members that are removed, or marked as leaving.
type leavers struct {
	c       *Snapshot
	removed map[*Member]bool // one by one
	away    map[string]bool  // gangs that are removed as a whole

	gang    string  // of the last reference; no gang is nameless
	members Members // of that gang
	next    int     // place behind the last answer
}

// named lists members, and those of some gangs. remove: none of them is found again.
func (l *leavers) named(members []cluster.MemberRef, gangs []string, remove bool) (list []*Member, err error) {
	if remove {
		l.removed, l.away = make(map[*Member]bool, len(members)), make(map[string]bool, len(gangs))
	}
	list = make([]*Member, 0, len(members))
	for _, ref := range members {
		m, err := l.find(ref)
		if err != nil {
			return nil, err
		}
		if list = append(list, m); remove {
			l.removed[m] = true
		}
	}
	for _, gang := range gangs {
		all, err := l.membersOf(gang)
		if err != nil {
			return nil, err
		}
		if list = append(list, all...); remove {
			l.away[gang] = true
		}
	}
	return list, nil
}

// find finds a running member that is not removed; the error is that it does not run. Members of one gang are mostly named together
// and in order, so it looks behind the last one first: O(1) then, else O(log gangs + log of the gang).
func (l *leavers) find(ref cluster.MemberRef) (*Member, error) {
	// The list of the gang is looked up once for a run of references to it.
	if ref.Gang != l.gang {
		l.gang, l.members, l.next = ref.Gang, l.c.MembersOf(ref.Gang), 0
	}
	var m *Member
	if l.next < l.members.Len() && l.members.At(l.next).Name == ref.Member {
		m = l.members.At(l.next)
	} else if i, ok := place(l.members, ref.Member); ok {
		m, l.next = l.members.At(i), i
	}
	if m == nil || l.removed[m] || l.away[ref.Gang] {
		return nil, &cluster.ConflictError{Gang: ref.Gang, Member: ref.Member, Reason: "the member does not run"}
	}
	l.next++
	return m, nil
}

// membersOf are those of a gang that are not removed; the error is that there are none.
func (l *leavers) membersOf(gang string) (members []*Member, err error) {
	if !l.away[gang] {
		members = l.c.MembersOf(gang).Slice()
	}
	if len(l.removed) > 0 {
		members = slices.DeleteFunc(members, func(m *Member) bool { return l.removed[m] })
	}
	if len(members) == 0 {
		return nil, noneRuns(gang)
	}
	return members, nil
}

// noneRuns is the error of a gang without running members.
func noneRuns(gang string) error {
	return &cluster.ConflictError{Gang: gang, Reason: "no member of the gang runs"}
}

// place adds running members. Unlike those of a new cluster they must fit, on nodes that are there. The first error
// ends it.
func (c *Snapshot) place(running []cluster.Running) error {
	if len(running) == 0 {
		return nil
	}
	gangs, of := arrivalsOf(running)
	vectors, near := c.Lineage.Amounts(), int32(-1)
	for i := range running {
		r := &running[i]
		m, err := c.newMember(r, of[i], vectors, near)
		if err != nil {
			return err
		}
		if near = m.Node; near < 0 {
			return absentNode(r.Node, r.Gang, r.Member)
		}
		// No node has a resource that the lineage lacks, and the vector of the member has no place for it.
		if lack := c.Lacking(r.Resources, vectors); lack != "" {
			return OverCommitted(r.Node, r.Gang, r.Member, lack, r.Resources[lack])
		}
		of[i].Add(m)
	}
	return c.Enter(membersIn(gangs))
}

// Enter lets members run; they are in the order of CompareMembers, on nodes that are present. The error is a
// [cluster.ConflictError] for one that runs already or does not fit, or the one of a sum that overflows. Names come
// first: no amount is taken before all names are known to be free. Then each member takes its amounts before the next
// is looked at, so members that share a node must fit there together.
func (c *Snapshot) Enter(fresh []*Member) error {
	c.touched = slices.Grow(c.touched, len(fresh))
	var gang string
	var running Members // members of that gang before
	for i, m := range fresh {
		// Fresh members are sorted: two of one name are neighbors.
		twice := i > 0 && m.Class.Gang == gang && m.Name == fresh[i-1].Name
		if i == 0 || m.Class.Gang != gang {
			gang, running = m.Class.Gang, c.MembersOf(m.Class.Gang)
		}
		if twice || running.Len() > 0 && named(running, m.Name) != nil {
			return &cluster.ConflictError{
				Node: c.Lineage.Names[m.Node], Gang: m.Class.Gang, Member: m.Name, Reason: "the member runs already",
			}
		}
	}
	for _, m := range fresh {
		for r, amount := range m.Class.Holds {
			if amount == 0 {
				continue // fits on an over-committed node, too
			}
			if free := c.Free[r].At(m.Node); amount > free {
				return OverCommitted(c.Lineage.Names[m.Node], m.Class.Gang, m.Name, c.Lineage.Resources[r], amount-max(free, 0))
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

// OverCommitted is the conflict of a member for which its node lacks so much of a resource, in units of that.
func OverCommitted(node, gang, member, resource string, by int64) error {
	return &cluster.ConflictError{Node: node, Gang: gang, Member: member, Resource: resource, By: by, Reason: "over-committed"}
}

// absentNode is the conflict of a member on a node that the cluster lacks.
func absentNode(node, gang, member string) error {
	return &cluster.ConflictError{Node: node, Gang: gang, Member: member, Reason: "the node is not in the cluster"}
}

// Lacking is the first resource asked for, in natural order, that the lineage lacks; empty if there is none. vectors
// must have brought r inside last: it knows whether a name was dropped. Amounts of 0 ask for nothing.
func (c *Snapshot) Lacking(r muster.Resources, vectors *Vectors) string {
	first := ""
	if !vectors.dropped {
		return first
	}
	for name, amount := range r {
		if amount > 0 && c.Lineage.resource(name) < 0 && (first == "" || muster.CompareNatural(name, first) < 0) {
			first = name
		}
	}
	return first
}
