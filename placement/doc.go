// Package placement answers: given this cluster and this gang, which node does each member go to, and how tight is the
// network domain they share?
//
// A [Cluster] is an immutable snapshot. [NewCluster] builds one; [Cluster.Apply], [Cluster.Release] and
// [Cluster.Update] make the next from it. [Plan] is a pure function of a snapshot and a request: it returns the best plan
// by the order that docs/order.md defines, or an [Unschedulable] that says in counts why there is none. [Candidates]
// goes on to the next best plans, for hosts with filters of their own. All of it is safe for concurrent use.
package placement
