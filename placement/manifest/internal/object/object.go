// Package object answers: what does one object of the files say, where, and what is wrong with it? It has the objects of an
// input with their owners, the fields of an object with their paths and lines, and notes defects where a field is not what
// its reader wants; it does not know what any kind of object means.
package object

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/placement/manifest/internal/owners"
)

// Object is one Kubernetes-style object, and what is wrong with it.
type Object struct {
	File     string
	Document int
	seq      int // place among all objects, for the order of errors

	Kind, Version   string // as written
	Group           string // of the apiVersion, empty for v1
	Namespace, Name string
	prefix          string // generateName
	Labels          map[string]string
	Annotations     map[string]string
	UID             string
	Created         time.Time // zero if absent
	Deleted         bool      // has a deletion timestamp
	Owners          []Reference

	Root    Field
	Errors  []*Defect
	Unknown []Field         // annotations and labels that nobody knows
	told    map[string]bool // their keys

	noted  map[complaint]bool // what the first of many Errors say
	listed int                // so many
	added  bool               // it was read after Replacing
	gone   bool               // one that was added stands in its place
	part   bool               // it was added, and says no more than how another one is changed
	Twin   bool               // not the first of its name; all of them are wrong
	twins  []*Object          // the others, of the first
}

// Reference is what an object says about the one that made it.
type Reference struct {
	Kind, Name string
	controller bool
}

// clusterScoped are the kinds without a namespace.
var clusterScoped = map[string]bool{
	"Node": true, "NodeResourceTopology": true, "HyperNode": true, "Topology": true, "ClusterNetworkTopology": true, "PriorityClass": true,
	"Queue": true, "WorkloadPriorityClass": true, "Reservation": true,
}

// id is unique among objects of one kind of one API group.
func (o *Object) id() string { return o.Group + "/" + o.Kind + "/" + o.FullName() }

// FullName is `namespace/name`, or the name of an object without namespace.
func (o *Object) FullName() string {
	if clusterScoped[o.Kind] {
		return o.Name
	}
	return o.Namespace + "/" + o.Name
}

// Title is how messages call the object: `HyperNode/rack-1`, `PodGroup/job`, `Workload/team/job`.
func (o *Object) Title() string {
	if o.Kind == "" {
		return o.Name
	}
	if clusterScoped[o.Kind] || o.Namespace == defaultNamespace {
		return o.Kind + "/" + o.Name
	}
	return o.Kind + "/" + o.Namespace + "/" + o.Name
}

const defaultNamespace = "default"

// Note completes a defect and keeps it. A place is looked at more than once, but complains once.
func (o *Object) Note(e *Defect) {
	e.File, e.Document, e.Object = o.File, o.Document, o.Title()
	if !o.complains(complaintOf(e)) {
		o.Errors = append(o.Errors, e)
	}
}

// complaint is what a defect says of an object.
type complaint struct{ field, value, reason string }

func complaintOf(e *Defect) complaint { return complaint{e.Field, e.Value, e.Reason} }

// complains says whether a defect says this already. O(1) expected, where there are many.
func (o *Object) complains(c complaint) bool {
	const few = 16
	if len(o.Errors) <= few {
		return slices.ContainsFunc(o.Errors, func(old *Defect) bool { return complaintOf(old) == c })
	}
	if o.noted == nil {
		o.noted = map[complaint]bool{}
	}
	for ; o.listed < len(o.Errors); o.listed++ {
		o.noted[complaintOf(o.Errors[o.listed])] = true
	}
	return o.noted[c]
}

// readMetadata reads what all objects have in common; kind and apiVersion are known.
func (o *Object) readMetadata(notices *Notices) {
	o.Group, _, _ = strings.Cut(o.Version, "/")
	if !strings.Contains(o.Version, "/") {
		o.Group = ""
	}
	m := o.Root.Sub("metadata")
	o.Name, o.Namespace = m.Get("name").Text(), m.Get("namespace").Text()
	if o.Namespace == "" {
		o.Namespace = defaultNamespace
	}
	if o.prefix = m.Get("generateName").Text(); o.Name == "" && len(o.Errors) == 0 && o.prefix == "" {
		m.Get("name").Fail("missing")
	}
	o.quote(m, notices)
	o.Labels, o.Annotations = m.Get("labels").TextMap(), m.Get("annotations").TextMap()
	o.UID = m.Get("uid").Text()
	o.Created = m.Get("creationTimestamp").Time()
	o.Deleted = m.Get("deletionTimestamp").Present()
	for e := range m.Get("ownerReferences").All() {
		e = e.Mapping()
		o.Owners = append(o.Owners, Reference{Kind: e.Get("kind").Text(), Name: e.Get("name").Text(), controller: e.Get("controller").Flag()})
	}
}

// HasDefectIn says whether a defect is at one of some fields, or below it.
func (o *Object) HasDefectIn(fields ...string) bool {
	return slices.ContainsFunc(o.Errors, func(e *Defect) bool {
		return slices.ContainsFunc(fields, func(f string) bool { return strings.HasPrefix(e.Field, f) })
	})
}

// Annotation is the field of one annotation.
func (o *Object) Annotation(key string) Field {
	return o.inMetadata("metadata.annotations", key)
}

// Label is the field of one label.
func (o *Object) Label(key string) Field { return o.inMetadata("metadata.labels", key) }

// Stated is the field of a label or annotation that is known, see [Stated].
func (o *Object) Stated(key string) Field {
	return o.inMetadata("metadata."+sideOf(o.Root.Value.Get("metadata"), key), key)
}

// Said is the text of a label or annotation that is known, see [Stated]; empty: there is none.
func (o *Object) Said(key string) string {
	switch side := known.SideOf(key); side {
	case known.Nowhere:
		return ""
	case known.Labels:
		return o.Labels[key]
	case known.Annotations:
		return o.Annotations[key]
	default:
		return cmp.Or(o.Annotations[key], o.Labels[key])
	}
}

// Stated is the field of a label or annotation that is known, in the metadata of an object or template, on the side on which it is
// read; of one that is read from either the annotation, if it is there. A key that is in no table is nowhere.
func Stated(meta Field, key string) Field { return meta.Get(sideOf(meta.Value, key)).Get(key) }

// Said is the text that is stated, empty: there is none.
func Said(meta Field, key string) string {
	if v := meta.Value.Get(sideOf(meta.Value, key)).Get(key); v != nil && v.Kind == document.Text {
		return v.Text
	}
	return ""
}

// sideOf is the mapping of metadata in which a key is read.
func sideOf(meta *document.Value, key string) string {
	switch side := known.SideOf(key); {
	case side == known.Nowhere:
		return "nowhere"
	case side == known.Labels, side != known.Annotations && meta.Get("annotations").Get(key) == nil:
		return "labels"
	}
	return "annotations"
}

// inMetadata is the field of a key of a mapping there, whose path is base; none is put together: most are asked for and not there.
func (o *Object) inMetadata(base, key string) Field {
	meta := o.Root.Value.Get("metadata")
	at := meta.Get(strings.TrimPrefix(base, "metadata."))
	f := Field{Of: o, base: base, key: key, Value: at.Get(key), Line: o.Root.Line}
	for _, v := range []*document.Value{meta, at, f.Value} {
		if v != nil {
			f.Line = v.Line
		}
	}
	return f
}

// Time reads a timestamp, zero if absent.
func (f Field) Time() time.Time {
	s := f.Text()
	if s == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		f.Fail("not a timestamp")
		return time.Time{}
	}
	return t.UTC()
}

// Finished says whether a condition of the status shows that the work is done.
func (o *Object) Finished(types ...string) bool {
	for c := range o.Root.Sub("status").Get("conditions").All() {
		c = c.Mapping()
		kind, status := c.Get("type").Text(), c.Get("status").Text()
		for _, t := range types {
			if kind == t && status == "True" {
				return true
			}
		}
	}
	return false
}

// SortedKeys lists the keys of a map in natural order.
func SortedKeys[V any](m map[string]V) []string {
	return slices.SortedFunc(maps.Keys(m), muster.CompareNatural)
}

// Field is a place of the object as package owners tells it.
func (o *Object) Field(at owners.At) Field {
	return Field{Of: o, base: at.Path, Value: at.Value, Line: at.Line}
}
