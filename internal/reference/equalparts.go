package reference

import (
	"reflect"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
)

// asGroups is a gang whose parts are equal groups as one in equal groups; false if they are not, or if it is planned in parts all the same.
func asGroups(in *Input) (Input, bool) {
	req := &in.Request
	if len(req.Parts) == 0 || in.Together || len(req.Members) == 0 || !ofOneShape(req) || len(validity.Own(&in.Spec, req)) > 0 || validity.HasMultiples(req) {
		return *in, false
	}
	if refused, err := refusedByQuota(in); err != nil || refused > 0 {
		return *in, false
	}
	whole := validity.Divide(req, nil)
	levels := equalLevels(in, whole)
	if levels == nil {
		return *in, false
	}
	least := max(1, req.MinMember, whole.MinParts*levels[0].Size)
	if least > len(req.Members) {
		return *in, false
	}
	groups := *in
	groups.Request.Parts, groups.Request.MinParts, groups.Request.Groups, groups.Request.MinMember, groups.Request.Total = nil, 0, levels, least, 0
	groups.Request.Members = slices.Clone(req.Members)
	ranks := validity.Ranks(req, nil)
	for i := range groups.Request.Members { // groups are cut by indexes, parts are not
		m := &groups.Request.Members[i]
		m.Index, m.Indexed = ranks[m.Name], true
	}
	return groups, true
}

// equalLevels are the levels of equal groups that the divisions of a gang are; nil: they are none.
func equalLevels(in *Input, whole *validity.Division) (levels []gang.Groups) {
	network, ok := validity.NewNetwork(&in.Spec, &in.Request)
	if !ok || len(whole.Own)+len(whole.Limits) > 0 {
		return nil
	}
	must := tierRules(network, whole.Rules).must
	for side := whole.Inner; len(side) > 0; {
		first := side[0]
		size := len(first.Members)
		if size == 0 || len(levels) > 0 && levels[len(levels)-1].Size == size {
			return nil
		}
		rules := within(tierRules(network, first.Rules), must)
		var inner []*validity.Division
		for _, v := range side {
			alike := treeOf(in, v.Tree) == treeOf(in, whole.Tree) && reflect.DeepEqual(within(tierRules(network, v.Rules), must), rules)
			if !alike || !isWhole(v, size) || len(v.Inner) == 0 != (len(first.Inner) == 0) || !slices.Equal(v.Members, consecutive(whole.Members, v.Members[0], size)) {
				return nil
			}
			inner = append(inner, v.Inner...)
		}
		levels = append(levels, gang.Groups{Size: size, Gather: first.Rules})
		side, must = inner, rules.must
	}
	return levels
}

// isWhole says whether a division is a group of so many members, which is placed with all of them or not at all, without limits and multiples.
func isWhole(v *validity.Division, size int) bool {
	multiple := slices.ContainsFunc(v.Rules, func(r gang.Rule) bool { return r.Multiple > 0 })
	if !v.Group || multiple || len(v.Limits)+len(v.CutLimits) > 0 || len(v.Own) > 0 && len(v.Inner) > 0 {
		return false
	}
	return len(v.Members) == size && (v.MinMember == 0 || v.MinMember == size) && max(0, v.MinParts) == len(v.Inner)
}

// consecutive are so many members from one on, by rank; nil if groups of that size do not begin there.
func consecutive(members []string, first string, size int) []string {
	from := slices.Index(members, first)
	if from%size != 0 {
		return nil
	}
	return members[from:min(len(members), from+size)]
}

// within are rules inside something that lies in a domain of this tier at most, each tier of worth once.
func within(r rules, must int) rules {
	r.hard = r.hard && r.must <= must
	r.must = min(r.must, must)
	for i := range r.prefer {
		r.prefer[i] = min(r.prefer[i], r.must)
	}
	slices.Sort(r.prefer)
	r.prefer = slices.Compact(r.prefer)
	return r
}

// treeOf names the topology that a name means.
func treeOf(in *Input, name string) string {
	req := in.Request
	req.Tree = name
	tree, _ := validity.PickTree(&in.Spec, &req)
	return tree.Name
}
