package placement

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
)

// Apply carries a plan out: its members run, its leaving members are still there until they are removed. It is an
// Update and re-checks: if the snapshot has changed since the plan was made so that it no longer holds, the error is a
// [ConflictError]. c stays as it is.
func (c *Cluster) Apply(res *Result) (*Cluster, error) {
	if len(res.WaitsFor) > 0 {
		w := res.WaitsFor[0]
		if m := c.member(w.Gang, w.Member); m != nil {
			return nil, &ConflictError{Node: c.names[m.node], Gang: w.Gang, Member: w.Member, Reason: "the plan waits for this member to be gone"}
		}
	}
	d := Delta{Place: make([]Running, 0, len(res.Assignments))}
	for _, a := range res.Assignments {
		index, indexed := res.indexes[a.Member]
		d.Place = append(d.Place, Running{
			Gang: res.Gang, Member: a.Member, Node: a.Node, Resources: res.holds,
			Index: index, Indexed: indexed, AffinityKey: res.affinityKey,
		})
	}
	return c.Update(d)
}

// Release takes members of a gang away; none named: all. A member that does not run is a [ConflictError].
func (c *Cluster) Release(gang string, members ...string) (*Cluster, error) {
	var d Delta
	for _, name := range members {
		d.Remove = append(d.Remove, MemberRef{gang, name})
	}
	if len(members) == 0 {
		for _, m := range c.membersOf(gang) {
			d.Remove = append(d.Remove, MemberRef{gang, m.name})
		}
		if len(d.Remove) == 0 {
			return nil, &ConflictError{Gang: gang, Reason: "no member of the gang runs"}
		}
	}
	return c.Update(d)
}

// Update makes a new snapshot with a change applied as a whole; c stays as it is and shares what did not change. The
// cost is that of what changes, and the page tables; a change of which nodes lie outside a tree, or a new resource,
// rebuilds the cluster. The error is a [ConflictError] or holds [muster.InvalidError]s.
func (c *Cluster) Update(d Delta) (*Cluster, error) {
	next := c.fork()
	for _, ref := range d.Remove {
		if err := next.remove(ref); err != nil {
			return nil, err
		}
	}
	for _, ref := range d.Leaving {
		if err := next.markLeaving(ref); err != nil {
			return nil, err
		}
	}
	next, err := next.changeNodes(d)
	if err != nil {
		return nil, err
	}
	pool := amounts{}
	for i := range d.Place {
		if err := next.place(&d.Place[i], pool); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// fork shares everything with c and may be changed.
func (c *Cluster) fork() *Cluster {
	next := *c
	next.static, next.on = c.static.fork(), c.on.fork()
	next.free = make([]column[int64], len(c.free))
	for r := range c.free {
		next.free[r] = c.free[r].fork()
	}
	c.cloning.Lock()
	next.gangs = c.gangs.Clone()
	c.cloning.Unlock()
	return &next
}

// member finds a running member, nil if it does not run. O(log n + members of the gang).
func (c *Cluster) member(gang, name string) *member {
	members := c.membersOf(gang)
	i, ok := findMember(members, name)
	if !ok {
		return nil
	}
	return members[i]
}

func findMember(members []*member, name string) (int, bool) {
	return slices.BinarySearchFunc(members, name, func(m *member, name string) int {
		return muster.CompareNatural(m.name, name)
	})
}

func (c *Cluster) remove(ref MemberRef) error {
	m := c.member(ref.Gang, ref.Member)
	if m == nil {
		return &ConflictError{Gang: ref.Gang, Member: ref.Member, Reason: "the member does not run"}
	}
	c.giveBack(m)
	c.exchange(m, nil)
	return nil
}

func (c *Cluster) markLeaving(ref MemberRef) error {
	m := c.member(ref.Gang, ref.Member)
	if m == nil {
		return &ConflictError{Gang: ref.Gang, Member: ref.Member, Reason: "the member does not run"}
	}
	if !m.leaving {
		gone := *m
		gone.leaving = true
		c.exchange(m, &gone)
	}
	return nil
}

// exchange puts one member in the place of another in every list; nil for none. Lists are copied, not changed.
func (c *Cluster) exchange(old, fresh *member) {
	some := fresh
	if some == nil {
		some = old
	}
	members := swap(c.membersOf(some.gang), old, fresh)
	if len(members) == 0 {
		c.gangs.Delete(&gangMembers{name: some.gang})
	} else {
		c.gangs.ReplaceOrInsert(&gangMembers{name: some.gang, members: members})
	}
	c.on.set(some.node, swap(c.on.at(some.node), old, fresh))
	if old != nil && old.leaving || fresh != nil && fresh.leaving {
		c.leaving = swap(c.leaving, old, fresh)
	}
}

// swap returns an ordered list with one member replaced, added or removed.
func swap(list []*member, old, fresh *member) []*member {
	out := make([]*member, 0, len(list)+1)
	for _, m := range list {
		if m != old {
			out = append(out, m)
		}
	}
	if fresh != nil {
		i, _ := slices.BinarySearchFunc(out, fresh, compareMembers)
		out = slices.Insert(out, i, fresh)
	}
	return out
}

// place adds a running member; unlike a new cluster's, it must fit.
func (c *Cluster) place(r *Running, pool amounts) error {
	if c.member(r.Gang, r.Member) != nil {
		return &ConflictError{Node: r.Node, Gang: r.Gang, Member: r.Member, Reason: "the member runs already"}
	}
	for name, amount := range r.Resources {
		if amount > 0 && name != muster.Pods && c.resource(name) < 0 {
			return &ConflictError{Node: r.Node, Gang: r.Gang, Member: r.Member, Resource: name, By: amount, Reason: "over-committed"}
		}
	}
	m, err := c.newMember(r, pool)
	if err != nil {
		return err
	}
	if m == nil {
		return &ConflictError{Node: r.Node, Gang: r.Gang, Member: r.Member, Reason: "the node is not in the cluster"}
	}
	for i, amount := range m.holds {
		if free := c.free[i].at(m.node); amount > 0 && amount > free {
			return &ConflictError{
				Node: r.Node, Gang: r.Gang, Member: r.Member, Resource: c.resources[i], By: amount - max(free, 0), Reason: "over-committed",
			}
		}
	}
	if err := c.hold(m); err != nil {
		return err
	}
	c.exchange(nil, m)
	return nil
}

// changeNodes removes, replaces and adds nodes. Nodes that have their place already change in it.
func (c *Cluster) changeNodes(d Delta) (*Cluster, error) {
	for _, name := range d.RemoveNodes {
		id, ok := c.id(name)
		if !ok || c.static.at(id).flags&present == 0 {
			return nil, &ConflictError{Node: name, Reason: "the node is not in the cluster"}
		}
		if on := c.on.at(id); len(on) > 0 {
			return nil, &ConflictError{Node: name, Gang: on[0].gang, Member: on[0].name, Reason: "a member runs on the node"}
		}
		c.static.set(id, node{allocatable: make([]int64, len(c.resources))})
		for r := range c.free {
			c.free[r].set(id, 0)
		}
	}
	if !c.hasPlacesFor(d.SetNodes) {
		return c.rebuild(d.SetNodes)
	}
	pool := amounts{}
	for i := range d.SetNodes {
		n := &d.SetNodes[i]
		if err := checkAmounts("node "+n.Name+".Allocatable", n.Allocatable); err != nil {
			return nil, err
		}
		id, _ := c.id(n.Name)
		c.putNode(id, n, pool)
		for _, m := range c.on.at(id) {
			if err := c.hold(m); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// hasPlacesFor says whether the nodes and their resources are known to the layout.
func (c *Cluster) hasPlacesFor(nodes []Node) bool {
	for i := range nodes {
		if _, ok := c.id(nodes[i].Name); !ok {
			return false
		}
		for name := range nodes[i].Allocatable {
			if c.resource(name) < 0 {
				return false
			}
		}
	}
	return true
}

// rebuild makes the cluster anew, with nodes added or replaced.
func (c *Cluster) rebuild(nodes []Node) (*Cluster, error) {
	spec := Spec{Trees: c.trees}
	fresh := map[string]bool{}
	for i := range nodes {
		if fresh[nodes[i].Name] {
			return nil, &muster.InvalidError{Field: "node " + nodes[i].Name, Reason: "duplicate name"}
		}
		fresh[nodes[i].Name] = true
	}
	for n := range c.Nodes() {
		if !fresh[n.Name] {
			spec.Nodes = append(spec.Nodes, n)
		}
	}
	spec.Nodes = append(spec.Nodes, nodes...)
	spec.Running = slices.Collect(c.Running())
	next, err := NewCluster(spec)
	if err != nil {
		return nil, fmt.Errorf("nodes cannot be changed: %w", err)
	}
	return next, nil
}
