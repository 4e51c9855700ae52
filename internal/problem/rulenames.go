// How do refusals call the rules of a gang in parts?

package problem

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/internal/intern"
	"github.com/muster-sched/muster/internal/model"
)

// HardRules lists the MustGathers of a gang in parts, outer ones before those in them.
func HardRules(p *Problem) (rules []HardRule) {
	var byName intern.Keys[string]
	p.Model.Gang.Each(func(a *model.Part) {
		if a.Gather.Own < 0 || a.Bundle {
			return
		}
		name := "MustGather " + a.Gather.Name
		if a.OtherTree != nil {
			name += " of " + a.OtherTree.Name
		}
		if a.Level > 0 {
			name += " for " + calledIn(p, a)
		}
		i, fresh := byName.Of(name)
		if fresh {
			rules = append(rules, HardRule{Name: name})
		}
		rules[i].parts = append(rules[i].parts, a)
	})
	return rules
}

// NameOfRule names a multiple of the first part whose number of members is no multiple of Total, else of the first
// part.
func NameOfRule(p *Problem, r *model.MultipleRule) string {
	i := max(0, slices.IndexFunc(r.Ranks, func(ranks []int) bool { return int64(len(ranks))%r.Total != 0 }))
	name := NameOfMultiple(p, r.Multiples, len(r.Ranks[i]))
	if ofGang(r) {
		return name
	}
	return name + " for " + calledIn(p, r.Parts[i])
}

// NameOfMultiple names the first multiple that does not divide a number of members, else the first one.
func NameOfMultiple(p *Problem, list []model.Multiple, members int) string {
	i := max(0, slices.IndexFunc(list, func(m model.Multiple) bool { return int64(members)%m.Of != 0 }))
	return fmt.Sprintf("multiple %d at %s", list[i].Of, p.Model.View.LayerName(list[i].Tier))
}
