package trees

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/topology"
)

// LabelTree is the name of the tree that is made of labels where no object describes one.
const LabelTree = "labels"

// LayersOf are the layers that label keys make, widest first. Each is called as it is asked for: by its key, or by what stands behind the
// slash if no other key ends so. The error tells the first that no node has, and the nearest one. O(nodes * labels).
func LayersOf(asked []string, of []topology.LabeledNode) (cfg topology.LabelLayers, err error) {
	keys := object.SortedKeys(labelsOf(of).values)
	taken := map[string]bool{}
	for i, name := range asked {
		key, why := keyCalled(name, keys)
		switch {
		case why != "":
		case taken[key] || cfg.NodeLayer != "" && key == nodes.HostnameLabel:
			why = "named twice"
		case cfg.NodeLayer != "":
			why = "behind " + nodes.HostnameLabel + ", which is the node itself"
		case len(cfg.Layers) == topology.MaxLayers:
			why = fmt.Sprintf("a topology has at most %d layers", topology.MaxLayers)
		}
		if why != "" {
			return cfg, muster.Invalid(fmt.Sprintf("options.Layers[%d]", i), name, why)
		}
		taken[key] = true
		if key == nodes.HostnameLabel {
			cfg.NodeLayer = name
			continue
		}
		cfg.Layers = append(cfg.Layers, topology.LabelLayer{Name: name, Keys: []string{key}})
	}
	return cfg, nil
}

// keyCalled is the label key that a name means, or why there is none.
func keyCalled(name string, keys []string) (key, why string) {
	var ends []string
	byName := map[string]string{}
	for _, k := range keys {
		end := endOf(k)
		if end == name {
			ends = append(ends, k)
		}
		byName[end] = cmp.Or(byName[end], k)
		byName[k] = k
	}
	switch {
	case slices.Contains(keys, name):
		return name, ""
	case len(ends) == 1:
		return ends[0], ""
	case len(ends) > 1:
		return "", fmt.Sprintf("%d label keys end so: %s", len(ends), strings.Join(ends, ", "))
	case len(keys) == 0:
		return "", "no node has a label"
	}
	return "", "no node has such a label; the nearest one is " + byName[known.Nearest(name, object.SortedKeys(byName))]
}

// endOf is what stands behind the last slash of a key.
func endOf(key string) string { return key[strings.LastIndex(key, "/")+1:] }

// buildOfLabels makes the tree of labels that is asked for where there is no topology.
func (in *Trees) buildOfLabels(of []topology.LabeledNode) {
	if len(in.layers) == 0 {
		return
	}
	if in.hasTopology() {
		in.told.Add("layers " + strings.Join(in.layers, ", ") + " are not made of labels: the input describes a topology")
		return
	}
	delete(in.keys, LabelTree)
	cfg, err := LayersOf(in.layers, of)
	if err != nil { // files are refused by it; nodes may come and go elsewhere
		in.told.Add(err.Error())
		return
	}
	if tree, err := topology.FromLabels(cfg, of); err == nil { // else two nodes have one name, which is told
		in.noteKeys(LabelTree, cfg)
		in.byName[LabelTree] = tree
	}
}

// hasTopology says whether the input describes a topology, be it one that cannot be used.
func (in *Trees) hasTopology() bool {
	return len(in.sources)+len(in.given) > 0 || in.hyper != nil || in.broken
}

// layerWords are parts of keys of labels that tell where a node is: of clouds, of network operators, of sites.
var layerWords = strings.Fields("region zone row rack block subblock spine leaf unit layer superpod clique switch hall room")

// looksLikeLayer says whether the end of a key has such a word.
func looksLikeLayer(key string) bool {
	words := strings.FieldsFunc(strings.ToLower(endOf(key)), func(r rune) bool { return !unicode.IsLetter(r) })
	return !strings.HasPrefix(key, "failure-domain.beta.kubernetes.io/") && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(layerWords, w) })
}
