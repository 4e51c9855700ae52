// What a set of victims costs, as the caller reads it: docs/order.md, section 6, "Costs".

package preempt

import "github.com/muster-sched/muster"

// Cost is what a set of victims costs, apart from the strategy that it buys. Which field counts more than which is
// Problem.Order.
type Cost struct {
	// Budgets is the number of members whose leaving breaks a disruption budget. The victims are gone through in
	// natural order of gang and name; one breaks a budget if as many before it as are allowed count in that.
	Budgets int
	// HighestPriority is the highest of the victims' gangs.
	HighestPriority int64
	// BelowMin is what the set takes below the min of quotas without children, by resource, with the preemptor in its
	// own quota; nil if nothing. The map is the caller's.
	BelowMin muster.Resources
	// GangsEnded is the number of gangs that lose their minimum.
	GangsEnded int
	// Members is the number of victims.
	Members int
	// PrioritySum adds up the priorities of the victims' gangs, member by member.
	PrioritySum int64
	// Unknown is the number of victims whose start is unknown.
	Unknown int
	// LostWork is what the other victims have run when the last candidate started, in the unit of their starts.
	LostWork int64
}
