package benchmarks

import (
	"fmt"
	"math/rand/v2"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
	"github.com/muster-sched/muster/topology"
)

// refused draws a full cluster and a gang for which there is rarely room.
type refused struct {
	rng   *rand.Rand
	spec  cluster.Spec
	zoned bool
	names []string // members of the gang, not in a part yet
}

// Refused draws a cluster of 256 to 512 nodes in racks and blocks, nearly full, some nodes tainted or out of service, and a gang of some
// shapes: with rules, groups, parts, limits, a quota, a NUMA policy or members that run, by chance. Most of such gangs are refused.
func Refused(seed uint64) (cluster.Spec, *gang.Request, error) {
	r := &refused{rng: rand.New(rand.NewPCG(seed, 7))}
	r.zoned = r.chance(20)
	if err := r.nodes(256 + r.rng.IntN(257)); err != nil {
		return r.spec, nil, err
	}
	if r.chance(35) {
		tree, err := quota.New([]quota.Spec{
			{Name: "a", Min: muster.Resources{device: int64(r.rng.IntN(800))}}, {Name: "b", Min: muster.Resources{device: int64(r.rng.IntN(800))}},
		})
		if err != nil {
			return r.spec, nil, err
		}
		r.spec.Quotas = tree
	}
	r.running()
	return r.spec, r.gang(), nil
}

func (r *refused) chance(percent int) bool { return r.rng.IntN(100) < percent }

// between is a number from lo to hi.
func (r *refused) between(lo, hi int) int { return lo + r.rng.IntN(hi-lo+1) }

// nodes are of three kinds, 16 a rack, 8 racks a block.
func (r *refused) nodes(n int) error {
	tree := topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}, {Name: "block", Tier: 2}}}
	kinds := r.between(1, 3)
	for i := range n {
		size := int64(8 >> r.rng.IntN(kinds))
		node := cluster.Node{
			Name: nodeName(i), Allocatable: muster.Resources{device: size, muster.CPU: 16_000 * size, muster.Memory: 64 * size << 30},
			Cordoned: r.chance(4), NotReady: r.chance(2),
		}
		if r.chance(6) {
			node.Taints = append(node.Taints, gang.Taint{Key: "held", Value: fmt.Sprint(r.rng.IntN(3)), Effect: gang.NoSchedule})
		}
		node.Labels = map[string]string{"pool": fmt.Sprint(i / 64 % 3)}
		if r.zoned && size > 1 {
			node.NUMA = &cluster.NUMA{}
			for z := range 2 {
				half := muster.Resources{}
				for name, amount := range node.Allocatable {
					half[name] = amount / 2
				}
				node.NUMA.Zones = append(node.NUMA.Zones, numa.Zone{ID: z, Allocatable: half})
			}
		}
		r.spec.Nodes = append(r.spec.Nodes, node)
		if i%128 == 0 {
			tree.Roots = append(tree.Roots, topology.Domain{Name: fmt.Sprint("block-", i/128), Tier: 2})
		}
		block := &tree.Roots[len(tree.Roots)-1]
		if i%16 == 0 {
			block.Children = append(block.Children, topology.Domain{Name: fmt.Sprint("rack-", i/16), Tier: 1})
		}
		rack := &block.Children[len(block.Children)-1]
		rack.Nodes = append(rack.Nodes, node.Name)
	}
	made, err := topology.New(tree)
	r.spec.Trees = []cluster.NamedTree{{Name: "default", Tree: made}}
	return err
}

// running fills the nodes with gangs of neighbours.
func (r *refused) running() {
	percent, largest, leaving := r.between(85, 100), r.between(1, 12), r.chance(20)
	left, member := 0, cluster.Running{}
	for _, n := range r.spec.Nodes {
		for free := n.Allocatable[device]; free > 0; {
			size := min(free, 1<<r.rng.IntN(4))
			free -= size
			if !r.chance(percent) {
				continue
			}
			if left == 0 {
				left = r.between(1, largest)
				member = cluster.Running{
					Gang: fmt.Sprint("run-", len(r.spec.Running)), Priority: int64(r.rng.IntN(8)), MinMember: left - r.rng.IntN(left), NonPreemptible: r.chance(8), Leaving: leaving && r.chance(5),
				}
				if r.spec.Quotas != nil {
					member.Quota = []string{"a", "b"}[r.rng.IntN(2)]
				}
				if r.chance(3) {
					member.Alone = "node"
				}
			}
			left--
			member.Member, member.Node = fmt.Sprint("pod-", len(r.spec.Running)), n.Name
			member.Resources = muster.Resources{device: size, muster.CPU: 12_000 * size, muster.Memory: 32 * size << 30}
			r.spec.Running = append(r.spec.Running, member)
		}
	}
}

// gang is the gang that waits.
func (r *refused) gang() *gang.Request {
	req := &gang.Request{Name: "job", Priority: int64(r.rng.IntN(6)), NeverPreempts: r.chance(30)}
	shapes, each := r.between(1, 6), r.between(2, 40)
	for s := range shapes {
		size := int64(1) << r.rng.IntN(4)
		shape := &gang.Shape{Resources: muster.Resources{device: size, muster.CPU: 14_000*size + 1000*int64(s), muster.Memory: 40 * size << 30}}
		if r.zoned && r.chance(50) {
			shape.NUMA.Policy = []numa.Policy{numa.BestEffort, numa.Restricted, numa.SingleNUMANode}[r.rng.IntN(3)]
		}
		if r.chance(15) {
			shape.Selector = map[string]string{"pool": fmt.Sprint(r.rng.IntN(3))}
		}
		for range each {
			r.names = append(r.names, fmt.Sprint("job-", len(r.names)))
			req.Members = append(req.Members, gang.Member{Name: r.names[len(r.names)-1], Shape: shape})
		}
	}
	if shapes == 1 {
		req.Shape = *req.Members[0].Shape
		for i := range req.Members {
			req.Members[i].Shape = nil
		}
	}
	if r.spec.Quotas != nil && r.chance(70) {
		req.Quota = []string{"a", "b"}[r.rng.IntN(2)]
	}
	req.Gather, req.Limits = r.rules(), r.limits()
	if r.chance(30) {
		req.MinMember = r.between(len(r.names)/2, len(r.names))
	}
	switch r.rng.IntN(4) {
	case 1:
		req.Groups = []gang.Groups{{Size: 1 << r.between(1, 3), Gather: r.rules()}}
	case 2, 3:
		req.Parts = r.parts(r.names, 0)
	}
	return req
}

func (r *refused) rules() []gang.Rule {
	switch r.rng.IntN(4) {
	case 1, 2:
		return []gang.Rule{{Layer: []string{"rack", "block"}[r.rng.IntN(2)], Strength: gang.MustGather}}
	case 3:
		return []gang.Rule{{Layer: []string{"rack", "block"}[r.rng.IntN(2)], Strength: gang.PreferGather}}
	}
	return nil
}

func (r *refused) limits() []gang.Limit {
	if !r.chance(20) {
		return nil
	}
	kind := []gang.LimitKind{gang.Apart, gang.Alone, gang.Within}[r.rng.IntN(3)]
	limit := gang.Limit{Kind: kind, Layer: []string{"node", "rack"}[r.rng.IntN(2)]}
	if kind != gang.Alone {
		limit.Most = r.between(1, 6)
	}
	return []gang.Limit{limit}
}

// parts are up to six, which may have parts again.
func (r *refused) parts(names []string, depth int) (out []gang.Part) {
	count := min(r.between(1, 6), len(names))
	for i := range count {
		own := names[len(names)*i/count : len(names)*(i+1)/count]
		p := gang.Part{Name: fmt.Sprint("part-", depth, "-", own[0]), Gather: r.rules()}
		switch {
		case depth == 0 && len(own) > 4 && r.chance(20):
			p.Parts = r.parts(own, 1)
		default:
			p.Members = own
			if r.chance(30) {
				p.MinMember = r.between(1, len(own))
			}
			if r.chance(20) {
				p.Groups = []gang.Groups{{Size: min(len(own), 2), Gather: r.rules()}}
			}
		}
		out = append(out, p)
	}
	return out
}
