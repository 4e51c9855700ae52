// Package preempt answers: whom to evict? It knows nodes, members, gangs and budgets as plain numbers. Package
// placement builds these from a cluster and a request; others may from what they have.
//
// [Preemptor] says whose members a gang may evict. [Solve] finds, among all legal sets of such candidates that make
// room for the whole gang, the one with the least [Cost]. [Look] narrows a large problem to a few domains first. The
// rules are those of docs/order.md, section 6: "Candidates", "Legal sets", "Costs" and "Proof".
//
// # How a set is found
//
// Four things make the search small:
//
//   - A cost is one number. Everything that adds up over candidates is packed into 256 bits, the cost that counts most
//     in the highest ones, so that sums and comparisons of costs are those of numbers.
//   - A node has a curve: the least cost of 1, 2, ... slots there. Curves of nodes add up to curves of domains, groups
//     are counted whole, and the cheapest domain of the gang's tier is the answer where candidates leave one by one.
//   - Where gangs alone couple candidates, package cover finds in each domain which of them leave, by prices and branch
//     and bound.
//   - Elsewhere gangs that leave whole, disruption budgets and quotas couple candidates. Without them the problem is relaxed: no
//     legal set costs less than its solution. Branch and bound settles gangs and candidates until the relaxed solution
//     is legal, or the steps run out. Good sets to begin with come from a dive and from climbs.
//
// The highest priority and the strategy do not add up. They are settled around that search, in the order of costs.
//
// # Invariants
//
//   - A [Problem] is checked once, on entry. Behind that border every id is in range, and no function checks again.
//   - A problem and all that follows from it alone are read-only during a search. Each part of the search writes its
//     own fields and nothing else; what is decided about candidates is written in one place.
//   - Positions are in the order of paths, so that every domain is an interval of positions.
//   - Whatever could depend on the order of a map is sorted: equal problems have equal solutions.
//
// Calls share nothing, so that any number of them may run at the same time. The callbacks of a problem are called from
// the goroutine of the caller.
package preempt
