// Where does Kueue's topology aware scheduling put a gang?

package placers

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
)

// KueuePreferred is a Workload with one pod set that says `preferred: L` for the lowest layer in which the gang prefers to gather (the lowest of all where it does not say), or `required: L` for the one in which it
// must. Of the domains of L the one with the fewest slots that suffice; if none does, `preferred` goes on with the next layer up, and takes several domains of the top layer in the end. Then
// layer by layer down to nodes: of all that lies below the domains taken so far, the ones with the most slots, the last one being the smallest that takes the rest. What was given to a domain does not bind what lies
// below it, so that a layer further down may leave some of them unused.
//
// The rule is that of kubernetes-sigs/kueue ff69552, pkg/cache/scheduler/tas_flavor_snapshot.go: findTopologyAssignment, with findLevelWithFitDomains, updateCountsToMinimumGeneric and sortedDomains, profile
// BestFit, with default feature gates, without slices and leaders. Nodes are the lowest level, as where kubernetes.io/hostname is the last one.
//
// O(nodes * resources), sorted by layer.
type KueuePreferred struct{}

// CanAsk implements [Asked].
func (KueuePreferred) CanAsk(req *gang.Request) bool { return plain(req, false) }

// Place implements [simulate.Placer].
func (k KueuePreferred) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	return place(c, req, k.CanAsk(req), false, byRank, func(b *board, g gathering, members int64) []share {
		if g.must >= 0 {
			return levels{b, members}.assign(g.must, true)
		}
		return levels{b, members}.assign(g.prefer, false)
	})
}

// KueueUnconstrained is a Workload with one pod set that says `unconstrained: true`, or nothing about topology at all: no layer is looked at but the nodes. The smallest node that takes the whole gang, else
// the nodes with the fewest slots first, so that the largest ones stay free. A layer in which the gang must gather is asked for as `required`, see [KueuePreferred].
//
// The rule is that of kubernetes-sigs/kueue ff69552, pkg/cache/scheduler/tas_flavor_snapshot.go: findLevelWithFitDomains, profile LeastFreeCapacity, which is the default here since
// the gate TASProfileMixed is on (v0.15).
//
// O(nodes * resources + nodes * log nodes).
type KueueUnconstrained struct{}

// CanAsk implements [Asked].
func (KueueUnconstrained) CanAsk(req *gang.Request) bool { return plain(req, false) }

// Place implements [simulate.Placer].
func (k KueueUnconstrained) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	return place(c, req, k.CanAsk(req), false, byRank, func(b *board, g gathering, members int64) []share {
		if g.must >= 0 {
			return levels{b, members}.assign(g.must, true)
		}
		nodes := b.at(0, 1)
		if one := b.at(0, members); len(one) > 0 {
			nodes = []int{b.closest(one)}
		}
		slices.SortFunc(nodes, func(x, y int) int { return cmp.Or(cmp.Compare(b.slots[x], b.slots[y]), cmp.Compare(x, y)) })
		out := make([]int, len(nodes))
		for i, v := range nodes {
			out[i] = b.node(v)
		}
		return inOrder(b.fillUp(out, members))
	})
}

// inOrder are shares in the order of paths, in which Kueue hands them to pods.
func inOrder(shares []share) []share {
	slices.SortFunc(shares, func(x, y share) int { return cmp.Compare(x.node, y.node) })
	return shares
}

// levels are the layers of a board on which so many members are to be placed.
type levels struct {
	*board
	members int64
}

// assign begins with the domains of a tier.
func (l levels) assign(tier int, required bool) []share {
	chosen := l.begin(tier, required)
	if chosen == nil {
		return nil
	}
	for slices.ContainsFunc(chosen, func(v int) bool { return l.node(v) < 0 }) {
		var lower []int
		for _, v := range chosen {
			if l.node(v) >= 0 { // of a tree whose branches are not equally deep
				lower = append(lower, v)
			}
			lower = l.below(v, lower)
		}
		chosen = l.fewest(lower)
	}
	out := make([]int, len(chosen))
	for i, v := range chosen {
		out[i] = l.node(v)
	}
	return inOrder(l.fillUp(out, l.members))
}

// begin chooses the domains of the highest layer that is used; nil: there is no place. The root is no layer.
func (l levels) begin(tier int, required bool) []int {
	tiers := l.tiers()
	tiers = tiers[:len(tiers)-1]
	for _, t := range tiers {
		if t < tier {
			continue
		}
		if fit := l.at(t, l.members); len(fit) > 0 {
			return []int{l.closest(fit)}
		}
		if required {
			return nil
		}
	}
	return l.fewest(l.at(tiers[len(tiers)-1], 1))
}

// fewest are the domains with the most slots that take all members, the last of them the smallest that takes the rest; nil: they take too few.
func (l levels) fewest(domains []int) []int {
	slices.SortFunc(domains, func(x, y int) int { return cmp.Or(cmp.Compare(l.slots[y], l.slots[x]), cmp.Compare(x, y)) })
	left := l.members
	for i, v := range domains {
		if l.slots[v] < left {
			left -= l.slots[v]
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(domains[i:]), func(x int) bool { return l.slots[x] < left })
		return append(domains[:i:i], l.closest(rest))
	}
	return nil
}
