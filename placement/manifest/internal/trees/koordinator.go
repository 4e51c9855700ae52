package trees

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/topology"
)

// NodeLayer always means the node layer, with or without an entry.
const NodeLayer = "NodeTopologyLayer"

// labelEntry is a layer as ClusterNetworkTopology writes it.
type labelEntry struct {
	f      object.Field
	name   string
	keys   []string
	parent string
}

// ReadNetworkTopology reads both forms of Koordinator's ClusterNetworkTopology.
func (in *Trees) ReadNetworkTopology(o *object.Object) {
	spec := o.Root.Sub("spec")
	form, nameKey := spec.Get("networkTopologySpec"), "topologyLayer"
	if !form.Present() {
		form, nameKey = spec.Get("hierarchy"), "layerName"
	}
	if !form.Present() {
		form.Fail("missing, and there is no networkTopologySpec")
	}
	var entries []labelEntry
	var node *labelEntry
	names := map[string]bool{}
	for e := range form.All() {
		e = e.Mapping()
		entry := labelEntry{f: e, name: e.Get(nameKey).Required(), parent: e.Get("parentTopologyLayer").Text()}
		if keys := e.Get("labelKey"); keys.Present() && keys.Value.Kind == document.List {
			entry.keys = keys.Texts()
		} else if keys.Text() != "" {
			entry.keys = []string{keys.Text()}
		}
		if names[entry.name] {
			e.Get(nameKey).Fail("duplicate name")
		}
		names[entry.name] = true
		switch {
		case len(entry.keys) > 0 && entry.name != NodeLayer:
			entries = append(entries, entry)
		case node != nil:
			e.Get("labelKey").Fail("missing: " + node.name + " is the node layer already")
		default:
			node = &entry
		}
	}
	cfg := topology.LabelLayers{NodeLayer: NodeLayer}
	if node != nil {
		cfg.NodeLayer = node.name
	}
	if len(entries) > topology.MaxLayers { // before they are put in order
		form.Fail(fmt.Sprintf("%d layers: a topology has at most %d", len(entries), topology.MaxLayers))
		in.broken = true
		return
	}
	chain := widestFirst(form, entries)
	if node != nil && node.parent != "" && len(chain) > 0 && node.parent != chain[len(chain)-1].name {
		node.f.Get("parentTopologyLayer").Fail("is not the lowest layer, " + chain[len(chain)-1].name)
	}
	if len(o.Errors) > 0 {
		in.broken = true
		return
	}
	for _, e := range chain {
		cfg.Layers = append(cfg.Layers, topology.LabelLayer{Name: e.name, Keys: e.keys})
	}
	in.addTree(o, cfg)
}

// widestFirst puts layers in order by their parents. A parent without an entry of its own is not built.
func widestFirst(form object.Field, entries []labelEntry) []labelEntry {
	named := func(name string) bool {
		return slices.ContainsFunc(entries, func(e labelEntry) bool { return e.name == name })
	}
	var chain []labelEntry
	below := func(e labelEntry) bool { return !named(e.parent) }
	for len(chain) < len(entries) {
		var next []labelEntry
		for _, e := range entries {
			if below(e) {
				next = append(next, e)
			}
		}
		switch {
		case len(next) == 0:
			form.Fail("cycle: the layers' parents do not end")
			return chain
		case len(next) > 1:
			next[1].f.Get("parentTopologyLayer").Fail("two layers side by side: " + next[0].name + " and " + next[1].name)
			return chain
		}
		chain = append(chain, next[0])
		parent := next[0].name
		below = func(e labelEntry) bool { return e.parent == parent }
	}
	return chain
}
