// What is taken of a change that somebody saw happen? All that can be true: what is done already is no error, and nodes may be
// over-committed. What cannot be is left out.

package snapshot

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
)

// observation is a change that was seen, and what of it c takes: a change without conflicts, and the errors of what is left out.
type observation struct {
	c       *Snapshot
	seen    *cluster.Delta
	taken   cluster.Delta
	leftOut []error

	set  map[string]bool  // names of nodes that are set
	away map[string]bool  // names of nodes that are removed
	gone map[*Member]bool // members of taken.Remove
}

// observed is what a snapshot takes of a change that was seen, all but sums that overflow. O(change), and the members on nodes that go.
func observed(c *Snapshot, seen *cluster.Delta) (taken cluster.Delta, leftOut []error) {
	o := &observation{c: c, seen: seen, set: map[string]bool{}, away: map[string]bool{}, gone: map[*Member]bool{}}
	for _, ref := range seen.Remove {
		o.remove(c.Member(ref.Gang, ref.Member))
	}
	for _, gang := range seen.RemoveGangs {
		for _, m := range c.MembersOf(gang).All() {
			o.remove(m)
		}
	}
	o.nodes()
	o.members()
	o.leaving()
	for gang, least := range seen.Minima {
		if c.MembersOf(gang).ContainsFunc(func(m *Member) bool { return !o.gone[m] }) {
			if o.taken.Minima == nil {
				o.taken.Minima = map[string]int{}
			}
			o.taken.Minima[gang] = least
		}
	}
	o.settings()
	return o.taken, o.leftOut
}

func (o *observation) refuse(err error) { o.leftOut = append(o.leftOut, err) }

// remove takes a member away, if it runs.
func (o *observation) remove(m *Member) {
	if m != nil && !o.gone[m] {
		o.gone[m] = true
		o.taken.Remove = append(o.taken.Remove, cluster.MemberRef{Gang: m.Class.Gang, Member: m.Name})
	}
}

// nodes takes the nodes that are sound. One that is both removed and set is set.
func (o *observation) nodes() {
	var classes *nodeClasses
	if len(o.seen.SetNodes) > 0 {
		classes = o.c.Lineage.nodeClasses()
	}
	for i := range o.seen.SetNodes {
		n := &o.seen.SetNodes[i]
		if err := o.soundNode(n, classes); err != nil {
			o.refuse(err)
			continue
		}
		o.set[n.Name] = true
		o.taken.SetNodes = append(o.taken.SetNodes, *n)
	}
	for _, name := range o.seen.RemoveNodes {
		if !o.set[name] && !o.away[name] && o.c.PresentNode(name, -1) >= 0 {
			o.away[name] = true
			o.taken.RemoveNodes = append(o.taken.RemoveNodes, name)
		}
	}
}

// soundNode is the defect of a node that is set.
func (o *observation) soundNode(n *cluster.Node, classes *nodeClasses) error {
	switch {
	case n.Name == "":
		return &muster.InvalidError{Field: "cluster.SetNodes", Reason: "a node has no name"}
	case o.set[n.Name]:
		return &muster.InvalidError{Field: "node " + n.Name, Reason: "duplicate name"}
	}
	class, err := classes.of(n, nil)
	id, ok := o.c.Lineage.ID(n.Name)
	if err != nil || !ok {
		return err
	}
	// What members hold may be bounded only now, or in zones that are gone.
	pods, zones := int64(0), class.Zones.state()
	for _, m := range o.c.sortedOn(id) {
		if o.gone[m] {
			continue
		}
		held := m.Class.Holds[o.c.Lineage.pods]
		if o.c.Lineage.bounds(class.allocatable, o.c.Lineage.pods) && held > math.MaxInt64-pods {
			return &muster.InvalidError{Field: "node " + n.Name, Reason: "the sum of " + muster.Pods + " of its members overflows"}
		}
		if pods += held; m.Placed != nil && zones != nil {
			if zones, err = zones.Add(*m.Placed); err != nil {
				return below("running member "+m.Class.Gang+" "+m.Name+" on node "+n.Name+".NUMA", err)
			}
		}
	}
	return nil
}

// members takes the members that run now. One that runs as it is told is there already; another one of its name is replaced. Those on nodes
// that go hold nothing.
func (o *observation) members() {
	told := map[cluster.MemberRef]bool{}
	for i := range o.seen.Place {
		r := &o.seen.Place[i]
		ref := cluster.MemberRef{Gang: r.Gang, Member: r.Member}
		m, twice := o.c.Member(r.Gang, r.Member), told[ref]
		err := o.soundMember(r, twice)
		if told[ref] = true; err != nil {
			if o.refuse(err); m != nil && !twice && o.c.Lineage.Names[m.Node] != r.Node {
				o.remove(m) // wherever it is, it is not there any more
			}
			continue
		}
		if m != nil && !o.gone[m] && sameMember(o.c.ExportMember(m), *r) && !o.away[r.Node] {
			continue
		}
		o.remove(m)
		o.taken.Place = append(o.taken.Place, *r)
	}
	for _, name := range o.taken.RemoveNodes {
		id, _ := o.c.Lineage.ID(name)
		for _, m := range o.c.sortedOn(id) {
			if !o.gone[m] {
				o.refuse(absentNode(name, m.Class.Gang, m.Name))
				o.remove(m)
			}
		}
	}
}

// soundMember is the defect of a member that is told to run.
func (o *observation) soundMember(r *cluster.Running, twice bool) error {
	field := "running member " + r.Gang + " " + r.Member
	switch {
	case r.Gang == "" || r.Member == "":
		return nameless(r.Gang, r.Member)
	case twice:
		return &muster.InvalidError{Field: field, Reason: "duplicate name"}
	case o.away[r.Node] || !o.set[r.Node] && o.c.PresentNode(r.Node, -1) < 0:
		return absentNode(r.Node, r.Gang, r.Member)
	}
	if err := r.Resources.Validate(field + ".Resources"); err != nil {
		return err
	}
	return o.c.CheckQuota(field+".Quota", r.Quota)
}

// sameMember compares two members as they are given; an amount of 0 is none.
func sameMember(a, b cluster.Running) bool {
	held := func(r muster.Resources) muster.Resources {
		r = maps.Clone(r)
		maps.DeleteFunc(r, func(_ string, amount int64) bool { return amount == 0 })
		return r
	}
	same := maps.Equal(held(a.Resources), held(b.Resources)) && slices.Equal(a.Budgets, b.Budgets)
	a.Resources, b.Resources, a.Budgets, b.Budgets = nil, nil, nil, nil
	return same && reflect.DeepEqual(a, b)
}

// leaving marks the members that leave and run on.
func (o *observation) leaving() {
	for _, ref := range o.seen.Leaving {
		if m := o.c.Member(ref.Gang, ref.Member); m != nil && !o.gone[m] {
			o.taken.Leaving = append(o.taken.Leaving, ref)
		}
	}
	for _, gang := range o.seen.LeavingGangs {
		if o.c.MembersOf(gang).ContainsFunc(func(m *Member) bool { return !o.gone[m] }) {
			o.taken.LeavingGangs = append(o.taken.LeavingGangs, gang)
		}
	}
}

// settings takes the topologies, demands and budgets that are sound.
func (o *observation) settings() {
	trees, budgets := map[string]bool{}, map[string]bool{}
	for i, t := range o.seen.Trees {
		if err := checkTree(i, t, trees); err != nil {
			o.refuse(err)
			continue
		}
		o.taken.Trees = append(o.taken.Trees, t)
	}
	for _, name := range slices.SortedFunc(maps.Keys(o.seen.Demand), muster.CompareNatural) {
		one, probe := map[string]muster.Resources{name: o.seen.Demand[name]}, Snapshot{Quotas: o.c.Quotas}
		if err := probe.demandIn(one); err != nil {
			o.refuse(err)
			continue
		}
		if o.taken.Demand == nil {
			o.taken.Demand = map[string]muster.Resources{}
		}
		maps.Copy(o.taken.Demand, one)
	}
	for i, b := range o.seen.Budgets {
		if err := checkBudget(i, b, budgets); err != nil {
			o.refuse(err)
			continue
		}
		o.taken.Budgets = append(o.taken.Budgets, b)
	}
}

// arrive lets members run, whether their nodes have room or not, and returns the errors of those of which a sum would overflow.
func arrive(c *Snapshot, running []cluster.Running) (leftOut []error) {
	if len(running) == 0 {
		return nil
	}
	gangs, of := arrivalsOf(running)
	vectors, near, used := c.Lineage.Amounts(), int32(-1), map[string][]int64{}
	for i := range running {
		m, err := c.newMember(&running[i], of[i], vectors, near)
		if near = m.Node; err == nil {
			err = overflow(c, &m, used)
		}
		if err == nil {
			err = c.hold(&m)
		}
		if err != nil {
			leftOut = append(leftOut, err)
			continue
		}
		for r, amount := range m.Class.Holds {
			if sum := used[m.Class.Quota]; sum != nil {
				sum[r] += amount
			}
		}
		c.count(&m, comes)
		of[i].Add(m)
	}
	c.relist(nil, membersIn(gangs))
	return leftOut
}

// overflow is the error of a sum of the quota of a member. used is what is in use, by quota and resource, with the members so far.
func overflow(c *Snapshot, m *Member, used map[string][]int64) error {
	name := m.Class.Quota
	if name == "" || c.Quotas == nil || m.Leaving {
		return nil
	}
	if used[name] == nil {
		sum, now := make([]int64, len(c.Lineage.Resources)), c.ledgers[name]
		inUse, _, _ := c.Quotas.Usage(name) // of the resources that quotas know
		for r := range sum {
			if sum[r] = inUse[c.Lineage.Resources[r]]; now != nil && now.used[goes] != nil {
				sum[r] = max(0, sum[r]-now.used[goes][r])
			}
		}
		used[name] = sum
	}
	for r, amount := range m.Class.Holds {
		if amount > math.MaxInt64-used[name][r] {
			return &muster.InvalidError{
				Field: "running member " + m.Class.Gang + " " + m.Name + ".Resources." + c.Lineage.Resources[r], Value: fmt.Sprint(amount),
				Reason: "the sum in quota " + name + " overflows",
			}
		}
	}
	return nil
}
