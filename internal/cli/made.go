package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// Every node of a cluster that is made has so many devices.
const (
	madeDevice  = "nvidia.com/gpu"
	madeDevices = 8
	mostLone    = 4 // of a lone pod
)

// mostNodes bounds a cluster that is made: a larger one takes minutes for a few gangs, and memory.
const mostNodes = 1 << 16

// made is a cluster whose domains are all alike: how many of the widest layer there are, how many of the next one in each of those, and so on, nodes last.
type made []int

// String is the cluster as the flag has it.
func (m *made) String() string {
	var all []string
	for _, n := range *m {
		all = append(all, strconv.Itoa(n))
	}
	return strings.Join(all, "x")
}

// Set takes numbers with an x between them.
func (m *made) Set(text string) error {
	var all made
	nodes := 1
	for part := range strings.SplitSeq(strings.ToLower(text), "x") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return errors.New("not numbers above 0 with x between them, such as 2x4x4x32, nodes last")
		}
		if n > mostNodes/nodes {
			return fmt.Errorf("more than %d nodes", mostNodes)
		}
		nodes *= n
		all = append(all, n)
	}
	if len(all) > topology.MaxLayers+1 {
		return fmt.Errorf("more than %d layers", topology.MaxLayers)
	}
	*m = all
	return nil
}

// below is how many nodes a domain of a tier has.
func (m made) below(tier int) int {
	nodes := 1
	for _, n := range m[len(m)-tier:] {
		nodes *= n
	}
	return nodes
}

// nodes is how many there are.
func (m made) nodes() int { return m.below(len(m)) }

// madeShape is what a member asks for: all devices of a node.
func madeShape() gang.Shape {
	return gang.Shape{Resources: muster.Resources{madeDevice: madeDevices}}
}

// layer is the name of the layer of a tier.
func layer(tier int) string { return fmt.Sprint("tier-", tier) }

// cluster makes it.
func (m made) cluster() (*placement.Cluster, error) {
	var spec cluster.Spec
	for i := range m.nodes() {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("node-", i), Allocatable: madeShape().Resources})
	}
	// From the nodes up: so many domains that stand beside each other become the children of one.
	var below []topology.Domain
	tree := topology.Spec{}
	for tier := 1; tier < len(m); tier++ {
		tree.Layers = append(tree.Layers, topology.Layer{Name: layer(tier), Tier: tier})
		of := m[len(m)-tier]
		above := make([]topology.Domain, m.nodes()/m.below(tier))
		for i := range above {
			above[i] = topology.Domain{Name: fmt.Sprintf("%s-%d", layer(tier), i), Tier: tier}
			if tier > 1 {
				above[i].Children = below[i*of : (i+1)*of]
				continue
			}
			for _, n := range spec.Nodes[i*of : (i+1)*of] {
				above[i].Nodes = append(above[i].Nodes, n.Name)
			}
		}
		below = above
	}
	if tree.Roots = below; len(m) == 1 {
		for _, n := range spec.Nodes {
			tree.Nodes = append(tree.Nodes, n.Name)
		}
	}
	t, err := topology.New(tree)
	if err != nil {
		return nil, err
	}
	spec.Trees = []cluster.NamedTree{{Tree: t}}
	return placement.NewCluster(spec)
}

// gather are the rules of a gang of so many members: it must lie in one domain of the lowest layer whose domains are large enough, and anywhere if none is.
func (m made) gather(members int) []gang.Rule {
	for tier := 1; tier < len(m); tier++ {
		if m.below(tier) >= members {
			return []gang.Rule{{Layer: layer(tier), Strength: gang.MustGather}}
		}
	}
	return nil
}
