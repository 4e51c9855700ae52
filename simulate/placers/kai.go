// Where does KAI put a gang?

package placers

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/topology"
)

// KAI is a pod group with a topologyConstraint: preferredTopologyLevel is the lowest layer in which the gang prefers to gather (the lowest of all where it does not say), requiredTopologyLevel the one in which it must.
//
// The tree is sorted: of the domains in one the one comes first of which the gang takes the largest share, by the resource of which it takes most. From the preferred layer up to the required one, or the root, the first domain in
// this order that holds the whole gang is taken. In it pods go, one by one, to the nodes with the highest score: domains of the preferred layer have a tenth of their place in the order of all of them, the last ones
// most, in whole tenths; then the node with the fewest devices left (CPU, if pods ask for no device).
//
// The rule is that of NVIDIA/KAI-Scheduler 72de64f, pkg/scheduler/plugins/topology: subSetNodesFn, getJobAllocatableDomains, sortTree, sortDomainInfos and calculateNodeScores, and pkg/scheduler/plugins/nodeplacement,
// nodeResourcePack, which are on by default. What pods that are leaving hold is not free here, while KAI counts it.
//
// O(nodes * resources + nodes * log nodes), sorted by layer.
type KAI struct{}

// CanAsk implements [Asked].
func (KAI) CanAsk(req *gang.Request) bool { return plain(req, false) }

// Place implements [simulate.Placer].
func (k KAI) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	return place(c, req, k.CanAsk(req), false, byRank, func(b *board, g gathering, members int64) []share {
		highest := b.tree.RootTier()
		switch {
		case g.must >= 0:
			highest = g.must
		case len(b.tree.Layers()) == 0: // there is nothing to name
			g.prefer = highest
		}
		layers := ratios{b, members}.sorted(g.prefer)
		for _, tier := range b.tiers() {
			if tier < g.prefer || tier > highest {
				continue
			}
			for _, d := range layers[tier] {
				if b.slots[d] >= members {
					return b.fillUp(packed(b, d, layers[g.prefer]), members)
				}
			}
		}
		return nil
	})
}

// ratios order domains by how much of them the gang takes.
type ratios struct {
	*board
	members int64
}

// ratio is a fraction; something over nothing is above all others.
type ratio struct{ amount, of uint64 }

func (r ratio) compare(o ratio) int {
	if r.of == 0 || o.of == 0 {
		return cmp.Compare(o.of, r.of)
	}
	h1, l1 := bits.Mul64(r.amount, o.of)
	h2, l2 := bits.Mul64(o.amount, r.of)
	return cmp.Or(cmp.Compare(h1, h2), cmp.Compare(l1, l2))
}

// largest is the largest share that the gang takes of what is free, resource by resource.
func (r ratios) largest(free []int64) ratio {
	out := ratio{0, 1}
	for k := range r.asked {
		if one := (ratio{uint64(r.members * r.asks[k]), uint64(free[k])}); one.compare(out) > 0 {
			out = one
		}
	}
	return out
}

// sorted are the vertices by tier, down to a lowest one, in the order of the sorted tree.
func (r ratios) sorted(lowest int) map[int][]int {
	k, domains := len(r.kinds), r.sum(r.free)
	out := map[int][]int{}
	var walk func(v int)
	walk = func(v int) {
		tier := r.tier(v)
		if tier < lowest {
			return
		}
		if out[tier] = append(out[tier], v); tier == lowest {
			return
		}
		first, end := r.children(v)
		kids, takes := make([]int, 0, end-first), make([]ratio, end-first)
		for x := first; x < end; x++ {
			free := domains[min(x*k, len(domains)):]
			if i := r.node(x); i >= 0 {
				free = r.free[i*k:]
			}
			kids, takes[x-first] = append(kids, x), r.largest(free)
		}
		slices.SortFunc(kids, func(x, y int) int { return cmp.Or(takes[y-first].compare(takes[x-first]), cmp.Compare(x, y)) })
		for _, x := range kids {
			walk(x)
		}
	}
	walk(int(topology.Root))
	return out
}

// packed are the nodes of a domain by their scores. A node that takes a pod has fewer devices left, so that it stays the best one until it is full.
func packed(b *board, domain int, order []int) []int {
	tenth := make([]int, len(b.names)) // by node
	for i, d := range order {
		first, end := b.nodes(d)
		for n := first; n < end; n++ {
			tenth[n] = (i + 1) * 10 / len(order)
		}
	}
	kind := slices.Index(b.kinds, muster.CPU)
	if device := slices.IndexFunc(b.kinds[:b.asked], muster.IsDevice); device >= 0 {
		kind = device
	}
	left := func(node int) int64 {
		i := node*len(b.kinds) + kind
		if b.have[i] == 0 { // no points
			return math.MaxInt64
		}
		return b.free[i]
	}
	out := b.inside(domain)
	slices.SortFunc(out, func(x, y int) int {
		return cmp.Or(cmp.Compare(tenth[y], tenth[x]), cmp.Compare(left(x), left(y)), cmp.Compare(x, y))
	})
	return out
}
