package manifest

import (
	"encoding/json"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest/internal/document"
	"github.com/muster-sched/muster/topology"
)

// hyperTree is the name of the tree that all HyperNodes form together.
const hyperTree = "hypernodes"

// trees are the topologies of the input.
type trees struct {
	objects *objects
	notices *notices

	hypers  []topology.HyperNode
	hyper   *object // the first HyperNode
	sources []treeSource
	byName  map[string]*topology.Tree
	list    []cluster.NamedTree // in natural order of names
	// broken is set when a tree could not be built; then rules are not checked against trees, since the defect that matters
	// is known.
	broken bool
}

// treeSource is an object that describes a tree, read but not built.
type treeSource struct {
	obj   *object
	name  string
	build func(nodes []topology.LabeledNode) (*topology.Tree, error)
}

// addTree keeps a tree to be built from the labels of nodes.
func (in *trees) addTree(o *object, cfg topology.LabelLayers) {
	in.sources = append(in.sources, treeSource{o, o.name, func(nodes []topology.LabeledNode) (*topology.Tree, error) {
		return topology.FromLabels(cfg, nodes)
	}})
}

// readLevels reads the Topology of Kueue and KAI: label keys, widest first. The hostname may only be the last one and is
// the node layer.
func (in *trees) readLevels(o *object) {
	var cfg topology.LabelLayers
	seen := map[string]bool{}
	levels := o.root.sub("spec").get("levels")
	for level := range levels.all() {
		f := level.object().get("nodeLabel")
		key := f.required()
		switch {
		case key == "":
			continue
		case seen[key]:
			f.fail("duplicate label")
		case cfg.NodeLayer != "":
			f.fail(hostnameLabel + " must be the last level")
		case key == hostnameLabel:
			cfg.NodeLayer = key
		default:
			cfg.Layers = append(cfg.Layers, topology.LabelLayer{Name: key, Keys: []string{key}})
		}
		seen[key] = true
	}
	if len(seen) == 0 && len(o.errors) == 0 {
		levels.fail("no levels")
	}
	if len(o.errors) > 0 {
		in.broken = true
		return
	}
	in.addTree(o, cfg)
}

// readHyperNode reads one domain of Volcano's tree.
func (in *trees) readHyperNode(o *object) {
	if in.hyper == nil {
		in.hyper = o
	}
	spec := o.root.sub("spec")
	h := topology.HyperNode{Name: o.name, TierName: spec.get("tierName").str()}
	tier := spec.get("tier")
	if !tier.present() {
		tier.fail("missing")
	}
	h.Tier, _ = tier.whole(1)
	for m := range spec.get("members").all() {
		m = m.object()
		s := topology.Selector{Kind: topology.MemberKind(m.get("type").required())}
		selector := m.sub("selector")
		s.ExactName = selector.sub("exactMatch").get("name").str()
		s.Regex = selector.sub("regexMatch").get("pattern").str()
		if labels := selector.sub("labelMatch"); labels.present() {
			s.Labels = &topology.LabelSelector{MatchLabels: labels.get("matchLabels").textMap()}
			for e := range labels.get("matchExpressions").all() {
				e = e.object()
				s.Labels.MatchExpressions = append(s.Labels.MatchExpressions, topology.LabelExpression{
					Key: e.get("key").str(), Operator: e.get("operator").str(), Values: e.get("values").texts(),
				})
			}
		}
		h.Members = append(h.Members, s)
	}
	in.hypers = append(in.hypers, h)
	in.broken = in.broken || len(o.errors) > 0
}

// readTree reads a list that is a document of its own.
func (in *trees) readTree(o *object) { in.addList(o, o.root.v) }

// readConfigMap reads a ConfigMap with one value that is such a list. Any other ConfigMap is skipped.
func (in *trees) readConfigMap(o *object) {
	var found []*document.Value
	if data := o.root.get("data").v; data != nil && data.Kind == document.Mapping {
		for _, v := range data.Items {
			if v.Kind != document.Text || !strings.HasPrefix(strings.TrimSpace(v.Text), "[") {
				continue
			}
			if values, err := document.ParseJSON([]byte(v.Text)); err == nil && len(values) == 1 && isTree(values[0]) {
				found = append(found, values[0])
			}
		}
	}
	switch len(found) {
	case 0:
		in.objects.skip(o.kind, o.version)
	case 1:
		in.addList(o, found[0])
	default:
		o.root.get("data").fail("two values are topologies")
	}
}

func (in *trees) addList(o *object, v *document.Value) {
	data, err := json.Marshal(v.Plain())
	if err != nil {
		o.root.fail(err.Error())
		return
	}
	in.sources = append(in.sources, treeSource{o, o.name, func(nodes []topology.LabeledNode) (*topology.Tree, error) {
		names := make([]string, len(nodes))
		for i, n := range nodes {
			names[i] = n.Name
		}
		return topology.FromJSON(data, names)
	}})
}
