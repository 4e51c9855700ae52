// Package explain answers: in which words is it told why a gang waits, and what would make it start? A [Fact] is a reason with a
// code and counts, [Fragmentation] says how far a domain is from holding the gang, and a [Relaxation] is a [Change] that was found to
// help, with the plan it leads to. placement.Explain finds them.
//
// Everything here is plain data that belongs to whoever has it. Amounts are milli-CPU, bytes, devices.
package explain

import (
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/quota"
)

// Code names a reason. The vocabulary is closed, see [Codes]; docs/explain.md has a line for each.
type Code string

// The reasons.
const (
	// CodeInvalid says that the gang cannot be planned as it is.
	CodeInvalid Code = "invalid"
	// CodeTogether says that gangs that have to start with it cannot.
	CodeTogether Code = "together"
	// CodeMembers says that fewer members are known than must start together.
	CodeMembers Code = "not-enough-members"
	// CodeQuotaLimit says that a quota would use more than it may.
	CodeQuotaLimit Code = "quota-limit"
	// CodeQuotaMinimum says that members that are not preemptible would use more of a quota than its minimum.
	CodeQuotaMinimum Code = "quota-minimum"
	// CodeNoResource says that no node has a resource that members ask for.
	CodeNoResource Code = "no-resource"
	// CodeCapacity says that the free slots of the whole cluster do not suffice.
	CodeCapacity Code = "capacity"
	// CodeFragmentation says that they would, but no domain that the rules allow has enough of them.
	CodeFragmentation Code = "fragmentation"
	// CodeRule says that a gather rule binds.
	CodeRule Code = "rule"
	// CodeGroups says that the members would fit, but not in whole groups.
	CodeGroups Code = "groups"
	// CodeMultiple says that a multiple binds.
	CodeMultiple Code = "multiple"
	// CodeLimit says that a limit binds: members keep apart, are alone, or use few domains.
	CodeLimit Code = "limit"
	// CodePartMinimum says that what a part needs at least does not fit.
	CodePartMinimum Code = "part-minimum"
	// CodeRunning says that members of the gang that run already keep it to a domain without room.
	CodeRunning Code = "running-members"
	// CodeCordon counts cordoned nodes that have slots for its members.
	CodeCordon Code = "cordon"
	// CodeNotReady counts those that are not ready.
	CodeNotReady Code = "not-ready"
	// CodeTaint counts those with a taint that is not tolerated.
	CodeTaint Code = "taint"
	// CodeSelector counts those that a selector or an affinity does not match.
	CodeSelector Code = "selector"
	// CodeHostFilter counts those that the host's own filter, or its list of nodes not to use, keeps out.
	CodeHostFilter Code = "host-filter"
	// CodeClosed counts those near which members of another gang are alone.
	CodeClosed Code = "closed"
	// CodeOccupied counts those near which others run, where this gang must be alone.
	CodeOccupied Code = "occupied"
	// CodeZonePolicy counts those with another NUMA policy than the members have.
	CodeZonePolicy Code = "zone-policy"
	// CodeZoneExclusive counts those where members that keep to a zone and members that span zones keep apart.
	CodeZoneExclusive Code = "zone-exclusive"
	// CodeZoneCapacity counts those that have enough in sum, but not in their zones.
	CodeZoneCapacity Code = "zone-capacity"
	// CodePreemptionForbidden says that nobody may leave for the gang, by its own terms.
	CodePreemptionForbidden Code = "preemption-forbidden"
	// CodePriority counts running members that are no victims because their priority is not lower.
	CodePriority Code = "priority"
	// CodeProtected counts running members that are no victims because they are protected.
	CodeProtected Code = "protected-victims"
	// CodeSteps says that a search ended before it was known whether there is a plan.
	CodeSteps Code = "search-ended"
)

// Codes lists all reasons in the order in which they are told. The slice is the caller's.
func Codes() []Code {
	return []Code{
		CodeInvalid, CodeTogether, CodeMembers, CodeQuotaLimit, CodeQuotaMinimum, CodeCapacity, CodeFragmentation, CodeNoResource, CodeRule,
		CodeGroups, CodeMultiple, CodeLimit, CodePartMinimum, CodeRunning, CodeCordon, CodeNotReady, CodeTaint, CodeSelector, CodeHostFilter, CodeClosed,
		CodeOccupied, CodeZonePolicy, CodeZoneExclusive, CodeZoneCapacity, CodePreemptionForbidden, CodePriority, CodeProtected, CodeSteps,
	}
}

// Fact is a reason with its counts.
type Fact struct {
	Code   Code
	Detail Detail
	// Proven is false where a search ended before this was certain.
	Proven bool
}

// Detail has the counts of a [Fact]; what does not belong to its code is zero.
type Detail struct {
	// Wanted members must be placed, Fits is the most that the rules allow.
	Wanted, Fits int
	// Rule is the rule that binds, as in placement.Unschedulable; Part the part.
	Rule, Part string
	// Quota refuses; Short says by how much.
	Quota string
	Short []quota.Shortage
	// Nodes is the number of nodes that this is about, Slots how many members would fit there without it; for the capacity, how
	// many fit in the whole cluster.
	Nodes int
	Slots int64
	// Keys counts the nodes by taint or by key of a label, most first; one node may have several.
	Keys []KeyCount
	// Resource is one that no node has, Nearest the one with the nearest name that some node has; empty: none has any.
	Resource, Nearest string
	// Resources counts the nodes without enough of a resource, by its name, in natural order; one that no node has is left out.
	Resources []KeyCount
	// Members is the number of running members that this is about, those that hold slots for the gang; Gangs that of their gangs.
	Members, Gangs int
	// Names are the gangs that have to start together with it.
	Names []string
	// Reason says what cannot be planned.
	Reason string
}

// Fragmentation says how far the best domain of a tier is from holding a gang; where members of it run, the one that holds them. With
// members of several shapes, slots are those of the first.
type Fragmentation struct {
	Tier  int
	Layer string
	// Slots is how many members fit in the whole cluster, Best how many in the domain that has the most, Missing what that
	// one lacks.
	Slots, Best, Missing int64
	// Domain is the path of that domain, empty for the nameless root.
	Domain []string
	// HeldBy lists who holds slots there, most first, then in natural order; at most eight.
	HeldBy []Holder
}

// Holder is a gang whose members hold slots, or a node out of service whose slots nobody can have.
type Holder struct {
	// Gang or Node; the other one is empty.
	Gang, Node string
	Slots      int64
	// From is, of room that is held for a gang (cluster.Hold), the instant from which on it is; 0: it is held at once, or somebody runs there.
	From int64
}

// Relaxation is a change that makes a gang start.
type Relaxation struct {
	Change
	// And are the further changes of a combination, else nil. All speak of the arguments as they are, so that it does not matter which is
	// made first: a level of groups is that of the request, also where another change drops one.
	And []Change
	// Least is true if it is known that no smaller change of this kind helps, all others as they are.
	Least bool
	// Plan is what the change leads to.
	Plan Plan
}

// Plan says where a gang goes once something is changed.
type Plan struct {
	// Tier, Layer, Domain and Strategy are as in placement.Result.
	Tier     int
	Layer    string
	Domain   []string
	Strategy string
	// Members is how many new members are placed.
	Members int
	// WaitsFor and Victims leave for them.
	WaitsFor, Victims []cluster.MemberRef
}

// NotTried is a kind of relaxation that was not looked into, or not to its end.
type NotTried struct {
	Kind   Kind
	Reason string
}

// KeyCount is a taint, the key of a label or a resource, and the number of nodes.
type KeyCount struct {
	Key   string
	Nodes int
}
