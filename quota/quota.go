// Package quota answers: how much may each team use now, and may this gang start? Teams stand in a tree of quotas. Each
// has a minimum that is guaranteed and a maximum that is a limit; what one does not use of its minimum others may borrow.
//
// [New] reads the tree, [Tree.State] begins with the total, [State.Use], [State.Release] and [State.WithDemand] follow what
// happens, each by a new snapshot. [State.Share] says how much a quota may use now, [State.Admit] whether a gang may start,
// and if not, which quota refuses, by which rule, by how much. [State.Reclaims] says whether members of other quotas may be
// evicted for it.
//
// Of every state holds: what an inner quota uses is the sum over its leaves; the shares of the children of a quota add up to
// no more than its own; amounts are integers (milli-CPU, bytes, counts), and each resource is computed by itself. The shares
// of all children of a quota come out of one computation, so that neither order nor rounding favours anybody. Trees and
// states never change, so any number of goroutines may use them. Nothing here knows a cluster.
//
// Costs name n quotas and k resources that some quota governs; a question that names no cost is O(1).
package quota

import "github.com/muster-sched/muster"

// Spec is one quota. Amounts are per resource; what is said of a missing key holds for each key by itself.
type Spec struct {
	// Name is unique in the tree.
	Name string
	// Parent is the name of the quota above, empty at the top.
	Parent string
	// Min is guaranteed, as far as there is work for it. Missing: 0.
	Min muster.Resources
	// Max is never passed. Missing: that of the parent, at the top the total.
	Max muster.Resources
	// Weight says how what is left beyond all guarantees is divided among the children of one parent. Missing: the maximum.
	// An explicit 0 gets nothing of it.
	Weight muster.Resources
	// Guaranteed raises the guarantee above Min. Missing: 0.
	Guaranteed muster.Resources
	// Keeps says that the minimum is not lent to others while there is no work for it.
	Keeps bool
}

// Limit says up to where a gang may take what others do not use.
type Limit string

const (
	// Fair lets a quota use its share of now. It is the default.
	Fair Limit = "fair"
	// Borrow lets it use what is idle beyond all guarantees that somebody can use.
	Borrow Limit = "borrow"
	// Greedy lets it use its maximum.
	Greedy Limit = "greedy"
)

// Known says whether it is one of the three, or empty, which is [Fair].
func (l Limit) Known() bool { return l == "" || l == Fair || l == Borrow || l == Greedy }

// Rule is what refuses a gang.
type Rule string

const (
	// RuleLimit says that the quota would use more than it may.
	RuleLimit Rule = "limit"
	// RuleMin says that members that cannot be preempted would use more than is guaranteed.
	RuleMin Rule = "min"
)

// Ask is what a gang takes of a quota.
type Ask struct {
	// Quota is a leaf of the tree.
	Quota string
	// Request is the sum over the members that are to be placed. A resource of 0 is not asked for.
	Request muster.Resources
	// Pinned is the part of it of members that are not preemptible.
	Pinned muster.Resources
}

// Refusal says why a gang may not start: the first quota from the leaf up that refuses, and by its first rule everything
// that is short.
type Refusal struct {
	// Quota is the name of the quota that refuses.
	Quota string
	// Path is the quota's name behind those of the quotas above it.
	Path []string
	// Rule is the first rule of the quota that refuses.
	Rule Rule
	// Short is in natural order of the resources.
	Short []Shortage
}

// Shortage is what a quota lacks of a resource: Used + Asked is By above Limit.
type Shortage struct {
	// Resource is what is short.
	Resource string
	// Limit is what the rule allows, Used what counts against it already, Asked what the gang adds, and By how much that is too
	// much; all in the unit of the resource.
	Limit, Used, Asked, By int64
}
