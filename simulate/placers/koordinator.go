// Where does Koordinator put a gang?

package placers

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/topology"
)

// Koordinator gathers as its coscheduling plugin does: of the domains that hold the whole gang those deepest in the tree, nodes included; of these the one with the fewest slots, then the
// one whose parent has the fewest, and so on up. Below it the children with the most slots are filled first, the last one takes the rest. Members of the same affinity key come first in all
// these comparisons: more of them in the domain, then in its parent, and so on. A node counts no more slots than the gang has members. Preferred layers mean nothing to it: it always goes as deep as
// it can. Members go to the nodes in the order of the bytes of their names.
//
// The rule is that of koordinator-sh/koordinator a7a1b76, pkg/scheduler/plugins/coscheduling/core/network_topology_solver.go: PlacePods, with searchMustGatherSatisfiedNodes,
// searchOfferSlotSatisfiedNodes, topologyNodeLessFunc, distributeOfferSlot and distributePods; multiples are those of constrainOfferSlotByPodCountMultiple. It knows domains by layer and name, we by path.
//
// O(nodes * resources), sorted by layer below the domain.
type Koordinator struct{}

// CanAsk implements [Asked].
func (Koordinator) CanAsk(req *gang.Request) bool { return plain(req, true) }

// Place implements [simulate.Placer].
func (k Koordinator) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	return place(c, req, k.CanAsk(req), false, byName, func(b *board, g gathering, members int64) []share {
		o := offers{board: b, multiples: g.multiples, friends: friends(c, b, req.AffinityKey)}
		o.offer(members)
		found := deepest(b, starts(b, g.must), members)
		slices.SortFunc(found, func(x, y int) int { return o.compare(x, y, 1) })
		for _, d := range found {
			if out, n := o.distribute(nil, d, members); n == members {
				return out
			}
		}
		return nil
	})
}

// offers are the slots of a board as Koordinator counts them.
type offers struct {
	*board
	multiples map[int]int64
	friends   []int64 // by vertex: members of the same affinity key; nil: nobody
}

// friends counts the members who run with an affinity key.
func friends(c *placement.Cluster, b *board, key string) []int64 {
	if key == "" {
		return nil
	}
	out := make([]int64, len(b.slots))
	for r := range c.Running() {
		if r.AffinityKey != key {
			continue
		}
		if n, ok := b.tree.Node(r.Node); ok {
			for v := b.vertex(int(n)); v >= 0; v = b.parent(v) {
				out[v]++
			}
		}
	}
	return out
}

// offer counts slots anew: no more on a node than members, and whole multiples.
func (o *offers) offer(members int64) {
	for i := range o.names {
		v := o.vertex(i)
		o.slots[v] = o.whole(0, min(o.slots[v], members))
	}
	clear(o.slots[:o.tree.Len()])
	for i := range o.names {
		o.slots[o.leaf(i)] += o.slots[o.vertex(i)]
	}
	for d := o.tree.Len() - 1; d >= 0; d-- {
		o.slots[d] = o.whole(o.tier(d), o.slots[d])
		if d > 0 {
			o.slots[o.parent(d)] += o.slots[d]
		}
	}
}

// whole is how many of so many members a domain of a tier may have.
func (o *offers) whole(tier int, members int64) int64 {
	if m := o.multiples[tier]; m > 1 {
		return members / m * m
	}
	return members
}

// compare orders two vertices of a layer: by friends, then by slots, each from the vertex upwards; sign 1: the fewest slots first, -1: the most.
func (o *offers) compare(x, y, sign int) int {
	if o.friends != nil {
		for a, b := x, y; a >= 0 && b >= 0; a, b = o.parent(a), o.parent(b) {
			if c := cmp.Compare(o.friends[b], o.friends[a]); c != 0 {
				return c
			}
		}
	}
	for a, b := x, y; a >= 0 && b >= 0; a, b = o.parent(a), o.parent(b) {
		if c := cmp.Compare(o.slots[a], o.slots[b]); c != 0 {
			return sign * c
		}
	}
	return cmp.Compare(x, y)
}

// distribute gives members to what lies below a vertex, the children with the most slots first, and says how many found a place.
func (o *offers) distribute(out []share, v int, members int64) ([]share, int64) {
	members = o.whole(o.tier(v), min(members, o.slots[v]))
	if members == 0 {
		return out, 0
	}
	if i := o.node(v); i >= 0 {
		return append(out, share{i, members}), members
	}
	kids, placed := o.below(v, nil), int64(0)
	slices.SortFunc(kids, func(x, y int) int { return o.compare(x, y, -1) })
	for _, x := range kids {
		if placed == members {
			break
		}
		var n int64
		out, n = o.distribute(out, x, members-placed)
		placed += n
	}
	return out, placed
}

// starts are the domains of the layer in which a gang must gather; the root where there is none.
func starts(b *board, must int) []int {
	if must < 0 {
		return []int{int(topology.Root)}
	}
	return b.at(must, 1)
}

// deepest are the vertices that take so many members and are the most layers below those given, these included.
func deepest(b *board, from []int, members int64) (found []int) {
	for len(from) > 0 {
		var fit, next []int
		for _, v := range from {
			if b.slots[v] >= members {
				fit, next = append(fit, v), b.below(v, next)
			}
		}
		if len(fit) > 0 {
			found = fit
		}
		from = next
	}
	return found
}

// KoordinatorProposal gathers as the proposal for Koordinator's network topology says: slots are summed up from the nodes; of the domains that hold the whole gang those of the lowest
// layer, nodes included; of these the one whose slots are closest to what the gang needs. The proposal does not say which nodes of it: the first ones, in the order of paths. Its fourth step, which counts
// pipelines, is for gangs in groups, and these are not asked for.
//
// The rule is that of koordinator-sh/koordinator a7a1b76, docs/proposals/scheduling/20250611-networktopology-aware-scheduling.md, "Network topology gather algorithm", steps 1, 2, 3 and 5.
//
// O(nodes * resources).
type KoordinatorProposal struct{}

// CanAsk implements [Asked].
func (KoordinatorProposal) CanAsk(req *gang.Request) bool { return plain(req, false) }

// Place implements [simulate.Placer].
func (k KoordinatorProposal) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	return place(c, req, k.CanAsk(req), false, byRank, func(b *board, g gathering, members int64) []share {
		for _, tier := range b.tiers() {
			if g.must >= 0 && tier > g.must {
				break
			}
			if found := b.at(tier, members); len(found) > 0 {
				return b.fillUp(b.inside(b.closest(found)), members)
			}
		}
		return nil
	})
}

// closest is the vertex with the fewest slots, the first of them in the order of paths.
func (b *board) closest(among []int) int {
	return slices.MinFunc(among, func(x, y int) int { return cmp.Or(cmp.Compare(b.slots[x], b.slots[y]), cmp.Compare(x, y)) })
}
