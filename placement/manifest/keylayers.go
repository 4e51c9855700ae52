package manifest

import (
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/topology"
)

// key reads a label key, or the name of a layer, as a MustGather: in the tree that is meant, else in the first by name that
// has it, else in a tree of that one layer, which is made of the labels of nodes. It returns the tree that the rule is of.
func (in *trees) key(tree string, f object.Field) (string, []gang.Rule) {
	key := f.Text()
	if key == "" || in.broken {
		return tree, nil
	}
	names := sortedNames(in.list)
	if tree != "" {
		names = []string{tree} // a rule before this one is of that tree, and one gang has one
	} else if t, _ := in.findTree(""); t != nil {
		at := slices.IndexFunc(in.list, func(n cluster.NamedTree) bool { return n.Tree == t })
		names = append([]string{in.list[at].Name}, names...)
	}
	for _, name := range names {
		if layer := in.layerOfKey(name, key); layer != "" {
			return name, []gang.Rule{{Layer: layer, Strength: gang.MustGather}}
		}
	}
	if tree != "" {
		f.Fail("no layer of topology " + tree + ", of which another key is")
		return tree, nil
	}
	if in.ofLabels[key] == nil {
		made, err := topology.FromLabels(topology.LabelLayers{Layers: []topology.LabelLayer{{Name: key, Keys: []string{key}}}}, in.nodes)
		if err != nil || len(made.Outside()) == len(in.nodes) {
			f.Fail("unknown level: no topology has it, and no node a label")
			return tree, nil
		}
		if in.ofLabels == nil {
			in.ofLabels = map[string]*topology.Tree{}
		}
		in.ofLabels[key], in.byName[key] = made, made
	}
	return key, []gang.Rule{{Layer: key, Strength: gang.MustGather}}
}

// layerOfKey is the layer of a tree by its name or a label key, empty if it has none.
func (in *trees) layerOfKey(tree, key string) string {
	if key == hostnameLabel {
		return "0"
	}
	if l, ok := in.byName[tree].Layer(key); ok {
		return layerOf(l)
	}
	return in.keys[tree][key]
}

// noteKeys keeps the label keys of the layers of a tree.
func (in *trees) noteKeys(tree string, cfg topology.LabelLayers) {
	if in.keys == nil {
		in.keys = map[string]map[string]string{}
	}
	in.keys[tree] = map[string]string{}
	for _, l := range cfg.Layers {
		for _, key := range l.Keys {
			in.keys[tree][key] = l.Name
		}
	}
}

// all are the trees of the input and those of labels, in natural order of names.
func (in *trees) all() []cluster.NamedTree {
	out := slices.Clone(in.list)
	for name, t := range in.ofLabels {
		out = append(out, cluster.NamedTree{Name: name, Tree: t})
	}
	slices.SortFunc(out, func(a, b cluster.NamedTree) int { return muster.CompareNatural(a.Name, b.Name) })
	return out
}

// nameOf is the tree of a gang that names none: where there are trees of labels too, they must not be meant.
func (in *trees) nameOf(tree string) string {
	if tree != "" || len(in.ofLabels) == 0 {
		return tree
	}
	t, _ := in.findTree("")
	for _, n := range in.all() {
		if t == nil || n.Tree == t {
			return n.Name
		}
	}
	return tree
}

func sortedNames(list []cluster.NamedTree) []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return names
}
