package manifest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster/placement/manifest/internal/document"
)

// treeKind is the kind given to a bare list of `{layer, name, parents, children}`.
const treeKind = "topology list"

// objects are what the files hold, in the order of the input.
type objects struct {
	isRead  func(group, kind string) bool // says of which API groups and kinds they are kept
	list    []*object
	broken  []located // documents that are no objects
	seen    map[string]*object
	byTitle map[string]*object // by `Kind/namespace/name`, as ownerReferences name them
	skipped map[Skipped]int
	plain   map[string]plainOwner // by title: owners that make no gangs
	notices *notices
}

// readFile collects the objects of a file.
func (all *objects) readFile(f File) {
	for _, doc := range document.Parse(f.Name, f.Data) {
		if doc.Err != nil {
			all.refuse(f, doc, &Error{Line: doc.Err.Line, Reason: doc.Err.Reason, cause: doc.Err})
			continue
		}
		all.collect(f, doc, doc.Root, "", "")
	}
}

func (all *objects) refuse(f File, doc document.Document, e *Error) {
	e.File, e.Document = f.Name, doc.Number
	all.broken = append(all.broken, located{len(all.list), e})
}

// collect finds the objects in a value: itself, the items of a List, the elements of a JSON list. Items of a typed list
// that name no kind have the list's.
func (all *objects) collect(f File, doc document.Document, v *document.Value, kind, version string) {
	switch v.Kind {
	case document.Null:
	case document.List:
		if isTree(v) {
			all.add(f, doc, v, treeKind, "v1")
			return
		}
		if len(v.Items) > 0 && kind == "" && !slices.ContainsFunc(v.Items, func(e *document.Value) bool { return e.Get("kind") != nil }) {
			all.refuse(f, doc, &Error{Line: v.Line, Reason: "a list neither of objects nor of {layer, name, parents, children}"})
			return
		}
		for _, e := range v.Items {
			all.collect(f, doc, e, kind, version)
		}
	case document.Mapping:
		if k := v.Get("kind"); k != nil && k.Kind == document.Text {
			kind = k.Text
		}
		if a := v.Get("apiVersion"); a != nil && a.Kind == document.Text {
			version = a.Text
		}
		items := v.Get("items")
		switch {
		case kind == "":
			all.refuse(f, doc, &Error{Line: v.Line, Field: "kind", Reason: "missing: not an object"})
		case strings.HasSuffix(kind, "List") && items != nil && items.Kind == document.List:
			for _, e := range items.Items {
				all.collect(f, doc, e, strings.TrimSuffix(kind, "List"), version)
			}
		case strings.HasSuffix(kind, "List") && v.Get("metadata").Get("name") == nil && items == nil:
		case version == "":
			all.refuse(f, doc, &Error{Line: v.Line, Object: kind, Field: "apiVersion", Reason: "missing"})
		default:
			all.add(f, doc, v, kind, version)
		}
	default:
		all.refuse(f, doc, &Error{Line: v.Line, Value: v.Text, Reason: "not an object"})
	}
}

// add keeps an object of a known kind and counts one of any other.
func (all *objects) add(f File, doc document.Document, v *document.Value, kind, version string) {
	o := &object{file: f.Name, document: doc.Number, seq: len(all.list), kind: kind, version: version}
	o.root = field{obj: o, v: v, line: v.Line}
	if kind == treeKind {
		o.name, o.namespace = baseName(f.Name), defaultNamespace
	} else {
		group, _, ok := strings.Cut(version, "/")
		if !ok {
			group = ""
		}
		if !all.isRead(group, kind) {
			all.skip(kind, version)
			all.notePlain(kind, v)
			return
		}
		o.readMetadata(all.notices)
		checkKeys(o, all.notices)
	}
	all.list = append(all.list, o)
	if first := all.seen[o.id()]; first != nil && o.name != "" {
		field{obj: o, base: "metadata.name", line: v.Line}.fail(fmt.Sprintf("duplicate name: %s is in %s, document %d, too",
			o.title(), first.file, first.document))
		o.twin = true
		return
	}
	all.seen[o.id()] = o
	all.byTitle[o.kind+"/"+o.namespace+"/"+o.name] = o
}

// skip counts an object that is not read.
func (all *objects) skip(kind, version string) {
	all.skipped[Skipped{Kind: kind, APIVersion: version}]++
}

// errors joins the defects of all objects but those that are kept apart.
func (all *objects) errors(apart map[*object]bool) error {
	errs := all.broken
	for _, o := range all.list {
		if apart[o] {
			continue
		}
		for _, err := range o.errors {
			errs = append(errs, located{o.seq, err})
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return joinErrors(errs)
}

// isTree recognises a list of `{layer, name, ...}`: every element has both, and none has a kind.
func isTree(v *document.Value) bool {
	for _, e := range v.Items {
		if e.Get("layer") == nil || e.Get("name") == nil || e.Get("kind") != nil {
			return false
		}
	}
	return len(v.Items) > 0
}

// baseName is the name of a file without folder and ending.
func baseName(file string) string {
	name := file[strings.LastIndexAny(file, `/\`)+1:]
	if base, _, ok := strings.Cut(name, "."); ok && base != "" {
		return base
	}
	return name
}
