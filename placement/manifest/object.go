package manifest

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/muster-sched/muster"
)

// koordinatorPrefix begins the keys by which Koordinator speaks of gangs.
const koordinatorPrefix = "gang.scheduling.koordinator.sh/"

// object is one Kubernetes-style object, and what is wrong with it.
type object struct {
	file     string
	document int
	seq      int // place among all objects, for the order of errors

	kind, version   string // as written
	group           string // of the apiVersion, empty for v1
	namespace, name string
	labels          map[string]string
	annotations     map[string]string
	uid             string
	created         time.Time // zero if absent
	deleted         bool      // has a deletion timestamp
	owners          []owner

	root   field
	errors []*Error
	twin   bool // a second object of one name: noted, not read
}

// owner is what an object says about the one that made it.
type owner struct {
	kind, name string
	controller bool
}

// clusterScoped are the kinds without a namespace.
var clusterScoped = map[string]bool{
	"Node": true, "NodeResourceTopology": true, "HyperNode": true, "Topology": true, "ClusterNetworkTopology": true, "PriorityClass": true,
	"Queue": true, "WorkloadPriorityClass": true,
}

// id is unique among objects of one kind of one API group.
func (o *object) id() string { return o.group + "/" + o.kind + "/" + o.fullName() }

// fullName is `namespace/name`, or the name of an object without namespace.
func (o *object) fullName() string {
	if clusterScoped[o.kind] {
		return o.name
	}
	return o.namespace + "/" + o.name
}

// title is how messages call the object: `HyperNode/rack-1`, `PodGroup/job`, `Workload/team/job`.
func (o *object) title() string {
	if o.kind == "" {
		return o.name
	}
	if clusterScoped[o.kind] || o.namespace == defaultNamespace {
		return o.kind + "/" + o.name
	}
	return o.kind + "/" + o.namespace + "/" + o.name
}

const defaultNamespace = "default"

// note completes a defect and keeps it. A place is looked at more than once, but complains once.
func (o *object) note(e *Error) {
	e.File, e.Document, e.Object = o.file, o.document, o.title()
	for _, old := range o.errors {
		if old.Field == e.Field && old.Reason == e.Reason && old.Value == e.Value {
			return
		}
	}
	o.errors = append(o.errors, e)
}

// readMetadata reads what all objects have in common; kind and apiVersion are known.
func (o *object) readMetadata(notices *notices) {
	o.group, _, _ = strings.Cut(o.version, "/")
	if !strings.Contains(o.version, "/") {
		o.group = ""
	}
	m := o.root.sub("metadata")
	o.name, o.namespace = m.get("name").str(), m.get("namespace").str()
	if o.namespace == "" {
		o.namespace = defaultNamespace
	}
	if o.name == "" && len(o.errors) == 0 {
		m.get("name").fail("missing")
	}
	o.quote(m, notices)
	o.labels, o.annotations = m.get("labels").textMap(), m.get("annotations").textMap()
	o.uid = m.get("uid").str()
	o.created = m.get("creationTimestamp").time()
	o.deleted = m.get("deletionTimestamp").present()
	for e := range m.get("ownerReferences").all() {
		e = e.object()
		o.owners = append(o.owners, owner{kind: e.get("kind").str(), name: e.get("name").str(), controller: e.get("controller").flag()})
	}
}

// annotation is the field of one annotation.
func (o *object) annotation(key string) field {
	return o.root.sub("metadata").get("annotations").get(key)
}

// label is the field of one label.
func (o *object) label(key string) field { return o.root.sub("metadata").get("labels").get(key) }

// time reads a timestamp, zero if absent.
func (f field) time() time.Time {
	s := f.str()
	if s == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		f.fail("not a timestamp")
		return time.Time{}
	}
	return t.UTC()
}

// finished says whether a condition of the status shows that the work is done.
func (o *object) finished(types ...string) bool {
	for c := range o.root.sub("status").get("conditions").all() {
		c = c.object()
		kind, status := c.get("type").str(), c.get("status").str()
		for _, t := range types {
			if kind == t && status == "True" {
				return true
			}
		}
	}
	return false
}

// sortedKeys lists the keys of a map in natural order.
func sortedKeys[V any](m map[string]V) []string {
	return slices.SortedFunc(maps.Keys(m), muster.CompareNatural)
}
