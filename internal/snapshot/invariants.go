// Does a snapshot keep its invariants? Checked after each change under the build tag `invariants`.

package snapshot

import (
	"slices"

	"github.com/muster-sched/muster/internal/invariant"
)

// checkSnapshot counts a snapshot again: free is allocatable less the amounts of members, and every member stands once
// in each list that it belongs to. O(nodes * resources + members).
func (c *Snapshot) checkSnapshot() {
	var all, leaving []*Member
	c.Gangs.Ascend(func(g *GangMembers) bool {
		invariant.Hold(g.Members.Len() > 0, "gang %s has no members", g.Name)
		all = append(all, g.Members.Slice()...)
		return true
	})
	for _, m := range all {
		_, ok := c.anchors.Get(anchor{m.Class.AffinityKey, m.Class.Gang})
		invariant.Hold(ok || m.Class.AffinityKey == "", "gang %s is not listed for affinity key %s", m.Class.Gang, m.Class.AffinityKey)
	}
	c.anchors.Ascend(func(a anchor) bool {
		invariant.Hold(c.MembersOf(a.gang).ContainsFunc(func(m *Member) bool { return m.Class.AffinityKey == a.key }),
			"gang %s has no member with affinity key %s", a.gang, a.key)
		return true
	})
	on := make([][]*Member, len(c.Lineage.Names))
	for i, m := range all {
		invariant.Hold(i == 0 || CompareMembers(all[i-1], m) < 0, "member %s %s is out of order", m.Class.Gang, m.Name)
		on[m.Node] = append(on[m.Node], m)
		if m.Leaving {
			leaving = append(leaving, m)
		}
	}
	invariant.Hold(slices.Equal(c.Leaving, leaving), "the leaving members are not those of the gangs")
	for id := range int32(len(c.Lineage.Names)) {
		s := c.Static.at(id)
		invariant.Hold(slices.Equal(c.sortedOn(id), on[id]), "the members on node %s are not those of the gangs", c.Lineage.Names[id])
		invariant.Hold(s.flags&Present != 0 || len(on[id]) == 0, "members run on absent node %s", c.Lineage.Names[id])
		for r := range c.Free {
			var free int64
			if s.flags&Present != 0 {
				free = s.class.allocatable[r]
				for _, m := range on[id] {
					if c.Lineage.bounds(s.class.allocatable, r) {
						free -= m.Class.Holds[r]
					}
				}
			}
			invariant.Hold(c.Free[r].At(id) == free, "node %s has %d of %s free, not %d",
				c.Lineage.Names[id], c.Free[r].At(id), c.Lineage.Resources[r], free)
		}
	}
}
