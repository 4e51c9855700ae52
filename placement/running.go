package placement

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
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

// hold takes what a member holds from its node, which may become over-committed; only an overflow is refused.
func (c *Cluster) hold(m *member) error {
	for r, amount := range m.holds {
		free := c.free[r].at(m.node)
		if free-amount > free {
			return &muster.InvalidError{
				Field: "running member " + m.gang + " " + m.name + ".Resources." + c.resources[r],
				Value: fmt.Sprint(amount), Reason: "the sum on node " + c.names[m.node] + " overflows",
			}
		}
		if amount != 0 {
			c.free[r].set(m.node, free-amount)
		}
	}
	return nil
}

// giveBack is the inverse of hold.
func (c *Cluster) giveBack(m *member) {
	for r, amount := range m.holds {
		if amount != 0 {
			c.free[r].set(m.node, c.free[r].at(m.node)+amount)
		}
	}
}
