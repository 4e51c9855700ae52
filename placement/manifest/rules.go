package manifest

import (
	"fmt"
	"strconv"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/topology"
)

// findTree is the tree that a gang means: the one it names, else the only one, else the one called default. Nil with
// an empty reason if a tree is broken, which is an error already.
func (in *trees) findTree(name string) (t *topology.Tree, why string) {
	switch {
	case in.byName[name] != nil:
		return in.byName[name], ""
	case in.broken:
		return nil, ""
	case name != "":
		return nil, "unknown topology"
	case len(in.list) == 1:
		return in.list[0].Tree, ""
	case in.byName["default"] != nil:
		return in.byName["default"], ""
	case len(in.list) == 0:
		return nil, "unknown topology: the input has none"
	}
	return nil, fmt.Sprintf("unknown topology: the input has %d, none is called default and the gang names none", len(in.list))
}

// layer reads the name of a layer of a tree; ok is false if there is none, which is noted.
func (in *trees) layer(f object.Field, tree string) (l topology.Layer, ok bool) {
	name := f.Text()
	if name == "" {
		return l, false
	}
	t, why := in.findTree(tree)
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
	rules := []gang.Rule{{Layer: l.Name, Strength: gang.PreferGather}}
	t, _ := in.findTree(tree)
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
