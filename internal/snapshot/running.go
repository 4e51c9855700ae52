// How do members come to run, and how do they leave? Each stands in several lists, which change together.

package snapshot

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/sorted"
)

// placeAll lets the members of a new cluster run. They may over-commit nodes: these have no room then, and free amounts
// below zero. Members on absent nodes are dropped and noted. All defects are returned joined. Nothing is shared with
// another snapshot yet, so lists are written in place. O(members log members).
func (c *Snapshot) placeAll(running []cluster.Running) error {
	var errs []error
	gangs, of := arrivalsOf(running)
	vectors, near := c.Lineage.Amounts(), int32(-1)
	for i := range running {
		r := &running[i]
		m, err := c.newMember(r, of[i], vectors, near)
		near = m.Node
		switch {
		case err != nil:
			errs = append(errs, err)
		case m.Node < 0:
			notice := fmt.Sprintf("member %s %s runs on absent node %s and holds nothing", r.Gang, r.Member, r.Node)
			c.Lineage.notices = append(c.Lineage.notices, notice)
		default:
			of[i].Add(m)
		}
	}
	// Gang by gang in natural order: so the arena, and the list of leaving members, come out in order.
	var small arena
	for _, g := range gangs {
		if sortMembers(g.Members); len(g.Members) > 0 {
			small.take(g)
			errs = append(errs, c.settle(g)...)
		}
	}
	slices.Sort(c.Lineage.notices)
	return errors.Join(errs...)
}

// settle lets a gang of a new cluster run; its members are sorted, so that two of one name are neighbors. Defects do
// not end it: the cluster is refused as a whole, with all of them.
func (c *Snapshot) settle(g *Arrivals) (errs []error) {
	for i, m := range g.Members {
		if i > 0 && g.Members[i-1].Name == m.Name {
			field := "running member " + m.Class.Gang
			errs = append(errs, &muster.InvalidError{Field: field, Value: m.Name, Reason: "duplicate name"})
			continue
		}
		if err := c.hold(m); err != nil {
			errs = append(errs, err)
		}
		c.count(m, comes)
		c.on.Set(m.Node, c.on.At(m.Node).with(m))
		if m.Leaving {
			c.Leaving = append(c.Leaving, m)
		}
	}
	c.setGang(&GangMembers{}, newGangMembers(g.gang, sorted.Of(g.Members)))
	return errs
}

// newMember checks a running member and brings it inside; its node is -1 if that is absent. near is the node of the
// member before, -1 at first. The member is not in g yet: the caller adds it.
func (c *Snapshot) newMember(r *cluster.Running, g *Arrivals, vectors *Vectors, near int32) (Member, error) {
	m := Member{
		Name: r.Member, Index: r.Index, Node: -1, Indexed: r.Indexed, Leaving: r.Leaving,
		Pinned: r.NonPreemptible, Placed: r.NUMA, Started: r.Started,
	}
	if r.Gang == "" || r.Member == "" {
		return m, nameless(r.Gang, r.Member)
	}
	holds := vectors.Vector(r.Resources, 0)
	if holds == nil {
		return m, r.Resources.Validate("running member " + r.Gang + " " + r.Member + ".Resources")
	}
	m.Class = g.Class(MemberClass{
		AffinityKey: r.AffinityKey, Quota: r.Quota, Holds: holds,
		Priority: r.Priority, MinMember: r.MinMember, End: r.End, Budgets: r.Budgets, unevictable: r.Unevictable,
		Tolerated: r.Tolerated, Alone: r.Alone, AloneIn: r.AloneIn,
	})
	m.Node = c.PresentNode(r.Node, near)
	return m, c.CheckQuota("running member "+r.Gang+" "+r.Member+".Quota", r.Quota)
}

// NodeFor is the id of the node on which a member is to run. near is the last answer, -1 at first. The error is that of a member without a gang or a name, or
// of a node that is not there.
func (c *Snapshot) NodeFor(gang, member, node string, near int32) (int32, error) {
	if gang == "" || member == "" {
		return near, nameless(gang, member)
	}
	if near = c.PresentNode(node, near); near < 0 {
		return near, absentNode(node, gang, member)
	}
	return near, nil
}

// nameless is the error of a running member without a gang or a name.
func nameless(gang, member string) error {
	return &muster.InvalidError{Field: "running member " + gang + " " + member, Reason: "a running member needs a gang and a name"}
}

// PresentNode finds the id of a node of the snapshot, -1 if it is not there. near is the last answer, -1 at first:
// often the same node is asked for again, or the next one.
func (c *Snapshot) PresentNode(name string, near int32) int32 {
	if id, ok := c.Lineage.near(name, near); ok && c.FlagsOf(id)&Present != 0 {
		return id
	}
	return -1
}

// hold takes the resources of a member from its node, which may become over-committed. Resources that the node does not
// bound stay boundless. The error is a sum that overflows, or one of holdZones; nothing is taken then.
func (c *Snapshot) hold(m *Member) error {
	c.touch(m.Node) // though it may hold nothing: indexes of gangs that must be alone look at who runs there
	allocatable := c.Static.classes.At(m.Node).allocatable
	bound := func(r int) bool { return m.Class.Holds[r] != 0 && c.Lineage.bounds(allocatable, r) }
	for r, amount := range m.Class.Holds {
		// allocatable - free is the sum that members hold already: not negative, and kept from overflowing here.
		if bound(r) && amount > math.MaxInt64-(allocatable[r]-c.Free[r].At(m.Node)) {
			return &muster.InvalidError{
				Field: "running member " + m.Class.Gang + " " + m.Name + ".Resources." + c.Lineage.Resources[r],
				Value: fmt.Sprint(amount), Reason: "the sum on node " + c.Lineage.Names[m.Node] + " overflows",
			}
		}
	}
	if err := c.holdZones(m); err != nil {
		return err
	}
	for r, amount := range m.Class.Holds {
		if bound(r) {
			c.Free[r].Set(m.Node, c.Free[r].At(m.Node)-amount)
		}
	}
	return nil
}

// giveBack is the inverse of hold: the sum of a member that held cannot overflow.
func (c *Snapshot) giveBack(m *Member) {
	c.touch(m.Node)
	allocatable := c.Static.classes.At(m.Node).allocatable
	for r, amount := range m.Class.Holds {
		if amount != 0 && c.Lineage.bounds(allocatable, r) {
			c.Free[r].Set(m.Node, c.Free[r].At(m.Node)+amount)
		}
	}
	c.giveBackZones(m)
}

// relist takes members out of every list that holds them and puts others in: the lists of gangs, of leaving members and
// of nodes. Both slices are in the order of CompareMembers; gone is sorted by node on the way, fresh stays as it is.
// All of gone must run. A member of one name may be in both, its old value in gone.
//
// Other snapshots share the lists, so they are copied, each once, however many of its members change.
// O(k log k + length of the lists) for k members, and the lookup of their gangs.
func (c *Snapshot) relist(gone, fresh []*Member) {
	// By gang first: setGang reads and writes the gang's sum and affinity keys together with the list.
	eachGang(gone, fresh, func(gang string, gone, fresh []*Member) {
		was, runs := c.Gangs.Get(&GangMembers{Name: gang})
		if !runs {
			was = &GangMembers{}
		}
		g := was.after(gang, was.Members.Change(gone, fresh, CompareMembers), gone, fresh)
		g.follow(was, gone, fresh)
		c.setGang(was, g)
	})
	if gone, fresh := leavingOf(gone), leavingOf(fresh); len(gone)+len(fresh) > 0 {
		c.Leaving = sorted.Merge(c.Leaving, gone, fresh, CompareMembers)
	}
	// Stable: the members of one node stay in the order of CompareMembers, as without wants them. This comes after the
	// merges above, which want gone in that order as a whole.
	slices.SortStableFunc(gone, compareNodes)
	for len(gone) > 0 {
		n, node := 1, gone[0].Node
		for n < len(gone) && gone[n].Node == node {
			n++
		}
		c.on.Set(node, c.on.At(node).without(gone[:n]))
		c.move(node)
		gone = gone[n:]
	}
	for _, m := range fresh {
		c.on.Set(m.Node, c.on.At(m.Node).with(m))
		c.move(m.Node)
	}
}

// leavingOf are the members of a list that are leaving, in its order.
func leavingOf(members []*Member) []*Member {
	var out []*Member
	for _, m := range members {
		if m.Leaving {
			out = append(out, m)
		}
	}
	return out
}

// eachGang calls change for every gang in two slices in the order of CompareMembers, with its part of both, of which
// one may be empty. Gangs come in natural order of names.
func eachGang(gone, fresh []*Member, change func(gang string, gone, fresh []*Member)) {
	cut := func(from []*Member, gang string) int {
		n := 0
		for n < len(from) && from[n].Class.Gang == gang {
			n++
		}
		return n
	}
	for len(gone)+len(fresh) > 0 {
		rest := gone // the slice that begins with the earlier gang; either one if both begin with the same
		if len(gone) == 0 || len(fresh) > 0 && muster.CompareNatural(fresh[0].Class.Gang, gone[0].Class.Gang) < 0 {
			rest = fresh
		}
		gang := rest[0].Class.Gang
		g, f := cut(gone, gang), cut(fresh, gang)
		change(gang, gone[:g], fresh[:f])
		gone, fresh = gone[g:], fresh[f:]
	}
}

// touch notes that the free resources, the zones or the static part of a node changed: indexes of slots count it again.
// A node may be noted twice. Nobody follows the changes of a cluster that is built anew, which has caches of its own.
func (c *Snapshot) touch(id int32) {
	if c.Caches == nil && (len(c.touched) == 0 || c.touched[len(c.touched)-1] != id) {
		c.touched = append(c.touched, id)
	}
}

// move notes that a node has other members, or members whose profiles changed: the index of victims reads it again. A
// node may be noted twice.
func (c *Snapshot) move(id int32) {
	if c.follows && (len(c.moved) == 0 || c.moved[len(c.moved)-1] != id) {
		c.moved = append(c.moved, id)
	}
}
