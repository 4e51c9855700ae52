// Where does Volcano put a gang?

package placers

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
)

// VolcanoHard is a job whose networkTopology has `mode: hard`, on a topology of HyperNodes. Tier by tier from the lowest up to the highest that is allowed the HyperNodes are looked at that hold the whole
// job; of those of the first tier that has any the one that is used most once the job is there: the mean of (used + requested) / allocatable over the resources asked for. In it tasks are placed one by one, first on the
// fullest node; then in the same lowest HyperNode as long as it has room, then in the lowest HyperNode above all tasks that has; there beside most tasks of the job, then on the fullest node.
//
// The rule is that of volcano-sh/volcano ed72c7c, pkg/scheduler/plugins/network-topology-aware: hyperNodeGradientFn, HyperNodeOrderFn and batchNodeOrderFn, with allocateForSubJob and allocateResourcesForTasks of
// pkg/scheduler/actions/allocate. Weights are 1, those of devices included (hypernode.binpack.resources names them). Between nodes the plugin binpack decides, which the user guide has beside it; nodeorder is left out,
// whose share of cpu and memory that is left works against it, and scores are compared one after the other where Volcano adds them up. Equal HyperNodes and nodes are drawn by lot there. Nodes are no HyperNodes: a gang
// that must gather on one node finds no place.
//
// O(nodes * resources + nodes * log nodes), and O(nodes * layers) more for each lowest HyperNode that it comes to.
type VolcanoHard struct {
	// Highest is the highest layer allowed (highestTierAllowed) for gangs that need not gather; empty: the highest that has a HyperNode. Where a gang must gather, that layer is it.
	Highest string
}

// CanAsk implements [Asked].
func (VolcanoHard) CanAsk(req *gang.Request) bool { return plain(req, false) }

// Place implements [simulate.Placer].
func (h VolcanoHard) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	var unknown error
	out, err := place(c, req, h.CanAsk(req), true, byRank, func(b *board, g gathering, members int64) []share {
		highest, ok := b.tree.RootTier()-1, true
		if h.Highest != "" {
			highest, ok = tierOf(b.tree, h.Highest)
		}
		if !ok {
			unknown = muster.Invalid("VolcanoHard.Highest", h.Highest, "unknown layer")
			return nil
		}
		if g.must >= 0 {
			highest = g.must
		}
		return used{b, members}.upTo(highest)
	})
	return out, cmp.Or(err, unknown)
}

// VolcanoSoft is a job whose networkTopology has `mode: soft`: as [VolcanoHard] with the whole cluster as its highest tier, nodes outside the topology included. A gang that must gather asks for `hard`.
//
// The rule is that of volcano-sh/volcano ed72c7c, pkg/scheduler/framework/session.go, convertSoftToHardTopology, and what [VolcanoHard] names.
type VolcanoSoft struct{}

// CanAsk implements [Asked].
func (VolcanoSoft) CanAsk(req *gang.Request) bool { return plain(req, false) }

// Place implements [simulate.Placer].
func (s VolcanoSoft) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	return place(c, req, s.CanAsk(req), true, byRank, func(b *board, g gathering, members int64) []share {
		if g.must >= 0 {
			return used{b, members}.upTo(g.must)
		}
		return used{b, members}.upTo(b.tree.RootTier())
	})
}

// used is a board on which what is used most comes first.
type used struct {
	*board
	members int64
}

// whole is a share of 1, in which shares are counted.
const whole = 1 << 30

// upTo finds the lowest tier with a HyperNode for all members, and places them there.
func (u used) upTo(highest int) []share {
	for _, tier := range u.tiers()[1:] {
		if tier > highest {
			break
		}
		if fit := u.at(tier, u.members); len(fit) > 0 {
			return u.tasks(u.fullest(fit))
		}
	}
	return nil
}

// fullest is the domain of which the largest share is used once all members are there.
func (u used) fullest(domains []int) int {
	if len(domains) == 1 {
		return domains[0]
	}
	free, have := u.sum(u.free), u.sum(u.have)
	shares := make([]uint64, len(domains))
	for i, d := range domains {
		shares[i] = u.share(free[d*len(u.kinds):], have[d*len(u.kinds):], u.members)
	}
	best := 0
	for i := range shares {
		if shares[i] > shares[best] {
			best = i
		}
	}
	return domains[best]
}

// share is how much of what is asked for is used once so many members are there: the sum over resources, which are the same for all.
func (u used) share(free, have []int64, members int64) (sum uint64) {
	for k := range u.asked {
		sum += parts(have[k]-free[k]+members*u.asks[k], have[k], whole)
	}
	return sum
}

// tasks places the members in a domain that has room for them.
func (u used) tasks(domain int) (out []share) {
	order := u.inside(domain) // the fullest first
	k := len(u.kinds)
	shares := make([]uint64, len(u.names))
	for _, i := range order {
		shares[i] = u.share(u.free[i*k:], u.have[i*k:], 1)
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(shares[y], shares[x]) })
	byLeaf := make([][]int, u.tree.Len())
	for _, i := range order {
		byLeaf[u.leaf(i)] = append(byLeaf[u.leaf(i)], i)
	}
	left, lowest := u.members, domain // lowest is the domain right above all that are placed
	for first := true; left > 0; first = false {
		next := slices.IndexFunc(order, func(i int) bool { return byLeaf[u.leaf(i)] != nil && u.lies(u.leaf(i), lowest) })
		if next < 0 {
			lowest = u.parent(lowest)
			continue
		}
		leaf := u.leaf(order[next])
		if first {
			lowest = leaf
		}
		for _, i := range byLeaf[leaf] {
			if n := min(left, u.slots[u.vertex(i)]); n > 0 {
				out, left = append(out, share{i, n}), left-n
			}
		}
		byLeaf[leaf] = nil
	}
	return out
}
