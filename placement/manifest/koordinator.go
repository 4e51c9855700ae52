package manifest

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/placement/manifest/internal/document"
	"github.com/muster-sched/muster/topology"
)

// nodeTopologyLayer always means the node layer, with or without an entry.
const nodeTopologyLayer = "NodeTopologyLayer"

// labelEntry is a layer as ClusterNetworkTopology writes it.
type labelEntry struct {
	f      field
	name   string
	keys   []string
	parent string
}

// readNetworkTopology reads both forms of Koordinator's ClusterNetworkTopology.
func (in *trees) readNetworkTopology(o *object) {
	spec := o.root.sub("spec")
	form, nameKey := spec.get("networkTopologySpec"), "topologyLayer"
	if !form.present() {
		form, nameKey = spec.get("hierarchy"), "layerName"
	}
	if !form.present() {
		form.fail("missing, and there is no networkTopologySpec")
	}
	var entries []labelEntry
	var node *labelEntry
	names := map[string]bool{}
	for e := range form.all() {
		e = e.object()
		entry := labelEntry{f: e, name: e.get(nameKey).required(), parent: e.get("parentTopologyLayer").str()}
		if keys := e.get("labelKey"); keys.present() && keys.v.Kind == document.List {
			entry.keys = keys.texts()
		} else if keys.str() != "" {
			entry.keys = []string{keys.str()}
		}
		if names[entry.name] {
			e.get(nameKey).fail("duplicate name")
		}
		names[entry.name] = true
		switch {
		case len(entry.keys) > 0 && entry.name != nodeTopologyLayer:
			entries = append(entries, entry)
		case node != nil:
			e.get("labelKey").fail("missing: " + node.name + " is the node layer already")
		default:
			node = &entry
		}
	}
	cfg := topology.LabelLayers{NodeLayer: nodeTopologyLayer}
	if node != nil {
		cfg.NodeLayer = node.name
	}
	chain := widestFirst(form, entries)
	if node != nil && node.parent != "" && len(chain) > 0 && node.parent != chain[len(chain)-1].name {
		node.f.get("parentTopologyLayer").fail("is not the lowest layer, " + chain[len(chain)-1].name)
	}
	if len(o.errors) > 0 {
		in.broken = true
		return
	}
	for _, e := range chain {
		cfg.Layers = append(cfg.Layers, topology.LabelLayer{Name: e.name, Keys: e.keys})
	}
	in.addTree(o, cfg)
}

// widestFirst puts layers in order by their parents. A parent without an entry of its own is not built.
func widestFirst(form field, entries []labelEntry) []labelEntry {
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
			form.fail("cycle: the layers' parents do not end")
			return chain
		case len(next) > 1:
			next[1].f.get("parentTopologyLayer").fail("two layers side by side: " + next[0].name + " and " + next[1].name)
			return chain
		}
		chain = append(chain, next[0])
		parent := next[0].name
		below = func(e labelEntry) bool { return e.parent == parent }
	}
	return chain
}

// readSigPodGroup reads a PodGroup of the coscheduling plugin or of Koordinator.
func (r *reader) readSigPodGroup(o *object) {
	d := r.gangs.podGroup(o)
	block := o.root.sub("spec").sub("networkTopologyAware")
	if !block.present() {
		block = topologyAnnotation(o)
	}
	r.trees.readNetworkBlock(d, block)
	d.tie = readTie(o)
	d.done = o.root.sub("status").get("phase").str() == "Finished"
}

// topologyAnnotation is the same block as JSON in an annotation, of two spellings.
func topologyAnnotation(o *object) field {
	for _, key := range []string{"network-topology-spec", "networkTopologyAware"} {
		if f := o.annotation(koordinatorPrefix + key); f.present() {
			inner := f.json().object()
			checkBlock(inner, known.NetworkAware)
			return inner
		}
	}
	return field{obj: o}
}

// readNetworkBlock reads gather rules and parallelism.
func (in *trees) readNetworkBlock(d *draft, block field) {
	for e := range block.get("gatherStrategy").all() {
		e = e.object()
		rule := gang.Rule{Layer: in.gatherLayer(e.get("layer"))}
		switch s := e.get("strategy"); gang.Strength(s.str()) {
		case gang.MustGather, gang.PreferGather:
			rule.Strength = gang.Strength(s.str())
		default:
			if s.present() || !e.get("podCountMultiple").present() {
				s.fail("must be MustGather or PreferGather")
			}
		}
		rule.Multiple, _ = e.get("podCountMultiple").whole(0)
		d.gather = append(d.gather, rule)
	}
	for e := range block.get("parallelModel").all() {
		e = e.object()
		n, ok := e.get("parallelism").whole(1)
		switch s := e.get("parallelStrategy"); s.required() {
		case "pipeline-parallel":
			once(s, &d.pp, n)
		case "data-parallel":
			once(s, &d.dp, n)
		}
		if !ok && !e.get("parallelism").present() {
			e.get("parallelism").fail("missing")
		}
	}
	block.get("communicationMode").str()
}

func once(f field, to *int, n int) {
	if *to != 0 {
		f.fail("given twice")
	}
	*to = n
}

// gatherLayer reads a layer's name, which may be the general one of the node layer.
func (in *trees) gatherLayer(f field) string {
	name := f.required()
	if name == "" {
		return ""
	}
	t, why := in.findTree("")
	switch {
	case t == nil && why != "":
		f.fail(why)
	case t == nil:
	case name == nodeTopologyLayer && t.NodeLayer() != "":
		return t.NodeLayer()
	default:
		if _, ok := t.Layer(name); !ok {
			f.fail("unknown level")
		}
	}
	return name
}

// declaredByPods reads what pods say about a gang that no object declares. They must agree.
func (in *trees) declaredByPods(d *draft) {
	if d.obj != nil {
		return
	}
	objects := podsOf(d.pods)
	d.min = agreed(objects, d.min, koordinatorPrefix+"min-available", "pod-group/min-available",
		"pod-group.scheduling.sigs.k8s.io/min-available", "scheduling.volcano.sh/group-min-member", kueueCount, groupSize)
	d.total = agreed(objects, 0, koordinatorPrefix+"total-number", kueueCount)
	for _, m := range d.pods {
		if !m.obj.created.IsZero() && (d.created.IsZero() || m.obj.created.Before(d.created)) {
			d.created = m.obj.created
		}
	}
	first := d.pods[0].obj
	in.readNetworkBlock(d, topologyAnnotation(first))
}

// agreed is the number that the objects' annotation or label gives; those without one agree with all.
func agreed(objects []*object, otherwise int, keys ...string) int {
	n, found := otherwise, false
	for _, o := range objects {
		for _, key := range keys {
			f := o.annotation(key)
			if !f.present() {
				f = o.label(key)
			}
			if !f.present() {
				continue
			}
			value, ok := f.count(f.str(), 0)
			if ok && found && value != n {
				f.fail("another pod of the gang says otherwise")
			}
			if ok && !found {
				n, found = value, true
			}
		}
	}
	return n
}
