package apart

import (
	"slices"

	"github.com/muster-sched/muster/gang"
)

// Supported says whether a request can be planned with its limits: docs/order/10-limits.md names the combinations that cannot. known is
// how many of its members are known, of which so many run. O(members + parts).
func Supported(q *gang.Request, known, runs int) bool {
	members := slices.ContainsFunc(q.Limits, func(l gang.Limit) bool { return l.Kind != gang.Alone })
	groups := slices.ContainsFunc(q.Groups, func(g gang.Groups) bool { return len(g.Limits) > 0 })
	shapes := slices.ContainsFunc(q.Members, func(m gang.Member) bool { return m.Shape != q.Members[0].Shape })
	switch {
	case slices.ContainsFunc(q.Parts, partIsLimited):
		return false
	case !members && !groups: // alone, as a whole
		return true
	case slices.ContainsFunc(q.Gather, func(r gang.Rule) bool { return r.Multiple > 0 }):
		return false
	case members && len(q.Groups)+q.PP+q.DP > 0:
		return false
	case shapes || len(q.Parts) > 0:
		return false
	case groups && len(q.Groups) > 1 && runs > 0:
		return false
	}
	return !groups || known%q.Groups[0].Size == 0
}

// partIsLimited says whether a part, one in it, or a level of its groups has limits.
func partIsLimited(p gang.Part) bool {
	return len(p.Limits) > 0 || slices.ContainsFunc(p.Groups, func(g gang.Groups) bool { return len(g.Limits) > 0 }) ||
		slices.ContainsFunc(p.Parts, partIsLimited)
}

// Any says whether a request, or some group of it, has limits.
func Any(q *gang.Request) bool {
	return len(q.Limits) > 0 || partIsLimited(gang.Part{Groups: q.Groups, Parts: q.Parts})
}

// Drop takes all limits from a request, whose groups and parts are its own.
func Drop(q *gang.Request) {
	q.Limits = nil
	dropOfGroups(q.Groups)
	dropOfParts(q.Parts)
}

func dropOfParts(parts []gang.Part) {
	for i := range parts {
		parts[i].Limits = nil
		dropOfGroups(parts[i].Groups)
		dropOfParts(parts[i].Parts)
	}
}

func dropOfGroups(groups []gang.Groups) {
	for i := range groups {
		groups[i].Limits = nil
	}
}
