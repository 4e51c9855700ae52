package placement

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/muster-sched/muster"
)

// placeAll puts the members of a new cluster in place. Nodes may be over-committed by it: they are full then.
func (c *Snapshot) placeAll(running []Running) error {
	var errs []error
	gangs, of := arrivalsOf(running)
	pool, near := c.lineage.amounts(), int32(-1)
	for i := range running {
		r := &running[i]
		m, err := c.newMember(r, of[i], pool, near)
		near = m.node
		switch {
		case err != nil:
			errs = append(errs, err)
		case m.node < 0:
			c.lineage.notices = append(c.lineage.notices, fmt.Sprintf("member %s %s runs on absent node %s and holds nothing", r.Gang, r.Member, r.Node))
		default:
			of[i].add(m)
		}
	}
	var small arena
	for _, g := range gangs {
		if sortMembers(g.members); len(g.members) > 0 {
			small.take(g)
			errs = append(errs, c.settle(g)...)
		}
	}
	c.noteExcess()
	slices.Sort(c.lineage.notices)
	return errors.Join(errs...)
}

// settle puts a gang of a new cluster in place, whose members are sorted.
func (c *Snapshot) settle(g *arrivals) (errs []error) {
	for i, m := range g.members {
		if i > 0 && g.members[i-1].name == m.name {
			errs = append(errs, &muster.InvalidError{Field: "running member " + m.class.gang, Value: m.name, Reason: "duplicate name"})
			continue
		}
		if err := c.hold(m); err != nil {
			errs = append(errs, err)
		}
		c.count(m, comes)
		c.on.Set(m.node, c.on.At(m.node).with(m))
		if m.leaving {
			c.leaving = append(c.leaving, m)
		}
	}
	c.setGang(g.gang, nil, g.members)
	return errs
}

// newMember checks a running member and brings it inside; node is -1 if it is absent, and near the guess of [fabric.near].
func (c *Snapshot) newMember(r *Running, g *arrivals, pool *amounts, near int32) (member, error) {
	m := member{name: r.Member, index: r.Index, node: -1, indexed: r.Indexed, leaving: r.Leaving, pinned: r.NonPreemptible, placed: r.NUMA, started: r.Started}
	if r.Gang == "" || r.Member == "" {
		return m, nameless(r.Gang, r.Member)
	}
	holds := pool.vector(r.Resources, 0)
	if holds == nil {
		return m, r.Resources.Validate("running member " + r.Gang + " " + r.Member + ".Resources")
	}
	if r.MinMember < 0 {
		return m, muster.Invalid("running member "+r.Gang+" "+r.Member+".MinMember", r.MinMember, "negative")
	}
	m.class = g.class(memberClass{
		affinityKey: r.AffinityKey, quota: r.Quota, holds: holds,
		priority: r.Priority, least: r.MinMember, budgets: r.Budgets, unevictable: r.Unevictable,
	})
	m.node = c.presentNode(r.Node, near)
	return m, c.checkQuota("running member "+r.Gang+" "+r.Member+".Quota", r.Quota)
}

func nameless(gang, member string) error {
	return &muster.InvalidError{Field: "running member " + gang + " " + member, Reason: "a running member needs a gang and a name"}
}

// presentNode finds a node of the snapshot, -1 if it is not there.
func (c *Snapshot) presentNode(name string, near int32) int32 {
	if id, ok := c.lineage.near(name, near); ok && c.flagsOf(id)&present != 0 {
		return id
	}
	return -1
}

// hold takes what a member holds from its node, which may become over-committed; only a sum that overflows is refused.
func (c *Snapshot) hold(m *member) error {
	allocatable := c.static.classes.At(m.node).allocatable
	for r, amount := range m.class.holds {
		if amount == 0 || !c.lineage.bounds(allocatable, r) {
			continue
		}
		free := c.free[r].At(m.node)
		if held := allocatable[r] - free; amount > math.MaxInt64-held {
			return &muster.InvalidError{
				Field: "running member " + m.class.gang + " " + m.name + ".Resources." + c.lineage.resources[r],
				Value: fmt.Sprint(amount), Reason: "the sum on node " + c.lineage.names[m.node] + " overflows",
			}
		}
		c.free[r].Set(m.node, free-amount)
		c.touch(m.node)
	}
	return c.holdZones(m)
}

// giveBack is the inverse of hold.
func (c *Snapshot) giveBack(m *member) {
	allocatable := c.static.classes.At(m.node).allocatable
	for r, amount := range m.class.holds {
		if amount != 0 && c.lineage.bounds(allocatable, r) {
			c.free[r].Set(m.node, c.free[r].At(m.node)+amount)
			c.touch(m.node)
		}
	}
	c.giveBackZones(m)
}

// relist takes members out of every list that holds them and puts others in; both slices are in the order of
// compareMembers, and gone is put in another. A gang's list is copied once, however many of its members change: other
// snapshots share it. O(k log k + what is copied).
func (c *Snapshot) relist(gone, fresh []*member) {
	eachGang(gone, fresh, func(gang string, gone, fresh []*member) {
		old := c.membersOf(gang)
		c.setGang(gang, old, merge(old, gone, fresh))
	})
	if gone, fresh := leavingOf(gone), leavingOf(fresh); len(gone)+len(fresh) > 0 {
		c.leaving = merge(c.leaving, gone, fresh)
	}
	slices.SortStableFunc(gone, compareNodes)
	for len(gone) > 0 {
		n, node := 1, gone[0].node
		for n < len(gone) && gone[n].node == node {
			n++
		}
		c.on.Set(node, c.on.At(node).without(gone[:n]))
		c.move(node)
		gone = gone[n:]
	}
	for _, m := range fresh {
		c.on.Set(m.node, c.on.At(m.node).with(m))
		c.move(m.node)
	}
}

func leavingOf(members []*member) []*member {
	var out []*member
	for _, m := range members {
		if m.leaving {
			out = append(out, m)
		}
	}
	return out
}

// eachGang calls change for every gang that two sorted slices concern, with its part of both.
func eachGang(gone, fresh []*member, change func(gang string, gone, fresh []*member)) {
	cut := func(from []*member, gang string) int {
		n := 0
		for n < len(from) && from[n].class.gang == gang {
			n++
		}
		return n
	}
	for len(gone)+len(fresh) > 0 {
		rest := gone
		if len(gone) == 0 || len(fresh) > 0 && muster.CompareNatural(fresh[0].class.gang, gone[0].class.gang) < 0 {
			rest = fresh
		}
		gang := rest[0].class.gang
		g, f := cut(gone, gang), cut(fresh, gang)
		change(gang, gone[:g], fresh[:f])
		gone, fresh = gone[g:], fresh[f:]
	}
}

// merge is a copy of an ordered list without some of its members and with others, both in the same order.
func merge(list, gone, fresh []*member) []*member {
	if len(gone) == len(list) {
		return slices.Clone(fresh) // all of it goes
	}
	out := make([]*member, 0, len(list)-len(gone)+len(fresh))
	keep := func(part []*member) {
		for _, m := range part {
			if len(gone) > 0 && m == gone[0] {
				gone = gone[1:]
				continue
			}
			out = append(out, m)
		}
	}
	for _, m := range fresh {
		i, _ := slices.BinarySearchFunc(list, m, compareMembers)
		keep(list[:i])
		out, list = append(out, m), list[i:]
	}
	keep(list)
	return out
}

// touch notes that what a node has free changed. A cluster that is built anew has no fork to follow.
func (c *Snapshot) touch(id int32) {
	if c.caches == nil && (len(c.touched) == 0 || c.touched[len(c.touched)-1] != id) {
		c.touched = append(c.touched, id)
	}
}

// move notes that a node has other members, or members of gangs that changed.
func (c *Snapshot) move(id int32) {
	if c.follows && (len(c.moved) == 0 || c.moved[len(c.moved)-1] != id) {
		c.moved = append(c.moved, id)
	}
}
