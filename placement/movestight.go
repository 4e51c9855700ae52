// How tight can running gangs lie, all of them?

package placement

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// tightening is a cluster while its gangs get tighter, one after the other.
type tightening struct {
	m     *moveSearch
	c     *snapshot.Snapshot
	least []int // by mover: the place of the tier that it would lie at if no other mover were there
	// across is how many gangs beyond two lie across the borders of lowest domains, added up, at first and in the end, and bound what it costs that none do.
	across  [2]int
	bound   MoveCost
	ordered *Moving  // the moves to the snapshot in order, if they are known
	allWon  MoveCost // what it costs at least that all of them lie there
}

// mostRounds bounds how often all gangs are looked at: what one leaves may let another one get tighter.
const mostRounds = 3

// tighten moves gangs, the largest first, into domains of lower tiers, where others make room for them without getting wider.
//
// order: moves.7
func (m *moveSearch) tighten() *Moving {
	t := &tightening{m: m, c: m.s}
	order := t.candidates()
	once := t.atOnce(order)
	if once == nil || !t.isLeast(once) {
		t.oneByOne(order)
	}
	if once != nil && t.isBetter(once) {
		t.c = once
	}
	t.uncross()
	out := t.ordered
	if out == nil {
		out = t.with(t.c).inOrder(nil)
	}
	if out == nil { // gangs cannot be brought into an order: none moves
		t.c, out, t.across[1] = m.s, &Moving{}, t.across[0]
	}
	out.AcrossBefore, out.Across = t.across[0], t.across[1]
	out.Tighter, out.AtMost = t.won(t.c)
	if out.Tighter == out.AtMost {
		out.LowerBound = t.allWon
	}
	if out.Across == 0 && out.LowerBound.Compare(t.bound) < 0 {
		out.LowerBound = t.bound
	}
	out.Proven = out.Tighter == out.AtMost && out.Across == 0 && out.Cost == out.LowerBound
	return out
}

// oneByOne moves gangs one after the other, those of most members first.
func (t *tightening) oneByOne(order []int) {
	for round, changed := 0, true; changed && round < mostRounds; round++ {
		changed = false
		for _, g := range order {
			changed = t.tighter(g) || changed
		}
	}
}

// won is by how many tiers gangs lie lower in a snapshot than at first, and a number that this is never above.
func (t *tightening) won(c *snapshot.Snapshot) (tiers, atMost int) {
	for g := range t.m.movers {
		before := t.m.place(t.m.movers[g].members)
		tiers += before - t.m.place(staying(c, t.m.movers[g].gang))
		atMost += before - min(before, t.least[g])
	}
	return tiers, atMost
}

// costOf is what it costs that members are where they are in a snapshot.
func (t *tightening) costOf(c *snapshot.Snapshot) (cost MoveCost) {
	t.with(c).changes(&cost)
	return cost
}

// isLeast says whether a snapshot has all tiers won, at the least cost.
func (t *tightening) isLeast(c *snapshot.Snapshot) bool {
	tiers, atMost := t.won(c)
	return tiers == atMost && t.costOf(c).Compare(t.allWon) <= 0
}

// isBetter says whether in a snapshot more tiers are won than now, or as many at less cost.
func (t *tightening) isBetter(c *snapshot.Snapshot) bool {
	tiers, _ := t.won(c)
	now, _ := t.won(t.c)
	return tiers > now || tiers == now && t.costOf(c).Compare(t.costOf(t.c)) < 0
}

// place is the place of the tier that members lie at.
func (m *moveSearch) place(members []*snapshot.Member) int {
	return m.view.TierIndex(lies(m.view, members))
}

// candidates are the movers that could lie at a lower tier, those of most members first.
func (t *tightening) candidates() (order []int) {
	m := t.m
	var all []*snapshot.Member
	for g := range m.movers {
		all = append(all, m.movers[g].members...)
	}
	bare, err := m.s.Update(cluster.Delta{Remove: refsOf(all)})
	for g := range m.movers {
		o := &m.movers[g]
		now := m.place(o.members)
		t.least = append(t.least, now)
		if err != nil || m.s.Lineage.Tree(o.req.Tree) != m.view {
			continue
		}
		if r, err := m.plan(bare, o.req); err == nil {
			if t.least[g] = min(now, m.view.TierIndex(int32(r.Tier))); t.least[g] < now {
				order = append(order, g)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(m.movers[b].members), len(m.movers[a].members)) })
	return order
}

// tighter brings a mover to the lowest tier that it can lie at, if that is lower than now: in the domain where most of it are, or in one of the next, or anywhere, whichever costs least.
func (t *tightening) tighter(g int) bool {
	m, o := t.m, &t.m.movers[g]
	members := staying(t.c, o.gang)
	for place := t.least[g]; place < m.place(members); place++ {
		var best *snapshot.Snapshot
		var least MoveCost
		layer := layerOf(m.view, m.view.Tiers[place])
		for _, leave := range append(t.outside(members, m.view.Tiers[place]), members) {
			next, cost := t.makeRoom(mustGather(m.view, o.anew(leave), layer), leave)
			if next != nil && (best == nil || cost.Compare(least) < 0) && (m.opt.MaxMoved == 0 || t.with(next).moved() <= m.opt.MaxMoved) {
				best, least = next, cost
			}
		}
		if best != nil {
			t.c = best
			return true
		}
	}
	return false
}

// mostAnchors bounds the domains in which members of a gang stay while it gets tighter.
const mostAnchors = 3

// outside lists, for domains of a tier that have members, those outside, the fewest first.
func (t *tightening) outside(members []*snapshot.Member, tier int32) (out [][]*snapshot.Member) {
	v := t.m.view
	seen := map[layout.Vertex]bool{}
	for _, member := range members {
		d := v.DomainAt(v.At(member.Node), tier)
		if seen[d] {
			continue
		}
		seen[d] = true
		out = append(out, slices.DeleteFunc(slices.Clone(members), func(o *snapshot.Member) bool { return v.DomainAt(v.At(o.Node), tier) == d }))
	}
	slices.SortStableFunc(out, func(a, b []*snapshot.Member) int { return cmp.Compare(len(a), len(b)) })
	return out[:min(len(out), mostAnchors)]
}

// makeRoom is the snapshot with members of a gang placed anew by a request, and others moved for it, and what that costs; nil: there is none.
func (t *tightening) makeRoom(req *gang.Request, leave []*snapshot.Member) (*snapshot.Snapshot, MoveCost) {
	var cost MoveCost
	c, err := t.c.Update(cluster.Delta{Remove: refsOf(leave)})
	if err != nil {
		return nil, cost
	}
	opt := t.m.opt
	opt.MaxMoved = 0
	sub, err := newMoves(t.m.ctx, c, MoveGoal{Fit: req, Tree: t.m.view.Name}, opt)
	if err != nil {
		return nil, cost
	}
	sub.plans = t.m.plans
	defer func() { t.m.plans = sub.plans }()
	a, err := sub.answer()
	if err != nil {
		return nil, cost
	}
	for i := range a.Moves {
		if c, err = c.Update(a.Moves[i].Delta()); err != nil {
			return nil, cost
		}
	}
	rows := rowsOf(t.m.s, leave, a.Plan)
	if c, err = c.Update(cluster.Delta{Place: rows}); err != nil {
		return nil, cost
	}
	cost = a.Cost
	for _, member := range leave {
		if c.Member(member.Class.Gang, member.Name).Node != member.Node {
			cost.Members++
		}
	}
	return c, cost
}

// rowsOf are members as they run by a plan.
func rowsOf(s *snapshot.Snapshot, members []*snapshot.Member, r *Result) (rows []cluster.Running) {
	was := map[string]*snapshot.Member{}
	for _, member := range members {
		was[member.Name] = member
	}
	for i := range r.Assignments {
		a := &r.Assignments[i]
		row := s.ExportMember(was[a.Member])
		row.Node, row.NUMA = a.Node, a.NUMA
		rows = append(rows, row)
	}
	return rows
}

// with is who changed a node from the beginning to a snapshot.
func (t *tightening) with(c *snapshot.Snapshot) *carried {
	k := t.m.carried()
	for g := range t.m.movers {
		for _, member := range t.m.movers[g].members {
			if now := c.Member(t.m.movers[g].gang, member.Name); now.Node != member.Node {
				k.gone[g] = append(k.gone[g], member)
				k.rows[g] = append(k.rows[g], c.ExportMember(now))
			}
		}
	}
	return k
}

// moved is how many members change their nodes.
func (k *carried) moved() (n int) {
	for _, members := range k.gone {
		n += len(members)
	}
	return n
}
