// Package placement answers: given this cluster and this gang, which node does each member go to, how tight is the
// network domain that they share, which leaving members must be gone first, and whom must it evict?
//
//	c, err := placement.NewCluster(spec)   // an immutable snapshot
//	res, err := placement.Plan(c, req)     // decides, changes nothing
//	next, err := c.Apply(res)              // the next snapshot; c stays valid
//
// [Plan] returns the best valid plan by a fixed order of integer keys (docs/order.md), or an [Unschedulable] that says
// in counts why there is none. It is a pure function: neither the order of the input nor earlier plans change its
// answer. [Candidates] goes on to the next best plans, for hosts with filters of their own. [Batch] plans a queue,
// [Together] gangs that start together or not at all.
//
// A request goes through the house once. Package internal/problem brings it inside, where names are ids, rules are
// tiers and the quota has capped the number of members. Package internal/search gives it to the engine for its kind:
// internal/gather for members of one shape in equal groups, internal/parts for all others. The engine takes the slots of
// nodes and their sums by domain, and finds strategy, domain, the counts of its children and the members' nodes.
// Where nothing is free enough, internal/search waits for leaving members and internal/victims asks package preempt whom
// to evict. This package has the words: it describes the plan as a [Result] or the refusal as an [Unschedulable], and
// carries results out on the snapshot (internal/snapshot) behind a [Cluster].
//
// Everything here is safe for concurrent use: a Cluster never changes, and plans on one share nothing but caches that do
// not change an answer. Results belong to the caller.
package placement
