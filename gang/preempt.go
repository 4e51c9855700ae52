package gang

import (
	"fmt"
	"slices"
)

// Preempt says how victims are chosen. The zero value is the documented default.
type Preempt struct {
	// ForTier is a layer, named as in a [Rule], that is worth victims: the gang is planned as if it had to gather there, and if that
	// cannot be, without. Empty: no tier is worth a victim.
	ForTier string
	// Order lists the costs by which sets of victims are compared, the most important first; those that it leaves out follow in
	// the order of [Costs]. Empty: that order.
	Order []Cost
	// Steps bounds the search where victims depend on each other (gangs, quotas, budgets); a step looks at some four nodes, or
	// compares some 1,024 sums. The result says whether it is proven to be the best. 0: 10,000, some 0.15 s, and as many more
	// for each 25,600 nodes beyond the first 25,600.
	Steps int
}

// Cost is a reason to spare a member, see [Costs].
type Cost string

// What sets of victims are compared by.
const (
	// CostBudgets is the number of members whose leaving breaks a disruption budget.
	CostBudgets Cost = "budgets"
	// CostHighestPriority is the highest priority of a victim's gang.
	CostHighestPriority Cost = "highestPriority"
	// CostBelowMin are the amounts taken below the min of quotas: devices first, then cpu, memory, then natural order.
	CostBelowMin Cost = "belowMin"
	// CostGangsEnded is the number of gangs that lose their minimum; plain pods and members above the minimum end no gang.
	CostGangsEnded Cost = "gangsEnded"
	// CostMembers is the number of victims.
	CostMembers Cost = "members"
	// CostPrioritySum adds up the priorities of the victims' gangs, by member.
	CostPrioritySum Cost = "prioritySum"
	// CostStrategy is the tier of the gang, then of its groups.
	CostStrategy Cost = "strategy"
	// CostLostWork is how long the victims have run.
	CostLostWork Cost = "lostWork"
)

// Costs is the default order, most important first. Declared costs stand before the network, incidental ones behind it. The
// slice is the caller's.
func Costs() []Cost {
	return []Cost{CostBudgets, CostHighestPriority, CostBelowMin, CostGangsEnded, CostMembers, CostPrioritySum, CostStrategy, CostLostWork}
}

// Ranked is the whole order: what Order lists, then the other costs; of nil that of [Costs]. The slice is the caller's.
func (p *Preempt) Ranked() []Cost {
	if p == nil {
		return Costs()
	}
	out := append(make([]Cost, 0, 8), p.Order...)
	for _, c := range Costs() {
		if !slices.Contains(p.Order, c) {
			out = append(out, c)
		}
	}
	return out
}

// checkPreempt reports costs that are not known or listed twice, and negative steps.
func (r *Request) checkPreempt(d *defects) {
	for i, c := range r.Preempt.Order {
		field := fmt.Sprintf("request.Preempt.Order[%d]", i)
		switch {
		case !slices.Contains(Costs(), c):
			d.add(field, c, "unknown cost")
		case slices.Contains(r.Preempt.Order[:i], c):
			d.add(field, c, "listed twice")
		}
	}
	if r.Preempt.Steps < 0 {
		d.add("request.Preempt.Steps", r.Preempt.Steps, "negative")
	}
}
