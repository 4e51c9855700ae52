// How do members that run come to ask for something else than they did?

package snapshot

import (
	"maps"
	"slices"

	"github.com/muster-sched/muster"
)

// Lowered is the snapshot in which some members, which run and are not leaving, would be the first to leave: they have this priority, each stands for
// itself, and in no quota and no budget, and nobody knows since when it runs. O(members, and the lists that hold them).
func Lowered(c *Snapshot, members []*Member, priority int64) (*Snapshot, error) {
	next, gone := c.Fork(), slices.Clone(members)
	sortMembers(gone)
	for _, m := range gone {
		next.count(m, goes)
	}
	fresh := changed(gone, func(m *Member, of *MemberClass) {
		of.Priority, of.MinMember, of.Quota, of.Budgets = priority, -1, "", nil
		m.Started = 0
	})
	next.relist(gone, fresh)
	for _, m := range fresh {
		next.count(m, comes)
	}
	return c.Succeed(next)
}

// setMinima gives the running members of gangs another minimum. O(members of the gangs).
func setMinima(c *Snapshot, minima map[string]int) error {
	if len(minima) == 0 {
		return nil
	}
	var members []*Member
	for _, gang := range slices.SortedFunc(maps.Keys(minima), muster.CompareNatural) {
		of := c.MembersOf(gang)
		if of.Len() == 0 {
			return noneRuns(gang)
		}
		members = append(members, of.Slice()...)
	}
	c.relist(members, changed(members, func(_ *Member, of *MemberClass) { of.MinMember = minima[of.Gang] }))
	return nil
}

// changed are members with other classes: those of one class have one. Equal members stay what they are, and published ones never change, so all are new.
func changed(members []*Member, change func(m *Member, of *MemberClass)) []*Member {
	fresh, classes := make([]*Member, 0, len(members)), map[*MemberClass]*MemberClass{}
	for _, m := range members {
		other, of := *m, classes[m.Class]
		if of == nil {
			of = new(MemberClass)
			*of = *m.Class
			classes[m.Class] = of
		}
		change(&other, of)
		other.Class = of
		fresh = append(fresh, &other)
	}
	return fresh
}
