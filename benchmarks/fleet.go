package benchmarks

import (
	"math/rand/v2"
	"strconv"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
)

// Fleet is a cluster that members come to and leave. It moves them at random, by a seed, and hands out the snapshots
// in between: all have the same number of free slots and the same kind of fill.
type Fleet struct {
	Shape Shape
	rng   *rand.Rand
	// nodeOf has the node of every slot.
	nodeOf []int32
	// A block of slots moves as a whole: one slot, or a unit where the fill is clean. holder has the block that holds a
	// place, or -1; free lists the places with -1.
	block  int
	holder []int32
	free   []int32
	// near keeps a block in its unit when it moves, so that the free slots of no domain change.
	near    bool
	current *placement.Cluster
	placed  []*numa.Placed // by slot of a node
}

// Fragmented takes a fraction of all slots, scattered at random, and at least 32.
func Fragmented(shape Shape, seed uint64, percent int) *Fleet {
	f := newFleet(shape, seed, 1)
	f.take(percent, 32)
	return f
}

// Clean takes a fraction of all units, each as a whole, and at least one. Nodes must be alike.
func Clean(shape Shape, seed uint64, percent int) *Fleet {
	f := newFleet(shape, seed, shape.children(1)*shape.Slots)
	f.take(percent, 1)
	return f
}

// newFleet makes a cluster that nothing runs on.
func newFleet(shape Shape, seed uint64, block int) *Fleet {
	f := &Fleet{Shape: shape, rng: rand.New(rand.NewPCG(seed, 0)), block: block, placed: shape.placed()}
	for n := range shape.NumNodes() {
		for range shape.SlotsOf(n) {
			f.nodeOf = append(f.nodeOf, int32(n))
		}
	}
	return f
}

// take gives a fraction of all places, and at least so many of them, to blocks.
func (f *Fleet) take(percent, least int) {
	places := len(f.nodeOf) / f.block
	f.hold(f.rng.Perm(places)[:max(least, places*percent/100)])
}

// hold gives the places to blocks 0, 1, ... and frees all others.
func (f *Fleet) hold(taken []int) {
	f.holder = make([]int32, len(f.nodeOf)/f.block)
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

// NumSlots is the number of all slots.
func (f *Fleet) NumSlots() int { return len(f.nodeOf) }

// Running are the members that hold the taken slots now.
func (f *Fleet) Running() []cluster.Running {
	out := make([]cluster.Running, 0, f.NumSlots()-f.FreeSlots())
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

// Gangs are the names of the running gangs.
func (f *Fleet) Gangs() []string {
	var names []string
	for i := range (f.NumSlots() - f.FreeSlots() + perGang - 1) / perGang {
		names = append(names, gangName(i))
	}
	return names
}

// perGang is the number of members of a running gang.
const perGang = 64

func gangName(i int) string { return "fill/gang-" + strconv.Itoa(i) }

// member is the i-th running member, on a slot.
func (f *Fleet) member(i, slot int, resources muster.Resources) cluster.Running {
	r := cluster.Running{
		Gang:      gangName(i / perGang),
		Member:    "pod-" + strconv.Itoa(i),
		Node:      nodeName(int(f.nodeOf[slot])),
		Resources: resources,
		MinMember: -1,
	}
	if f.placed != nil {
		r.NUMA = f.placed[slot%f.Shape.Slots]
	}
	return r
}

// Spec describes the cluster as it is now.
func (f *Fleet) Spec() (cluster.Spec, error) {
	trees, err := f.Shape.trees()
	if err != nil {
		return cluster.Spec{}, err
	}
	return cluster.Spec{
		Trees:   trees,
		Nodes:   f.Shape.NodeList(),
		Running: f.Running(),
	}, nil
}

// Columns are the free amounts of the cluster as it is now.
func (f *Fleet) Columns() *Columns {
	c, member := newColumns(f.Shape), f.Shape.Amounts()
	for r := range c.free {
		for n := range c.free[r] {
			c.free[r][n] = int64(f.Shape.SlotsOf(n)) * member[r]
		}
		for p, b := range f.holder {
			if b < 0 {
				continue
			}
			for _, n := range f.nodeOf[p*f.block : (p+1)*f.block] {
				c.free[r][n] -= member[r]
			}
		}
	}
	return c
}

// Next is the next snapshot: the cluster built, or the one before with some 32 members moved by one Update.
func (f *Fleet) Next() (*placement.Cluster, error) {
	var err error
	if f.current == nil {
		var spec cluster.Spec
		if spec, err = f.Spec(); err == nil {
			f.current, err = placement.NewCluster(spec)
		}
		return f.current, err
	}
	f.current, err = f.current.Update(f.move())
	return f.current, err
}

// move takes blocks that add up to some 32 slots from where they are to free places.
func (f *Fleet) move() cluster.Delta {
	var d cluster.Delta
	moved, resources := map[int32]bool{}, f.Shape.Member()
	for range max(1, 32/f.block) {
		from, to, ok := f.pick()
		b := f.holder[from]
		if !ok || moved[b] {
			continue
		}
		moved[b] = true
		f.holder[f.free[to]] = b
		for i := range f.block {
			r := f.member(int(b)*f.block+i, int(f.free[to])*f.block+i, resources)
			d.Remove = append(d.Remove, cluster.MemberRef{Gang: r.Gang, Member: r.Member})
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
		n = f.Shape.children(1)
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
