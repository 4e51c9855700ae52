// Package benchmarks measures the planner on clusters of 1,024 to 1,024,000 nodes. The code here makes the clusters,
// the plain references beside them, and the table of a run; the benchmarks are the package's tests, and README.md says
// how to read their figures.
package benchmarks

import (
	"fmt"
	"strconv"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/topology"
)

// Shape is a network of equal domains, and what a node of it holds.
type Shape struct {
	// Fan is how many children a domain has, from the top, such as 10 spines, 10 leaves in each, 32 units, 32 nodes.
	Fan []int
	// Slots is how many members fit on an empty node, the largest kind of it.
	Slots int
	// Kinds of nodes: 0 for nodes that are all alike; else every node is of a kind of its own draw, with all, a half, a
	// quarter, ... of the largest node's resources. 1 << (Kinds - 1) may not exceed Slots.
	Kinds int
	// Zones of a node, equal parts of it, of which every slot has its own or its own part; 0: none are known. Nodes are alike.
	Zones int
	// Policy of the members, if there are zones.
	Policy numa.Policy
	// Feeds is the number of domains of a second topology, `power`; nodes belong to them in turn, so that each cuts through all units. 0: there
	// is none.
	Feeds int
	// Halves: the first of every two nodes has no devices, and members ask for none. Nodes are alike otherwise.
	Halves bool
}

// fans are the networks by number of nodes and layers. Units always have 32 nodes, so that growth with the number of
// nodes is not mixed up with growth of the units; a network of one layer is a single switch.
var fans = map[[2]int][]int{
	{1024, 3}:    {2, 2, 8, 32},
	{10240, 1}:   {1, 10240},
	{10240, 3}:   {4, 5, 16, 32},
	{102400, 2}:  {100, 32, 32},
	{102400, 3}:  {10, 10, 32, 32},
	{102400, 4}:  {10, 10, 8, 4, 32},
	{102400, 5}:  {5, 4, 5, 8, 4, 32},
	{1024000, 3}: {20, 25, 64, 32},
}

// ShapeOf returns the network that the benchmarks use for a number of nodes and layers, one slot a node.
func ShapeOf(nodes, layers int) (Shape, error) {
	if fan, ok := fans[[2]int{nodes, layers}]; ok {
		return Shape{Fan: fan, Slots: 1}, nil
	}
	return Shape{}, &muster.InvalidError{
		Field: "nodes", Value: strconv.Itoa(nodes), Reason: fmt.Sprintf("no network of this size with %d layers", layers),
	}
}

// NumDomains is the number of domains of a tier; tier 0 are the nodes.
func (s Shape) NumDomains(tier int) int {
	n := 1
	for _, fan := range s.Fan[:len(s.Fan)-tier] {
		n *= fan
	}
	return n
}

// NumNodes is the number of nodes in the cluster.
func (s Shape) NumNodes() int { return s.NumDomains(0) }

// tiers is the number of layers.
func (s Shape) tiers() int { return len(s.Fan) - 1 }

// children is how many children a domain of a tier has.
func (s Shape) children(tier int) int { return s.Fan[len(s.Fan)-tier] }

// SlotsOf is how many members fit on a node while it is empty.
func (s Shape) SlotsOf(node int) int {
	if s.Kinds == 0 {
		return s.Slots
	}
	h := uint64(node+1) * 0x9e3779b97f4a7c15 // splitmix64: the same kinds whatever the fill
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	return s.Slots >> ((h ^ h>>27) >> 32 % uint64(s.Kinds))
}

// node is what the largest kind of node has: eight devices.
func (s Shape) node() muster.Resources {
	return muster.Resources{muster.CPU: 128_000, muster.Memory: 1 << 40, device: 8}
}

// Member is what one member asks for, so that Slots of them fill the largest kind of node.
func (s Shape) Member() muster.Resources {
	member := part(s.node(), s.Slots)
	if s.Halves {
		delete(member, device)
	}
	return member
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

// layerNames are the names of the layers, lowest first.
var layerNames = []string{"unit", "leaf", "spine", "zone", "region"}

// Layers of the network, lowest first.
func (s Shape) Layers() []topology.Layer {
	layers := make([]topology.Layer, s.tiers())
	for i := range layers {
		layers[i] = topology.Layer{Name: layerNames[i], Tier: i + 1}
	}
	return layers
}

// Domains are those of the highest layer, with everything below them.
func (s Shape) Domains() []topology.Domain {
	next := 0
	var domains func(tier int) []topology.Domain
	domains = func(tier int) []topology.Domain {
		out := make([]topology.Domain, s.children(tier+1))
		for i := range out {
			out[i] = topology.Domain{Name: fmt.Sprintf("%s-%d", layerNames[tier-1], i), Tier: tier}
			if tier > 1 {
				out[i].Children = domains(tier - 1)
				continue
			}
			for range s.children(1) {
				out[i].Nodes = append(out[i].Nodes, nodeName(next))
				next++
			}
		}
		return out
	}
	return domains(s.tiers())
}

// Tree builds the topology of domains that [Shape.Domains] returned.
func (s Shape) Tree(domains []topology.Domain) (*topology.Tree, error) {
	return topology.New(topology.Spec{Layers: s.Layers(), Roots: domains})
}

// trees are the topologies of the cluster.
func (s Shape) trees() ([]cluster.NamedTree, error) {
	tree, err := s.Tree(s.Domains())
	trees := []cluster.NamedTree{{Name: "default", Tree: tree}}
	if err != nil || s.Feeds == 0 {
		return trees, err
	}
	power := topology.Spec{Layers: []topology.Layer{{Name: "feed", Tier: 1}}, Roots: make([]topology.Domain, s.Feeds)}
	for i := range power.Roots {
		power.Roots[i] = topology.Domain{Name: "feed-" + strconv.Itoa(i), Tier: 1}
	}
	for n := range s.NumNodes() {
		feed := &power.Roots[n%s.Feeds]
		feed.Nodes = append(feed.Nodes, nodeName(n))
	}
	feeds, err := topology.New(power)
	return append(trees, cluster.NamedTree{Name: "power", Tree: feeds}), err
}

// NodeList are the nodes in the order of the tree.
func (s Shape) NodeList() []cluster.Node {
	kinds, zones := map[int]muster.Resources{}, s.zones()
	nodes, bare := make([]cluster.Node, s.NumNodes()), s.node()
	delete(bare, device)
	for i := range nodes {
		slots := s.SlotsOf(i)
		if kinds[slots] == nil {
			kinds[slots] = s.node()
			for name := range kinds[slots] {
				kinds[slots][name] = kinds[slots][name] * int64(slots) / int64(s.Slots)
			}
		}
		nodes[i] = cluster.Node{Name: nodeName(i), Allocatable: kinds[slots], NUMA: zones}
		if s.Halves && i%2 == 0 {
			nodes[i].Allocatable = bare
		}
	}
	return nodes
}

// zones of a node, nil if there are none.
func (s Shape) zones() *cluster.NUMA {
	if s.Zones == 0 {
		return nil
	}
	var out cluster.NUMA
	for z := range s.Zones {
		out.Zones = append(out.Zones, numa.Zone{ID: z, Allocatable: part(s.node(), s.Zones)})
	}
	return &out
}

// placed is what the member on a slot of a node has of its zones, by slot; nil if there are none.
func (s Shape) placed() []*numa.Placed {
	if s.Zones == 0 {
		return nil
	}
	out, spans := make([]*numa.Placed, s.Slots), max(1, s.Zones/s.Slots)
	for slot := range out {
		out[slot] = &numa.Placed{Policy: s.Policy}
		for i := range spans {
			share := numa.Share{Zone: slot*s.Zones/s.Slots + i, Resources: part(s.Member(), spans)}
			out[slot].Shares = append(out[slot].Shares, share)
		}
	}
	return out
}

func part(r muster.Resources, n int) muster.Resources {
	for name := range r {
		r[name] /= int64(n)
	}
	return r
}

func nodeName(i int) string { return "node-" + strconv.Itoa(i) }
