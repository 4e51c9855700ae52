// Package holds answers: for whom is room kept, and who sees that? A member that is to run stands on its node as one that never leaves, in a gang
// beside its own, so that whatever reads who is where sees it. A plan for its gang, or for one that counts more, is made on the snapshot without.
package holds

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
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

// holder is a gang for which room is held, and what is; the lowest priority counts.
type holder struct {
	gang     string
	priority int64
	members  []*snapshot.Member
}

// holders lists them in natural order of names. O(log gangs + holds).
func holders(c *snapshot.Snapshot) (out []holder) {
	c.Gangs.AscendGreaterOrEqual(&snapshot.GangMembers{Name: prefix}, func(g *snapshot.GangMembers) bool {
		gang, held := For(g.Name)
		if !held {
			return false
		}
		lowest := func(a, b *snapshot.Member) int { return cmp.Compare(a.Class.Priority, b.Class.Priority) }
		out = append(out, holder{gang, slices.MinFunc(g.Members, lowest).Class.Priority, g.Members})
		return true
	})
	return out
}

// Of lists what is held: by gang, then by member, in natural order of names.
func Of(c *snapshot.Snapshot) (out []cluster.Hold) {
	for _, h := range holders(c) {
		for _, m := range h.members {
			r := c.ExportMember(m)
			out = append(out, cluster.Hold{
				Gang: h.gang, Member: r.Member, Node: r.Node, Resources: r.Resources, NUMA: r.NUMA, Quota: r.Quota, NonPreemptible: r.NonPreemptible,
				Priority: r.Priority, Alone: r.Alone, AloneIn: r.AloneIn, Tolerated: r.Tolerated,
			})
		}
	}
	return out
}

// running is a hold as a member that runs: it needs nobody beside it, and never leaves.
func running(h *cluster.Hold) cluster.Running {
	return cluster.Running{
		Gang: prefix + h.Gang, Member: h.Member, Node: h.Node, Resources: h.Resources, NUMA: h.NUMA, Quota: h.Quota, NonPreemptible: h.NonPreemptible,
		Priority: h.Priority, Alone: h.Alone, AloneIn: h.AloneIn, Tolerated: h.Tolerated, Unevictable: true, MinMember: -1,
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

// Seen is the snapshot as a plan for some gangs sees it: without what is held for them, and for gangs of a lower priority. O(log gangs + holds), and
// where some of it is not seen the cost of an update.
//
// order: holds.1
func Seen(c *snapshot.Snapshot, priority int64, is func(gang string) bool) *snapshot.Snapshot {
	var gone []*snapshot.Member
	for _, h := range holders(c) {
		if is(h.gang) || h.priority < priority {
			gone = append(gone, h.members...)
		}
	}
	return without(c, gone)
}

// without is the snapshot without some holds.
func without(c *snapshot.Snapshot, gone []*snapshot.Member) *snapshot.Snapshot {
	if len(gone) == 0 {
		return c
	}
	next, err := c.Update(cluster.Delta{Remove: refs(gone)})
	if err != nil {
		return c // never: they are there
	}
	return next
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
	all := holders(c)
	slices.SortFunc(all, func(a, b holder) int {
		return cmp.Or(cmp.Compare(a.priority, b.priority), muster.CompareNatural(b.gang, a.gang))
	})
	for _, h := range all {
		if h.priority < priority && (node < 0 || slices.ContainsFunc(h.members, func(m *snapshot.Member) bool { return m.Node == node })) {
			return without(c, h.members), true
		}
	}
	return c, false
}
