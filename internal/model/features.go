package model

import (
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/sets"
)

// Features are those that do not depend on how members are cut into groups. O(shapes).
func (m *Model) Features() features.Set {
	f := m.Room.Features() | features.Groups.When(len(m.Levels) == 1) | features.Nested.When(len(m.Levels) > 1) |
		features.Sibling.When(len(m.Siblings) > 0) | features.Friend.When(len(m.Friends) > 0) |
		features.Multiple.When(m.Multiple != nil) | sets.FeatureOf(m.Policy)
	if l := m.Limits; l != nil {
		f |= features.Apart.When(l.CountMembers()) | features.ApartGroups.When(l.CountGroups()) | features.Uncounted.When(!l.Counted()) |
			features.Within.When(l.CountDomains())
	}
	return f
}
