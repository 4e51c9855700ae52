// Package cluster answers: what is there, and what changes? A [Spec] describes a cluster: nodes, topologies, running
// members, quotas. A [Delta] is a change of one. Both are plain data that hosts fill in and keep; placement.NewCluster
// makes an immutable snapshot of a Spec, and its Update applies a Delta or refuses it with a [ConflictError].
//
// Amounts are milli-CPU, bytes and counts. The zero value of every field is its default.
package cluster

import (
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
	"github.com/muster-sched/muster/topology"
)

// Spec describes a cluster. The zero value of every field is its default.
type Spec struct {
	// Trees are the topologies; names are unique. Without any, all nodes lie outside.
	Trees []NamedTree
	// Nodes in any order; names are unique.
	Nodes []Node
	// Running are the members that hold resources now.
	Running []Running
	// Holds are the places of members that are to run: room is kept for them.
	Holds []Hold
	// DomainHolds are room that is kept for gangs in domains, on no nodes in particular.
	DomainHolds []DomainHold
	// NUMAExclusive is for members with a NUMA policy of their own that do not say how exclusive they are. Empty: Required.
	NUMAExclusive numa.Exclusive
	// Quotas are the tree that members and gangs are counted in; nil: there is none.
	Quotas *quota.Tree
	// Total is what the quotas divide. Nil: what the nodes have, without what members hold that are in no quota.
	Total muster.Resources
	// Demand is what is pending in each quota; the host tells it, or placement.Batch for its queue.
	Demand map[string]muster.Resources
	// Budgets say how many members may leave; names are unique. One that no member counts in has no effect.
	Budgets []Budget
	// KeptShapes and KeptSizes bound what the snapshots that come of this cluster remember, so that a plan need not look at
	// every node: the shapes that were planned last, and for each of them the last group sizes. They change no plan. A shape
	// takes some 12 bytes a node, a size less than 2. A gang of several shapes takes one more for all of them together. Once
	// victims were sought, as many priorities are remembered as shapes, at 12 bytes a node, and what room costs for as many
	// gangs. 0: 8 shapes, 4 sizes.
	KeptShapes, KeptSizes int
}

// NamedTree is a topology and the name by which requests call it.
type NamedTree struct {
	Name string
	Tree *topology.Tree
}

// Node is a machine.
type Node struct {
	Name string
	// Labels are kept by reference; the caller must not change them afterwards.
	Labels map[string]string
	// Allocatable is what members can use in all: milli-CPU, bytes, counts. It is copied.
	Allocatable muster.Resources
	// Taints are kept by reference.
	Taints []gang.Taint
	// Cordoned keeps new members away.
	Cordoned bool
	// NotReady keeps new members away.
	NotReady bool
	// NUMA is what is known of the node's zones, nil if nothing is. It is kept by reference; equal nodes may share it.
	NUMA *NUMA
}

// controllerTaints are the keys of the taints that the node controller of Kubernetes sets while a node is out of service.
var controllerTaints = map[string]bool{
	"node.kubernetes.io/unschedulable": true, "node.kubernetes.io/not-ready": true, "node.kubernetes.io/unreachable": true,
	"node.kubernetes.io/memory-pressure": true, "node.kubernetes.io/disk-pressure": true, "node.kubernetes.io/pid-pressure": true,
	"node.kubernetes.io/network-unavailable": true,
}

// EndsWithOutage says whether a taint is one that the node controller takes away from a node that returns to service.
func EndsWithOutage(t gang.Taint) bool { return controllerTaints[t.Key] }

// InService is a node once it returns to service: neither cordoned nor not ready, and without the taints that the node controller had
// set. What is given stays as it is.
func InService(n Node) Node {
	if !n.Cordoned && !n.NotReady {
		return n
	}
	n.Cordoned, n.NotReady = false, false
	if slices.ContainsFunc(n.Taints, EndsWithOutage) {
		n.Taints = slices.DeleteFunc(slices.Clone(n.Taints), EndsWithOutage)
	}
	return n
}

// NUMA are the zones of a node. Their sums may be above what the node has: that binds as well.
type NUMA struct {
	Zones []numa.Zone
	// Policy binds members that have none of their own; members with another one keep away.
	Policy numa.Policy
	// InUse is what somebody unknown has of the zones. It never comes back.
	InUse []numa.Occupied
}

// Running is a member that is bound to a node.
type Running struct {
	// Gang and Member identify it; a plain pod is a gang of one.
	Gang, Member string
	Node         string
	// Resources that it holds. The map is copied.
	Resources muster.Resources
	// Index is its place in rank order if Indexed is set, see [gang.Member].
	Index   int
	Indexed bool
	// AffinityKey draws gangs with the same key, see [gang.Request].
	AffinityKey string
	// Leaving members are terminating: capacity that can be waited for.
	Leaving bool
	// NUMA is the policy under which it was placed and its shares of the node's zones, nil if it has none: it counts
	// against the totals of the node only. Shares of which a zone has no more are accepted and noted (placement.Cluster.Notices).
	// It is kept by reference.
	NUMA *numa.Placed
	// Quota is the leaf of the quota tree that it counts in, unless it is leaving; empty: none.
	Quota string
	// NonPreemptible members are no victims, and count against what the quota guarantees.
	NonPreemptible bool
	// Unevictable members are no victims either, without counting as that: those of daemons.
	Unevictable bool
	// Priority is that of the gang. Where the members' differ, the gang has the lowest.
	Priority int64
	// MinMember is how many members of the gang must run together: victims leave it as many, or it leaves whole. 0: all that
	// are not leaving, as in a request; one alone stands for itself, as a plain pod does. Negative: none, each member stands
	// for itself. Where the members' differ, the largest counts, and all count as more than any.
	MinMember int
	// Started is when the member started, in seconds since any time before all of them; 0: before all that are known.
	Started int64
	// End is when the member is expected to end, in the seconds of Started; 0: never, as far as is known. A gang ends with the last of its members
	// that are not leaving, and never if one of these never does. Nothing happens then: placement.Earliest looks ahead by it.
	End int64
	// Budgets names the disruption budgets that the member counts in. The slice is kept by reference.
	Budgets []string
	// Alone is the layer whose domain, the one with this member's node, is closed to members of other gangs while it runs; empty: none.
	// AloneIn is the topology of that layer, as in [gang.Request]. One that is not there any more closes the node. See [gang.Alone].
	Alone, AloneIn string
	// Tolerated members, such as those of daemons, are no company to gangs that must be alone.
	Tolerated bool
}

// Hold keeps room on a node for a member that is to run there, while those who leave for its gang are still there: neither they nor what comes free of
// theirs is counted twice, and nobody else takes it. A hold counts in its quota, and is nobody's victim. Plans for its own gang do not see it, nor
// do those of gangs of a higher priority, which take what is held without victims: then all that is held for the gang ends. It ends also where its
// member runs, and with its node. placement.Result.Holds are those of a plan.
type Hold struct {
	// Gang and Member are for whom it is. One member has one hold.
	Gang, Member string
	Node         string
	// Resources are kept. The map is copied.
	Resources muster.Resources
	// NUMA, Quota, NonPreemptible, Priority, Alone, AloneIn and Tolerated are what they are of the member once it runs, see [Running]. NUMA.Kept says that it must keep apart.
	NUMA           *numa.Placed
	Quota          string
	NonPreemptible bool
	Priority       int64 // of what is held for a gang the lowest counts
	Alone, AloneIn string
	Tolerated      bool
	// From is the instant, in the seconds of [Running], from which on the room is held; 0: at once. Until then gangs take it that are expected to end by
	// then (gang.Request.End), and who runs there may stay: it need not be free yet, but everybody must be expected to end in time who is in its way. Of
	// what is held for a gang the earliest instant counts.
	From int64
	// End is when the member is expected to end once it runs, as in [Running]; 0: never.
	End int64
}

// DomainHold keeps room for so many members of a gang in a domain, on no nodes in particular: four nodes of a rack, as long as four are left. A plan
// lies beside it wherever the room is kept, and is refused only where none would keep it. It counts amounts of nodes that are in service; zones, quotas and
// rules it does not know. Who sees it, and who takes it, is as of a [Hold]; plans that are applied end what is held for their gang, and each other member of it that
// comes to run in the domain ends the hold of one.
type DomainHold struct {
	// Gang is for whom it is. It may have several.
	Gang string
	// Tree and Domain are the topology, as in [gang.Request], and the path of the domain or node in it, from the root; empty: all of it.
	Tree   string
	Domain []string
	// Count is how many members.
	Count int
	// Resources of each member. Nil: a node as a whole, without anybody else. The map is copied.
	Resources muster.Resources
	Priority  int64
	// From and End are as of a [Hold]: the room is held from an instant on, 0: at once, and until another one, 0: for ever.
	From, End int64
}

// Budget is a disruption budget.
type Budget struct {
	Name string
	// Allowed is how many of its members may leave; those beyond break it. Negative is as good as 0.
	Allowed int
}

// Delta is a change of a cluster. It is applied as a whole or not at all, in the order of the fields: members leave
// before nodes change, and members come last.
type Delta struct {
	// Observed says that the change has happened, as an informer tells it, in place of being a host's own decision. Then what is so
	// already is no error: a member that is gone is removed, one that runs is replaced by what is said of it now. Members may over-commit a node,
	// as in a Spec, and those on a node that goes go with it. What cannot be is left out alone, and named by placement.Cluster.LeftOut: so a
	// change that was seen is never lost.
	Observed bool
	// Remove takes members away.
	Remove []MemberRef
	// RemoveGangs takes away all members of these gangs.
	RemoveGangs []string
	// Leaving marks members as terminating.
	Leaving []MemberRef
	// LeavingGangs marks all members of these gangs as terminating.
	LeavingGangs []string
	// Minima replaces the MinMember of all running members of the gangs that it names.
	Minima map[string]int
	// Trees replaces the topologies of these names, and adds those that are new. What runs stays where it is.
	Trees []NamedTree
	// RemoveNodes takes nodes away that no member runs on.
	RemoveNodes []string
	// SetNodes adds nodes or replaces those of the same name. Added nodes take the place that the trees have for them.
	SetNodes []Node
	// Place adds running members; a node may not be over-committed by it. Quotas are not looked at.
	Place []Running
	// Holds replaces what is held for the gangs that it names; nil: nothing any more. There must be room once those who leave are gone, beside what
	// is held for others of the same priority or a higher one.
	Holds map[string][]Hold
	// DomainHolds likewise replaces what is held for the gangs that it names in domains.
	DomainHolds map[string][]DomainHold
	// Demand replaces what is pending in the quotas that it names.
	Demand map[string]muster.Resources
	// Budgets replaces the budgets that it names, and adds those that are new.
	Budgets []Budget
}

// Degraded is a gang whose members are farther apart in a topology than they were.
type Degraded struct {
	Gang, Tree string
	// From and To are the tiers of the lowest domain that has all members, before and now.
	From, To int
}

// MemberRef names a running member.
type MemberRef struct {
	Gang, Member string
}
