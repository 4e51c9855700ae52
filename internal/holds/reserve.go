// Which room that is held in domains binds a plan, and what is left of it beside one?

package holds

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/ends"
	"github.com/muster-sched/muster/internal/reserve"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Reserve is the room of what is held in domains and binds a plan.
type Reserve struct {
	*reserve.State
	Holds []cluster.DomainHold // by claim
	IDs   []int32              // by node of the state: in the order of the holds, then of their topologies

	each  [][]int64           // by claim: what a member of it takes, by resource; nil: a whole node
	of    [][]int             // by node of the state: the claims in whose domains it lies, also while it is out of service
	at    []int32             // by node: its place in the state, and one; 0: it has none
	times map[string]lifetime // of the gangs that have members on the nodes; nil: nothing is held from an instant on, or until one

	// Of who plans, and on what:
	c    *snapshot.Snapshot  // without what is not seen
	from *snapshot.Snapshot  // with that
	end  int64               // of the gang that plans; 0: never
	late map[int32][][]int64 // by node: what members of the gang that plans hold there by claim, which would be gone, and will not
}

// lifetime is from when on room is held for a gang, if it is, and when its last member ends; 0: at once, and never.
type lifetime struct{ from, end int64 }

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
	r.from, r.end = c, last
	if seen != c { // what is not seen may be why something is not kept
		r.State = r.Needing(reserveOf(c, binds).Need)
	}
	if r.times == nil {
		return r // nothing is held from an instant on
	}
	if g, runs := c.Gangs.Get(&snapshot.GangMembers{Name: gang}); runs && g.Staying > 0 {
		if was := ends.Of(g); was != 0 && (last == 0 || last > was) {
			r.outstays(gang, was)
		}
	}
	return r
}

// outstays notes what members of the gang that plans hold, which stay behind the end that it had.
func (r *Reserve) outstays(gang string, was int64) {
	r.late = map[int32][][]int64{}
	for _, m := range r.c.MembersOf(gang).All() {
		i, there := r.place(m.Node)
		if !there || m.Leaving {
			continue
		}
		n := r.Nodes[i]
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

// Spares says whether a plan keeps all whichever nodes of a domain its members take, so many of each kind, by what these hold; false: it is not known. O(holds).
func (r *Reserve) Spares(tree string, domain []string, takes [][]int64, members []int) bool {
	if r.late != nil {
		return false
	}
	lost := make([]int, len(r.Holds))
	for c := range r.Holds {
		h := &r.Holds[c]
		if shorter := min(len(domain), len(h.Domain)); h.Tree == tree && !slices.Equal(domain[:shorter], h.Domain[:shorter]) {
			continue // neither domain lies in the other
		}
		for kind, n := range members {
			most := reserve.LosesAtMost(r.each[c], takes[kind], h.Count)
			if most > 0 && n > (math.MaxInt32-lost[c])/most {
				return false
			}
			lost[c] += n * most
		}
	}
	return r.State.Spares(lost)
}

// spares says whether all is kept even if nobody who leaves made room; false: it is not known.
func (r *Reserve) spares(changes []Change) bool {
	lost := make([]int, len(r.Claims))
	for k := range changes {
		i, there := r.place(changes[k].Node)
		if !there || len(r.Nodes[i].Claims) == 0 {
			continue
		}
		n := r.Nodes[i]
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
	was := r.Nodes[i]
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
