// Package placement answers: given this cluster and this gang, which node does each member go to, how tight is the
// network domain that they share, which leaving members must be gone first, and whom must it evict?
//
//	c, err := placement.NewCluster(spec)   // an immutable snapshot
//	res, err := placement.Plan(c, req)     // decides, changes nothing
//	next, err := c.Apply(res)              // the next snapshot; c stays valid
//
// [Plan] returns the best valid plan by a fixed order of integer keys (docs/order.md), or an [Unschedulable] that says
// in counts why there is none. It is a pure function: neither the order of the input nor what was planned before
// changes its answer. [Candidates] goes on to the next best plans, for hosts with filters of their own. All of it is
// safe for concurrent use. How a request goes through the house:
//
//   - cluster.go, update.go: a [Cluster] keeps nodes and members in persistent columns (column.go, slab.go); layout.go is
//     a tree as the planner sees it, every domain an interval of nodes. batch.go plans a queue,
//     turn.go what in it starts together.
//   - problem.go brings the request inside: layers become tiers, ranking.go gives ranks; shapes.go: members of several shapes.
//   - slots.go counts how many members each node, and so each domain, can take now: the plain path. index.go, with summer.go
//     and groupsums.go, has the same and summaries of it for a shape, and follows the snapshots; cache.go and memo.go keep a few of them.
//   - ask.go decides how many members are placed, and cuts them into groups.
//   - strategy.go enumerates the tiers of gang and groups, tightest first, until sums.go finds a domain that can hold them.
//   - domain.go chooses among the domains that can; bounds.go passes over those that the index shows to be worse.
//   - place.go, choose.go, pick.go: level by level, which children take how many. Where slots alone decide, plain.go, fill.go
//     and least.go do without their general search.
//   - ranks.go gives the places found to the members, report.go describes the result.
//   - Gangs in parts, of which members of several shapes are the simplest, go their own way, without an index: part.go reads them, contents.go
//     says what of them can be placed, parting.go plans that. kinds.go and cast.go say what a gang consists of, terrain.go which vertices are
//     alike; frontier.go, zonecounts.go and schemesums.go, with exact.go where multiples (evens.go) bind, find what fits together below them under a strategy
//     (scheme.go); schemesearch.go, tighten.go, schemesets.go, schemeplace.go decide; castrefuse.go and partvictims.go answer where nothing fits.
//     together.go: several gangs as one.
//   - wait.go plans with leaving members gone; victims.go puts the question whom to evict to package preempt and plans with the victims gone:
//     outline.go and classes.go by a roster that follows the snapshots (roster.go) where they leave one by one, else candidates.go member by
//     member. refuse.go says why nothing helps, binding.go which rule of a gang in parts is at fault, intheway.go which members that run would have to move.
package placement
