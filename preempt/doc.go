// Package preempt answers: whom to evict? It knows nodes, members, gangs and budgets as plain numbers; package placement builds them from a
// cluster and a request, others may from what they have.
//
// [Preemptor] says whose members a gang may evict: those of lower priority, or of quotas that use more than their min. [Solve] finds, among all sets
// of such candidates whose leaving makes room for the whole gang within the domains that its rules allow, the one that costs least, in an order of
// costs that is the caller's:
//
//   - curve.go, mix.go: what it costs to have 1, 2, ... slots on a node; merge.go: in several places at once; relax.go: in the domains of a tier, groups
//     whole. Where candidates leave one by one, that is the answer.
//   - Gangs that leave whole, disruption budgets and quotas couple candidates. Left out, they make a relaxed problem, whose answer no legal set is
//     below. visit.go and branch.go decide about gangs and candidates until the two meet, or the steps run out; dive.go and climb.go find good sets
//     to begin with; set.go takes off what need not leave.
//   - solve.go settles what does not add up, the highest priority and the strategy. layout.go and weight.go make one number of all that does.
package preempt
