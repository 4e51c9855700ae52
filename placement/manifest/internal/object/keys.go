package object

import (
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/internal/known"
)

// free are the kinds whose metadata may say anything: those of nodes and queues, and of what only others refer to.
var free = map[string]bool{
	"Node": true, "NodeResourceTopology": true, "Queue": true, "LocalQueue": true, "ConfigMap": true, "PriorityClass": true,
	"WorkloadPriorityClass": true, "PodDisruptionBudget": true, "HyperNode": true, "Topology": true, "ClusterNetworkTopology": true,
	"Reservation": true,
}

// checkKeys notes the keys of an object that nobody knows: in its placement blocks, and in the metadata of its own and of
// its templates under the prefixes of the systems that are read. What stands bare in templates counts as text, see quote.
func checkKeys(o *Object, notices *Notices) {
	CheckBlock(o.Root, known.Blocks[o.Group+"/"+o.Kind])
	for _, inner := range known.Inners[o.Group+"/"+o.Kind] {
		at := o.Root
		for _, key := range inner.Path {
			at = at.Get(key)
		}
		CheckBlock(at, inner.Block)
	}
	if free[o.Kind] {
		return
	}
	if o.Kind == "Pod" {
		checkMetadata(o.Root, known.OnPod)
		return
	}
	if o.Kind == "LeaderWorkerSet" {
		checkMetadata(o.Root, known.OnLeader)
	} else {
		checkMetadata(o.Root, known.OnObject)
	}
	eachTemplate(o.Root.Get("spec"), func(template Field) {
		o.quote(template.Get("metadata"), notices)
		place := known.OnTemplate
		if o.Kind == "JobSet" && template.Value.Get("spec").Get("template") != nil || strings.HasPrefix(o.Kind, "Ray") {
			place = known.OnRole
		}
		checkMetadata(template, place)
	})
}

// CheckBlock notes the keys that are not known, at every depth. What is of another type is left to the reader.
func CheckBlock(f Field, b known.Block) {
	switch {
	case f.Value == nil || b == nil:
	case f.Value.Kind == document.List:
		for e := range f.All() {
			CheckBlock(e, b)
		}
	case f.Value.Kind == document.Mapping:
		for key, e := range f.Entries() {
			below, ok := b[key]
			if !ok {
				e.Fail("unknown field, did you mean " + known.Nearest(key, slices.Collect(maps.Keys(b))) + "?")
				continue
			}
			CheckBlock(e, below)
		}
	}
}

// checkMetadata notes unknown annotations and labels.
func checkMetadata(of Field, at known.Place) {
	for _, in := range []known.Map{known.Label, known.Annotation} {
		values := of.Value.Get("metadata").Get(string(in) + "s")
		wrong := func(key string) bool { return known.Objection(key, in, at) != "" }
		if values == nil || values.Kind != document.Mapping || !slices.ContainsFunc(values.Keys, wrong) {
			continue // as nearly all of them: paths are made for the others alone
		}
		for key, e := range of.Get("metadata").Get(string(in) + "s").Entries() {
			if objection := known.Objection(key, in, at); objection != "" {
				e.Fail(objection)
			}
		}
	}
}

// quote makes text of the bare booleans and whole numbers among labels and annotations, which the API server would refuse,
// and says so.
func (o *Object) quote(meta Field, notices *Notices) {
	for _, name := range []string{"labels", "annotations"} {
		values := meta.Value.Get(name)
		if values == nil || values.Kind != document.Mapping {
			continue
		}
		o.respell(meta.Get(name))
		for i, v := range values.Items {
			if v.Kind == document.Boolean || v.Kind == document.Integer {
				values.Items[i] = &document.Value{Kind: document.Text, Line: v.Line, Text: v.Text}
				at := meta.Get(name).Get(values.Keys[i]).Path()
				notices.Add(o.Title() + ": " + at + " is " + v.Kind.String() + ": it counts as the text " + v.Text)
			}
		}
	}
}

// respell gives the keys that Koordinator writes with `internal.` before them the spelling without. Where both stand they must
// say the same.
func (o *Object) respell(values Field) {
	for i, key := range values.Value.Keys {
		plain, is := strings.CutPrefix(key, "internal.")
		if !is || !strings.HasPrefix(plain, "scheduling.koordinator.sh/") {
			continue
		}
		if other := values.Value.Get(plain); other == nil {
			values.Value.Keys[i] = plain
		} else if !other.Equal(values.Value.Items[i]) {
			values.Get(key).Fail("contradicts " + plain)
		}
	}
}

// RefuseUnasked notes the annotations of an object and of its templates that have hard rules, and that no reader has asked for:
// the object is not one whose gang has rules there. Where pods are given, what pods are asked for need not stand in templates.
func (o *Object) RefuseUnasked(pods bool) {
	refuse := func(of Field, skip string) {
		notes := of.Value.Get("metadata").Get("annotations")
		for _, key := range known.HardRules {
			if v := notes.Get(key); v != nil && !v.Asked && (skip == "" || !strings.HasPrefix(key, skip)) {
				of.Get("metadata").Get("annotations").Get(key).Fail("is not read from " + o.Kind + " objects of " + o.Version)
			}
		}
	}
	refuse(o.Root, "")
	eachTemplate(o.Root.Get("spec"), func(template Field) {
		refuse(template, map[bool]string{true: "gang.scheduling.koordinator.sh/"}[pods])
	})
}

// eachTemplate finds the pod templates of an owner, at any depth.
func eachTemplate(f Field, found func(template Field)) {
	switch {
	case f.Value == nil:
	case f.Value.Kind == document.List:
		for e := range f.All() {
			eachTemplate(e, found)
		}
	case f.Value.Kind == document.Mapping:
		for key, e := range f.Entries() {
			if key == "template" && e.Value != nil && e.Value.Kind == document.Mapping {
				found(e)
			}
			eachTemplate(e, found)
		}
	}
}
