package placement

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/muster-sched/muster"
)

// compareMembers orders by gang, then name, in natural order.
func compareMembers(a, b *member) int {
	return cmp.Or(muster.CompareNatural(a.gang, b.gang), muster.CompareNatural(a.name, b.name))
}

// placeAll puts the members of a new cluster in place. Nodes may be over-committed by it: they are full then.
func (c *Cluster) placeAll(running []Running, pool amounts) error {
	var errs []error
	gangs := map[string][]*member{}
	for i := range running {
		m, err := c.newMember(&running[i], pool)
		switch {
		case err != nil:
			errs = append(errs, err)
		case m == nil:
			r := &running[i]
			c.notices = append(c.notices, fmt.Sprintf("member %s %s runs on absent node %s and holds nothing", r.Gang, r.Member, r.Node))
		default:
			gangs[m.gang] = append(gangs[m.gang], m)
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(gangs), muster.CompareNatural) {
		members := gangs[name]
		slices.SortFunc(members, compareMembers)
		for i, m := range members {
			if i > 0 && members[i-1].name == m.name {
				errs = append(errs, &muster.InvalidError{Field: "running member " + m.gang, Value: m.name, Reason: "duplicate name"})
				continue
			}
			if err := c.hold(m); err != nil {
				errs = append(errs, err)
			}
			c.on.set(m.node, append(c.on.at(m.node), m))
			if m.leaving {
				c.leaving = append(c.leaving, m)
			}
		}
		c.gangs.ReplaceOrInsert(&gangMembers{name: name, members: members})
	}
	slices.Sort(c.notices)
	return errors.Join(errs...)
}

// newMember checks a running member and brings it inside; nil without an error if its node is absent.
func (c *Cluster) newMember(r *Running, pool amounts) (*member, error) {
	field := "running member " + r.Gang + " " + r.Member
	if r.Gang == "" || r.Member == "" {
		return nil, &muster.InvalidError{Field: field, Reason: "a running member needs a gang and a name"}
	}
	if err := checkAmounts(field+".Resources", r.Resources); err != nil {
		return nil, err
	}
	id, ok := c.id(r.Node)
	if !ok || c.static.at(id).flags&present == 0 {
		return nil, nil
	}
	return &member{
		gang: r.Gang, name: r.Member, node: id, index: r.Index, indexed: r.Indexed, leaving: r.Leaving,
		affinityKey: r.AffinityKey, holds: pool.vector(c.fabric, r.Resources, nothing),
	}, nil
}

// hold takes what a member holds from its node, which may become over-committed; only a sum that overflows is refused.
func (c *Cluster) hold(m *member) error {
	allocatable := c.static.at(m.node).allocatable
	for r, amount := range m.holds {
		if amount == 0 || !c.bounds(allocatable, r) {
			continue
		}
		free := c.free[r].at(m.node)
		if held := allocatable[r] - free; amount > math.MaxInt64-held {
			return &muster.InvalidError{
				Field: "running member " + m.gang + " " + m.name + ".Resources." + c.resources[r],
				Value: fmt.Sprint(amount), Reason: "the sum on node " + c.names[m.node] + " overflows",
			}
		}
		c.free[r].set(m.node, free-amount)
		c.touch(m.node)
	}
	return nil
}

// giveBack is the inverse of hold.
func (c *Cluster) giveBack(m *member) {
	allocatable := c.static.at(m.node).allocatable
	for r, amount := range m.holds {
		if amount != 0 && c.bounds(allocatable, r) {
			c.free[r].set(m.node, c.free[r].at(m.node)+amount)
			c.touch(m.node)
		}
	}
}

// member finds a running member, nil if it does not run. O(log n + log of the gang).
func (c *Cluster) member(gang, name string) *member {
	members := c.membersOf(gang)
	i, ok := slices.BinarySearchFunc(members, name, func(m *member, name string) int {
		return muster.CompareNatural(m.name, name)
	})
	if !ok {
		return nil
	}
	return members[i]
}

// relist takes members out of every list that holds them and puts others in; both slices are sorted by it. A list is
// copied once, however many of its members change: other snapshots share it. O(k log k + what is copied).
func (c *Cluster) relist(gone, fresh []*member) {
	slices.SortFunc(gone, compareMembers)
	slices.SortFunc(fresh, compareMembers)
	eachList(gone, fresh, compareGangs, func(name *member, gone, fresh []*member) {
		members := merge(c.membersOf(name.gang), gone, fresh)
		if len(members) == 0 {
			c.gangs.Delete(&gangMembers{name: name.gang})
			return
		}
		c.gangs.ReplaceOrInsert(&gangMembers{name: name.gang, members: members})
	})
	if gone, fresh := leavingOf(gone), leavingOf(fresh); len(gone)+len(fresh) > 0 {
		c.leaving = merge(c.leaving, gone, fresh)
	}
	slices.SortStableFunc(gone, compareNodes)
	slices.SortStableFunc(fresh, compareNodes)
	eachList(gone, fresh, compareNodes, func(at *member, gone, fresh []*member) {
		c.on.set(at.node, merge(c.on.at(at.node), gone, fresh))
	})
}

func compareGangs(a, b *member) int { return muster.CompareNatural(a.gang, b.gang) }
func compareNodes(a, b *member) int { return cmp.Compare(a.node, b.node) }

func leavingOf(members []*member) []*member {
	var out []*member
	for _, m := range members {
		if m.leaving {
			out = append(out, m)
		}
	}
	return out
}

// eachList calls change for every list that two sorted slices concern, with one of its members and its part of both.
func eachList(gone, fresh []*member, order func(a, b *member) int, change func(one *member, gone, fresh []*member)) {
	cut := func(from []*member, one *member) int {
		n := 0
		for n < len(from) && order(from[n], one) == 0 {
			n++
		}
		return n
	}
	for len(gone)+len(fresh) > 0 {
		rest := gone
		if len(gone) == 0 || len(fresh) > 0 && order(fresh[0], gone[0]) < 0 {
			rest = fresh
		}
		one := rest[0]
		g, f := cut(gone, one), cut(fresh, one)
		change(one, gone[:g], fresh[:f])
		gone, fresh = gone[g:], fresh[f:]
	}
}

// merge is a copy of an ordered list without some of its members and with others, both in the same order.
func merge(list, gone, fresh []*member) []*member {
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
func (c *Cluster) touch(id int32) {
	if c.cache == nil && (len(c.touched) == 0 || c.touched[len(c.touched)-1] != id) {
		c.touched = append(c.touched, id)
	}
}
