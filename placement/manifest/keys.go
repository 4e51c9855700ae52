package manifest

import (
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/placement/manifest/internal/document"
)

// free are the kinds whose metadata may say anything: those of nodes and queues, and of what only others refer to.
var free = map[string]bool{
	"Node": true, "NodeResourceTopology": true, "Queue": true, "LocalQueue": true, "ConfigMap": true, "PriorityClass": true,
	"WorkloadPriorityClass": true, "PodDisruptionBudget": true, "HyperNode": true, "Topology": true, "ClusterNetworkTopology": true,
}

// checkKeys notes the keys of an object that nobody knows: in its placement blocks, and in the metadata of its own and of
// its templates under the prefixes of the systems that are read. What stands bare in templates counts as text, see quote.
func checkKeys(o *object, notices *notices) {
	checkBlock(o.root, known.Blocks[o.group+"/"+o.kind])
	inner := known.Inners[o.group+"/"+o.kind]
	at := o.root
	for _, key := range inner.Path {
		at = at.get(key)
	}
	checkBlock(at, inner.Block)
	if free[o.kind] {
		return
	}
	if o.kind == "Pod" {
		checkMetadata(o.root, known.OnPod)
		return
	}
	checkMetadata(o.root, known.OnObject)
	eachTemplate(o.root.get("spec"), func(template field) {
		o.quote(template.get("metadata"), notices)
		place := known.OnTemplate
		if o.kind == "JobSet" && template.v.Get("spec").Get("template") != nil || strings.HasPrefix(o.kind, "Ray") {
			place = known.OnRole
		}
		checkMetadata(template, place)
	})
}

// checkBlock notes the keys that are not known, at every depth. What is of another type is left to the reader.
func checkBlock(f field, b known.Block) {
	switch {
	case f.v == nil || b == nil:
	case f.v.Kind == document.List:
		for e := range f.all() {
			checkBlock(e, b)
		}
	case f.v.Kind == document.Mapping:
		for key, e := range f.entries() {
			below, ok := b[key]
			if !ok {
				e.fail("unknown field, did you mean " + known.Nearest(key, slices.Collect(maps.Keys(b))) + "?")
				continue
			}
			checkBlock(e, below)
		}
	}
}

// checkMetadata notes unknown annotations and labels.
func checkMetadata(of field, at known.Place) {
	for _, in := range []known.Map{known.Label, known.Annotation} {
		values := of.v.Get("metadata").Get(string(in) + "s")
		wrong := func(key string) bool { return known.Objection(key, in, at) != "" }
		if values == nil || values.Kind != document.Mapping || !slices.ContainsFunc(values.Keys, wrong) {
			continue // as nearly all of them: paths are made for the others alone
		}
		for key, e := range of.get("metadata").get(string(in) + "s").entries() {
			if objection := known.Objection(key, in, at); objection != "" {
				e.fail(objection)
			}
		}
	}
}

// quote makes text of the bare booleans and whole numbers among labels and annotations, which the API server would refuse,
// and says so.
func (o *object) quote(meta field, notices *notices) {
	for _, name := range []string{"labels", "annotations"} {
		values := meta.v.Get(name)
		if values == nil || values.Kind != document.Mapping {
			continue
		}
		for i, v := range values.Items {
			if v.Kind == document.Boolean || v.Kind == document.Integer {
				values.Items[i] = &document.Value{Kind: document.Text, Line: v.Line, Text: v.Text}
				at := meta.get(name).get(values.Keys[i]).path()
				notices.add(o.title() + ": " + at + " is " + v.Kind.String() + ": it counts as the text " + v.Text)
			}
		}
	}
}

// eachTemplate finds the pod templates of an owner, at any depth.
func eachTemplate(f field, found func(template field)) {
	switch {
	case f.v == nil:
	case f.v.Kind == document.List:
		for e := range f.all() {
			eachTemplate(e, found)
		}
	case f.v.Kind == document.Mapping:
		for key, e := range f.entries() {
			if key == "template" && e.v != nil && e.v.Kind == document.Mapping {
				found(e)
			}
			eachTemplate(e, found)
		}
	}
}
