// Package benchmarks measures the planner on clusters of 1,024 to 102,400 nodes. This file makes the clusters; the
// benchmarks are the package's tests, and README.md says how to read their figures.
package benchmarks

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// Shape is a network of three layers of equal domains, and what a node of it holds.
type Shape struct {
	// Spines in the cluster, Leaves in a spine, Units in a leaf, Nodes in a unit.
	Spines, Leaves, Units, Nodes int
	// Slots is how many members fit on an empty node.
	Slots int
}

// ShapeOf returns the network that the benchmarks use for a number of nodes, one slot a node. Units always have 32
// nodes, so that growth with the number of nodes is not mixed up with growth of the units.
func ShapeOf(nodes int) (Shape, error) {
	for _, s := range []Shape{{2, 2, 8, 32, 1}, {4, 5, 16, 32, 1}, {10, 10, 32, 32, 1}} {
		if s.NumNodes() == nodes {
			return s, nil
		}
	}
	return Shape{}, &muster.InvalidError{Field: "nodes", Value: strconv.Itoa(nodes), Reason: "no network of this size"}
}

// NumUnits is the number of units in the cluster.
func (s Shape) NumUnits() int { return s.Spines * s.Leaves * s.Units }

// NumNodes is the number of nodes in the cluster.
func (s Shape) NumNodes() int { return s.NumUnits() * s.Nodes }

// perUnit is the number of slots in a unit.
func (s Shape) perUnit() int { return s.Nodes * s.Slots }

// node is what every node has: eight devices.
func (s Shape) node() muster.Resources {
	return muster.Resources{muster.CPU: 128_000, muster.Memory: 1 << 40, "nvidia.com/gpu": 8}
}

// Member is what one member asks for, so that Slots of them fill a node.
func (s Shape) Member() muster.Resources {
	r := s.node()
	for name := range r {
		r[name] /= int64(s.Slots)
	}
	return r
}

// Amounts are the same, by resource in natural order of the names.
func (s Shape) Amounts() Amounts {
	var a Amounts
	member := s.Member()
	for r, name := range member.Names() {
		a[r] = member[name]
	}
	return a
}

// Layers of the network, lowest first.
func (s Shape) Layers() []topology.Layer {
	return []topology.Layer{{Name: "unit", Tier: 1}, {Name: "leaf", Tier: 2}, {Name: "spine", Tier: 3}}
}

// Domains are the spines, with everything below them.
func (s Shape) Domains() []topology.Domain {
	next := 0
	domains := func(tier, count int, below func(*topology.Domain)) []topology.Domain {
		out := make([]topology.Domain, count)
		for i := range out {
			out[i] = topology.Domain{Name: fmt.Sprintf("%s-%d", s.Layers()[tier-1].Name, i), Tier: tier}
			below(&out[i])
		}
		return out
	}
	return domains(3, s.Spines, func(spine *topology.Domain) {
		spine.Children = domains(2, s.Leaves, func(leaf *topology.Domain) {
			leaf.Children = domains(1, s.Units, func(u *topology.Domain) {
				for range s.Nodes {
					u.Nodes = append(u.Nodes, nodeName(next))
					next++
				}
			})
		})
	})
}

// NodeList are the nodes in the order of the tree.
func (s Shape) NodeList() []placement.Node {
	nodes, allocatable := make([]placement.Node, s.NumNodes()), s.node()
	for i := range nodes {
		nodes[i] = placement.Node{Name: nodeName(i), Allocatable: allocatable}
	}
	return nodes
}

func nodeName(i int) string { return "node-" + strconv.Itoa(i) }

// Fleet is a cluster that members come to and leave. It moves them at random, by a seed, and hands out the snapshots
// in between: all have the same number of free slots and the same kind of fill.
type Fleet struct {
	Shape Shape
	rng   *rand.Rand
	// A block of slots moves as a whole: one slot, or a unit where the fill is clean. holder has the block that holds a
	// place, or -1; free lists the places with -1.
	block  int
	holder []int32
	free   []int32
	// near keeps a block in its unit when it moves, so that the free slots of no domain change.
	near    bool
	current *placement.Cluster
}

// Fragmented takes a fraction of all slots, scattered at random.
func Fragmented(shape Shape, seed uint64, percent int) *Fleet {
	return newFleet(shape, seed, 1, percent)
}

// Clean takes a fraction of all units, each as a whole, and at least one.
func Clean(shape Shape, seed uint64, percent int) *Fleet {
	return newFleet(shape, seed, shape.perUnit(), percent)
}

func newFleet(shape Shape, seed uint64, block, percent int) *Fleet {
	f := &Fleet{Shape: shape, rng: rand.New(rand.NewPCG(seed, 0)), block: block}
	places := shape.NumUnits() * shape.perUnit() / block
	taken := max(1, places*percent/100)
	f.hold(f.rng.Perm(places)[:taken], places)
	return f
}

// hold gives the places to blocks 0, 1, ... and frees all others.
func (f *Fleet) hold(taken []int, places int) {
	f.holder = make([]int32, places)
	for p := range f.holder {
		f.holder[p] = -1
	}
	for b, p := range taken {
		f.holder[p] = int32(b)
	}
	for p, b := range f.holder {
		if b < 0 {
			f.free = append(f.free, int32(p))
		}
	}
}

// FreeSlots is the number of free slots.
func (f *Fleet) FreeSlots() int { return len(f.free) * f.block }

// Running are the members that hold the taken slots now.
func (f *Fleet) Running() []placement.Running {
	var out []placement.Running
	resources := f.Shape.Member()
	for p, b := range f.holder {
		if b < 0 {
			continue
		}
		for i := range f.block {
			out = append(out, f.member(int(b)*f.block+i, p*f.block+i, resources))
		}
	}
	return out
}

// member is the i-th running member, on a slot; gangs of 64 consecutive ones.
func (f *Fleet) member(i, slot int, resources muster.Resources) placement.Running {
	return placement.Running{
		Gang:      "fill/gang-" + strconv.Itoa(i/64),
		Member:    "pod-" + strconv.Itoa(i),
		Node:      nodeName(slot / f.Shape.Slots),
		Resources: resources,
	}
}

// Tree builds the topology of domains that [Shape.Domains] returned.
func (s Shape) Tree(domains []topology.Domain) (*topology.Tree, error) {
	return topology.New(topology.Spec{Layers: s.Layers(), Roots: domains})
}

// Spec describes the cluster as it is now.
func (f *Fleet) Spec() (placement.Spec, error) {
	tree, err := f.Shape.Tree(f.Shape.Domains())
	if err != nil {
		return placement.Spec{}, err
	}
	return placement.Spec{
		Trees:   []placement.NamedTree{{Name: "default", Tree: tree}},
		Nodes:   f.Shape.NodeList(),
		Running: f.Running(),
	}, nil
}

// Next is the next snapshot: the cluster built, or the one before with some 32 members moved by one Update.
func (f *Fleet) Next() (*placement.Cluster, error) {
	var err error
	if f.current == nil {
		var spec placement.Spec
		if spec, err = f.Spec(); err == nil {
			f.current, err = placement.NewCluster(spec)
		}
		return f.current, err
	}
	f.current, err = f.current.Update(f.move())
	return f.current, err
}

// move takes blocks that add up to some 32 slots from where they are to free places.
func (f *Fleet) move() placement.Delta {
	var d placement.Delta
	moved := map[int32]bool{}
	for range max(1, 32/f.block) {
		from, to, ok := f.pick()
		b := f.holder[from]
		if !ok || moved[b] {
			continue
		}
		moved[b] = true
		f.holder[f.free[to]] = b
		for i := range f.block {
			r := f.member(int(b)*f.block+i, int(f.free[to])*f.block+i, f.Shape.Member())
			d.Remove = append(d.Remove, placement.MemberRef{Gang: r.Gang, Member: r.Member})
			d.Place = append(d.Place, r)
		}
		f.holder[from], f.free[to] = -1, int32(from)
	}
	return d
}

// pick draws a held place and the index of a free one that its block may move to.
func (f *Fleet) pick() (from, to int, ok bool) {
	if len(f.free) == 0 {
		return 0, 0, false
	}
	to = f.rng.IntN(len(f.free))
	lo, n := 0, len(f.holder)
	if f.near {
		n = f.Shape.perUnit()
		lo = int(f.free[to]) / n * n
	}
	for range 16 * len(f.holder) {
		if from = lo + f.rng.IntN(n); f.holder[from] >= 0 {
			return from, to, true
		}
		if f.near && f.rng.IntN(64) == 0 { // the unit may be empty
			return from, to, false
		}
	}
	return from, to, false
}
