package manifest

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// podSet is a role of a Workload; so many of its members are needed.
type podSet struct {
	name, group string
	count, min  int
	rules       []gang.Rule
	cut         []gang.Groups
	child       int  // members of each child of the role; 0: there are none
	childLeast  int  // members that a child needs; 0: all
	spare       bool // none of its members is needed
	childRules  []gang.Rule
	childLimits []gang.Limit
	f           object.Field
}

// allOfOne is true for a single podset or podset group: then its rule is the gang's own.
func allOfOne(sets []podSet) bool {
	for _, s := range sets[1:] {
		if s.group == "" || s.group != sets[0].group {
			return false
		}
	}
	return true
}

// groupRules is the rule of a podset group; its podsets must not differ in it.
func groupRules(sets []podSet) []gang.Rule {
	for _, s := range sets[1:] {
		if !slices.Equal(s.rules, sets[0].rules) {
			s.f.Get("topologyRequest").Fail("differs from that of another podset of the group")
		}
	}
	return sets[0].rules
}

// arrangePodSets makes every podset or podset group a part, if there are several.
func arrangePodSets(sets []podSet, members []*member) part {
	of := membersOf(sets, members)
	units := map[string][]podSet{}
	var order []string
	for _, s := range sets {
		key := "podset " + s.name
		if s.group != "" {
			key = "group " + s.group
		}
		if units[key] == nil {
			order = append(order, key)
		}
		units[key] = append(units[key], s)
	}
	if len(order) == 1 {
		return wholeGang(units[order[0]], of)
	}
	var whole part
	for _, key := range order {
		unit := units[key]
		p := unit[0].part(of)
		if len(unit) > 1 {
			p = part{name: unit[0].group, parts: bundles(unit, of, false)}
		}
		if p.rules = groupRules(unit); p.minimum() > 0 || len(p.all()) > 0 { // else all of it has succeeded
			whole.parts = append(whole.parts, p)
		}
	}
	return whole.with(of[""])
}

// wholeGang arranges a single podset, or podset group, whose rules are the gang's own.
func wholeGang(unit []podSet, of map[string][]*member) part {
	if len(unit) == 1 {
		whole := unit[0].part(of)
		whole.need = 0 // as the gang
		return whole
	}
	whole := part{parts: bundles(unit, of, slices.ContainsFunc(unit, func(s podSet) bool { return s.elastic() || s.spare }))}
	whole = whole.with(of[""])
	if !slices.ContainsFunc(whole.parts, func(p part) bool { return p.bundle }) {
		return part{members: whole.all()}
	}
	return whole
}

// bundles are the podsets of one group, each with what it says for itself. All of them are needed, so where a minimum is
// said of all of them together each must say so.
func bundles(unit []podSet, of map[string][]*member, minimum bool) []part {
	var out []part
	for _, s := range unit {
		p := s.part(of)
		p.bundle = !s.spare && (minimum || s.elastic() || len(s.cut) > 0 || s.child > 0)
		p.loose = !p.bundle
		out = append(out, p)
	}
	return out
}

// elastic says whether some of the members may stay out.
func (s podSet) elastic() bool { return s.min < s.count }

// part is the podset alone.
func (s podSet) part(of map[string][]*member) part {
	p := part{name: s.name, members: of[s.name], cut: fit(s.cut, len(of[s.name])), need: s.min}
	if s.elastic() && len(p.cut) > 0 {
		p.needParts = -1
	}
	if s.child > 0 {
		return s.children(p)
	}
	return p
}

// children makes the children of a role groups, of which so many are needed as the role needs.
func (s podSet) children(p part) part {
	byChild := map[int][]*member{}
	for _, m := range p.members {
		byChild[m.child] = append(byChild[m.child], m)
	}
	for _, child := range slices.Sorted(maps.Keys(byChild)) {
		of := part{name: s.name + "/" + strconv.Itoa(child), rules: s.childRules, limits: s.childLimits, members: byChild[child]}
		if s.childLeast > 0 {
			of.need = min(s.childLeast, s.child)
		} else {
			of = of.whole(s.child)
		}
		of.cut = fit(s.cut, len(of.members))
		p.parts = append(p.parts, of)
	}
	p.members, p.cut, p.need = nil, nil, 0
	if p.needParts = s.min / s.child; !s.elastic() || p.needParts > len(p.parts) {
		p.needParts = 0
	}
	return p
}

// with adds loose members.
func (p part) with(members []*member) part {
	if len(members) > 0 {
		p.parts = append(p.parts, part{loose: true, members: members})
	}
	return p
}

// membersOf sorts members by podset; those of no podset that is known are of the nameless one.
func membersOf(sets []podSet, members []*member) map[string][]*member {
	of := map[string][]*member{}
	for _, m := range members {
		name := cmp.Or(m.labels["kueue.x-k8s.io/podset"], m.role)
		switch known := slices.ContainsFunc(sets, func(s podSet) bool { return s.name == name }); {
		case !known && len(sets) == 1:
			name = sets[0].name
		case !known:
			name = ""
		}
		of[name] = append(of[name], m)
	}
	return of
}
