// How are moves planned, one after the other, and who moves in turn?

package placement

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// carried is a snapshot in which some have moved, all at once.
type carried struct {
	m     *moveSearch
	c     *snapshot.Snapshot
	gone  map[int][]*snapshot.Member // by mover: who left
	rows  map[int][]cluster.Running  // by mover: where these are now
	empty []string                   // nodes that nobody goes to
	// Of those who leave for the gang of the goal as its victims would: who must not, who does, and what no moves cost less than.
	pinned map[*snapshot.Member]bool
	chosen []*snapshot.Member
	bound  MoveCost
	never  bool // the gang does not fit even if all others leave
}

// deepest bounds how many make others move for them in a row, and stepsForMovers the search for these.
const (
	deepest        = 4
	stepsForMovers = 1 << 10
)

func (m *moveSearch) carried() *carried {
	return &carried{m: m, c: m.s, gone: map[int][]*snapshot.Member{}, rows: map[int][]cluster.Running{}}
}

// carry plans a proposal: who leaves is taken away, then the gang of the goal is placed and those who left, those first that may go to fewer nodes. Nil: it cannot be
// planned.
//
// order: moves.4
func (m *moveSearch) carry(p proposal, pinned map[*snapshot.Member]bool) (*Moving, *carried) {
	k := m.carried()
	k.pinned = pinned
	if m.goal.Fit == nil {
		k.evacuate(&p)
	}
	for _, some := range p.moves {
		k.remove(some.mover, some.members)
	}
	if m.goal.Fit != nil {
		in := layout.Root
		if len(p.goal) > 0 {
			in = p.goal[0]
		}
		r := k.place(m.goal.Fit, in, 0)
		if r == nil {
			return nil, k
		}
	}
	slices.SortStableFunc(p.moves, func(a, b proposed) int {
		return cmp.Or(cmp.Compare(m.movers[a.mover].tier, m.movers[b.mover].tier), cmp.Compare(len(b.members), len(a.members)))
	})
	for _, some := range p.moves {
		if k.rows[some.mover] == nil && !k.settle(some.mover, some.to, 0) {
			return nil, k
		}
	}
	return k.inOrder(p.goal), k
}

// evacuate adds to a proposal whoever else is in the domains that become empty.
func (k *carried) evacuate(p *proposal) {
	m := k.m
	leaves := map[*snapshot.Member]bool{}
	for _, some := range p.moves {
		for _, member := range some.members {
			leaves[member] = true
		}
	}
	for _, d := range p.goal {
		for pos := m.view.First(d); pos < m.view.EndOf(d); pos++ {
			k.empty = append(k.empty, m.s.Lineage.Names[m.view.Node(pos)])
			for member := range snapshot.MembersOn(m.s, m.view.Node(pos)) {
				g, moves := m.of[member.Class.Gang]
				if !moves || leaves[member] || member.Leaving {
					continue
				}
				i := slices.IndexFunc(p.moves, func(some proposed) bool { return some.mover == g })
				if i < 0 {
					i, p.moves = len(p.moves), append(p.moves, proposed{mover: g})
				}
				p.moves[i].members = append(slices.Clone(p.moves[i].members), member)
			}
		}
	}
}

// remove takes members of a mover away.
func (k *carried) remove(g int, members []*snapshot.Member) {
	if next, err := k.c.Update(cluster.Delta{Remove: refsOf(members)}); err == nil { // always: they run
		k.c = next
	}
	k.gone[g] = append(slices.Clone(k.gone[g]), members...)
}

// settle places those of a mover who left, in a domain or else anywhere; else, where others of it stay, the whole gang.
func (k *carried) settle(g int, to layout.Vertex, depth int) bool {
	o := &k.m.movers[g]
	if k.placeMover(g, to, depth) {
		return true
	}
	if len(k.gone[g]) == len(o.members) {
		return false
	}
	k.remove(g, slices.DeleteFunc(slices.Clone(o.members), func(member *snapshot.Member) bool { return slices.Contains(k.gone[g], member) }))
	return k.placeMover(g, to, depth)
}

// placeMover places those of a mover who left.
func (k *carried) placeMover(g int, to layout.Vertex, depth int) bool {
	req := k.m.movers[g].anew(k.gone[g])
	req.Exclude = append(slices.Clone(req.Exclude), k.empty...)
	k.rows[g] = []cluster.Running{} // it does not move for those who move for it
	r := k.place(req, to, depth)
	if r == nil {
		k.rows[g] = nil
		return false
	}
	k.rows[g] = rowsOf(k.m.s, k.gone[g], r)
	return true
}

// place plans a request, in a domain or else anywhere, and carries the plan out. Where there is no room others leave for it, as its victims would, and are placed behind it.
func (k *carried) place(req *gang.Request, in layout.Vertex, depth int) *Result {
	r := k.planIn(req, in)
	var away []int
	if r == nil && depth < deepest {
		r, away = k.makeRoom(req, depth)
	}
	if r == nil {
		return nil
	}
	next, err := carryOut(k.c, r)
	if err != nil {
		return nil
	}
	k.c = next
	for _, g := range away {
		if !k.settle(g, layout.Root, depth+1) {
			return nil
		}
	}
	return r
}

// planIn plans a request in a domain, or else anywhere; nil: it has no place.
func (k *carried) planIn(req *gang.Request, in layout.Vertex) *Result {
	if in != layout.Root && len(req.Inside) == 0 {
		inside := *req
		inside.Inside = k.m.view.Path(in, k.m.s.Lineage.NodeName)
		if r, err := k.m.plan(k.c, &inside); err == nil {
			return r
		}
	}
	r, err := k.m.plan(k.c, req)
	if err != nil {
		return nil
	}
	return r
}
