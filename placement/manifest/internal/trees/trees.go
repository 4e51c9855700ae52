// Package trees answers: which topologies are there, and which layer does a name mean? It reads the topologies of all systems, builds
// their trees when the nodes are known, and finds layers by names and by label keys.
package trees

import (
	"encoding/json"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/topology"
)

// HyperTree is the name of the tree that all HyperNodes form together.
const HyperTree = "hypernodes"

// Trees are the topologies of the input.
type Trees struct {
	objects *object.Set
	notices *object.Notices

	hypers  []topology.HyperNode
	hyper   *object.Object // the first HyperNode
	sources []treeSource
	byName  map[string]*topology.Tree
	list    []cluster.NamedTree // in natural order of names
	// broken is set when a tree could not be built; then rules are not checked against trees, since the defect that matters
	// is known.
	broken bool
	// goOn is set where the rest is planned all the same; then a gang that needs the tree is told.
	goOn      bool
	preferred string // of gangs that name none
	given     []cluster.NamedTree
	layers    []string // made of labels where nothing else makes a topology

	nodes    func() []topology.LabeledNode
	told     object.Notices               // of what was built
	labels   *labels                      // of nodes, where there is no topology; made when first asked for
	keys     map[string]map[string]string // by tree and label key: the layer
	ofLabels map[string]*topology.Tree    // made for a key that no topology has, by that key
	none     map[string]bool              // such keys that no node has
	asked    map[string]bool              // such keys, whether nodes have them or not
}

// New has no topology yet. Where goOn is set the rest is planned without those that cannot be used; preferred is the one of gangs
// that name none; given are those that no object describes, layers the label keys that make one where there is no other.
func New(objects *object.Set, notices *object.Notices, goOn bool, preferred string, given []cluster.NamedTree, layers []string) Trees {
	return Trees{objects: objects, notices: notices, goOn: goOn, preferred: preferred, given: given, layers: layers}
}

// treeSource is an object that describes a tree, read but not built.
type treeSource struct {
	obj   *object.Object
	name  string
	keys  []string // of its levels, where it is one of label keys:
	cfg   topology.LabelLayers
	build func(nodes []topology.LabeledNode) (*topology.Tree, error)
}

// addTree keeps a tree to be built from the labels of nodes.
func (in *Trees) addTree(o *object.Object, cfg topology.LabelLayers) {
	keys := []string{cfg.NodeLayer}
	for _, l := range cfg.Layers {
		keys = append(keys, l.Name, strings.Join(l.Keys, " "))
	}
	in.sources = append(in.sources, treeSource{o, o.Name, keys, cfg, func(nodes []topology.LabeledNode) (*topology.Tree, error) {
		return topology.FromLabels(cfg, nodes)
	}})
}

// ReadLevels reads the Topology of Kueue and KAI: label keys, widest first. The hostname may only be the last one and is
// the node layer.
func (in *Trees) ReadLevels(o *object.Object) {
	var cfg topology.LabelLayers
	seen := map[string]bool{}
	levels := o.Root.Sub("spec").Get("levels")
	for level := range levels.All() {
		f := level.Mapping().Get("nodeLabel")
		key := f.Required()
		switch {
		case key == "":
			continue
		case seen[key]:
			f.Fail("duplicate label")
		case cfg.NodeLayer != "":
			f.Fail(nodes.HostnameLabel + " must be the last level")
		case key == nodes.HostnameLabel:
			cfg.NodeLayer = key
		default:
			cfg.Layers = append(cfg.Layers, topology.LabelLayer{Name: key, Keys: []string{key}})
		}
		seen[key] = true
	}
	if len(seen) == 0 && len(o.Errors) == 0 {
		levels.Fail("no levels")
	}
	if len(o.Errors) > 0 {
		in.broken = true
		return
	}
	in.addTree(o, cfg)
}

// ReadHyperNode reads one domain of Volcano's tree.
func (in *Trees) ReadHyperNode(o *object.Object) {
	if in.hyper == nil || muster.CompareNatural(o.Name, in.hyper.Name) < 0 { // whatever order they come in
		in.hyper = o
	}
	spec := o.Root.Sub("spec")
	h := topology.HyperNode{Name: o.Name, TierName: spec.Get("tierName").Text()}
	tier := spec.Get("tier")
	if !tier.Present() {
		tier.Fail("missing")
	}
	h.Tier, _ = tier.Whole(1)
	for m := range spec.Get("members").All() {
		m = m.Mapping()
		s := topology.Selector{Kind: topology.MemberKind(m.Get("type").Required())}
		selector := m.Sub("selector")
		s.ExactName = selector.Sub("exactMatch").Get("name").Text()
		s.Regex = selector.Sub("regexMatch").Get("pattern").Text()
		if labels := selector.Sub("labelMatch"); labels.Present() {
			s.Labels = &topology.LabelSelector{MatchLabels: labels.Get("matchLabels").TextMap()}
			for e := range labels.Get("matchExpressions").All() {
				e = e.Mapping()
				s.Labels.MatchExpressions = append(s.Labels.MatchExpressions, topology.LabelExpression{
					Key: e.Get("key").Text(), Operator: e.Get("operator").Text(), Values: e.Get("values").Texts(),
				})
			}
		}
		h.Members = append(h.Members, s)
	}
	in.hypers = append(in.hypers, h)
	in.broken = in.broken || len(o.Errors) > 0
}

// ReadTree reads a list that is a document of its own.
func (in *Trees) ReadTree(o *object.Object) { in.addList(o, o.Root.Value) }

// ReadConfigMap reads a ConfigMap with one value that is such a list. Any other ConfigMap is skipped.
func (in *Trees) ReadConfigMap(o *object.Object) {
	var found []*document.Value
	if data := o.Root.Get("data").Value; data != nil && data.Kind == document.Mapping {
		for _, v := range data.Items {
			if v.Kind != document.Text || !strings.HasPrefix(strings.TrimSpace(v.Text), "[") {
				continue
			}
			if values, err := document.ParseJSON([]byte(v.Text)); err == nil && len(values) == 1 && object.IsTree(values[0]) {
				found = append(found, values[0])
			}
		}
	}
	switch len(found) {
	case 0:
		in.objects.Skip(o.Kind, o.Version)
	case 1:
		in.addList(o, found[0])
	default:
		o.Root.Get("data").Fail("two values are topologies")
	}
}

func (in *Trees) addList(o *object.Object, v *document.Value) {
	data, err := json.Marshal(v.Plain())
	if err != nil {
		o.Root.Fail(err.Error())
		return
	}
	in.sources = append(in.sources, treeSource{o, o.Name, nil, topology.LabelLayers{}, func(nodes []topology.LabeledNode) (*topology.Tree, error) {
		names := make([]string, len(nodes))
		for i, n := range nodes {
			names[i] = n.Name
		}
		return topology.FromJSON(data, names)
	}})
}
