package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/intern"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/partnames"
	"github.com/muster-sched/muster/internal/problem"
)

// This file answers: which rules may bind a gang in parts, as refusals call them?

// hardRule is a MustGather of the gang, or of all groups with one name for it.
type hardRule struct {
	name  string
	parts []*model.Part // whose rule it is
}

// hardRules lists the MustGathers of a gang in parts, outer ones before those in them.
func hardRules(p *problem.Problem) (rules []hardRule) {
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
			name += " for " + p.Called.InRefusals(a)
		}
		i, fresh := byName.Of(name)
		if fresh {
			rules = append(rules, hardRule{name: name})
		}
		rules[i].parts = append(rules[i].parts, a)
	})
	return rules
}

// under is the gang with no other MustGathers than these.
func under(p *problem.Problem, kept []hardRule) *problem.Problem {
	bound := map[*model.Part]bool{}
	for _, r := range kept {
		for _, a := range r.parts {
			bound[a] = true
		}
	}
	return p.UnderRules(bound)
}

// calledMultiple names a multiple of the first part whose number of members is no multiple of Total, else of the first part.
func calledMultiple(p *problem.Problem, r *model.MultipleRule) string {
	i := max(0, slices.IndexFunc(r.Ranks, func(ranks []int) bool { return int64(len(ranks))%r.Total != 0 }))
	name := partnames.Multiple(p.Model.View, r.Multiples, len(r.Ranks[i]))
	if r.Parts[0].Level == 0 { // the gang's own
		return name
	}
	return name + " for " + p.Called.InRefusals(r.Parts[i])
}
