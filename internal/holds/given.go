// What is it like where members for whom room is held in domains have it on nodes?

package holds

import (
	"cmp"
	"maps"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/snapshot"
)

// With is the snapshot with room on nodes given to members of claims, by node of the state, so that a plan leaves it to them; and
// without what is held in domains. Who is leaving makes room for them first. False: a plan that waits could have had more.
func (r *Reserve) With(members map[int][]int) (next *snapshot.Snapshot, exact bool) {
	d := cluster.Delta{Observed: true}
	exact = true
	for _, i := range slices.Sorted(maps.Keys(members)) {
		id := r.IDs[i]
		free := make([]int64, len(r.c.Free))
		r.roomOn(free, id, &cluster.DomainHold{}) // now
		taken := r.Nodes[i].Taken(r.Claims, members[i], free, r.end)
		if !slices.ContainsFunc(taken, func(amount int64) bool { return amount > 0 }) {
			continue
		}
		first := slices.IndexFunc(members[i], func(n int) bool { return n > 0 })
		h := &r.Holds[r.Nodes[i].Claims[first]]
		d.Place = append(d.Place, cluster.Running{
			Gang: prefix + h.Gang + inDomain, Member: r.c.Lineage.Names[id], Node: r.c.Lineage.Names[id], Resources: r.c.Lineage.Held(taken), Priority: h.Priority,
			Unevictable: true, MinMember: -1, Tolerated: true,
		})
		exact = r.fromLeaving(&d, id, taken) && exact
	}
	next, err := r.from.Update(d)
	if err != nil {
		return r.Bare(), false // never: they are there
	}
	next.Reserved = nil // nobody else has it yet
	return next, exact
}

// fromLeaving takes what is given away on a node off members that are leaving. Those with zones keep all: false.
func (r *Reserve) fromLeaving(d *cluster.Delta, id int32, taken []int64) (exact bool) {
	exact = true
	left := r.c.Lineage.Held(taken)
	for m := range snapshot.MembersOn(r.c, id) {
		if !m.Leaving || m.Placed != nil {
			exact = exact && !m.Leaving
			continue
		}
		row, less := r.c.ExportMember(m), false
		for _, name := range row.Resources.Names() {
			amount := min(row.Resources[name], left[name])
			row.Resources[name] -= amount
			left[name] -= amount
			less = less || amount > 0
		}
		if less {
			d.Remove = append(d.Remove, cluster.MemberRef{Gang: row.Gang, Member: row.Member})
			d.Place = append(d.Place, row)
		}
	}
	return exact
}

// Settled is the snapshot with room on some nodes for what is held in domains and binds a plan, as in [Binding]: for questions that are asked of nodes as they are.
//
// order: holds.5
func Settled(c *snapshot.Snapshot, priority int64, gang string, end int64, is func(gang string) bool) *snapshot.Snapshot {
	r := Binding(c, priority, gang, end, is)
	if r == nil {
		return c
	}
	members, _ := r.Settle(r.OutOfTheWay(func(int32) bool { return false }))
	next, _ := r.With(members)
	return next
}

// OutOfTheWay are the nodes of the state in the order in which they are given away: last those that are wanted otherwise, before them those that are free as they
// stand, and of equals the last.
func (r *Reserve) OutOfTheWay(wanted func(id int32) bool) []int {
	order, rank := make([]int, len(r.IDs)), make([]int, len(r.IDs))
	for i, id := range r.IDs {
		order[i] = i
		if wanted(id) {
			rank[i] = 2
		}
		if isBare(r.c, id) {
			rank[i]++
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(b, a)) })
	return order
}

// isBare says whether nobody is on a node.
func isBare(c *snapshot.Snapshot, id int32) bool {
	for range snapshot.MembersOn(c, id) {
		return false
	}
	return true
}

// Bare is the snapshot without what is held in domains.
func (r *Reserve) Bare() *snapshot.Snapshot { return reserving(r.from, nil) }
