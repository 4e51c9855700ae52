// Package numa answers: which zones of a node does a member get, and how many copies of it does the node take? A member
// that asks for one NUMA node, or for as few as its size allows, is placed on whole sets of zones ([Mask]), with CPU,
// memory and devices aligned, and is not disturbed by members that span zones.
//
// [NewZones] reads the zones of a node; equal nodes share one value. [Zones.Occupancy] adds what is in use, [Zones.Need]
// prepares a member for such nodes. Then [Need.Fit] names the best zones, [Need.Slots] counts how many identical
// members fit, exactly, and [Need.Split] gives each of several members its share of each zone. [Zones.Merge] merges
// hints of several providers in the manner of a topology manager.
//
// Everything works on plain data and integers: milli-CPU, bytes, counts. Of every node holds: what is free of a zone is what
// members can have of it less what is in use, and never negative; a member's zones are a mask, and its shares lie in it.
// Values never change once they are made, so any number of goroutines may use them. Nothing here knows a cluster.
//
// Costs name n zones and k resources; a question that names no cost is O(1).
package numa

import (
	"math/bits"

	"github.com/muster-sched/muster"
)

// MaxZones is how many zones a node may have: eight sockets, each split in two.
const MaxZones = 16

// Zone is one NUMA node of a machine.
type Zone struct {
	// ID is the number by which the machine knows the zone; ids are unique on a node, need not be dense, and are not
	// negative.
	ID int
	// Allocatable is what members can have of the zone. A resource that it does not name is absent from the zone.
	Allocatable muster.Resources
	// Distances to every zone of the node by ID, its own included, in any unit (10 is customary for the own zone).
	// They are known for all zones of a node, or for none.
	Distances map[int]int64
}

// Policy says how a member's zones are chosen. The zero value wishes nothing: the member gets no zones.
type Policy string

const (
	// BestEffort takes as few zones as have room now.
	BestEffort Policy = "BestEffort"
	// Restricted takes as few zones as would do on an empty node, never more.
	Restricted Policy = "Restricted"
	// SingleNUMANode takes one zone.
	SingleNUMANode Policy = "SingleNUMANode"
)

// Known says whether it is one of the policies, the empty one included.
func (p Policy) Known() bool {
	switch p {
	case "", BestEffort, Restricted, SingleNUMANode:
		return true
	}
	return false
}

// Compatible is the matrix of policies: it returns the policy that a member has on a node, that of the side that
// has one, and false where both have one and they differ.
func Compatible(member, node Policy) (Policy, bool) {
	if member == "" {
		return node, true
	}
	return member, node == "" || node == member
}

// Exclusive says how strictly members of one zone and members that span zones keep apart. The zero value is Required.
type Exclusive string

const (
	// Required keeps a member that spans zones out of zones that host a SingleNUMANode member, and a SingleNUMANode
	// member out of zones that host a spanning one.
	Required Exclusive = "Required"
	// Preferred takes such zones where no others have room, but for those that are kept ([Placed.Kept]).
	Preferred Exclusive = "Preferred"
)

// Known says whether it is one of the two, or empty.
func (e Exclusive) Known() bool { return e == "" || e == Required || e == Preferred }

// Granularity is the smallest piece of CPU that a member can get. What a zone has beyond whole pieces is of no use to
// it; requests are not rounded. The zero value is the milli-CPU.
type Granularity string

const (
	// WholeCPUs leaves the fraction of a CPU in a zone unused.
	WholeCPUs Granularity = "cpu"
	// WholeCores leaves the threads of a broken core in a zone unused, see [Member.ThreadsPerCore].
	WholeCores Granularity = "core"
)

// MaxThreads bounds [Member.ThreadsPerCore], far above any machine.
const MaxThreads = 1 << 16

// Known says whether it is one of the three, the empty one included.
func (g Granularity) Known() bool { return g == "" || g == WholeCPUs || g == WholeCores }

// Member is what one member asks of the zones.
type Member struct {
	// Resources of the member: milli-CPU, bytes, counts. 0 is not asked for. Resources that no zone of a node reports
	// have no zone, and bind by [State.Totals] alone.
	Resources muster.Resources
	// Policy of the member. Empty: that of the node.
	Policy Policy
	// Exclusive says whether the zones that the exclusivity closes may be used. Empty: Required.
	Exclusive Exclusive
	// CPUs is the granularity of CPU. Empty: milli-CPU.
	CPUs Granularity
	// ThreadsPerCore is how many CPUs make a core, for WholeCores. 0: 1.
	ThreadsPerCore int
}

// Share is what a member has of one zone.
type Share struct {
	// Zone is the zone's id.
	Zone int
	// Resources are what the member has of it.
	Resources muster.Resources
}

// Placed is a member that has zones of a node: its effective policy and its shares. Everything that a node knows about
// zones in use follows from its placed members, so that one who leaves takes its marks along.
type Placed struct {
	// Policy is the one that applied when the member was placed.
	Policy Policy
	// Shares are what it has, one for each of its zones.
	Shares []Share
	// Kept says that the member is still to come, and must keep apart: its zones are closed to those it keeps apart from
	// also where these are under [Preferred].
	Kept bool
}

// Hosts says which members have a share in a zone; both bits may be set.
type Hosts uint8

const (
	// HostsSingle marks a zone where a member placed under SingleNUMANode has a share.
	HostsSingle Hosts = 1 << iota
	// HostsSpanning marks a zone where a member has a share that also has one in another zone.
	HostsSpanning
)

// Cause is why a node takes no such member. Empty: it does.
type Cause string

const (
	// CausePolicy says that the member and the node have different policies.
	CausePolicy Cause = "numa-policy"
	// CauseTotals says that the node as a whole lacks room, whatever its zones have.
	CauseTotals Cause = "totals"
	// CauseExclusive says that there is room, but only where an exclusivity forbids it.
	CauseExclusive Cause = "numa-exclusive"
	// CauseCapacity says that no allowed set of zones has room.
	CauseCapacity Cause = "numa-capacity"
)

// Mask is a set of zones of a node: bit i is the zone with the i-th smallest id ([Zones.IDs], [Zones.Mask]).
type Mask uint16

// Width is the number of zones in the mask.
func (m Mask) Width() int { return bits.OnesCount16(uint16(m)) }

// first is the position of the smallest zone of a mask that is not empty.
func (m Mask) first() int { return bits.TrailingZeros16(uint16(m)) }

// full is the mask of n zones.
func full(n int) Mask { return Mask(1<<n - 1) }
