package member

import (
	"slices"
	"strconv"

	"github.com/muster-sched/muster/gang"
)

// Subgroups cuts members, by their index, into groups of a size after a first one of another size, with rules and limits.
func Subgroups(members []*Member, first, size int, each gang.Groups) Part {
	var whole Part
	for i, m := range members {
		if m.Indexed {
			i = m.Index
		}
		at := 0
		if i >= first {
			at = 1 + (i-first)/size
		}
		for len(whole.Parts) <= at {
			whole.Parts = append(whole.Parts, Part{Name: "subgroup-" + strconv.Itoa(len(whole.Parts)), Rules: each.Gather, Limits: each.Limits})
		}
		whole.Parts[at].Members = append(whole.Parts[at].Members, m)
	}
	whole.Parts = slices.DeleteFunc(whole.Parts, func(p Part) bool { return len(p.Members) == 0 })
	return whole
}

// Packed gives members to the groups of their role, and groups to their configs: of has the config of each, from 1, 0: none. Members of no group
// are the gang's own.
func Packed(groups, configs []Part, of []int, members []*Member) Part {
	groups, configs = slices.Clone(groups), slices.Clone(configs)
	var whole Part
	for i := range groups {
		g := &groups[i]
		for _, m := range members {
			if m.Role == g.Name {
				g.Members = append(slices.Clip(g.Members), m)
			}
		}
		g.Bundle = len(g.Rules) == 0
		if of[i] > 0 {
			configs[of[i]-1].Parts = append(configs[of[i]-1].Parts, *g)
			continue
		}
		whole.Parts = append(whole.Parts, *g)
	}
	for _, c := range configs {
		if len(c.Parts) > 0 {
			whole.Parts = append(whole.Parts, c)
		}
	}
	none := slices.DeleteFunc(slices.Clone(members), func(m *Member) bool {
		return slices.ContainsFunc(groups, func(g Part) bool { return g.Name == m.Role })
	})
	return whole.With(none)
}
