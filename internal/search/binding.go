// Which rule keeps members that would fit without rules from fitting?

package search

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
)

// Binding names the first rule without which the members would fit: a multiple, a limit, the gang's MustGather, that of
// groups; a multiple again, where they fit without none of these alone. Empty if the free slots of the whole cluster do
// not suffice.
//
// order: refusals.3
func Binding(p *problem.Problem) string {
	// The order of the questions is the order of the rule: slots, multiples, gathering, and what is left.
	e := For(p)
	if !e.HoldsWithoutRules() && !holdsApart(p) {
		return ""
	}
	multiples := p.Model.Multiple != nil || len(p.Model.Multiples) > 0
	if multiples && For(p.WithoutMultiples()).Possible() {
		return e.BindingMultiple()
	}
	if named := limitNames(p); len(named) > 0 && For(p.WithLimits(nil, nil)).Possible() {
		return bindingLimit(p, named)
	}
	if rule := e.BindingRule(); rule != "" {
		return rule
	}
	switch {
	case multiples:
		return e.BindingMultiple()
	case p.Model.Running.Len() > 0:
		return "running members"
	case p.Unbundled != nil:
		return fmt.Sprintf("MustGather node for groups of %d", p.Room.Size())
	}
	return "groups"
}

// holdsApart says whether the cluster has free slots for members of groups that are placed like members, wherever each of them lies.
func holdsApart(p *problem.Problem) bool {
	if p.Unbundled == nil {
		return false
	}
	req := *p.Request
	req.Gather, req.Groups, req.PP, req.DP, req.Limits = nil, nil, 0, 0, nil
	apart, err := New(p.Snapshot, &req, nil, p.Bounds)
	if err != nil {
		return false
	}
	defer apart.Done()
	apart.Room.LeavingGone = p.Room.LeavingGone
	return For(apart).HoldsWithoutRules()
}

// limitNames are the limits of the gang, and of its parts, as refusals name them.
func limitNames(p *problem.Problem) []string {
	out := p.Model.Limits.Names()
	if p.InParts() {
		p.Model.Gang.Each(func(a *model.Part) {
			for _, l := range a.Limits {
				if !slices.Contains(out, l.Name) {
					out = append(out, l.Name)
				}
			}
		})
	}
	return out
}

// limitsTried bounds the limits that are tried one by one.
const limitsTried = 8

// bindingLimit names the first of several limits without which the members would fit, else the first one.
func bindingLimit(p *problem.Problem, named []string) string {
	for _, name := range named[:min(limitsTried, len(named))] {
		others := func(l limits.OnPart) bool { return l.Name != name }
		if len(named) > 1 && For(p.WithLimits(p.Model.Limits.Without(name), others)).Possible() {
			return name
		}
	}
	return named[0]
}
