// Package holds answers: for whom is room kept, and who sees that? A member that is to run stands on its node as one that never leaves, in a gang
// beside its own, so that whatever reads who is where sees it. A plan for its gang, or for one that counts more, is made on the snapshot without.
package holds

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/ends"
	"github.com/muster-sched/muster/internal/snapshot"
)

// prefix begins the names of the gangs of members that are to run. Nobody else's gang may be called so.
const prefix = "held for\x00"

// inDomain ends the names of those for whom room is held in a domain, while it is given to them on nodes.
const inDomain = "\x00in a domain"

// For is the gang for which a gang of a snapshot is a hold; false: its members run.
func For(gang string) (string, bool) {
	of, held := strings.CutPrefix(gang, prefix)
	return strings.TrimSuffix(of, inDomain), held
}

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
	at = g.Members.At(0).Started
	for _, m := range g.Members.All() {
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

// board is what is held on a snapshot, and the views of it. It is safe for concurrent use.
type board struct {
	holders []holder // in natural order of names
	views   atomic.Pointer[[]*view]
}

// holder is a gang for which room is held, from an instant on; 0: at once.
type holder struct {
	gang string
	held *snapshot.GangMembers
	from int64
}

// boardOf is what is held on a snapshot. O(1), and O(holds) the first time.
func boardOf(c *snapshot.Snapshot) *board {
	return c.Caches.Held.Get(&c.Lineage.Clock, 1, func(struct{}) bool { return true }, nil, func() (struct{}, any) {
		b := &board{}
		each(c, func(gang string, held *snapshot.GangMembers) {
			b.holders = append(b.holders, holder{gang, held, firstOf(held)})
		})
		return struct{}{}, b
	}).(*board)
}

// Of lists what is held: by gang, then by member, in natural order of names.
func Of(c *snapshot.Snapshot) (out []cluster.Hold) {
	each(c, func(gang string, held *snapshot.GangMembers) {
		for _, m := range held.Members.All() {
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
// what is held for them, for gangs of a lower priority, and from the end of the gang on. O(log gangs + gangs for which room is held), and where some of it
// is not seen the cost of an update: once, for a snapshot remembers its views ([mostViews]), and hands those that are asked for to the next one.
//
// order: holds.1, time.5
func Seen(c *snapshot.Snapshot, priority int64, gang string, end int64, is func(gang string) bool) *snapshot.Snapshot {
	b := boardOf(c)
	if len(b.holders) == 0 {
		return c
	}
	if end != 0 {
		end = ends.With(c, gang, end)
	}
	var room [32]int32
	return b.viewOf(c, b.without(room[:0], func(h *holder) bool { return h.held.Priority < priority || is(h.gang) || begins(h.from, end) }))
}

// begins says whether what is held from an instant on, 0: at once, is held from another one on, or later; never from 0 on.
func begins(from, at int64) bool { return at != 0 && from != 0 && from >= at }

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
func AreLater(c *snapshot.Snapshot) bool {
	if slices.ContainsFunc(c.Reserved, func(h cluster.DomainHold) bool { return h.From != 0 }) {
		return true
	}
	return slices.ContainsFunc(boardOf(c).holders, func(h holder) bool { return h.from != 0 })
}

// Meanwhile is the snapshot as it is for a gang whose new members end at an instant, 0: never: without what is held from its end on. back puts that into a
// later one, beside what has come; what that was without it is a view of it then.
func Meanwhile(c *snapshot.Snapshot, gang string, end int64) (_ *snapshot.Snapshot, back func(*snapshot.Snapshot) (*snapshot.Snapshot, error)) {
	if end != 0 {
		end = ends.With(c, gang, end)
	}
	b := boardOf(c)
	gone := b.without(nil, func(h *holder) bool { return begins(h.from, end) })
	return b.viewOf(c, gone), func(bare *snapshot.Snapshot) (*snapshot.Snapshot, error) {
		if len(gone) == 0 {
			return bare, nil
		}
		var rows []cluster.Running
		names := map[string]bool{}
		for _, i := range gone {
			names[b.holders[i].gang] = true
			for _, m := range b.holders[i].held.Members.All() {
				rows = append(rows, c.ExportMember(m))
			}
		}
		next, err := bare.Update(cluster.Delta{Observed: true, Place: rows})
		if err == nil && len(next.LeftOut) == 0 {
			now := boardOf(next)
			now.add(now.without(nil, func(h *holder) bool { return names[h.gang] }), bare).asked.Store(true)
		}
		return next, err
	}
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
		if held.Priority < priority && (node < 0 || held.Members.ContainsFunc(on)) {
			all = append(all, held)
		}
	})
	if len(all) > 0 {
		first := slices.MinFunc(all, func(a, b *snapshot.GangMembers) int {
			return cmp.Or(cmp.Compare(a.Priority, b.Priority), muster.CompareNatural(b.Name, a.Name))
		})
		next, err := c.Update(cluster.Delta{RemoveGangs: []string{first.Name}})
		return next, err == nil // always: it is there
	}
	return c, false
}
