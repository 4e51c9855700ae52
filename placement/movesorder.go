// In which order are moves carried out, and who has to wait in between?

package placement

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// inOrder brings moves into an order in which each has room once those before it are done. Where none has, the one that costs least stops and starts
// again when there is room: gangs that change places.
//
// order: moves.5
func (k *carried) inOrder(goal []layout.Vertex) *Moving {
	m, out, c := k.m, &Moving{}, k.m.s
	pending := k.changes(&out.Cost)
	var parked []int
	for len(pending)+len(parked) > 0 {
		moved := false
		for _, from := range []*[]int{&parked, &pending} {
			*from = slices.DeleteFunc(*from, func(g int) bool {
				next, move := k.step(c, g, from == &pending)
				if next != nil {
					c, moved, out.Moves = next, true, append(out.Moves, move)
				}
				return next != nil
			})
		}
		if moved {
			continue
		}
		if len(pending) == 0 {
			return nil // those who wait have no room after all
		}
		i := m.cheapest(pending, k.gone)
		g := pending[i]
		next, err := c.Update(cluster.Delta{Remove: refsOf(k.gone[g])})
		if err != nil {
			return nil
		}
		c, pending, parked = next, slices.Delete(pending, i, i+1), append(parked, g)
		move := Move{Gang: m.movers[g].gang}
		for _, member := range k.gone[g] {
			move.Members = append(move.Members, MovedMember{Member: member.Name, From: m.s.Lineage.Names[member.Node]})
		}
		out.Moves = append(out.Moves, move)
	}
	if m.goal.Fit != nil {
		var err error
		if out.Plan, err = m.plan(c, m.goal.Fit); err != nil {
			return nil
		}
	}
	for _, d := range goal {
		if m.goal.Fit == nil {
			out.Empty = append(out.Empty, m.view.Path(d, m.s.Lineage.NodeName))
		}
	}
	return out
}

// changes are the movers that change a node, in natural order of names, and what that costs. Members that stay where they were did not leave.
func (k *carried) changes(cost *MoveCost) (pending []int) {
	for g := range k.m.movers {
		at := map[string]string{}
		for _, row := range k.rows[g] {
			at[row.Member] = row.Node
		}
		stays := func(member *snapshot.Member) bool { return at[member.Name] == k.m.s.Lineage.Names[member.Node] }
		moved := slices.DeleteFunc(slices.Clone(k.gone[g]), stays)
		if len(moved) == 0 {
			continue
		}
		k.gone[g] = moved
		k.rows[g] = slices.DeleteFunc(k.rows[g], func(row cluster.Running) bool {
			return !slices.ContainsFunc(moved, func(member *snapshot.Member) bool { return member.Name == row.Member })
		})
		cost.Lost += k.m.movers[g].lost
		cost.Members += len(moved)
		cost.Gangs++
		pending = append(pending, g)
	}
	return pending
}

// step carries one move out, of members that run or that wait; nil: there is no room yet.
func (k *carried) step(c *snapshot.Snapshot, g int, run bool) (*snapshot.Snapshot, Move) {
	move := Move{Gang: k.m.movers[g].gang, rows: k.rows[g]}
	d := cluster.Delta{Place: k.rows[g]}
	from := map[string]string{}
	if run {
		d.Remove = refsOf(k.gone[g])
		for _, member := range k.gone[g] {
			from[member.Name] = k.m.s.Lineage.Names[member.Node]
		}
	}
	next, err := c.Update(d)
	if err != nil {
		return nil, move
	}
	for _, row := range k.rows[g] {
		if next.Member(row.Gang, row.Member).Unwelcome(next) != "" {
			return nil, move
		}
		move.Members = append(move.Members, MovedMember{Member: row.Member, From: from[row.Member], To: row.Node, NUMA: row.NUMA})
	}
	return next, move
}

// cheapest is the place of the mover of which fewest wait, of equals the one that loses least.
func (m *moveSearch) cheapest(pending []int, gone map[int][]*snapshot.Member) (best int) {
	for i, g := range pending {
		o := pending[best]
		if cmp.Or(cmp.Compare(len(gone[g]), len(gone[o])), cmp.Compare(m.movers[g].lost, m.movers[o].lost)) < 0 {
			best = i
		}
	}
	return best
}

func refsOf(members []*snapshot.Member) (out []cluster.MemberRef) {
	for _, member := range members {
		out = append(out, refOf(member))
	}
	return out
}
