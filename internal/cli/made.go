package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// The nodes of a cluster that is made have so many devices if nothing else is said.
const (
	madeDevice  = "nvidia.com/gpu"
	madeDevices = 8
	mostLone    = 4 // of a lone pod
)

// mostNodes bounds a cluster that is made: a larger one takes minutes for a few gangs, and memory.
const mostNodes = 1 << 16

// preset is a fabric by its name: how large it usually is, how its layers are called, widest first, and how many devices its nodes have.
type preset struct {
	name, sizes string
	layers      []string
	devices     int64
}

// presets are all of them. A rack of nvl72 is one NVLink domain of 18 nodes. A unit of rails has a leaf switch for each device of a node, so that it is the smallest domain. Of clos
// there are three tiers of switches.
var presets = []preset{
	{"nvl72", "4x8x18", []string{"su", "rack"}, 4},
	{"rails", "4x4x32", []string{"pod", "unit"}, madeDevices},
	{"clos", "2x4x4x32", []string{"core", "spine", "leaf"}, madeDevices},
}

// made is a cluster whose domains are all alike.
type made struct {
	of      *preset // nil: it has no name
	sizes   []int   // how many of the widest layer there are, how many of the next one in each of those, and so on, nodes last
	devices int64   // of a node
}

// usualMade is the cluster if nothing else is said.
func usualMade() made { return made{sizes: []int{2, 4, 4, 32}, devices: madeDevices} }

// String is the cluster as the flag has it.
func (m *made) String() string {
	var all []string
	for _, n := range m.sizes {
		all = append(all, strconv.Itoa(n))
	}
	text := strings.Join(all, "x")
	if m.of != nil {
		text = m.of.name + ":" + text
	}
	return text
}

// Set takes numbers with an x between them, a name, or a name, a colon and numbers.
func (m *made) Set(text string) error {
	out := made{devices: madeDevices}
	name, numbers, sized := strings.Cut(strings.ToLower(text), ":")
	if sized || name != "" && (name[0] < '0' || name[0] > '9') {
		at := slices.IndexFunc(presets, func(p preset) bool { return p.name == name })
		if at < 0 {
			return notMade(name)
		}
		if out.of, out.devices = &presets[at], presets[at].devices; !sized {
			numbers = out.of.sizes
		}
	} else {
		numbers = name
	}
	nodes := 1
	for part := range strings.SplitSeq(numbers, "x") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return errors.New("not numbers above 0 with x between them, such as 2x4x4x32, nodes last")
		}
		if n > mostNodes/nodes {
			return fmt.Errorf("more than %d nodes", mostNodes)
		}
		nodes *= n
		out.sizes = append(out.sizes, n)
	}
	switch {
	case out.of != nil && len(out.sizes) > len(out.of.layers)+1:
		return fmt.Errorf("more layers than %s has: %s, and nodes", out.of.name, strings.Join(out.of.layers, ", "))
	case len(out.sizes) > topology.MaxLayers+1:
		return fmt.Errorf("more than %d layers", topology.MaxLayers)
	}
	*m = out
	return nil
}

// notMade says of a name that no fabric has which ones there are.
func notMade(name string) error {
	var names []string
	for _, p := range presets {
		names = append(names, p.name)
	}
	return fmt.Errorf("neither numbers with x between them nor one of %s; the nearest one is %s", strings.Join(names, ", "), known.Nearest(name, names))
}

// below is how many nodes a domain of a tier has.
func (m *made) below(tier int) int {
	nodes := 1
	for _, n := range m.sizes[len(m.sizes)-tier:] {
		nodes *= n
	}
	return nodes
}

// nodes is how many there are.
func (m *made) nodes() int { return m.below(len(m.sizes)) }

// shape is what a member asks for: all devices of a node.
func (m *made) shape() gang.Shape {
	return gang.Shape{Resources: muster.Resources{madeDevice: m.devices}}
}

// layer is the name of the layer of a tier.
func (m *made) layer(tier int) string {
	if m.of != nil {
		return m.of.layers[len(m.of.layers)-tier]
	}
	return fmt.Sprint("tier-", tier)
}

// cluster makes it.
func (m *made) cluster() (*placement.Cluster, error) {
	var spec cluster.Spec
	for i := range m.nodes() {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("node-", i), Allocatable: m.shape().Resources})
	}
	// From the nodes up: so many domains that stand beside each other become the children of one.
	var below []topology.Domain
	tree := topology.Spec{}
	for tier := 1; tier < len(m.sizes); tier++ {
		tree.Layers = append(tree.Layers, topology.Layer{Name: m.layer(tier), Tier: tier})
		of := m.sizes[len(m.sizes)-tier]
		above := make([]topology.Domain, m.nodes()/m.below(tier))
		for i := range above {
			above[i] = topology.Domain{Name: fmt.Sprintf("%s-%d", m.layer(tier), i), Tier: tier}
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
	if tree.Roots = below; len(m.sizes) == 1 {
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
func (m *made) gather(members int) []gang.Rule {
	for tier := 1; tier < len(m.sizes); tier++ {
		if m.below(tier) >= members {
			return []gang.Rule{{Layer: m.layer(tier), Strength: gang.MustGather}}
		}
	}
	return nil
}
