// How do all gangs that could lie tighter get so at once, at the least cost as far as amounts tell?

package placement

import (
	"slices"

	"github.com/muster-sched/muster/internal/moves"
	"github.com/muster-sched/muster/internal/snapshot"
)

// atOnce is the snapshot that is best of those that amounts of resources propose for all candidates together; nil: none can be planned. It notes what it costs at least that
// all of them lie as tight as they could. Who does not gather yet takes a domain of its tier, in which those stay who are there, and others make room there.
//
// order: moves.7
func (t *tightening) atOnce(candidates []int) *snapshot.Snapshot {
	if len(candidates) == 0 {
		return nil
	}
	best := *t
	for _, r := range t.m.resources() {
		m := t.tightest(candidates)
		c := m.count(r)
		if c.isLarge() {
			continue
		}
		for _, g := range candidates {
			of := &c.problem.Gangs[g]
			of.Gathers = !m.within(m.movers[g].members, of.Tier+m.units())
		}
		found := moves.Solve(&c.problem)
		if bound := costOf(found.Bound); !found.Never && t.allWon.Compare(bound) < 0 {
			t.allWon = bound
		}
		if !found.Found {
			continue
		}
		p := m.proposed(c, &found)
		for i := range p.moves {
			if some := &p.moves[i]; c.problem.Gangs[some.mover].Gathers {
				some.members = m.outsideOf(some.members, some.to)
			}
		}
		a, k := m.carry(p, nil)
		if t.m.plans = m.plans; a != nil && (m.opt.MaxMoved == 0 || a.Cost.Members <= m.opt.MaxMoved) && best.isBetter(k.c) {
			best.c = k.c
		}
	}
	if best.c == t.c {
		return nil
	}
	return best.c
}

// tightest is a search in which candidates must lie as tight as they could.
func (t *tightening) tightest(candidates []int) *moveSearch {
	m := *t.m
	m.movers = slices.Clone(m.movers)
	for _, g := range candidates {
		o := &m.movers[g]
		o.tier = t.least[g]
		req := *o.req
		o.req = mustGather(m.view, &req, layerOf(m.view, m.view.Tiers[o.tier]))
	}
	return &m
}

// within says whether members lie in one domain of a place in the tiers.
func (m *moveSearch) within(members []*snapshot.Member, place int) bool {
	d := m.view.DomainAt(m.view.At(members[0].Node), m.view.Tiers[place])
	return len(m.outsideOf(members, d)) == 0
}

// outsideOf are the members that are not in a domain.
func (m *moveSearch) outsideOf(members []*snapshot.Member, d int32) (out []*snapshot.Member) {
	for _, member := range members {
		if !m.view.Contains(d, m.view.NodeVertex(m.view.At(member.Node))) {
			out = append(out, member)
		}
	}
	return out
}
