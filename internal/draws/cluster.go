// Package draws answers: about which cluster, and which gang in it, may a planner be asked? It draws both for the random tests that
// compare planners: a cluster that is filled already, and a gang that may well fit.
package draws

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/topology"
)

// Sizes bounds what is drawn.
type Sizes struct {
	Nodes, Slots, Members int
	// Split draws gangs of one level of groups, the last one short, most of them larger than nodes.
	Split bool
}

// The sizes at which a solver is quick, at which it is so with the definitions enumerated, and at which groups are split
// in most plans.
var (
	Small = Sizes{Nodes: 12, Slots: 4, Members: 8}
	Tiny  = Sizes{Nodes: 6, Slots: 3, Members: 6}
	Split = Sizes{Nodes: 12, Slots: 4, Members: 9, Split: true}
)

// The resources that drawn members ask for; the Second does not always bind.
const (
	Device = "gpu"
	Second = muster.CPU
	// foreign is a Device that no drawn member asks for.
	foreign = "fpga"
)

// GangName and AffinityKey are those of every drawn request.
const (
	GangName    = "ns/job"
	AffinityKey = "key"
)

// Chance is true in so many of a hundred draws; it shrinks to false.
func Chance(t *rapid.T, percent int, what string) bool {
	return rapid.IntRange(0, 99).Draw(t, what) >= 100-percent
}

// clusterDraw is a cluster being drawn.
type clusterDraw struct {
	t     *rapid.T
	sizes Sizes
	names []string // of nodes, not used yet
	tiers []int
	skips int // of a hundred layers above nodes, so many are not there
	spec  cluster.Spec
	// members that run or leave so far, for names
	running int
	// Whether nodes have zones, and those that all nodes from some on have.
	zoned bool
	// Whether some nodes are meant for others than the members.
	others bool
	alike  *cluster.NUMA
}

// Cluster draws a filled cluster in one go: an uneven tree, nodes whose names sort differently as text and as
// numbers, and what stands in every slot.
func Cluster(t *rapid.T, sizes Sizes) cluster.Spec {
	d := &clusterDraw{t: t, sizes: sizes, names: hostileNames(t, "n", sizes.Nodes)}
	if Chance(t, 55, "with zones") {
		d.zoned = true
		d.spec.NUMAExclusive = rapid.SampledFrom([]numa.Exclusive{"", "", numa.Required, numa.Preferred}).Draw(t, "exclusive")
	}
	d.others = Chance(t, 35, "nodes meant for others")
	if d.skips = 8; Chance(t, 15, "uneven") {
		d.skips = 30
	}
	if Chance(t, 10, "flat") {
		d.flat()
	} else {
		d.tree()
	}
	if Chance(t, 20, "nodes outside") {
		for range rapid.IntRange(1, 3).Draw(t, "outside") {
			d.node()
		}
	}
	if len(d.spec.Nodes) == 0 {
		d.node()
	}
	return d.spec
}

// tree draws a topology with layers, and its nodes.
func (d *clusterDraw) tree() {
	for tier, n := 0, rapid.IntRange(1, 3).Draw(d.t, "layers"); n > 0; n-- {
		tier += 1 + bit(Chance(d.t, 10, "tier is missing"))
		d.tiers = append(d.tiers, tier)
	}
	d.add(topology.Spec{Layers: d.layers(), Roots: d.domains(len(d.tiers)-1, 3)})
}

// flat draws nodes in no domain: without a topology, in one without layers, or all of them outside one.
func (d *clusterDraw) flat() {
	names := d.nodes()
	for range rapid.IntRange(0, 3).Draw(d.t, "more nodes") {
		names = append(names, d.nodes()...)
	}
	switch rapid.IntRange(0, 2).Draw(d.t, "kind") {
	case 1:
		d.add(topology.Spec{Nodes: append(names, "absent")})
	case 2:
		d.add(topology.Spec{Roots: []topology.Domain{{Name: "d1", Tier: 1, Nodes: []string{"absent"}}}})
	}
}

// add adds a topology.
func (d *clusterDraw) add(spec topology.Spec) {
	tree, err := topology.New(spec)
	if err != nil {
		panic(err)
	}
	d.spec.Trees = []cluster.NamedTree{{Tree: tree}}
}

// Layers are those of the first topology; none without one.
func Layers(spec *cluster.Spec) []topology.Layer {
	if len(spec.Trees) == 0 {
		return nil
	}
	return spec.Trees[0].Tree.Layers()
}

// hostileNames are names with numbers of one to three digits in any order.
func hostileNames(t *rapid.T, prefix string, n int) []string {
	numbers := []int{1, 2, 9, 10, 11, 20, 3, 100, 21, 99, 4, 101, 30, 5, 12}[:n]
	var names []string
	for _, i := range rapid.Permutation(numbers).Draw(t, prefix) {
		names = append(names, fmt.Sprint(prefix, i))
	}
	return names
}

// layers gives names to most tiers.
func (d *clusterDraw) layers() []topology.Layer {
	var out []topology.Layer
	for i, tier := range d.tiers {
		if !Chance(d.t, 10, "layer has no name") {
			out = append(out, topology.Layer{Name: []string{"unit", "leaf", "spine"}[i], Tier: tier})
		}
	}
	return out
}

// domains draws the children of one domain, whose layers are those below or, in uneven trees, lower.
func (d *clusterDraw) domains(layer, most int) []topology.Domain {
	var out []topology.Domain
	names := hostileNames(d.t, "d", 5)
	for i := range rapid.IntRange(1, most).Draw(d.t, "domains") {
		here := layer
		if Chance(d.t, d.skips, "layer is skipped") {
			here = rapid.IntRange(0, layer).Draw(d.t, "layer")
		}
		c := topology.Domain{Name: names[i], Tier: d.tiers[here]}
		if here == 0 || Chance(d.t, d.skips, "nodes directly") {
			c.Nodes = d.nodes()
		} else {
			c.Children = d.domains(here-1, 3)
		}
		out = append(out, c)
	}
	return out
}

func (d *clusterDraw) nodes() []string {
	var out []string
	for range rapid.IntRange(1, 4).Draw(d.t, "nodes") {
		if name := d.node(); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// node draws a node and what runs on it; empty if there are enough.
func (d *clusterDraw) node() string {
	if len(d.names) == 0 {
		return ""
	}
	name := d.names[0]
	d.names = d.names[1:]
	slots := rapid.IntRange(1, d.sizes.Slots).Draw(d.t, "slots")
	n := cluster.Node{
		Name:        name,
		Allocatable: muster.Resources{Device: int64(slots), Second: 1000 * int64(slots)},
		Cordoned:    Chance(d.t, 5, "cordoned"),
		NotReady:    Chance(d.t, 3, "not ready"),
		Labels:      map[string]string{"kind": rapid.SampledFrom([]string{"a", "b"}).Draw(d.t, "kind")},
	}
	if Chance(d.t, 15, "second resource binds") {
		n.Allocatable[Second] = 500 * rapid.Int64Range(0, 2*int64(slots)).Draw(d.t, "second")
	}
	if Chance(d.t, 10, "pods bind") {
		n.Allocatable[muster.Pods] = rapid.Int64Range(0, int64(slots)).Draw(d.t, "pods")
	}
	if Chance(d.t, 4, "tainted") {
		n.Taints = []gang.Taint{{Key: "t", Effect: rapid.SampledFrom([]gang.Effect{
			gang.NoSchedule, gang.PreferNoSchedule,
		}).Draw(d.t, "effect")}}
	}
	if d.others {
		switch rapid.IntRange(0, 5).Draw(d.t, "meant for others") {
		case 3:
			if !d.zoned {
				delete(n.Allocatable, Device)
			}
		case 4:
			n.Allocatable[foreign] = 1
		case 5:
			n.Taints = append(n.Taints, gang.Taint{Key: "soft", Effect: gang.PreferNoSchedule})
		}
	}
	if d.zoned && !Chance(d.t, 15, "without zones") {
		d.zones(&n)
		d.spec.Nodes = append(d.spec.Nodes, n)
		d.occupyZones(n)
		return name
	}
	d.spec.Nodes = append(d.spec.Nodes, n)
	d.occupy(n, slots)
	return name
}

// occupy draws for every slot what stands there, as far as the node's other resources allow.
func (d *clusterDraw) occupy(n cluster.Node, slots int) {
	left := muster.Resources{}
	for r, amount := range n.Allocatable {
		left[r] = amount
	}
	for range slots {
		what := rapid.SampledFrom([]string{
			"free", "free", "free", "free", "free", "free", "other", "other", "leaving", "own", "key",
		}).Draw(d.t, "slot")
		if what == "free" {
			continue
		}
		if what == "own" && !Chance(d.t, 40, "own") {
			what = "other"
		}
		r := RunningMember(d.running, n.Name, what)
		d.running++
		if !fits(left, r.Resources) {
			continue
		}
		for name := range left {
			left[name] -= r.Resources[name]
		}
		d.spec.Running = append(d.spec.Running, r)
	}
}

// RunningMember is the i-th one, on a node: of the gang, of its affinity, leaving, or another.
func RunningMember(i int, node, what string) cluster.Running {
	r := cluster.Running{
		Gang: "ns/other", Member: fmt.Sprintf("other-%d", i), Node: node,
		Resources: muster.Resources{Device: 1, Second: 1000, muster.Pods: 1}, MinMember: -1,
	}
	switch what {
	case "leaving":
		r.Leaving = true
		if i%3 == 0 {
			r.Resources = muster.Resources{Device: 2, muster.Pods: 1}
		}
		if i%5 == 0 {
			r.AffinityKey = AffinityKey
		}
	case "own":
		r.Gang, r.Member = GangName, fmt.Sprintf("old-%d", i)
	case "key":
		r.AffinityKey = AffinityKey
	}
	return r
}

// fits holds if every resource that the node names has room.
func fits(left, want muster.Resources) bool {
	for name, amount := range want {
		if have, named := left[name]; have < amount && (named || name != muster.Pods) {
			return false
		}
	}
	return true
}

// bit is 1 for true.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
