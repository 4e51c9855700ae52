// Which rule keeps members that would fit without rules from fitting?

package search

import (
	"fmt"

	"github.com/muster-sched/muster/internal/problem"
)

// Binding names the first rule without which the members would fit: a multiple, the groups' rules, the gang's. Empty if
// the free slots of the whole cluster do not suffice.
//
// order: refusals.3
func Binding(p *problem.Problem) string {
	// The order of the questions is the order of the rule: slots, multiples, gathering, and what is left.
	e := For(p)
	if !e.HoldsWithoutRules() {
		return ""
	}
	if (p.Multiple != nil || len(p.Multiples) > 0) && For(p.WithoutMultiples()).Possible() {
		return e.BindingMultiple()
	}
	if p.Limits != nil && For(p.WithLimits(nil)).Possible() {
		return p.Limits.Name()
	}
	if rule := e.BindingRule(); rule != "" {
		return rule
	}
	switch {
	case len(p.Running) > 0:
		return "running members"
	case p.Unbundled != nil:
		return fmt.Sprintf("MustGather node for groups of %d", p.Size())
	}
	return "groups"
}
