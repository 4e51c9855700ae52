package model

import (
	"slices"

	"github.com/muster-sched/muster/internal/layout"
)

// Answer says where units go.
type Answer struct {
	Of        *Model // the units that are placed are its first pending ones
	Domain    layout.Vertex
	Tier      int32   // bound of the gang by the strategy; Domain may be lower
	Misses    []int32 // of a gang in parts, by level: the miss that the strategy allows
	Positions []int32 // of the units, by rank
}

// Fit is the number of members, and of whole groups, that the best domain of a tier takes.
type Fit struct {
	Tier            int32
	Domain          layout.Vertex
	Members, Groups int
	AtLeast         bool // perhaps more: the search ended
}

// ReachedByGroups is, by level, the highest tier that any group reaches: that of the lowest vertex above its members,
// running ones included. O(members + groups * tiers) for each level.
func (m *Model) ReachedByGroups(positions []int32) []int32 {
	if len(m.Levels) == 0 {
		return nil
	}
	// By group, its first and last position; the first is behind the last: it has no member. A vertex is an interval of
	// positions, so what lies above these two lies above all. Groups of an outer level are made of those of the next.
	type span struct{ first, last int32 }
	size := int(m.Levels[len(m.Levels)-1].Size)
	spans := slices.Repeat([]span{{m.View.Nodes, -1}}, m.lastRank()/size+1) // some of the ranks may stay out
	add := func(rank int, pos int32) {
		g := &spans[rank/size]
		g.first, g.last = min(g.first, pos), max(g.last, pos)
	}
	for i, pos := range positions {
		add(m.Pending[i], pos)
	}
	for r := range m.Running.All() {
		add(r.Rank, r.Pos)
	}
	out := make([]int32, len(m.Levels))
	for i := len(out) - 1; ; i-- {
		for _, g := range spans {
			if g.first <= g.last {
				out[i] = max(out[i], m.View.TierOf(m.View.LCA(m.View.NodeVertex(g.first), m.View.NodeVertex(g.last))))
			}
		}
		if i == 0 {
			return out
		}
		ratio := int(m.Levels[i-1].Size / m.Levels[i].Size)
		for k, g := range spans { // an outer group stands at or before its first inner one, which was read by then
			outer := &spans[k/ratio]
			if k%ratio == 0 {
				*outer = g
			} else {
				outer.first, outer.last = min(outer.first, g.first), max(outer.last, g.last)
			}
		}
		spans = spans[:(len(spans)-1)/ratio+1]
	}
}

// lastRank is the highest rank of a pending or a running member, 0 if there are none. O(running members).
func (m *Model) lastRank() (last int) {
	if n := len(m.Pending); n > 0 {
		last = m.Pending[n-1]
	}
	for r := range m.Running.All() {
		last = max(last, r.Rank)
	}
	return last
}
