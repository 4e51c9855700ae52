package preempt

import "github.com/muster-sched/muster"

// Cost is what a set of victims costs, apart from the strategy that it buys.
type Cost struct {
	// Budgets is the number of members whose leaving breaks a disruption budget. The victims are gone through in natural order of
	// gang and name; one breaks a budget if as many before it as are allowed count in that.
	Budgets int
	// HighestPriority is the highest of the victims' gangs.
	HighestPriority int64
	// BelowMin is what is taken below the min of quotas without children, the preemptor being in its own; nil if nothing is.
	BelowMin muster.Resources
	// GangsEnded is the number of gangs that lose their minimum, Members that of victims.
	GangsEnded, Members int
	// PrioritySum adds up the priorities of the victims' gangs, member by member.
	PrioritySum int64
	// Unknown is the number of victims of which nobody knows when they started, LostWork what the others have run at the time when
	// the last member started that may leave, in their unit.
	Unknown  int
	LostWork int64
}
