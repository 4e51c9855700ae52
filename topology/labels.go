package topology

import (
	"fmt"
	"slices"
	"strings"
)

// LabeledNode is a node and its labels.
type LabeledNode struct {
	// Name is unique among the nodes.
	Name string
	// Labels are the node's, by key.
	Labels map[string]string
}

// LabelLayers says which node labels make up a tree. The zero value is a topology without switches: all nodes lie
// directly below the nameless root.
type LabelLayers struct {
	// Layers are the switch layers, widest first; the last one is tier 1. The direction is never guessed.
	Layers []LabelLayer
	// NodeLayer is the name of tier 0; it may be empty.
	NodeLayer string
	// RefuseMissing makes a node that lacks a layer an error. Without it such a node lies outside the tree.
	RefuseMissing bool
}

// LabelLayer is one layer of domains.
type LabelLayer struct {
	// Name is the name of the layer; empty: the first key.
	Name string
	// Keys are label keys; the first one that a node carries with a value names the node's domain.
	Keys []string
}

// FromLabels builds a tree from the labels of nodes: Koordinator's ClusterNetworkTopology, the Topology objects of Kueue
// and KAI. A domain is identified by the path of values from the widest layer down, so one value below two parents is
// two domains. An empty value counts as absent. Nodes that lack a layer are listed by [Tree.Outside] or, by option,
// refused. More than [MaxLayers] are refused before the nodes are looked at.
//
// All defects are reported, joined, each an [muster.InvalidError]: a layer without a key, a key or a name of two
// layers, a node without a name or with the name of another, and with RefuseMissing each node and layer that is missing.
// O(nodes * layers) for reading and O(nodes * log nodes) for the order; the arguments are neither changed nor kept.
func FromLabels(cfg LabelLayers, nodes []LabeledNode) (*Tree, error) {
	r := &labelReader{cfg: cfg, domains: make([][]labelDomain, len(cfg.Layers))}
	if !checkCount(len(cfg.Layers), &r.defects) {
		return nil, r.defects.err()
	}
	r.checkLayers()
	r.checkNodes(nodes)
	leaf := r.read(nodes)
	if err := r.defects.err(); err != nil {
		return nil, err
	}
	return New(r.spec(nodes, leaf))
}

// labelDomain is a domain while labels are read: a value below a parent of the layer above.
type labelDomain struct {
	parent int32
	value  string
}

type labelReader struct {
	cfg     LabelLayers
	domains [][]labelDomain // by layer, in order of appearance
	defects defects
}

func (r *labelReader) layerName(l int) string {
	layer := r.cfg.Layers[l]
	if layer.Name == "" && len(layer.Keys) > 0 {
		return layer.Keys[0]
	}
	return layer.Name
}

func (r *labelReader) checkLayers() {
	names := map[string]bool{r.cfg.NodeLayer: r.cfg.NodeLayer != ""}
	owner := map[string]int{}
	for l, layer := range r.cfg.Layers {
		name := r.layerName(l)
		field := "layer " + name
		if names[name] {
			r.defects.add(field, "", "duplicate name")
		}
		names[name] = true
		if len(layer.Keys) == 0 {
			r.defects.add(field, "", "a layer has no label key")
		}
		for _, key := range layer.Keys {
			if key == "" {
				r.defects.add(field, "", "a label key is empty")
			}
			if other, ok := owner[key]; ok && other != l {
				r.defects.add(field, key, "duplicate label: layer "+r.layerName(other)+" has it too")
			}
			owner[key] = l
		}
	}
}

func (r *labelReader) checkNodes(nodes []LabeledNode) {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = n.Name
	}
	checkNodeNames(names, &r.defects)
}

// checkNodeNames refuses nodes without a name and nodes of one name, and indexes the rest.
func checkNodeNames(names []string, d *defects) nameIndex {
	index := indexNames(names, func(_, second int) { d.add("node "+names[second], "", "duplicate name") })
	if _, ok := index.find(names, ""); ok {
		d.add("node", "", "a node has no name")
	}
	return index
}

// read gives every node its domain of the lowest layer, -1 if it lacks a layer, and collects the domains.
func (r *labelReader) read(nodes []LabeledNode) []int32 {
	depth := len(r.cfg.Layers)
	index := make([]map[labelDomain]int32, depth)
	for l := range index {
		index[l] = map[labelDomain]int32{}
	}
	leaf := make([]int32, len(nodes))
	values, last := make([]string, depth), make([]string, depth) // last: the values that lastLeaf stands for
	lastLeaf := int32(-1)
	for i, n := range nodes {
		if !r.values(n, values) {
			leaf[i] = -1
			continue
		}
		if lastLeaf >= 0 && slices.Equal(values, last) { // neighbours in the input are mostly neighbours in the tree
			leaf[i] = lastLeaf
			continue
		}
		d := int32(0)
		for l, value := range values {
			key := labelDomain{d, value}
			id, ok := index[l][key]
			if !ok {
				id = int32(len(r.domains[l]))
				index[l][key] = id
				r.domains[l] = append(r.domains[l], key)
			}
			d = id
		}
		leaf[i], lastLeaf = d, d
		copy(last, values)
	}
	return leaf
}

// values writes the node's value for each layer and says whether it has them all.
func (r *labelReader) values(n LabeledNode, values []string) bool {
	complete := true
	for l, layer := range r.cfg.Layers {
		values[l] = ""
		for _, key := range layer.Keys {
			if v := n.Labels[key]; v != "" {
				values[l] = v
				break
			}
		}
		if values[l] != "" {
			continue
		}
		complete = false
		if r.cfg.RefuseMissing {
			r.defects.add("node "+n.Name, "", fmt.Sprintf("no label for layer %s (%s)", r.layerName(l), strings.Join(layer.Keys, ", ")))
		}
	}
	return complete
}

// spec nests what was read, lowest layer first.
func (r *labelReader) spec(nodes []LabeledNode, leaf []int32) Spec {
	depth := len(r.cfg.Layers)
	spec := Spec{Layers: []Layer{{Name: r.cfg.NodeLayer, Tier: 0}}}
	for l := range depth {
		spec.Layers = append(spec.Layers, Layer{Name: r.layerName(l), Tier: depth - l})
	}
	for i, d := range leaf {
		switch {
		case d < 0:
			spec.Outside = append(spec.Outside, nodes[i].Name)
		case depth == 0:
			spec.Nodes = append(spec.Nodes, nodes[i].Name)
		}
	}
	if depth == 0 {
		return spec
	}
	below := make([]Domain, len(r.domains[depth-1])) // the domains of the layer at hand
	for d, names := range splitByLeaf(nodes, leaf, len(below)) {
		below[d].Nodes = names
	}
	for l := depth - 1; l >= 0; l-- {
		above := make([]Domain, 1) // above the widest layer: the root
		if l > 0 {
			above = make([]Domain, len(r.domains[l-1]))
		}
		for d, key := range r.domains[l] {
			below[d].Name, below[d].Tier = key.value, depth-l
			above[key.parent].Children = append(above[key.parent].Children, below[d])
		}
		below = above
	}
	spec.Roots = below[0].Children
	return spec
}

// splitByLeaf lists the nodes of each leaf. All lists share one array.
func splitByLeaf(nodes []LabeledNode, leaf []int32, leaves int) [][]string {
	size := make([]int, leaves)
	for _, d := range leaf {
		if d >= 0 {
			size[d]++
		}
	}
	room := make([]string, len(nodes))
	lists := make([][]string, leaves)
	for d, n := range size {
		lists[d], room = room[:0:n], room[n:]
	}
	for i, d := range leaf {
		if d >= 0 {
			lists[d] = append(lists[d], nodes[i].Name)
		}
	}
	return lists
}
