// Package holds answers: for whom is room kept, and who sees that? A member that is to run stands on its node as one that never leaves, in a gang
// beside its own, so that whatever reads who is where sees it. A plan for its gang, or for one that counts more, is made on the snapshot without.
package holds

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/ends"
	"github.com/muster-sched/muster/internal/snapshot"
)

// prefix begins the names of the gangs of members that are to run. Nobody else's gang may be called so.
const prefix = "held for\x00"

// For is the gang for which a gang of a snapshot is a hold; false: its members run.
func For(gang string) (string, bool) { return strings.CutPrefix(gang, prefix) }

// Called is what people call a gang of a snapshot, or a hold.
func Called(gang string) string {
	if of, held := For(gang); held {
		return "hold for " + of
	}
	return gang
}

// From is the instant from which on a gang of a snapshot holds room that is kept for one; 0: at once, or its members run. O(holds of the gang).
func From(c *snapshot.Snapshot, gang string) (at int64) {
	g, _ := c.Gangs.Get(&snapshot.GangMembers{Name: gang})
	if _, held := For(gang); !held || g == nil {
		return 0
	}
	at = g.Members[0].Started
	for _, m := range g.Members {
		at = min(at, m.Started)
	}
	return at
}

// each goes through the gangs for which room is held, in natural order of names; the priority of a gang of holds is the lowest of them.
func each(c *snapshot.Snapshot, f func(gang string, held *snapshot.GangMembers)) {
	c.Gangs.AscendGreaterOrEqual(&snapshot.GangMembers{Name: prefix}, func(g *snapshot.GangMembers) bool {
		gang, held := For(g.Name)
		if held {
			f(gang, g)
		}
		return held
	})
}

// Of lists what is held: by gang, then by member, in natural order of names.
func Of(c *snapshot.Snapshot) (out []cluster.Hold) {
	each(c, func(gang string, held *snapshot.GangMembers) {
		for _, m := range held.Members {
			r := c.ExportMember(m)
			out = append(out, cluster.Hold{
				Gang: gang, Member: r.Member, Node: r.Node, Resources: r.Resources, NUMA: r.NUMA, Quota: r.Quota, NonPreemptible: r.NonPreemptible,
				Priority: r.Priority, Alone: r.Alone, AloneIn: r.AloneIn, Tolerated: r.Tolerated, From: r.Started, End: r.End,
			})
		}
	})
	return out
}

// Any says whether room is held for a gang. O(log gangs).
func Any(c *snapshot.Snapshot, gang string) bool {
	_, is := c.Gangs.Get(&snapshot.GangMembers{Name: prefix + gang})
	return is
}

// running is a hold as a member that runs: it needs nobody beside it, and never leaves.
func running(h *cluster.Hold) cluster.Running {
	return cluster.Running{
		Gang: prefix + h.Gang, Member: h.Member, Node: h.Node, Resources: h.Resources, NUMA: h.NUMA, Quota: h.Quota, NonPreemptible: h.NonPreemptible,
		Priority: h.Priority, Alone: h.Alone, AloneIn: h.AloneIn, Tolerated: h.Tolerated, Unevictable: true, MinMember: -1, Started: h.From, End: h.End,
	}
}

// On is how much of each resource is held on a node; nil: nothing.
func On(c *snapshot.Snapshot, id int32) (held []int64) {
	for m := range snapshot.MembersOn(c, id) {
		if _, is := For(m.Class.Gang); !is {
			continue
		}
		if held == nil {
			held = make([]int64, len(m.Class.Holds))
		}
		for r, amount := range m.Class.Holds {
			held[r] += amount
		}
	}
	return held
}

// Seen is the snapshot as a plan for a gang, and others that start with it, sees it, whose new members are expected to end at an instant, 0: never: without
// what is held for them, for gangs of a lower priority, and from the end of the gang on. O(log gangs + holds), and where some of it is not seen the cost of an update.
//
// order: holds.1, time.5
func Seen(c *snapshot.Snapshot, priority int64, gang string, end int64, is func(gang string) bool) *snapshot.Snapshot {
	if end != 0 {
		end = ends.With(c, gang, end)
	}
	next, _ := without(c, func(gang string, held *snapshot.GangMembers) bool {
		return held.Priority < priority || is(gang) || begins(held, end)
	})
	return next
}

// begins says whether all that is held for a gang is held from an instant on, or later; never from 0 on.
func begins(held *snapshot.GangMembers, at int64) bool {
	return at != 0 && !slices.ContainsFunc(held.Members, func(m *snapshot.Member) bool { return m.Started == 0 || m.Started < at })
}

// Gangs names gangs by those for whom they are, where room is held; nil: none is.
func Gangs(c *snapshot.Snapshot) (called func(gang string) string) {
	each(c, func(string, *snapshot.GangMembers) {
		called = func(gang string) string {
			if of, held := For(gang); held {
				return of
			}
			return gang
		}
	})
	return called
}

// AreLater says whether room is held from some instant on.
func AreLater(c *snapshot.Snapshot) (later bool) {
	each(c, func(_ string, held *snapshot.GangMembers) {
		later = later || slices.ContainsFunc(held.Members, func(m *snapshot.Member) bool { return m.Started != 0 })
	})
	return later
}

// Meanwhile is the snapshot as it is for a gang whose new members end at an instant, 0: never: without what is held from its end on. back puts that into a
// later one, beside what has come.
func Meanwhile(c *snapshot.Snapshot, gang string, end int64) (_ *snapshot.Snapshot, back func(*snapshot.Snapshot) (*snapshot.Snapshot, error)) {
	if end != 0 {
		end = ends.With(c, gang, end)
	}
	bare, gone := without(c, func(_ string, held *snapshot.GangMembers) bool { return begins(held, end) })
	return bare, func(next *snapshot.Snapshot) (*snapshot.Snapshot, error) {
		if len(gone) == 0 {
			return next, nil
		}
		var rows []cluster.Running
		for _, m := range gone {
			rows = append(rows, c.ExportMember(m))
		}
		return next.Update(cluster.Delta{Observed: true, Place: rows})
	}
}

// without is the snapshot without what is held for some gangs, which is told.
func without(c *snapshot.Snapshot, are func(gang string, held *snapshot.GangMembers) bool) (next *snapshot.Snapshot, gone []*snapshot.Member) {
	each(c, func(gang string, held *snapshot.GangMembers) {
		if are(gang, held) {
			gone = append(gone, held.Members...)
		}
	})
	if len(gone) == 0 {
		return c, nil
	}
	next, err := c.Update(cluster.Delta{Remove: refs(gone)})
	if err != nil {
		return c, nil // never: they are there
	}
	return next, gone
}

func refs(members []*snapshot.Member) (out []cluster.MemberRef) {
	for _, m := range members {
		out = append(out, cluster.MemberRef{Gang: m.Class.Gang, Member: m.Name})
	}
	return out
}

// Take is the snapshot without what is held for one gang of a lower priority: one with a hold on a node, -1: any. False if there is none. The one
// that counts least goes first, of equals the last by name, and all that is held for it with it: a part of a gang's place is no place.
//
// order: holds.2
func Take(c *snapshot.Snapshot, priority int64, node int32) (*snapshot.Snapshot, bool) {
	var all []*snapshot.GangMembers
	each(c, func(_ string, held *snapshot.GangMembers) {
		on := func(m *snapshot.Member) bool { return m.Node == node }
		if held.Priority < priority && (node < 0 || slices.ContainsFunc(held.Members, on)) {
			all = append(all, held)
		}
	})
	if len(all) > 0 {
		first := slices.MinFunc(all, func(a, b *snapshot.GangMembers) int {
			return cmp.Or(cmp.Compare(a.Priority, b.Priority), muster.CompareNatural(b.Name, a.Name))
		})
		next, _ := without(c, func(_ string, held *snapshot.GangMembers) bool { return held == first })
		return next, next != c
	}
	return c, false
}
