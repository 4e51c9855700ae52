package member

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// PodSet is a role of a Workload; so many of its members are needed.
type PodSet struct {
	Name, Group string
	Count, Min  int
	Rules       []gang.Rule
	Cut         []gang.Groups
	Child       int  // members of each child of the role; 0: there are none
	ChildLeast  int  // members that a child needs; 0: all
	Spare       bool // none of its members is needed
	ChildRules  []gang.Rule
	ChildLimits []gang.Limit
	F           object.Field
}

// AllOfOne is true for a single podset or podset group: then its rule is the gang's own.
func AllOfOne(sets []PodSet) bool {
	for _, s := range sets[1:] {
		if s.Group == "" || s.Group != sets[0].Group {
			return false
		}
	}
	return true
}

// GroupRules is the rule of a podset group; its podsets must not differ in it.
func GroupRules(sets []PodSet) []gang.Rule {
	for _, s := range sets[1:] {
		if !slices.Equal(s.Rules, sets[0].Rules) {
			s.F.Get("topologyRequest").Fail("differs from that of another podset of the group")
		}
	}
	return sets[0].Rules
}

// ArrangePodSets makes every podset or podset group a part, if there are several.
func ArrangePodSets(sets []PodSet, members []*Member) Part {
	of := MembersOf(sets, members)
	units := map[string][]PodSet{}
	var order []string
	for _, s := range sets {
		key := "podset " + s.Name
		if s.Group != "" {
			key = "group " + s.Group
		}
		if units[key] == nil {
			order = append(order, key)
		}
		units[key] = append(units[key], s)
	}
	if len(order) == 1 {
		return WholeGang(units[order[0]], of)
	}
	var whole Part
	for _, key := range order {
		unit := units[key]
		p := unit[0].part(of)
		if len(unit) > 1 {
			p = Part{Name: unit[0].Group, Parts: bundles(unit, of, false)}
		}
		if p.Rules = GroupRules(unit); p.Minimum() > 0 || len(p.All()) > 0 { // else all of it has succeeded
			whole.Parts = append(whole.Parts, p)
		}
	}
	return whole.With(of[""])
}

// WholeGang arranges a single podset, or podset group, whose rules are the gang's own.
func WholeGang(unit []PodSet, of map[string][]*Member) Part {
	if len(unit) == 1 {
		whole := unit[0].part(of)
		whole.Need = 0 // as the gang
		return whole
	}
	whole := Part{Parts: bundles(unit, of, slices.ContainsFunc(unit, func(s PodSet) bool { return s.Elastic() || s.Spare }))}
	whole = whole.With(of[""])
	if !slices.ContainsFunc(whole.Parts, func(p Part) bool { return p.Bundle }) {
		return Part{Members: whole.All()}
	}
	return whole
}

// bundles are the podsets of one group, each with what it says for itself. All of them are needed, so where a minimum is
// said of all of them together each must say so.
func bundles(unit []PodSet, of map[string][]*Member, minimum bool) []Part {
	var out []Part
	for _, s := range unit {
		p := s.part(of)
		p.Bundle = !s.Spare && (minimum || s.Elastic() || len(s.Cut) > 0 || s.Child > 0)
		p.Loose = !p.Bundle
		out = append(out, p)
	}
	return out
}

// Elastic says whether some of the members may stay out.
func (s PodSet) Elastic() bool { return s.Min < s.Count }

// part is the podset alone.
func (s PodSet) part(of map[string][]*Member) Part {
	p := Part{Name: s.Name, Members: of[s.Name], Cut: Fit(s.Cut, len(of[s.Name])), Need: s.Min}
	if s.Elastic() && len(p.Cut) > 0 {
		p.NeedParts = -1
	}
	if s.Child > 0 {
		return s.children(p)
	}
	return p
}

// children makes the children of a role groups, of which so many are needed as the role needs.
func (s PodSet) children(p Part) Part {
	byChild := map[int][]*Member{}
	for _, m := range p.Members {
		byChild[m.Child] = append(byChild[m.Child], m)
	}
	for _, child := range slices.Sorted(maps.Keys(byChild)) {
		of := Part{Name: s.Name + "/" + strconv.Itoa(child), Rules: s.ChildRules, Limits: s.ChildLimits, Members: byChild[child]}
		if s.ChildLeast > 0 {
			of.Need = min(s.ChildLeast, s.Child)
		} else {
			of = of.Whole(s.Child)
		}
		of.Cut = Fit(s.Cut, len(of.Members))
		p.Parts = append(p.Parts, of)
	}
	p.Members, p.Cut, p.Need = nil, nil, 0
	if p.NeedParts = s.Min / s.Child; !s.Elastic() || p.NeedParts > len(p.Parts) {
		p.NeedParts = 0
	}
	return p
}

// With adds loose members.
func (p Part) With(members []*Member) Part {
	if len(members) > 0 {
		p.Parts = append(p.Parts, Part{Loose: true, Members: members})
	}
	return p
}

// MembersOf sorts members by podset; those of no podset that is known are of the nameless one.
func MembersOf(sets []PodSet, members []*Member) map[string][]*Member {
	of := map[string][]*Member{}
	for _, m := range members {
		name := cmp.Or(m.Said("kueue.x-k8s.io/podset"), m.Role)
		switch known := slices.ContainsFunc(sets, func(s PodSet) bool { return s.Name == name }); {
		case !known && len(sets) == 1:
			name = sets[0].Name
		case !known:
			name = ""
		}
		of[name] = append(of[name], m)
	}
	return of
}
