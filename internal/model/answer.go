package model

import "github.com/muster-sched/muster/internal/layout"

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
// running ones included. O(members + groups * tiers) for each level, but for running members in blocks before the first pending one.
func (m *Model) ReachedByGroups(positions []int32) []int32 {
	if len(m.Levels) == 0 {
		return nil
	}
	out := make([]int32, len(m.Levels))
	leading, blocks := m.Running.Leading()
	for i := range out {
		lo, tier, _ := blocks.Reached(i, leading)
		out[i] = tier
		size, placed := int(m.Levels[i].Size), 0
		// Some of the ranks may stay out.
		for ; placed < len(positions) || m.Running.Before(lo) < m.Running.Len(); lo += size {
			x, _ := m.Running.LowestIn(m.View, lo, lo+size)
			from := placed
			for placed < len(positions) && m.Pending[placed] < lo+size {
				placed++
			}
			if own := positions[from:placed]; len(own) > 0 && x >= 0 {
				x = m.View.LCA(x, m.View.Lowest(own))
			} else if len(own) > 0 {
				x = m.View.Lowest(own)
			}
			if x >= 0 {
				out[i] = max(out[i], m.View.TierOf(x))
			}
		}
	}
	return out
}
