package manifest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/topology"
)

// findTree is the tree that a gang means: the one it names, else the preferred one, else the only one, else the one called
// default. Nil with an empty reason if a tree is broken, which is an error already that stops everything.
func (in *trees) findTree(name string) (t *topology.Tree, why string) {
	if name == "" {
		name = in.preferred
	}
	switch {
	case in.tree(name) != nil:
		return in.tree(name), ""
	case in.broken && !in.goOn:
		return nil, ""
	case name != "" && in.isBroken(name):
		return nil, "the topology cannot be used, see what is wrong with it"
	case name != "":
		return nil, "unknown topology"
	case len(in.list) == 1 && !in.broken:
		return in.list[0].Tree, ""
	case in.byName["default"] != nil:
		return in.byName["default"], ""
	case len(in.list) == 0 && in.broken:
		return nil, "no topology of the input can be used, see what is wrong with them"
	case len(in.list) == 0:
		return nil, "unknown topology: the input has none"
	}
	return nil, "unknown topology: none is called default and the gang names none of " + strings.Join(sortedNames(in.list), ", ") +
		"; choose one for gangs that name none (Options.Topology, -topology)"
}

// isBroken says whether a topology of the input cannot be used.
func (in *trees) isBroken(name string) bool {
	return slices.ContainsFunc(in.objects.List, func(o *object.Object) bool {
		of := o.Name
		if o.Kind == "HyperNode" {
			of = hyperTree
		}
		return of == name && len(o.Errors) > 0 && treeKinds[o.Kind]
	})
}

// treeKinds are the kinds of objects that make topologies.
var treeKinds = map[string]bool{"Topology": true, "HyperNode": true, "ClusterNetworkTopology": true, "ConfigMap": true, object.TreeKind: true}

// having are the trees with a layer of a name, where a gang names none of several.
func (in *trees) having(layer string) (found []cluster.NamedTree) {
	for _, n := range in.list {
		if _, ok := n.Tree.Layer(layer); ok {
			found = append(found, n)
		}
	}
	return found
}

// layer reads the name of a layer of a tree; ok is false if there is none, which is noted.
func (in *trees) layer(f object.Field, tree string) (l topology.Layer, ok bool) {
	name := f.Text()
	if name == "" {
		return l, false
	}
	t, why := in.findTree(tree)
	if t == nil && tree == "" && len(in.list) > 1 {
		if has := in.having(name); len(has) == 1 { // a layer that only one has tells which is meant, see treeOf
			t = has[0].Tree
		}
	}
	if t == nil {
		if why != "" && tree == "" { // of a topology that the gang names, its name is at fault
			f.Fail(why)
		}
		return l, false
	}
	l, ok = t.Layer(name)
	if !ok {
		f.Fail("unknown level")
	}
	return l, ok
}

// must reads the name of a layer as a MustGather, none if the field is absent.
func (in *trees) must(f object.Field, tree string) []gang.Rule {
	l, ok := in.layer(f, tree)
	if !ok {
		return nil
	}
	return []gang.Rule{{Layer: l.Name, Strength: gang.MustGather}}
}

// prefer reads the name of a layer as a PreferGather there and at every wider layer.
func (in *trees) prefer(f object.Field, tree string) []gang.Rule {
	l, ok := in.layer(f, tree)
	if !ok {
		return nil
	}
	t, _ := in.findTree(tree)
	if t == nil {
		t = in.having(l.Name)[0].Tree
	}
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
