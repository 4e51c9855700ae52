// What room do nodes have for what is held in domains?

package holds

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/ends"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/reserve"
	"github.com/muster-sched/muster/internal/snapshot"
)

// keptReserves bounds how many sets of holds a snapshot remembers the room of: those that gangs of some priority and end see.
const keptReserves = 64

// Reserve is the room of what is held in domains and binds a plan.
type Reserve struct {
	*reserve.State
	Holds []cluster.DomainHold // by claim
	IDs   []int32              // by node of the state: in the order of the holds, then of their topologies

	c    *snapshot.Snapshot // without what is not seen
	from *snapshot.Snapshot // with that
	end  int64              // of the gang that plans; 0: never
	at   []int32            // by node: its place in the state, and one; 0: it has none
	ends map[string]int64
	late map[int32][][]int64 // by node: what members of the gang that plans hold there by claim, which would be gone, and will not
}

// Binding is the room of what is held in domains for others than a gang and those that start with it, of no lower priority, whose new members are expected to end at an instant,
// 0: never, behind the beginning; nil: there is none. O(nodes of the domains + members on them) for the first who asks so of a snapshot.
//
// order: holds.3
func Binding(c *snapshot.Snapshot, priority int64, gang string, end int64, is func(gang string) bool) *Reserve {
	if len(c.Reserved) == 0 {
		return nil
	}
	last := end
	if end != 0 {
		last = ends.With(c, gang, end)
	}
	meets := func(h cluster.DomainHold) bool { return last == 0 || h.From == 0 || last > h.From }
	if !slices.ContainsFunc(c.Reserved, meets) {
		return nil
	}
	// Where somebody is gone by the time at which others come, these may still lack the room of those that are there meanwhile.
	binds := func(h *cluster.DomainHold) bool { return h.Priority >= priority && !is(h.Gang) }
	seen := Seen(c, priority, gang, 0, is) // who comes later may still meet those for whom it is held
	r := reserveOf(seen, binds)
	if r == nil {
		return nil
	}
	own := *r
	own.from = c
	if own.end = last; seen != c { // what is not seen may be why something is not kept
		own.State = r.State.Needing(reserveOf(c, binds).Need)
	}
	if g, runs := c.Gangs.Get(&snapshot.GangMembers{Name: gang}); runs && g.Staying > 0 {
		if was := ends.Of(g); was != 0 && (last == 0 || last > was) {
			own.outstays(gang, was)
		}
	}
	return &own
}

// someOf names the room of some holds in domains: of a list, those at some places in it.
type someOf struct {
	list   *cluster.DomainHold // the first of all
	places string
}

// reserveOf is the room of those that are held in domains and wanted; nil: there is none.
func reserveOf(c *snapshot.Snapshot, wanted func(h *cluster.DomainHold) bool) *Reserve {
	var list []cluster.DomainHold
	var places strings.Builder
	for i := range c.Reserved {
		if wanted(&c.Reserved[i]) {
			list = append(list, c.Reserved[i])
			fmt.Fprint(&places, i, " ")
		}
	}
	if len(list) == 0 {
		return nil
	}
	key := someOf{&c.Reserved[0], places.String()}
	return boardOf(c).rooms.Get(&c.Lineage.Clock, keptReserves, func(of someOf) bool { return of == key }, nil,
		func() (someOf, *Reserve) { return key, newReserve(c, list) })
}

// newReserve reads the room of some holds. Those that ask for what the cluster does not have at all have none.
func newReserve(c *snapshot.Snapshot, list []cluster.DomainHold) *Reserve {
	r := &Reserve{Holds: list, c: c, at: make([]int32, len(c.Lineage.Names)), ends: map[string]int64{}}
	claims, each := make([]reserve.Claim, len(list)), make([][]int64, len(list))
	pool, total := c.Lineage.Amounts(), 0
	var of [][]int // claims by node
	for i := range list {
		h := &list[i]
		claims[i] = reserve.Claim{Count: h.Count, From: h.From, End: h.End}
		v, x, there := domainOf(c, h)
		if h.Resources != nil {
			each[i] = pool.Vector(h.Resources, 0)
			there = there && c.Lacking(h.Resources, pool) == ""
		}
		if !there {
			continue
		}
		alone := []int{i}
		for pos := v.First(x); pos < v.EndOf(x); pos++ {
			id := v.Node(pos)
			if c.FlagsOf(id)&(snapshot.Present|snapshot.Cordoned|snapshot.NotReady) != snapshot.Present {
				continue
			}
			if total++; r.at[id] == 0 {
				r.IDs, of = append(r.IDs, id), append(of, alone)
				r.at[id] = int32(len(r.IDs))
			} else {
				k := r.at[id] - 1
				of[k] = append(slices.Clone(of[k]), i)
			}
		}
	}
	r.readEnds()
	r.State = reserve.New(claims, r.nodes(of, each, total))
	return r
}

// nodes are what nodes have for their claims, of which there are so many in all.
func (r *Reserve) nodes(of [][]int, each [][]int64, total int) []reserve.Node {
	nodes := make([]reserve.Node, len(of))
	lists, room := make([][]int64, 2*total), make([]int64, total*len(r.c.Free))
	for i, claims := range of {
		n := len(claims)
		nodes[i] = reserve.Node{Claims: claims, Each: lists[:n:n], Room: lists[n : 2*n : 2*n]}
		lists = lists[2*n:]
		for k, c := range claims {
			h := &r.Holds[c]
			if nodes[i].Each[k] = each[c]; h.Resources == nil {
				nodes[i].Each[k] = r.whole(r.IDs[i], h)
			}
			nodes[i].Room[k], room = room[:len(r.c.Free):len(r.c.Free)], room[len(r.c.Free):]
			r.roomOn(nodes[i].Room[k], r.IDs[i], h)
		}
	}
	return nodes
}

// place is where a node stands in the state; false: it lies in no domain in which something is held, or is out of service.
func (r *Reserve) place(id int32) (int, bool) { return int(r.at[id]) - 1, r.at[id] > 0 }

// readEnds notes when the gangs end that have members on the nodes, if anything is held from an instant on.
func (r *Reserve) readEnds() {
	if !slices.ContainsFunc(r.Holds, func(h cluster.DomainHold) bool { return h.From != 0 }) {
		return
	}
	for _, id := range r.IDs {
		for m := range snapshot.MembersOn(r.c, id) {
			if _, known := r.ends[m.Class.Gang]; !known {
				g, _ := r.c.Gangs.Get(&snapshot.GangMembers{Name: m.Class.Gang})
				r.ends[m.Class.Gang] = ends.Of(g)
			}
		}
	}
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
	if _, held := For(m.Class.Gang); held {
		if g, _ := r.c.Gangs.Get(&snapshot.GangMembers{Name: m.Class.Gang}); begins(firstOf(g), h.End) {
			return true
		}
	}
	end := r.ends[m.Class.Gang]
	return h.From != 0 && end != 0 && end <= h.From
}

// outstays notes what members of the gang that plans hold, which stay behind the end that it had.
func (r *Reserve) outstays(gang string, was int64) {
	r.late = map[int32][][]int64{}
	for _, m := range r.c.MembersOf(gang) {
		i, there := r.place(m.Node)
		if !there || m.Leaving {
			continue
		}
		n := &r.Nodes[i]
		if r.late[m.Node] == nil {
			r.late[m.Node] = make([][]int64, len(n.Claims))
		}
		for k, c := range n.Claims {
			if from := r.Claims[c].From; from != 0 && was <= from && (r.end == 0 || r.end > from) {
				r.late[m.Node][k] = plus(r.late[m.Node][k], m.Class.Holds)
			}
		}
	}
}

func plus(sum, amounts []int64) []int64 {
	if sum == nil {
		return slices.Clone(amounts)
	}
	addTo(sum, amounts)
	return sum
}

// Change is what a plan does to a node.
type Change struct {
	Node      int32
	Takes     []int64            // what new members hold, by resource; nil: nothing
	Tolerated bool               // they are daemons
	Gone      []*snapshot.Member // who makes room for them
}

// Short are the claims of which not all is kept any more beside a plan; none: all are kept. exact: so it is. now are the nodes that it changes, each once, by node of
// the state; nil where nothing is short.
func (r *Reserve) Short(changes []Change) (claims []int, now map[int]*reserve.Node, exact bool) {
	if r.late == nil && r.spares(changes) {
		return nil, nil, true
	}
	now = map[int]*reserve.Node{}
	for k := range changes {
		if i, there := r.place(changes[k].Node); there {
			now[i] = r.changed(i, &changes[k])
		}
	}
	for id := range r.late {
		if i, _ := r.place(id); now[i] == nil {
			now[i] = r.changed(i, &Change{})
		}
	}
	claims, exact = r.State.Short(now)
	return claims, now, exact
}

// spares says whether all is kept even if nobody who leaves made room; false: it is not known.
func (r *Reserve) spares(changes []Change) bool {
	lost := make([]int, len(r.Claims))
	for k := range changes {
		i, there := r.place(changes[k].Node)
		if !there {
			continue
		}
		n := &r.Nodes[i]
		if len(n.Claims) > 1 || changes[k].Tolerated || len(changes[k].Gone) > 0 {
			return false
		}
		if c := n.Claims[0]; r.end == 0 || r.end > r.Holds[c].From {
			lost[c] += n.Loses(r.Claims, changes[k].Takes)
		}
	}
	return r.State.Spares(lost)
}

// changed is a node beside a plan.
func (r *Reserve) changed(i int, change *Change) *reserve.Node {
	was := &r.Nodes[i]
	n := reserve.Node{Claims: was.Claims, Each: slices.Clone(was.Each), Room: make([][]int64, len(was.Room))}
	for k, c := range was.Claims {
		room, each, h := slices.Clone(was.Room[k]), slices.Clone(was.Each[k]), &r.Holds[c]
		for _, m := range change.Gone {
			if r.isGone(m, h) {
				continue
			}
			if addTo(room, m.Class.Holds); h.Resources == nil && m.Class.Tolerated {
				addTo(each, m.Class.Holds)
			}
		}
		if r.end == 0 || r.end > h.From {
			if takeFrom(room, change.Takes); h.Resources == nil && change.Tolerated {
				takeFrom(each, change.Takes)
			}
		}
		n.Each[k] = each
		if late := r.late[r.IDs[i]]; late != nil {
			takeFrom(room, late[k])
		}
		n.Room[k] = room
	}
	return &n
}

func takeFrom(room, amounts []int64) {
	for i, amount := range amounts {
		if room[i] != snapshot.Boundless {
			room[i] -= amount
		}
	}
}
