// Which moves do amounts of one resource propose, and which cost do they prove?

package placement

import (
	"cmp"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/moves"
	"github.com/muster-sched/muster/internal/snapshot"
)

// proposal is who leaves, and where those go who leave.
type proposal struct {
	goal  []layout.Vertex // where the gang of the goal goes, or what becomes empty; nil: not said
	moves []proposed
}

// proposed are members of a mover.
type proposed struct {
	mover   int
	members []*snapshot.Member
	to      layout.Vertex // all of the gang goes there; the root: it is not said where
}

// mostCounted bounds the resources that are counted: devices first.
const mostCounted = 3

// resources are those whose amounts are counted: what the gang of the goal asks for, or what movers hold.
func (m *moveSearch) resources() (ids []int) {
	asked := muster.Resources{}
	if m.goal.Fit != nil {
		asked = wholeRequest(m.goal.Fit)
	}
	all := m.s.Lineage.Resources
	for r, name := range all {
		held := m.goal.Fit == nil && slices.ContainsFunc(m.movers, func(o mover) bool { return o.members[0].Class.Holds[r] > 0 })
		if asked[name] > 0 || held {
			ids = append(ids, r)
		}
	}
	slices.SortFunc(ids, func(a, b int) int { return muster.CompareResources(all[a], all[b]) })
	return ids[:min(len(ids), mostCounted)]
}

// units are the lowest domains of the topology, where it has layers and no node is to be empty, else its nodes: a place in its tiers.
func (m *moveSearch) units() int {
	if m.goal.Empty != "" && m.emptied() == 0 {
		return 0
	}
	return min(1, len(m.view.Tiers)-2)
}

// emptied is the place of the tier of which domains are to be empty.
func (m *moveSearch) emptied() int {
	tier, _ := m.view.TierNamed(m.goal.Empty)
	return m.view.TierIndex(tier)
}

// inAmounts is the goal in amounts of one resource.
type inAmounts struct {
	resource int
	portion  int64   // of the resource, which is one
	at       []int32 // units by position
	problem  moves.Problem
}

// count brings the goal into amounts of a resource. O(nodes + running members).
func (m *moveSearch) count(r int) *inAmounts {
	tiers := m.view.Intervals()[m.units():]
	c := &inAmounts{resource: r, at: make([]int32, m.view.Nodes)}
	at, p := c.at, &c.problem
	p.Free, p.Most, p.Steps = make([]int64, len(tiers[0])), int64(m.opt.MaxMoved), m.opt.Steps
	p.Stop = func() bool { return m.ctx.Err() != nil }
	for u, first := range tiers[0] {
		end := m.view.Nodes
		if u+1 < len(tiers[0]) {
			end = tiers[0][u+1]
		}
		for pos := first; pos < end; pos++ {
			at[pos] = int32(u)
		}
	}
	for _, firsts := range tiers {
		var units []int32
		for _, pos := range firsts {
			units = append(units, at[pos])
		}
		p.Tiers = append(p.Tiers, units)
	}
	p.Wants = m.wants(r)
	c.portion = m.portion(r)
	for i := range p.Wants {
		p.Wants[i].Amount /= c.portion
	}
	leaving := m.leavingOn(r)
	for pos := range m.view.Nodes {
		if id := m.view.Node(pos); takesNewcomers(m.s, id) {
			p.Free[at[pos]] = min(mostAmount+1, p.Free[at[pos]]+max(0, min(math.MaxInt64/2, m.s.Free[r].At(id))+leaving[id])/c.portion)
		}
	}
	m.gangs(c)
	return c
}

// mostAmount bounds what is counted, so that sums over nodes and members do not overflow.
const mostAmount = 1 << 38

// isLarge says whether an amount is too large to be counted.
func (c *inAmounts) isLarge() bool {
	large := func(n int64) bool { return n > mostAmount }
	return slices.ContainsFunc(c.problem.Free, large) || slices.ContainsFunc(c.problem.Wants, func(w moves.Want) bool { return large(w.Amount) }) ||
		slices.ContainsFunc(c.problem.Gangs, func(g moves.Gang) bool {
			return slices.ContainsFunc(g.Parts, func(p moves.Part) bool { return large(p.Amount*p.Members) || large(p.Amount) })
		})
}

// leavingOn is what those hold, by node, for whom the gang of the goal may wait.
func (m *moveSearch) leavingOn(r int) map[int32]int64 {
	out := map[int32]int64{}
	if m.goal.Fit == nil || m.goal.Fit.IgnoreLeaving {
		return out
	}
	for _, member := range m.s.Leaving {
		out[member.Node] += member.Class.Holds[r]
	}
	return out
}

// takesNewcomers says whether anybody may go to a node.
func takesNewcomers(s *snapshot.Snapshot, id int32) bool {
	return s.FlagsOf(id)&(snapshot.Present|snapshot.Cordoned|snapshot.NotReady) == snapshot.Present
}

// portion is what all amounts are multiples of that move or are to have a place.
func (m *moveSearch) portion(r int) (unit int64) {
	for i := range m.movers {
		for _, member := range m.movers[i].members {
			unit = divisor(unit, member.Class.Holds[r])
		}
	}
	if m.goal.Fit != nil {
		for i := range m.goal.Fit.Members {
			unit = divisor(unit, asks(m.goal.Fit, i)[m.s.Lineage.Resources[r]])
		}
	}
	return max(1, unit)
}

// divisor is the largest number of which both are multiples.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// wants is the goal in amounts: of a gang what those hold at least who must be placed.
func (m *moveSearch) wants(r int) []moves.Want {
	if m.goal.Tight {
		return nil
	}
	if m.goal.Fit == nil {
		return slices.Repeat([]moves.Want{{Tier: m.emptied() - m.units()}}, m.goal.Count)
	}
	req := m.goal.Fit
	var amounts []int64
	for i := range req.Members {
		amounts = append(amounts, asks(req, i)[m.s.Lineage.Resources[r]])
	}
	slices.Sort(amounts)
	must := len(amounts)
	switch {
	case len(req.Parts) > 0:
		must = 1 // or as many as the parts say
	case req.MinMember > 0:
		must = min(must, max(1, req.MinMember-len(staying(m.s, req.Name))))
	}
	want := m.wanted()
	for _, amount := range amounts[:must] {
		want.Amount += amount
	}
	return []moves.Want{want}
}

// wanted is where the gang of the goal may lie: where it must gather, with those of it that run, and inside of what it names.
func (m *moveSearch) wanted() (want moves.Want) {
	req := m.goal.Fit
	want.Tier = max(0, m.view.TierIndex(mustTier(m.view, req))-m.units())
	first, end := int32(0), m.view.Nodes // positions
	if x, ok := m.view.Find(req.Inside, m.s.Lineage.ID); ok {
		first, end = m.view.First(x), m.view.EndOf(x)
		want.Tier = min(want.Tier, max(0, m.view.TierIndex(m.view.TierOf(x))-m.units()))
	} else if running := staying(m.s, req.Name); len(running) > 0 {
		first = m.view.At(running[0].Node)
		end = first + 1
	}
	if end-first == m.view.Nodes {
		return want
	}
	starts := m.view.Intervals()[m.units():][want.Tier]
	for d := range starts {
		last := m.view.Nodes
		if d+1 < len(starts) {
			last = starts[d+1]
		}
		if starts[d] < end && first < last {
			want.Domains = append(want.Domains, int32(d))
		}
	}
	return want
}

// gangs adds all who run to a problem: movers in their order, then one that stays for all others.
func (m *moveSearch) gangs(c *inAmounts) {
	p, at := &c.problem, c.at
	for i := range m.movers {
		o := &m.movers[i]
		g := moves.Gang{Tier: max(0, o.tier-m.units()), Lost: o.lost}
		for _, member := range o.members {
			g.Parts = append(g.Parts, moves.Part{Unit: at[m.view.At(member.Node)], Members: 1, Amount: member.Class.Holds[c.resource] / c.portion})
		}
		p.Gangs = append(p.Gangs, merged(g))
	}
	if m.goal.Empty == "" {
		return
	}
	stay := moves.Gang{Tier: len(p.Tiers) - 1, Fixed: true}
	m.s.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		if _, is := m.of[g.Name]; is {
			return true
		}
		for _, member := range g.Members.All() {
			if !member.IsDaemon() && !member.Leaving {
				stay.Parts = append(stay.Parts, moves.Part{Unit: at[m.view.At(member.Node)], Members: 1, Amount: 0})
			}
		}
		return true
	})
	if len(stay.Parts) > 0 {
		p.Gangs = append(p.Gangs, merged(stay))
	}
}

// merged has the parts of a gang by unit and amount.
func merged(g moves.Gang) moves.Gang {
	slices.SortFunc(g.Parts, func(a, b moves.Part) int { return cmp.Or(cmp.Compare(a.Unit, b.Unit), cmp.Compare(a.Amount, b.Amount)) })
	out := g.Parts[:0]
	for _, part := range g.Parts {
		if n := len(out); n > 0 && out[n-1].Unit == part.Unit && out[n-1].Amount == part.Amount {
			out[n-1].Members += part.Members
		} else {
			out = append(out, part)
		}
	}
	g.Parts = out
	return g
}

// costOf is a cost of package moves.
func costOf(c moves.Cost) MoveCost {
	return MoveCost{Lost: c.Lost, Members: int(min(c.Members, math.MaxInt32)), Gangs: int(min(c.Gangs, math.MaxInt32))}
}

// proposed reads a solution by members: of those who hold the same in a unit the last ones leave.
func (m *moveSearch) proposed(c *inAmounts, found *moves.Solution) (out proposal) {
	for i, d := range found.Wants {
		out.goal = append(out.goal, m.vertex(c.problem.Wants[i].Tier, d))
	}
	for _, move := range found.Moves {
		o := &m.movers[move.Gang]
		if move.To >= 0 {
			out.moves = append(out.moves, proposed{move.Gang, o.members, m.vertex(max(0, o.tier-m.units()), move.To)})
			continue
		}
		some := proposed{mover: move.Gang}
		for _, leave := range move.Leave {
			left := leave.Members
			for i := len(o.members) - 1; i >= 0 && left > 0; i-- {
				member := o.members[i]
				if c.at[m.view.At(member.Node)] == leave.Unit && member.Class.Holds[c.resource]/c.portion == leave.Amount {
					some.members, left = append(some.members, member), left-1
				}
			}
		}
		out.moves = append(out.moves, some)
	}
	return out
}

// vertex is a domain of a tier that was counted; the root, where it is all that there is.
func (m *moveSearch) vertex(tier int, d int32) layout.Vertex {
	if tier += m.units(); tier+1 == len(m.view.Tiers) {
		return layout.Root
	}
	return m.view.DomainAt(m.view.Intervals()[tier][d], m.view.Tiers[tier])
}
