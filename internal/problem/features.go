package problem

import (
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/sets"
)

// Features are those of the problem that do not depend on how members are cut into groups. O(shapes).
func (p *Problem) Features() features.Set {
	f := features.Groups.When(len(p.Levels) == 1) | features.Nested.When(len(p.Levels) > 1) |
		features.Sibling.When(len(p.Siblings) > 0) | features.Friend.When(len(p.Friends) > 0) |
		features.Multiple.When(p.Multiple != nil || len(p.Multiples) > 0) | features.Scored.When(p.Scored()) |
		features.Aligned.When(p.ZoneState.Aligned) | features.Roles.When(p.InParts()) | sets.FeatureOf(p.Policy)
	if l := p.Limits; l != nil {
		f |= features.Apart.When(l.CountMembers()) | features.ApartGroups.When(l.CountGroups()) | features.Uncounted.When(!l.Counted()) |
			features.Within.When(l.CountDomains())
	}
	return f
}
