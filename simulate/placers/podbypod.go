// Where does a gang go pod by pod?

package placers

import (
	"cmp"
	"container/heap"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/topology"
)

// PodByPod puts one member after the other on the node that then has the largest share of its resources left: kube-scheduler's default score, with a plugin for gangs beside it that lets
// them start as a whole. Places outside a layer in which the gang must gather are as good as others to it, and nodes outside the topology too.
//
// The rule is that of kubernetes/kubernetes v1.37.2, pkg/scheduler/framework/plugins/noderesources: leastResourceScorer, with the default weights of cpu and memory. Points from 0 to 100,
// rounded down resource by resource. If members ask for neither cpu nor memory the resources that they do ask for count: pods of the real world ask for some cpu beside their devices. Left out are the
// scores by balance, images and spread, and that large clusters look at some of the nodes alone; where the scheduler tosses a coin, the order of paths decides.
//
// O(nodes * (resources + layers) + members * (log nodes + resources)), with Affinity O(lowest domains * layers) more for each of these that it comes to.
type PodByPod struct {
	// Affinity draws members to those that are placed already, as preferred affinity between pods does that is written for each layer, with far more weight for lower ones: nodes in the same lowest
	// domain come first, then those in the same domain of the next layer, and so on; the score decides between equals.
	Affinity bool
}

// CanAsk implements [Asked].
func (PodByPod) CanAsk(req *gang.Request) bool { return plain(req, false) }

// Place implements [simulate.Placer].
func (p PodByPod) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	return place(c, req, p.CanAsk(req), true, byRank, func(b *board, _ gathering, members int64) []share {
		if b.slots[0] < members {
			return nil
		}
		if !p.Affinity {
			all := &emptiest{b: b, kinds: counted(b)}
			for i := range b.names {
				all.add(i)
			}
			heap.Init(all)
			return all.take(nil, members)
		}
		return near(b, members)
	})
}

// near places members who are drawn to each other. The lowest domain that one came to holds the most of them, so that it is filled to the end; the next one is then the best in the lowest domain
// above it with room, where all others are equally near.
func near(b *board, members int64) (out []share) {
	leaves, kinds := make([]*emptiest, b.tree.Len()), counted(b)
	var open []int // lowest domains with room
	for i := range b.names {
		d := b.leaf(i)
		if leaves[d] == nil {
			leaves[d] = &emptiest{b: b, kinds: kinds}
			open = append(open, d)
		}
		leaves[d].add(i)
	}
	for _, d := range open {
		heap.Init(leaves[d])
	}
	within := int(topology.Root)
	for {
		best := -1
		for _, d := range open {
			if leaves[d].room > 0 && b.lies(d, within) && (best < 0 || leaves[d].first().before(leaves[best].first())) {
				best = d
			}
		}
		if best < 0 { // the whole topology has room, so that this ends
			within = b.parent(within)
			continue
		}
		n := min(members, leaves[best].room)
		if out, members = leaves[best].take(out, n), members-n; members == 0 {
			return out
		}
		within = best
	}
}

// lies says whether a lowest domain is below another domain, or is that one.
func (b *board) lies(leaf, within int) bool {
	for d := leaf; d >= within; d = b.parent(d) { // parents come first
		if d == within {
			return true
		}
	}
	return false
}

// emptiest are nodes with room, the one with the highest score on top; a heap.
type emptiest struct {
	b     *board
	kinds []int // that count
	nodes []scored
	room  int64 // for so many members
}

// scored is a node, how many members came to it, and the score with one more.
type scored struct {
	node  int
	came  int64
	score uint64
}

func (s *scored) before(o *scored) bool {
	return cmp.Or(cmp.Compare(o.score, s.score), cmp.Compare(s.node, o.node)) < 0
}

// counted are the kinds of resources that count.
func counted(b *board) (kinds []int) {
	usual := func(k int) bool { return b.kinds[k] == muster.CPU || b.kinds[k] == muster.Memory }
	asked := false // for a usual one
	for k := range b.asked {
		asked = asked || usual(k)
	}
	for k := range b.kinds {
		if usual(k) == asked && (asked || k < b.asked) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// add adds a node, if it has room.
func (e *emptiest) add(node int) {
	if n := e.b.slots[e.b.vertex(node)]; n > 0 {
		e.room += n
		e.nodes = append(e.nodes, scored{node: node, score: e.score(node, 1)})
	}
}

// score is that of a node once so many members are there.
func (e *emptiest) score(node int, members int64) uint64 {
	sum, counted := uint64(0), uint64(0)
	for _, k := range e.kinds {
		i := node*len(e.b.kinds) + k
		if e.b.have[i] > 0 {
			sum, counted = sum+parts(e.b.free[i]-members*e.b.asks[k], e.b.have[i], 100), counted+1
		}
	}
	if counted == 0 {
		return 0
	}
	return sum / counted
}

func (e *emptiest) first() *scored { return &e.nodes[0] }

// take places so many members, for whom there is room.
func (e *emptiest) take(out []share, members int64) []share {
	e.room -= members
	for range members {
		s := e.first()
		out = append(out, share{s.node, 1})
		if s.came++; s.came == e.b.slots[e.b.vertex(s.node)] {
			heap.Pop(e)
			continue
		}
		s.score = e.score(s.node, s.came+1)
		heap.Fix(e, 0)
	}
	return out
}

// Len, Less, Swap, Push and Pop are those of a heap.
func (e *emptiest) Len() int           { return len(e.nodes) }
func (e *emptiest) Less(i, j int) bool { return e.nodes[i].before(&e.nodes[j]) }
func (e *emptiest) Swap(i, j int)      { e.nodes[i], e.nodes[j] = e.nodes[j], e.nodes[i] }
func (e *emptiest) Push(x any)         { e.nodes = append(e.nodes, x.(scored)) }
func (e *emptiest) Pop() any {
	last := e.nodes[len(e.nodes)-1]
	e.nodes = e.nodes[:len(e.nodes)-1]
	return last
}
