// Package placers answers: where would other schedulers put a gang? Each placer is the rule by which another scheduler chooses nodes, told in our words and written
// anew, as its users set it up: told the lowest layer where it can be told one, and a layer in which the gang must gather where it has a word for that.
//
// What all have in common: a gang starts with all of its members or not at all, and nobody leaves for it. Nodes that are cordoned, not ready, not selected or tainted take nobody. All members
// ask for the same, for pods only if they say so. Wishes that are Muster's own (gang.Request.Policy, TakesAnyNode, AffinityKey but for Koordinator) mean nothing to others. Members of the gang that run
// already, what keeps other gangs away, and the zones of nodes are not looked at. Where a rule leaves a choice to chance, or to the bytes of names, the order of paths decides, in which names are compared
// naturally. Nodes outside the topology are used by those alone who say so; without a topology all nodes lie below one root.
//
// Beside them stand plans of Muster under other policies, and with the policies of others as scores of nodes ([Entry.Plan]): nothing of the above holds for these, they know all rules of a request.
//
// Every placer gives the same answer to the same question, and changes nothing. Decisions are made in integers.
package placers

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/simulate"
)

// Asked is a placer that knows what it can be asked for. Every placer of this package is one.
type Asked interface {
	// CanAsk says whether the users of the scheduler have words for all that a request asks of a place. For others there is no place: the gang waits. It does not
	// look at topologies: a layer that is not there is an error of Place.
	CanAsk(req *gang.Request) bool
}

// Entry is a placer by name.
type Entry struct {
	// Name is how commands call it: lower case, words joined by hyphens.
	Name string
	// Repository and version, and the place in it where the rule stands; empty where there is none, and of plans.
	Repository string
	// Gathers says that the layer in which a gang must gather is kept. Others place gangs as if there were no such rule.
	Gathers bool
	// Plan says that it is a plan of Muster under another policy: no rule is beyond it.
	Plan bool
	// Placer is an [Asked].
	Placer simulate.Placer
}

// Where the rules stand.
const (
	inKubernetes  = "kubernetes/kubernetes v1.37.2: pkg/scheduler/framework/plugins/noderesources, leastResourceScorer"
	inKoordinator = "koordinator-sh/koordinator a7a1b76: pkg/scheduler/plugins/coscheduling/core/network_topology_solver.go, PlacePods"
	inProposal    = "koordinator-sh/koordinator a7a1b76: docs/proposals/scheduling/20250611-networktopology-aware-scheduling.md, Network topology gather algorithm"
	inKueue       = "kubernetes-sigs/kueue ff69552: pkg/cache/scheduler/tas_flavor_snapshot.go, findTopologyAssignment"
	inVolcano     = "volcano-sh/volcano ed72c7c: pkg/scheduler/plugins/network-topology-aware, hyperNodeGradientFn, HyperNodeOrderFn, batchNodeOrderFn"
	inKAI         = "NVIDIA/KAI-Scheduler 72de64f: pkg/scheduler/plugins/topology, subSetNodesFn, calculateNodeScores"
)

// All lists the placers, always in the same order. The slice is the caller's.
func All() []Entry {
	return []Entry{
		{Name: "random", Placer: Random{}},
		{Name: "pod-by-pod", Repository: inKubernetes, Placer: PodByPod{}},
		{Name: "pod-by-pod-affinity", Repository: inKubernetes, Placer: PodByPod{Affinity: true}},
		{Name: "koordinator", Repository: inKoordinator, Gathers: true, Placer: Koordinator{}},
		{Name: "koordinator-proposal", Repository: inProposal, Gathers: true, Placer: KoordinatorProposal{}},
		{Name: "kueue-preferred", Repository: inKueue, Gathers: true, Placer: KueuePreferred{}},
		{Name: "kueue-unconstrained", Repository: inKueue, Gathers: true, Placer: KueueUnconstrained{}},
		{Name: "volcano-hard", Repository: inVolcano, Gathers: true, Placer: VolcanoHard{}},
		{Name: "volcano-soft", Repository: inVolcano, Gathers: true, Placer: VolcanoSoft{}},
		{Name: "kai", Repository: inKAI, Gathers: true, Placer: KAI{}},
		{Name: "muster-spread", Gathers: true, Plan: true, Placer: Planned{gang.Spread}},
		{Name: "muster-balanced", Gathers: true, Plan: true, Placer: Planned{gang.Balanced}},
		{Name: "muster-score-best-fit", Gathers: true, Plan: true, Placer: LeastLeft{}},
		{Name: "muster-fgd", Gathers: true, Plan: true, Placer: FGD{}},
	}
}

// Named finds a placer by its name.
func Named(name string) (Entry, bool) {
	all := All()
	i := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return all[i], true
}
