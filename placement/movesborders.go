// Which gangs lie across the borders of lowest domains, and how do all but two of each come off them?

package placement

import (
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/moves"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
)

// stepsOfBorders is how many steps the search for fewer gangs across borders has for one of the options.
const stepsOfBorders = 16

// uncross lets members go into other lowest domains, so that at most two gangs lie across the border of each, where all members are alike and no gang gets wider. A gang
// that has no place there by its rules stays as it is, and the others are asked again.
//
// order: moves.8
func (t *tightening) uncross() {
	holds := t.m.alike()
	if holds == nil {
		return
	}
	stay := map[int]bool{}
	for round := range mostRounds {
		p := t.borders(holds, stay)
		found := moves.Uncross(p)
		if round == 0 {
			t.across, t.bound = [2]int{found.Before, found.Now}, costOf(found.Bound)
		}
		if found.After >= found.Now {
			return
		}
		next, refused := t.rearranged(p, &found)
		if next == nil {
			stay[refused] = true
			continue
		}
		k := t.with(next)
		if t.m.opt.MaxMoved > 0 && k.moved() > t.m.opt.MaxMoved {
			return
		}
		if out := k.inOrder(nil); out != nil {
			t.c, t.across[1], t.ordered = next, found.After, out
		}
		return
	}
}

// alike is what each member holds of those who may move, where that is one for all, they are planned in the topology of the goal, and it has layers; else nil.
func (m *moveSearch) alike() (holds []int64) {
	if m.units() == 0 {
		return nil
	}
	for i := range m.movers {
		o := &m.movers[i]
		for _, member := range o.members {
			if holds == nil {
				holds = member.Class.Holds
			}
			if m.s.Lineage.Tree(o.req.Tree) != m.view || member.Placed != nil || !slices.Equal(holds, member.Class.Holds) {
				return nil
			}
		}
	}
	return holds
}

// unitOf is the lowest domain that a node is in, as a place among these.
func (m *moveSearch) unitOf(node int32) int32 {
	at, is := slices.BinarySearch(m.view.Intervals()[m.units()], m.view.At(node))
	if !is {
		at--
	}
	return int32(at)
}

// borders is who is in which lowest domain. Those stay that are to stay, that lie on one node, or on one that nobody goes to or that has too many.
func (t *tightening) borders(holds []int64, stay map[int]bool) *moves.Borders {
	m := t.m
	tiers := m.view.Intervals()[m.units():]
	p := &moves.Borders{Room: make([]int64, len(tiers[0])), Most: int64(m.opt.MaxMoved), Steps: m.opt.Steps * stepsOfBorders, Stop: func() bool { return m.ctx.Err() != nil }}
	for _, firsts := range tiers {
		var units []int32
		for _, pos := range firsts {
			units = append(units, m.unitOf(m.view.Node(pos)))
		}
		p.Tiers = append(p.Tiers, units)
	}
	room := make([]int64, len(m.s.Lineage.Names)) // by node; negative: nobody goes there
	for id := range room {
		if room[id] = -1; takesNewcomers(t.c, int32(id)) {
			room[id] = slotsOf(t.c, int32(id), holds)
			p.Room[m.unitOf(int32(id))] += max(0, room[id])
		}
	}
	for g := range m.movers {
		o := &m.movers[g]
		now := staying(t.c, o.gang)
		gang := moves.Spread{Now: m.heldIn(now), Was: m.heldIn(o.members), Lost: o.lost}
		elsewhere := func(member *snapshot.Member) bool { return member.Node != now[0].Node }
		onOne := len(now) > 1 && !slices.ContainsFunc(now, elsewhere) // in its domain there may be room for it on no one node
		gang.Fixed = stay[g] || onOne || len(o.req.Inside) > 0 || slices.ContainsFunc(now, func(member *snapshot.Member) bool { return room[member.Node] < 0 })
		for _, held := range gang.Now {
			p.Room[held.Unit] += held.Members
		}
		p.Gangs = append(p.Gangs, gang)
	}
	t.c.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		if _, is := m.of[g.Name]; !is {
			now := m.heldIn(slices.DeleteFunc(g.Members.Slice(), func(member *snapshot.Member) bool { return member.IsDaemon() || member.Leaving }))
			p.Gangs = append(p.Gangs, moves.Spread{Now: now, Was: now, MayNotMove: true})
		}
		return true
	})
	return p
}

// slotsOf is how many members with such holdings a node has room for; negative: it has too many already.
func slotsOf(c *snapshot.Snapshot, id int32, holds []int64) int64 {
	slots := int64(mostAmount)
	for r, n := range holds {
		if free := c.Free[r].At(id); n > 0 && free < 0 {
			return -1
		} else if n > 0 {
			slots = min(slots, free/n)
		}
	}
	return slots
}

// heldIn is how many members are in each lowest domain.
func (m *moveSearch) heldIn(members []*snapshot.Member) []moves.Held {
	of := map[int32]int64{}
	for _, member := range members {
		of[m.unitOf(member.Node)]++
	}
	return moves.HeldOf(of)
}

// rearranged is the snapshot once members are where an answer has them; nil: some of a gang have no place there, or none of its members.
func (t *tightening) rearranged(p *moves.Borders, found *moves.Across) (c *snapshot.Snapshot, refused int) {
	c = t.c
	gone := make([][]*snapshot.Member, len(t.m.movers))
	for g := range t.m.movers {
		if !slices.Equal(p.Gangs[g].Now, found.Then[g]) {
			gone[g] = t.leaving(g, found.Then[g])
		}
		next, err := c.Update(cluster.Delta{Remove: refsOf(gone[g])})
		if err != nil {
			return nil, g
		}
		c = next
	}
	for g := range gone {
		for _, held := range found.Then[g] {
			n := held.Members - moves.Members(t.m.heldIn(staying(c, t.m.movers[g].gang)), held.Unit)
			if n == 0 || len(gone[g]) == 0 {
				continue
			}
			next, left := t.into(c, g, gone[g], held.Unit, int(n))
			if next == nil {
				return nil, g
			}
			c, gone[g] = next, left
		}
	}
	return c, 0
}

// leaving are the members of a mover that leave lowest domains that are to have fewer of them: those first that have moved already.
func (t *tightening) leaving(g int, then []moves.Held) (out []*snapshot.Member) {
	m := t.m
	for _, held := range m.heldIn(staying(t.c, m.movers[g].gang)) {
		var in []*snapshot.Member
		for _, member := range staying(t.c, m.movers[g].gang) {
			if m.unitOf(member.Node) == held.Unit {
				in = append(in, member)
			}
		}
		slices.SortStableFunc(in, first(func(member *snapshot.Member) bool { return m.wasOn(member) == member.Node }))
		out = append(out, in[min(held.Members, moves.Members(then, held.Unit)):]...)
	}
	return out
}

// wasOn is the node where a member was at first.
func (m *moveSearch) wasOn(member *snapshot.Member) int32 {
	return m.s.Member(member.Class.Gang, member.Name).Node
}

// first sorts members of whom something is so before others.
func first(is func(*snapshot.Member) bool) func(a, b *snapshot.Member) int {
	rank := func(member *snapshot.Member) int {
		if is(member) {
			return 0
		}
		return 1
	}
	return func(a, b *snapshot.Member) int { return rank(a) - rank(b) }
}

// into places so many of the members of a mover who left in a lowest domain, those first that were there; left are the others.
func (t *tightening) into(c *snapshot.Snapshot, g int, gone []*snapshot.Member, unit int32, n int) (next *snapshot.Snapshot, left []*snapshot.Member) {
	m := t.m
	gone = slices.Clone(gone)
	slices.SortStableFunc(gone, first(func(member *snapshot.Member) bool { return m.unitOf(m.wasOn(member)) == unit }))
	req := m.movers[g].anew(gone[:n])
	req.Inside = m.view.Path(m.view.DomainAt(m.view.Intervals()[m.units()][unit], m.view.Tiers[m.units()]), m.s.Lineage.NodeName)
	r, err := planOn(m.ctx, c, req, victims.Nobody, bounds.Search{}) // as many as there are pieces, beside those that are counted
	if err != nil || len(r.Assignments) < n {
		return nil, nil
	}
	if next, err = c.Update(cluster.Delta{Place: rowsOf(m.s, gone[:n], r)}); err != nil {
		return nil, nil
	}
	return next, gone[n:]
}
