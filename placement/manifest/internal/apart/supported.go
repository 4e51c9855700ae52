package apart

import (
	"slices"

	"github.com/muster-sched/muster/gang"
)

// Supported says whether a request can be planned with its limits: docs/order/10-limits.md names the combinations that cannot.
// O(members + parts).
func Supported(q *gang.Request) bool {
	return !isAny(q.Parts, func(p *gang.Part) bool { return isLimited(p) && p.Tree != "" }) && partsSupported(q)
}

// partsSupported says whether the parts of a request may have its limits of parts.
func partsSupported(q *gang.Request) bool {
	ofParts := func(l gang.Limit) bool { return l.OfParts }
	return !slices.ContainsFunc(q.Limits, ofParts) || !isAny(q.Parts, func(p *gang.Part) bool { return p.Tree != "" })
}

// Hoist lets the gang say what all of its parts say: that each is alone in a domain of a layer. Parts with one limit of the gang are more
// alike than with one each. known is how many of its members are known, those that run included.
func Hoist(q *gang.Request, known int) {
	if known == 0 || membersOf(q.Parts, false) < known { // else there are such parts
		return
	}
	lists := outermost(q.Parts)
	for _, l := range slices.Clone(*lists[0]) {
		lacks := func(list *[]gang.Limit) bool { return !slices.Contains(*list, l) }
		if l.Kind != gang.Alone || slices.ContainsFunc(lists, lacks) {
			continue
		}
		for _, list := range lists {
			*list = slices.DeleteFunc(slices.Clone(*list), func(o gang.Limit) bool { return o == l })
		}
		l.OfParts = true
		q.Limits = append(slices.Clip(q.Limits), l)
	}
}

// outermost are the limits of all parts that are groups and in no other, and of groups that are.
func outermost(parts []gang.Part) (lists []*[]gang.Limit) {
	for i := range parts {
		switch p := &parts[i]; {
		case !p.NoGroup:
			lists = append(lists, &p.Limits)
		case len(p.Groups) > 0:
			lists = append(lists, &p.Groups[0].Limits)
		default:
			lists = append(lists, outermost(p.Parts)...)
		}
	}
	return lists
}

// isAny says whether some part, or one in it, is so.
func isAny(parts []gang.Part, is func(*gang.Part) bool) bool {
	for i := range parts {
		if is(&parts[i]) || isAny(parts[i].Parts, is) {
			return true
		}
	}
	return false
}

// membersOf is the number of members that are in parts which are groups, or inside such a one, by their names.
func membersOf(parts []gang.Part, inside bool) (n int) {
	for i := range parts {
		p := &parts[i]
		group := inside || !p.NoGroup
		if group || len(p.Groups) > 0 {
			n += len(p.Members)
		}
		n += membersOf(p.Parts, group)
	}
	return n
}

// isLimited says whether a part, or a level of its groups, has limits.
func isLimited(p *gang.Part) bool {
	return len(p.Limits) > 0 || slices.ContainsFunc(p.Groups, func(g gang.Groups) bool { return len(g.Limits) > 0 })
}

// Any says whether a request, or some group of it, has limits.
func Any(q *gang.Request) bool {
	return len(q.Limits) > 0 || isLimited(&gang.Part{Groups: q.Groups}) || isAny(q.Parts, isLimited)
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
