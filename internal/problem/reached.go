package problem

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// Within is the highest tier at which a group misses no more.
func (g GatherRules) Within(miss int32) int32 {
	bound := g.Worths[0]
	for _, t := range g.Worths {
		if t <= miss {
			bound = max(bound, t)
		}
	}
	return bound
}

// CompareFree prefers fewer free slots, under Spread more.
func (p *Problem) CompareFree(a, b int64) int {
	if p.Policy == gang.Spread {
		a, b = b, a
	}
	return cmp.Compare(a, b)
}

// Demand is what all new members take of the gang's quota.
func (p *Problem) Demand() quota.Ask {
	if p.Parts.All != nil {
		p = p.Parts.All
	}
	return p.Asks(len(p.Pending))
}

// Cause is the first cause for which a node takes no member; empty if it takes one.
func (k Counting) Cause(id int32, excluded map[int32]bool, extra map[int32]Released) string {
	if cause := k.Refusal(id); cause != "" {
		return cause
	}
	if excluded[id] {
		return "eligible"
	}
	inZones := k.p.Zones().zoneCause(id, extra[id])
	if inZones == numa.CausePolicy {
		return string(inZones)
	}
	for _, n := range k.p.Needs {
		if k.FreeOf(id, n, extra[id].Amounts) < n.Amount {
			return "resource:" + n.Name
		}
	}
	return string(inZones)
}

// ProvenBest says whether nothing better was left out.
func (p *Problem) ProvenBest() bool {
	if p.Parts.Doubt != nil && *p.Parts.Doubt {
		return false
	}
	return !p.ZoneState.inexact || p.Zones().ZonesProven(p.Counting().Excluded(), p.Counting().LeavingReleased())
}

// GangLeast is how many members of the gang must run together once it is placed. A gang of one that declares no minimum is a plain
// pod.
func (p *Problem) GangLeast() int {
	n := len(p.Pending) + len(p.Running)
	switch {
	case p.Request.MinMember > 0 || n == 1:
		return p.Request.MinMember
	case p.InParts():
		return p.Parts.MustRun
	}
	return n
}

// AllByRank are where all members are, the new ones at these positions; -1: nowhere.
func (p *Problem) AllByRank(positions []int32) []int32 {
	at := p.PositionsByRank()
	for i, pos := range positions {
		at[p.Pending[i].Rank] = pos
	}
	return at
}

// ReachedByGroups is the worst tier of each level over all groups, running members included.
func (p *Problem) ReachedByGroups(positions []int32) []int32 {
	if p.InParts() {
		return reachedByParts(p, p.AllByRank(positions))
	}
	var out []int32
	for _, l := range p.Levels {
		above := slices.Repeat([]layout.Vertex{-1}, p.Ranks/int(l.Size)+1) // some of the ranks may stay out
		add := func(rank int, pos int32) {
			x, g := p.View.NodeVertex(pos), rank/int(l.Size)
			if above[g] >= 0 {
				x = p.View.LCA(x, above[g])
			}
			above[g] = x
		}
		for i, pos := range positions {
			add(p.Pending[i].Rank, pos)
		}
		for _, m := range p.Running {
			add(m.Rank, m.Pos)
		}
		var worst int32
		for _, x := range above {
			if x >= 0 {
				worst = max(worst, p.View.TierOf(x))
			}
		}
		out = append(out, worst)
	}
	return out
}
