package trees

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/topology"
)

// Key reads a label key, or the name of a layer, as a MustGather: in the tree that is meant, else in the first by name that
// has it, else in a tree of that one layer, which is made of the labels of nodes. It returns the tree that the rule is of.
func (in *Lookup) Key(tree string, f object.Field) (string, []gang.Rule) {
	key := f.Text()
	if key == "" || in.of.broken && !in.of.goOn {
		return tree, nil
	}
	if tree != "" { // a rule before this one is of that tree, and one gang has one
		if layer := in.LayerOfKey(tree, key); layer != "" {
			return tree, []gang.Rule{{Layer: layer, Strength: gang.MustGather}}
		}
	} else if name, layer := in.firstWith(key); layer != "" {
		return name, []gang.Rule{{Layer: layer, Strength: gang.MustGather}}
	}
	if tree != "" {
		f.Fail("no layer of topology " + tree + ", of which another key is; its layers are " + levelsOf(in.tree(tree)))
		return tree, nil
	}
	if in.of.broken { // it may be the one that has it
		f.Fail("unknown level: no topology has it, and one cannot be used, see what is wrong with it")
		return tree, nil
	}
	if !in.of.makeTree(key) {
		why := "unknown level: no topology has it, and no node a label"
		if levels := in.allLevels(); levels != "" {
			why += "; known are " + levels
		}
		f.Fail(why)
		return tree, nil
	}
	in.Used[key] = true
	return key, []gang.Rule{{Layer: key, Strength: gang.MustGather}}
}

// firstWith is the tree that a label key, or the name of a layer, means where no tree is named, and the layer: the tree that is meant, else
// the first by name that has it. No layer: none has it.
func (in *Lookup) firstWith(key string) (tree, layer string) {
	names := sortedNames(in.of.list)
	if meant := in.meant(); meant != "" {
		names = append([]string{meant}, names...)
	}
	for _, name := range names {
		if layer := in.LayerOfKey(name, key); layer != "" {
			return name, layer
		}
	}
	return "", ""
}

// Closing is a layer of a topology whose domain a pod that runs closes to others; no layer: none.
type Closing struct{ Tree, Layer string }

// Wider is the wider of two closings. Of two topologies none is wider: the first counts.
func (in *Lookup) Wider(a, b Closing) Closing {
	switch {
	case a.Layer == "":
		return b
	case b.Layer != "" && a.Tree == b.Tree:
		a.Layer = in.Widest(a.Tree, []gang.Limit{{Kind: gang.Alone, Layer: a.Layer}, {Kind: gang.Alone, Layer: b.Layer}})
	}
	return a
}

// Closing is the domain that a pod which runs closes to others by a label key, or the name of a layer: in the tree of its gang, if there is
// one that has it, else as [Lookup.Key] finds it. No layer: neither a topology nor a node has the key.
func (in *Lookup) Closing(tree, key string) (of, layer string) {
	if layer = in.LayerOfKey(tree, key); tree != "" && layer != "" {
		return tree, layer
	}
	if of, layer = in.firstWith(key); layer != "" {
		return of, layer
	}
	if key == nodes.HostnameLabel || !in.of.makeTree(key) {
		return tree, in.LayerOfKey(tree, key) // of the hostname it is that of nodes
	}
	in.Used[key] = true
	return key, key
}

// meant is the name of the tree of gangs that name none; empty: there is none.
func (in *Lookup) meant() string {
	t, _ := in.Find("")
	at := slices.IndexFunc(in.of.list, func(n cluster.NamedTree) bool { return n.Tree == t })
	if t == nil || at < 0 {
		return ""
	}
	return in.of.list[at].Name
}

// KeyOf is the layer that a label key, or the name of a layer, means in the tree of a gang; empty: it has none, or is not known.
func (in *Lookup) KeyOf(tree string, q *gang.Request, key string) string {
	if tree, _ = in.TreeOf(tree, q); tree == "" {
		tree = in.meant()
	}
	return in.LayerOfKey(tree, key)
}

// Widest is the widest layer of a tree in which limits keep others out; empty: there is none.
func (in *Lookup) Widest(tree string, limits []gang.Limit) (layer string) {
	tier := -1
	for _, l := range limits {
		of, _ := in.tree(tree).Layer(l.Layer) // nodes are of tier 0
		if l.Kind == gang.Alone && of.Tier > tier {
			layer, tier = l.Layer, of.Tier
		}
	}
	return layer
}

// makeTree makes a tree of the labels that nodes have for a key; false if none has one.
func (in *Trees) makeTree(key string) bool {
	if in.ofLabels[key] != nil || in.none[key] {
		return !in.none[key]
	}
	in.asked[key] = true
	nodes := in.nodes()
	made, err := topology.FromLabels(topology.LabelLayers{Layers: []topology.LabelLayer{{Name: key, Keys: []string{key}}}}, nodes)
	if in.none[key] = err != nil || len(made.Outside()) == len(nodes); in.none[key] {
		return false
	}
	in.ofLabels[key] = made
	return true
}

// PreferredKey reads a label key, or the name of a layer, as a PreferGather there and at every wider layer.
func (in *Lookup) PreferredKey(tree string, f object.Field) (string, []gang.Rule) {
	name, rules := in.Key(tree, f)
	if len(rules) == 0 {
		return tree, nil
	}
	l, _ := in.tree(name).Layer(rules[0].Layer)
	return name, preferFrom(in.tree(name), l)
}

// LayerOfKey is the layer of a tree by its name or a label key, empty if it has none.
func (in *Lookup) LayerOfKey(tree, key string) string {
	if key == nodes.HostnameLabel {
		if _, other := in.tree(tree).Layer("node"); other && in.tree(tree).NodeLayer() == "" {
			return "0"
		}
		return cmp.Or(in.tree(tree).NodeLayer(), "node")
	}
	if l, ok := in.tree(tree).Layer(key); ok {
		return layerOf(l)
	}
	return in.of.keys[tree][key]
}

// noteKeys keeps the label keys of the layers of a tree.
func (in *Trees) noteKeys(tree string, cfg topology.LabelLayers) {
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

// isUsed says whether a gang names a key that no topology has.
func (in *Lookup) isUsed(key string) bool { return in.Used[key] || in.others[key] }

// tree is a tree of the input, or of labels. Nil: there is none of that name.
func (in *Lookup) tree(name string) *topology.Tree {
	if t := in.of.byName[name]; t != nil || !in.isUsed(name) {
		return t
	}
	return in.of.ofLabels[name]
}

// All are the trees of the input and those of labels, in natural order of names.
func (in *Lookup) All() []cluster.NamedTree {
	out := slices.Clone(in.of.list)
	for name, t := range in.of.ofLabels {
		if in.isUsed(name) {
			out = append(out, cluster.NamedTree{Name: name, Tree: t})
		}
	}
	slices.SortFunc(out, func(a, b cluster.NamedTree) int { return muster.CompareNatural(a.Name, b.Name) })
	return out
}

// TreeOf is the tree of a gang that names none: the one that is meant, unless it lacks a layer of the rules of its request; else the first
// by name that has all of them. Empty with a reason if there is none.
func (in *Lookup) TreeOf(tree string, q *gang.Request) (name, why string) {
	if tree != "" || len(in.All()) < 2 && in.of.preferred == "" && !in.of.broken {
		return tree, ""
	}
	t, why := in.Find("")
	layers, meant := layersOf(q), ""
	for _, n := range in.All() {
		if n.Tree == t {
			meant = n.Name
		}
	}
	lacks := func(n *topology.Tree) bool {
		return slices.ContainsFunc(layers, func(layer string) bool { _, has := n.Layer(layer); return !has })
	}
	if t != nil && !lacks(t) {
		return meant, ""
	}
	for _, n := range in.All() {
		if !in.isUsed(n.Name) && !lacks(n.Tree) {
			return n.Name, ""
		}
	}
	if t != nil {
		return meant, ""
	}
	if len(layers) == 0 {
		return "", ""
	}
	return "", why
}

// EnterIn names the topology of a request that was made while there was one alone, if there is no error instead: a gang further on may have named a label key, which is
// another one. So the order of gangs decides nothing.
func (in *Lookup) EnterIn(q *gang.Request, err error) {
	if err == nil && q.Tree == "" {
		q.Tree, _ = in.TreeOf("", q)
	}
}

// layersOf are the layers that rules of a request name.
func layersOf(q *gang.Request) (layers []string) {
	note := func(rules []gang.Rule) {
		for _, r := range rules {
			layers = append(layers, r.Layer)
		}
	}
	var inner func(parts []gang.Part)
	inner = func(parts []gang.Part) {
		for i := range parts {
			if p := &parts[i]; p.Tree == "" {
				note(p.Gather)
				for _, g := range p.Groups {
					note(g.Gather)
				}
				inner(p.Parts)
			}
		}
	}
	note(q.Gather)
	for _, g := range q.Groups {
		note(g.Gather)
	}
	inner(q.Parts)
	return layers
}

func sortedNames(list []cluster.NamedTree) []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return names
}
