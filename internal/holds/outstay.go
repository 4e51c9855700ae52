// Who would be late if members that come to a gang that runs put off its end?

package holds

import (
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/ends"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Outstayed is a gang, none of a lower priority than this one, for which room is held from an instant on that it would not have if new members let a gang run on until an end,
// 0: for ever; and whether there is one. One in a quota is taken for one: what stays may leave less to quotas then. O(log gangs + holds), and where the gang was to end before that an
// update of the snapshot.
//
// order: time.5
func Outstayed(c *snapshot.Snapshot, priority int64, gang string, end int64) (holder string, is bool) {
	var later []*snapshot.GangMembers
	each(c, func(of string, held *snapshot.GangMembers) {
		if of != gang && held.Priority >= priority && firstOf(held) != 0 {
			later = append(later, held)
		}
	})
	if len(later) == 0 {
		return "", false
	}
	g, runs := c.Gangs.Get(&snapshot.GangMembers{Name: gang})
	if !runs {
		return "", false
	}
	was, now := ends.Of(g), ends.With(c, gang, end)
	for _, held := range later {
		if at := firstOf(held); was != 0 && was <= at && (now == 0 || now > at) && lacks(c, held, at, g) {
			return For(held.Name)
		}
	}
	return "", false
}

// lacks says whether what is held would have no room at an instant if a gang stayed that had ended by then.
func lacks(c *snapshot.Snapshot, held *snapshot.GangMembers, at int64, g *snapshot.GangMembers) bool {
	if c.Quotas != nil && held.Members.At(0).Class.Quota != "" {
		return true
	}
	joint := ends.Joint(c, Gangs(c))
	return !fitsThen(c, held, at, g, joint) && fitsThen(c, held, at, nil, joint)
}

// firstOf is the instant from which on room is held for a gang; 0: at once.
func firstOf(held *snapshot.GangMembers) int64 {
	first := held.Members.At(0).Started
	for _, m := range held.Members.All() {
		if m.Started == 0 {
			return 0
		}
		first = min(first, m.Started)
	}
	return first
}

// fitsThen says whether what is held has room at an instant, with those gone that have ended by then, but for a gang that stays; nil: none does. A gang
// for which room is held goes on with those who are to come: joint are the ends of both.
func fitsThen(c *snapshot.Snapshot, held *snapshot.GangMembers, at int64, stays *snapshot.GangMembers, joint map[string]int64) bool {
	until := ends.Of(held)
	gone := refs(held.Members.Slice())
	c.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		name, room := For(g.Name)
		end := joint[name]
		over := end != 0 && end <= at || room && begins(firstOf(g), until)
		for _, m := range g.Members.All() {
			if g != held && g != stays && over || g != held && m.Leaving {
				gone = append(gone, cluster.MemberRef{Gang: g.Name, Member: m.Name})
			}
		}
		return true
	})
	then, err := c.Update(cluster.Delta{Remove: gone})
	if err != nil {
		return true // never: they are there
	}
	gang, _ := For(held.Name)
	var rows []cluster.Running
	for _, m := range held.Members.All() {
		row := c.ExportMember(m)
		row.Gang = gang // its own members are no company
		rows = append(rows, row)
	}
	if then, err = then.Update(cluster.Delta{Place: rows}); err != nil {
		return false
	}
	for _, m := range held.Members.All() {
		if then.Member(gang, m.Name).Unwelcome(then) != "" {
			return false
		}
	}
	return true
}
