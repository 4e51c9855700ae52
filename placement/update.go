package placement

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
)

// Apply carries a plan out: its members run, its leaving members are still there until they are removed. It is an
// Update and re-checks: if the snapshot has changed since the plan was made so that it no longer holds, the error is a
// [ConflictError]; for a result that no planner made it is a [muster.InvalidError]. c stays as it is.
func (c *Cluster) Apply(res *Result) (*Cluster, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if res == nil || len(res.holds) == 0 {
		return nil, &muster.InvalidError{Field: "result", Reason: "missing: Plan makes one"}
	}
	for _, w := range res.WaitsFor {
		// One of the same name that came back, or runs elsewhere, is another member.
		if m := c.member(w.Gang, w.Member); m != nil && m.leaving && c.names[m.node] == w.Node {
			return nil, &ConflictError{Node: w.Node, Gang: w.Gang, Member: w.Member, Reason: "the plan waits for this member to be gone"}
		}
	}
	d := Delta{Place: make([]Running, 0, len(res.Assignments))}
	for i, a := range res.Assignments {
		if a.Rank < 0 {
			return nil, invalid(fmt.Sprintf("result.Assignments[%d].Rank", i), a.Rank, "negative")
		}
		index, indexed := res.indexes[a.Member]
		d.Place = append(d.Place, Running{
			Gang: res.Gang, Member: a.Member, Node: a.Node, Resources: res.holds[a.Rank%len(res.holds)],
			Index: index, Indexed: indexed, AffinityKey: res.affinityKey,
		})
	}
	return c.Update(d)
}

// Release takes members of a gang away; none named: all. A member that does not run is a [ConflictError].
func (c *Cluster) Release(gang string, members ...string) (*Cluster, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
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
// cost is that of what changes, of the lists it stands in (the gang's members, the node's, those that leave), and of
// the page tables; a node that no tree had a place for when the cluster was built, or a new resource, rebuilds the
// cluster. The error is a [ConflictError] or holds [muster.InvalidError]s.
func (c *Cluster) Update(d Delta) (*Cluster, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
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
	if next.cache == nil { // not built anew
		next.cache, next.touched = c.cache.after(next.touched, len(c.names)), nil
	}
	next.checkSnapshot()
	return next, nil
}

// fork shares everything with c and may be changed.
func (c *Cluster) fork() *Cluster {
	next := *c
	next.cache = nil
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

// leave takes members away and marks others as leaving.
func (c *Cluster) leave(remove, leaving []MemberRef) error {
	if len(remove)+len(leaving) == 0 {
		return nil
	}
	removed, marked := map[*member]bool{}, map[*member]bool{}
	var gone, fresh []*member
	find := func(ref MemberRef) (*member, error) {
		if m := c.member(ref.Gang, ref.Member); m != nil && !removed[m] {
			return m, nil
		}
		return nil, &ConflictError{Gang: ref.Gang, Member: ref.Member, Reason: "the member does not run"}
	}
	for _, ref := range remove {
		m, err := find(ref)
		if err != nil {
			return err
		}
		c.giveBack(m)
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
		going := *m
		going.leaving = true
		marked[m], gone, fresh = true, append(gone, m), append(fresh, &going)
	}
	c.relist(gone, fresh)
	return nil
}

// place adds running members; unlike a new cluster's, they must fit.
func (c *Cluster) place(running []Running) error {
	if len(running) == 0 {
		return nil
	}
	pool := amounts{}
	fresh := make([]*member, len(running))
	for i := range running {
		m, err := c.admit(&running[i], pool)
		if err != nil {
			return err
		}
		fresh[i] = m
	}
	slices.SortFunc(fresh, compareMembers)
	for i, m := range fresh {
		if i > 0 && compareMembers(fresh[i-1], m) == 0 || c.member(m.gang, m.name) != nil {
			return &ConflictError{Node: c.names[m.node], Gang: m.gang, Member: m.name, Reason: "the member runs already"}
		}
	}
	for _, m := range fresh {
		for r, amount := range m.holds {
			if free := c.free[r].at(m.node); amount > 0 && amount > free {
				return overCommitted(c.names[m.node], m.gang, m.name, c.resources[r], amount-max(free, 0))
			}
		}
		if err := c.hold(m); err != nil {
			return err
		}
	}
	c.relist(nil, fresh)
	return nil
}

func overCommitted(node, gang, member, resource string, by int64) error {
	return &ConflictError{Node: node, Gang: gang, Member: member, Resource: resource, By: by, Reason: "over-committed"}
}

// admit brings a member inside that is placed on a node of the snapshot.
func (c *Cluster) admit(r *Running, pool amounts) (*member, error) {
	m, err := c.newMember(r, pool)
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return nil, &ConflictError{Node: r.Node, Gang: r.Gang, Member: r.Member, Reason: "the node is not in the cluster"}
	}
	short := ""
	for name, amount := range r.Resources {
		if amount > 0 && c.resource(name) < 0 && (short == "" || muster.CompareNatural(name, short) < 0) {
			short = name // no node has it
		}
	}
	if short != "" {
		return nil, overCommitted(r.Node, r.Gang, r.Member, short, r.Resources[short])
	}
	return m, nil
}

// changeNodes removes, replaces and adds nodes. Nodes that have their place already change in it.
func (c *Cluster) changeNodes(remove []string, set []Node) (*Cluster, error) {
	for _, name := range remove {
		id, ok := c.id(name)
		if !ok || c.static.at(id).flags&present == 0 {
			return nil, &ConflictError{Node: name, Reason: "the node is not in the cluster"}
		}
		if on := c.on.at(id); len(on) > 0 {
			return nil, &ConflictError{Node: name, Gang: on[0].gang, Member: on[0].name, Reason: "a member runs on the node"}
		}
		c.static.set(id, node{})
		c.touch(id)
		for r := range c.free {
			c.free[r].set(id, 0)
		}
	}
	seen := make(map[string]bool, len(set))
	for i := range set {
		if seen[set[i].Name] {
			return nil, &muster.InvalidError{Field: "node " + set[i].Name, Reason: "duplicate name"}
		}
		seen[set[i].Name] = true
	}
	if !c.hasPlacesFor(set) {
		return c.rebuild(set, seen)
	}
	pool := amounts{}
	for i := range set {
		if err := c.setNode(&set[i], pool); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// setNode puts a node in its place, below the members that run on it.
func (c *Cluster) setNode(n *Node, pool amounts) error {
	if err := checkAmounts("node "+n.Name+".Allocatable", n.Allocatable); err != nil {
		return err
	}
	id, _ := c.id(n.Name)
	c.putNode(id, n, pool)
	for _, m := range c.on.at(id) {
		if err := c.hold(m); err != nil {
			return err
		}
	}
	return nil
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

// rebuild makes the cluster anew, with nodes added or replaced; fresh has their names.
func (c *Cluster) rebuild(nodes []Node, fresh map[string]bool) (*Cluster, error) {
	spec := Spec{Trees: c.trees, Running: slices.Collect(c.Running())}
	for n := range c.Nodes() {
		if !fresh[n.Name] {
			spec.Nodes = append(spec.Nodes, n)
		}
	}
	spec.Nodes = append(spec.Nodes, nodes...)
	next, err := NewCluster(spec)
	if err != nil {
		return nil, fmt.Errorf("nodes cannot be changed: %w", err)
	}
	next.notices = c.notices // what was not accepted then is not in the snapshot
	return next, nil
}
