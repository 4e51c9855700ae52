package manifest

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/placement/manifest/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/topology"
)

// nodeTopologyLayer always means the node layer, with or without an entry.
const nodeTopologyLayer = "NodeTopologyLayer"

// labelEntry is a layer as ClusterNetworkTopology writes it.
type labelEntry struct {
	f      object.Field
	name   string
	keys   []string
	parent string
}

// readNetworkTopology reads both forms of Koordinator's ClusterNetworkTopology.
func (in *trees) readNetworkTopology(o *object.Object) {
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
		case len(entry.keys) > 0 && entry.name != nodeTopologyLayer:
			entries = append(entries, entry)
		case node != nil:
			e.Get("labelKey").Fail("missing: " + node.name + " is the node layer already")
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

// readSigPodGroup reads a PodGroup of the coscheduling plugin or of Koordinator.
func (r *reader) readSigPodGroup(o *object.Object) {
	d := r.gangs.podGroup(o)
	block := o.Root.Sub("spec").Sub("networkTopologyAware")
	if !block.Present() {
		block = topologyAnnotation(o)
	}
	r.trees.readNetworkBlock(d, block)
	d.tie = readTie(o)
	d.done = o.Root.Sub("status").Get("phase").Text() == "Finished"
}

// topologyAnnotation is the same block as JSON in an annotation, of two spellings.
func topologyAnnotation(o *object.Object) object.Field {
	for _, key := range []string{"network-topology-spec", "networkTopologyAware"} {
		if f := o.Annotation(koordinatorPrefix + key); f.Present() {
			inner := f.JSON().Mapping()
			object.CheckBlock(inner, known.NetworkAware)
			return inner
		}
	}
	return object.Field{Of: o}
}

// readNetworkBlock reads gather rules and parallelism.
func (in *trees) readNetworkBlock(d *draft, block object.Field) {
	for e := range block.Get("gatherStrategy").All() {
		e = e.Mapping()
		rule := gang.Rule{Layer: in.gatherLayer(e.Get("layer"))}
		switch s := e.Get("strategy"); gang.Strength(s.Text()) {
		case gang.MustGather, gang.PreferGather:
			rule.Strength = gang.Strength(s.Text())
		default:
			if s.Present() || !e.Get("podCountMultiple").Present() {
				s.Fail("must be MustGather or PreferGather")
			}
		}
		rule.Multiple, _ = e.Get("podCountMultiple").Whole(0)
		d.gather = append(d.gather, rule)
	}
	for e := range block.Get("parallelModel").All() {
		e = e.Mapping()
		n, ok := e.Get("parallelism").Whole(1)
		switch s := e.Get("parallelStrategy"); s.Required() {
		case "pipeline-parallel":
			once(s, &d.pp, n)
		case "data-parallel":
			once(s, &d.dp, n)
		}
		if !ok && !e.Get("parallelism").Present() {
			e.Get("parallelism").Fail("missing")
		}
	}
	block.Get("communicationMode").Text()
}

func once(f object.Field, to *int, n int) {
	if *to != 0 {
		f.Fail("given twice")
	}
	*to = n
}

// gatherLayer reads a layer's name, which may be the general one of the node layer.
func (in *trees) gatherLayer(f object.Field) string {
	name := f.Required()
	if name == "" {
		return ""
	}
	t, why := in.findTree("")
	switch {
	case t == nil && why != "":
		f.Fail(why)
	case t == nil:
	case name == nodeTopologyLayer && t.NodeLayer() != "":
		return t.NodeLayer()
	default:
		if _, ok := t.Layer(name); !ok {
			f.Fail("unknown level")
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
		if !m.obj.Created.IsZero() && (d.created.IsZero() || m.obj.Created.Before(d.created)) {
			d.created = m.obj.Created
		}
	}
	first := d.pods[0].obj
	in.readNetworkBlock(d, topologyAnnotation(first))
}
