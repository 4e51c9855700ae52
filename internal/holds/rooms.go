// How is the room for what is held in domains read, and how does it follow snapshots?

package holds

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/ends"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/reserve"
	"github.com/muster-sched/muster/internal/snapshot"
)

// keptReserves bounds how many sets of holds a snapshot remembers the room of: those that gangs of some priority and end see.
const keptReserves = 64

// someOf names the room of some holds in domains: of a list, those at some places in it.
type someOf struct {
	list   *cluster.DomainHold // the first of all
	places []int
}

// is says whether it names those of a list that are wanted.
func (s *someOf) is(list []cluster.DomainHold, wanted func(h *cluster.DomainHold) bool) bool {
	next := 0
	for i := range list {
		if wanted(&list[i]) {
			if next == len(s.places) || s.places[next] != i {
				return false
			}
			next++
		}
	}
	return s.list == &list[0] && next == len(s.places)
}

// reserveOf is the room of those that are held in domains and wanted; nil: there is none. A snapshot hands it to the next one, which reads only nodes that
// changed: O(holds + gangs on the nodes, if anything is held from an instant on, or until one + changed nodes); the first time O(nodes of the domains + members on them).
func reserveOf(c *snapshot.Snapshot, wanted func(h *cluster.DomainHold) bool) *Reserve {
	if !slices.ContainsFunc(c.Reserved, func(h cluster.DomainHold) bool { return wanted(&h) }) {
		return nil
	}
	known := c.Caches.Reserves.Get(&c.Lineage.Clock, keptReserves,
		func(key any) bool { return key.(*someOf).is(c.Reserved, wanted) },
		func(r any, changed []int32) any { return r.(*Reserve).following(c, changed) },
		func() (any, any) {
			key := &someOf{list: &c.Reserved[0]}
			var list []cluster.DomainHold
			for i := range c.Reserved {
				if wanted(&c.Reserved[i]) {
					key.places, list = append(key.places, i), append(list, c.Reserved[i])
				}
			}
			return key, newReserve(c, list)
		})
	own := *known.(*Reserve) // which refers to no snapshot
	own.c = c
	return &own
}

// newReserve reads the room of some holds. Those that ask for what the cluster does not have at all have none.
func newReserve(c *snapshot.Snapshot, list []cluster.DomainHold) *Reserve {
	r := &Reserve{Holds: list, c: c, at: make([]int32, len(c.Lineage.Names)), each: make([][]int64, len(list))}
	claims, pool := make([]reserve.Claim, len(list)), c.Lineage.Amounts()
	for i := range list {
		h := &list[i]
		claims[i] = reserve.Claim{Count: h.Count, From: h.From, End: h.End}
		v, x, there := domainOf(c, h)
		if h.Resources != nil {
			r.each[i] = pool.Vector(h.Resources, 0)
			there = there && c.Lacking(h.Resources, pool) == ""
		}
		if !there {
			continue
		}
		alone := []int{i}
		for pos := v.First(x); pos < v.EndOf(x); pos++ {
			id := v.Node(pos)
			if r.at[id] == 0 {
				r.IDs, r.of = append(r.IDs, id), append(r.of, alone)
				r.at[id] = int32(len(r.IDs))
			} else {
				k := r.at[id] - 1
				r.of[k] = append(slices.Clone(r.of[k]), i)
			}
		}
	}
	if slices.ContainsFunc(list, func(h cluster.DomainHold) bool { return h.From != 0 || h.End != 0 }) {
		r.times = map[string]lifetime{}
	}
	r.meet(r.IDs)
	nodes := make([]*reserve.Node, len(r.IDs))
	for i := range nodes {
		nodes[i] = r.node(i)
	}
	r.State, r.c = reserve.New(claims, nodes), nil
	return r
}

// following is the room on a later snapshot, on which nodes changed.
func (r *Reserve) following(c *snapshot.Snapshot, changed []int32) *Reserve {
	next := *r
	next.c = c
	if r.times != nil {
		next.times = map[string]lifetime{}
		for gang, was := range r.times {
			if now, there := lifetimeOf(c, gang); there {
				if next.times[gang] = now; now != was {
					changed = append(changed, nodesOf(c, gang)...)
				}
			}
		}
	}
	next.meet(changed)
	now := map[int]*reserve.Node{}
	for _, id := range changed {
		if i, there := r.place(id); there && now[i] == nil {
			now[i] = next.node(i)
		}
	}
	next.State, next.c = r.Update(now), nil
	return &next
}

// node is what a node has for its claims; nothing while it is out of service.
func (r *Reserve) node(i int) *reserve.Node {
	id, claims := r.IDs[i], r.of[i]
	if r.c.FlagsOf(id)&(snapshot.Present|snapshot.Cordoned|snapshot.NotReady) != snapshot.Present {
		return &reserve.Node{}
	}
	n, size := len(claims), len(r.c.Free)
	lists, room := make([][]int64, 2*n), make([]int64, n*size)
	node := &reserve.Node{Claims: claims, Each: lists[:n:n], Room: lists[n:]}
	for k, c := range claims {
		h := &r.Holds[c]
		if node.Each[k] = r.each[c]; h.Resources == nil {
			node.Each[k] = r.whole(id, h)
		}
		node.Room[k] = room[k*size : (k+1)*size : (k+1)*size]
		r.roomOn(node.Room[k], id, h)
	}
	return node
}

// place is where a node stands in the state; false: it lies in no domain in which something is held.
func (r *Reserve) place(id int32) (int, bool) { return int(r.at[id]) - 1, r.at[id] > 0 }

// meet notes the lifetimes of gangs that have members on some nodes, if they matter.
func (r *Reserve) meet(ids []int32) {
	if r.times == nil {
		return
	}
	for _, id := range ids {
		if r.at[id] == 0 {
			continue
		}
		for m := range snapshot.MembersOn(r.c, id) {
			if _, known := r.times[m.Class.Gang]; !known {
				r.times[m.Class.Gang], _ = lifetimeOf(r.c, m.Class.Gang)
			}
		}
	}
}

// lifetimeOf is that of a gang; false: it has no members.
func lifetimeOf(c *snapshot.Snapshot, gang string) (life lifetime, runs bool) {
	g, runs := c.Gangs.Get(&snapshot.GangMembers{Name: gang})
	if !runs {
		return life, false
	}
	life.end = ends.Of(g)
	if _, held := For(gang); held {
		life.from = firstOf(g)
	}
	return life, true
}

// nodesOf are the nodes of the members of a gang, each as often as it has members there.
func nodesOf(c *snapshot.Snapshot, gang string) (ids []int32) {
	for _, m := range c.MembersOf(gang).All() {
		ids = append(ids, m.Node)
	}
	return ids
}

// domainOf is the vertex of a domain in which something is held; false: it is not there.
func domainOf(c *snapshot.Snapshot, h *cluster.DomainHold) (*layout.View, layout.Vertex, bool) {
	v := c.Lineage.Tree(h.Tree)
	if v == nil || len(h.Domain) == 0 {
		return v, layout.Root, v != nil
	}
	x, ok := v.Find(h.Domain, c.Lineage.ID)
	return v, x, ok
}

// whole is what a node has for others than daemons that are still there, of the resources that it bounds.
func (r *Reserve) whole(id int32, h *cluster.DomainHold) []int64 {
	out := slices.Clone(r.c.Static.ClassOf(id).Capacity())
	for i, amount := range out {
		if amount == snapshot.Boundless {
			out[i] = 0
		}
	}
	for m := range snapshot.MembersOn(r.c, id) {
		if m.Class.Tolerated && !r.isGone(m, h) {
			takeFrom(out, m.Class.Holds)
		}
	}
	return out
}

// roomOn is what is free on a node once a hold begins: beside who is there then, and is not leaving.
func (r *Reserve) roomOn(free []int64, id int32, h *cluster.DomainHold) {
	for i := range free {
		free[i] = r.c.Free[i].At(id)
	}
	for m := range snapshot.MembersOn(r.c, id) {
		if r.isGone(m, h) {
			addTo(free, m.Class.Holds)
		}
	}
}

// addTo adds amounts to what is free; what has no bound stays without.
func addTo(free, amounts []int64) {
	for i, amount := range amounts {
		if free[i] > math.MaxInt64-amount {
			free[i] = math.MaxInt64
		} else {
			free[i] += amount
		}
	}
}

// isGone says whether a member is leaving, or its gang has ended by the time at which a hold begins, or one for which room is held starts once the hold is over.
func (r *Reserve) isGone(m *snapshot.Member, h *cluster.DomainHold) bool {
	if m.Leaving {
		return true
	}
	life := r.times[m.Class.Gang]
	return begins(life.from, h.End) || h.From != 0 && life.end != 0 && life.end <= h.From
}
