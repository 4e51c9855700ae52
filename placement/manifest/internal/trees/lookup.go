package trees

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/topology"
)

// Lookup is what a reading of gangs asks of the trees. Those that are made of labels are kept for all readings.
type Lookup struct {
	of     *Trees
	Used   map[string]bool // label keys that no topology has, and gangs of this reading name
	others map[string]bool // and gangs of other readings
	Hinted bool            // a gang of this reading was told which labels look like layers
}

// Lookup finds trees and layers, beside readings of gangs that name so many label keys.
func (in *Trees) Lookup(others map[string]bool) *Lookup {
	for key := range others {
		in.makeTree(key)
	}
	return &Lookup{of: in, Used: map[string]bool{}, others: others}
}

// Find is the tree that a gang means: the one it names, else the preferred one, else the only one, else the one called
// default. Nil with an empty reason if a tree is broken, which is an error already that stops everything.
func (in *Lookup) Find(name string) (t *topology.Tree, why string) {
	if name == "" {
		name = in.of.preferred
	}
	switch {
	case in.tree(name) != nil:
		return in.tree(name), ""
	case in.of.broken && !in.of.goOn:
		return nil, ""
	case name != "" && in.of.isBroken(name):
		return nil, "the topology cannot be used, see what is wrong with it"
	case name != "":
		return nil, "unknown topology"
	case len(in.of.list) == 1 && !in.of.broken:
		return in.of.list[0].Tree, ""
	case in.of.byName["default"] != nil:
		return in.of.byName["default"], ""
	case len(in.of.list) == 0 && in.of.broken:
		return nil, "no topology of the input can be used, see what is wrong with them"
	case len(in.of.list) == 0:
		in.Hinted = true
		return nil, "unknown topology: the input has none" + in.of.Hint()
	}
	return nil, "unknown topology: none is called default and the gang names none of " + strings.Join(sortedNames(in.of.list), ", ") +
		"; choose one for gangs that name none (Options.Topology, -topology)"
}

// isBroken says whether a topology of the input cannot be used.
func (in *Trees) isBroken(name string) bool {
	return slices.ContainsFunc(in.objects.List, func(o *object.Object) bool {
		of := o.Name
		if o.Kind == "HyperNode" {
			of = HyperTree
		}
		return of == name && len(o.Errors) > 0 && treeKinds[o.Kind]
	})
}

// treeKinds are the kinds of objects that make topologies.
var treeKinds = map[string]bool{"Topology": true, "HyperNode": true, "ClusterNetworkTopology": true, "ConfigMap": true, object.TreeKind: true}

// HasHyperNodes says whether HyperNodes make a tree, or were meant to.
func (in *Lookup) HasHyperNodes() bool {
	return in.of.byName[HyperTree] != nil || in.of.goOn && in.of.hyper != nil
}

// having are the trees with a layer of a name, where a gang names none of several.
func (in *Lookup) having(layer string) (found []cluster.NamedTree) {
	for _, n := range in.of.list {
		if _, ok := n.Tree.Layer(layer); ok {
			found = append(found, n)
		}
	}
	return found
}

// FindWith is the tree that a gang means by the name of a layer: where it names no tree, and the one that it would mean has no such layer, the
// only one that has, see TreeOf.
func (in *Lookup) FindWith(tree, layer string) (t *topology.Tree, why string) {
	t, why = in.Find(tree)
	if tree != "" {
		return t, why
	}
	if t != nil {
		if _, is := t.Layer(layer); is {
			return t, ""
		}
	}
	if has := in.having(layer); len(has) == 1 {
		return has[0].Tree, ""
	}
	return t, why
}

// Layer reads the name of a layer of a tree; ok is false if there is none, which is noted.
func (in *Lookup) Layer(f object.Field, tree string) (l topology.Layer, ok bool) {
	name := f.Text()
	if name == "" {
		return l, false
	}
	t, why := in.FindWith(tree, name)
	if t == nil {
		if why != "" && tree == "" { // of a topology that the gang names, its name is at fault
			f.Fail(why)
		}
		return l, false
	}
	if l, ok = t.Layer(name); !ok && t == in.of.byName[LabelTree] {
		l, ok = t.Layer(in.of.keys[LabelTree][name]) // which is called by an end of its key
	}
	if !ok {
		f.Fail(UnknownLevel(t))
	}
	return l, ok
}

// UnknownLevel says that a topology does not have a layer, and which ones it has.
func UnknownLevel(t *topology.Tree) string { return "unknown level: " + NotOneOf(t) }

// NotOneOf names the layers of a topology where one is meant that it does not have.
func NotOneOf(t *topology.Tree) string { return "not one of " + levelsOf(t) }

// levelsOf names the layers of a topology, widest first.
func levelsOf(t *topology.Tree) string {
	var names []string
	for _, l := range slices.Backward(t.Layers()) {
		names = append(names, layerOf(l))
	}
	return strings.Join(append(names, cmp.Or(t.NodeLayer(), "node")), ", ")
}

// allLevels are the layers that gangs which name no topology may mean, widest first in each topology; empty: there are none.
func (in *Lookup) allLevels() string {
	var all []string
	for _, n := range in.of.list {
		all = append(all, levelsOf(n.Tree)+" of topology "+n.Name)
	}
	return strings.Join(all, "; ")
}

// Must reads the name of a layer as a MustGather, none if the field is absent.
func (in *Lookup) Must(f object.Field, tree string) []gang.Rule {
	l, ok := in.Layer(f, tree)
	if !ok {
		return nil
	}
	return []gang.Rule{{Layer: l.Name, Strength: gang.MustGather}}
}

// Prefer reads the name of a layer as a PreferGather there and at every wider layer.
func (in *Lookup) Prefer(f object.Field, tree string) []gang.Rule {
	l, ok := in.Layer(f, tree)
	if !ok {
		return nil
	}
	t, _ := in.FindWith(tree, l.Name)
	return preferFrom(t, l)
}

// preferFrom prefers a layer, and every wider one.
func preferFrom(t *topology.Tree, l topology.Layer) []gang.Rule {
	rules := []gang.Rule{{Layer: layerOf(l), Strength: gang.PreferGather}}
	for _, wider := range t.Layers() {
		if wider.Tier > l.Tier {
			rules = append(rules, gang.Rule{Layer: layerOf(wider), Strength: gang.PreferGather})
		}
	}
	return rules
}

// layerOf is how a rule calls a layer: its name, or its tier where it has none.
func layerOf(l topology.Layer) string {
	if l.Name != "" {
		return l.Name
	}
	return strconv.Itoa(l.Tier)
}
