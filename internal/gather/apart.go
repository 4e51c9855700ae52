// What do limits on the number of groups leave of a domain?

package gather

import (
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
)

// groupsOf are the sums of the index for the groups of a level.
func (a *ask) groupsOf(level int) *index.GroupSums {
	return a.m.Room.GroupsOf(a.slots.Ix, index.Grouping{Size: a.sizes[level], Cap: a.m.Limits.CapOf(level)})
}

// areTooMany says whether a limit lets no domain of the tier at a place have all new groups of a level.
func (a *ask) areTooMany(place, level int) bool {
	c := a.m.Limits.CapOf(level)
	return c.Most > 0 && a.m.View.Tiers[place] <= c.Tier && c.Most < a.unitsOf(level)
}

// countGroups counts the groups of each level that have running members, where one of these runs: a level with a limit has a
// MustGather at the layer, so that no group has members in two of its domains where anybody can be placed.
func (a *ask) countGroups() {
	a.groups = make([]layout.Tally, len(a.m.Levels))
	for i, l := range a.m.Levels {
		a.groups[i] = layout.Tally{}
		seen := map[int]bool{}
		for m := range a.m.Running.All() {
			if g := m.Rank / int(l.Size); !seen[g] {
				seen[g] = true
				a.groups[i].Add(a.m.View, a.m.View.NodeVertex(m.Pos), 1)
			}
		}
	}
}

// groupsBroken says whether begun groups alone exceed a limit in some domain.
//
// order: limits.4
func (a *ask) groupsBroken() bool {
	for i, caps := range a.m.Limits.Groups {
		for _, c := range caps {
			for x, n := range a.groups[i] {
				if n > c.Most && a.m.View.TierOf(x) <= c.Tier {
					return true
				}
			}
		}
	}
	return false
}

// mostGroups is n groups of a level below x, or fewer by the limits of that level and of all inner ones. O(limits * tiers).
//
// order: limits.2
func (s *sums) mostGroups(level int, x layout.Vertex, n int64) int64 {
	if s.m.Limits == nil {
		return n
	}
	for j := level; j < len(s.m.Limits.Groups); j++ {
		for _, c := range s.m.Limits.Groups[j] {
			if s.m.View.TierOf(x) > c.Tier {
				continue
			}
			most := c.Most
			if s.ask.groups != nil {
				most -= s.ask.groups[j].At(s.m.View.Highest(x, c.Tier))
			}
			n = min(n, max(0, most)*s.ask.sizes[j]/s.ask.sizes[level])
		}
	}
	return n
}
