package object

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/document"
)

// TreeKind is the kind given to a bare list of `{layer, name, parents, children}`.
const TreeKind = "topology list"

// Set are what the files hold, in the order of the input.
type Set struct {
	isRead    func(group, kind string) bool // says of which API groups and kinds they are kept
	List      []*Object
	broken    []Located // documents that are no objects
	Seen      map[string]*Object
	byTitle   map[string]*Object // by `Kind/namespace/name`, as ownerReferences name them
	Skipped   map[KindCount]int
	unnamed   []*Object             // that have a generateName only
	Plain     map[string]PlainOwner // by title: owners that make no gangs
	plainHere map[string]*Object    // those of them that were asked for
	Names     *Names                // what is asked for; nil: nobody wants to know
	// Replaced are the objects in whose place others stand, as `PodGroup/job of a.yaml by b.yaml`; see Replacing.
	Replaced  []string
	replacing bool
	held      map[*Object]Notices // of objects that may be forgotten yet; nil: all stay
	notices   *Notices
	verdicts  verdicts        // of keys of metadata
	budget    document.Budget // of all files
}

// KindCount is a kind of which objects are counted.
type KindCount struct{ Kind, Version string }

// NewSet keeps the objects of which isRead says so, by API group and kind.
func NewSet(isRead func(group, kind string) bool, notices *Notices) *Set {
	return &Set{isRead: isRead, Seen: map[string]*Object{}, byTitle: map[string]*Object{}, Skipped: map[KindCount]int{}, Plain: map[string]PlainOwner{}, notices: notices, verdicts: verdicts{}}
}

// ReadFile collects the objects of a file: of its bytes or, if it can be opened, of what is read there.
func (all *Set) ReadFile(f string, data []byte, open func() (io.ReadCloser, error)) {
	var docs []document.Document
	if open == nil {
		docs = document.Parse(f, data, &all.budget)
	} else {
		in, err := open()
		if err != nil {
			all.refuse(f, document.Document{Number: 1}, &Defect{Reason: err.Error(), Cause: err})
			return
		}
		docs = document.Read(f, in, &all.budget)
		_ = in.Close()
	}
	if f != "" && document.HoldNothing(docs) {
		all.notices.Add(f + ": holds nothing")
	}
	for i, doc := range docs {
		docs[i].Root = nil // what it holds is kept where it is an object that is read
		if doc.Err != nil {
			all.refuse(f, doc, &Defect{Line: doc.Err.Line, Reason: doc.Err.Reason, Cause: doc.Err})
			continue
		}
		all.collect(f, doc, doc.Root, "", "")
	}
}

// mostBroken bounds the documents without an object whose errors are told: who has more is not helped by them.
const mostBroken = 1 << 16

func (all *Set) refuse(f string, doc document.Document, e *Defect) {
	if len(all.broken) >= mostBroken {
		return
	}
	e.File, e.Document = f, doc.Number
	all.broken = append(all.broken, Located{len(all.List), nil, e})
}

// collect finds the objects in a value: itself, the items of a List, the elements of a JSON list. Items of a typed list
// that name no kind have the list's.
func (all *Set) collect(f string, doc document.Document, v *document.Value, kind, version string) {
	switch v.Kind {
	case document.Null:
	case document.List:
		if IsTree(v) {
			all.add(f, doc, v, TreeKind, "v1")
			return
		}
		if len(v.Items) > 0 && kind == "" && !slices.ContainsFunc(v.Items, func(e *document.Value) bool { return e.Get("kind") != nil }) {
			all.refuse(f, doc, &Defect{Line: v.Line, Reason: "a list neither of objects nor of {layer, name, parents, children}"})
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
		case len(v.Keys) == 0:
			all.refuse(f, doc, &Defect{Line: v.Line, Reason: "not an object: holds nothing"})
		case kind == "":
			all.refuse(f, doc, &Defect{Line: v.Line, Field: "kind", Reason: "missing: not an object"})
		case strings.HasSuffix(kind, "List") && items != nil && items.Kind == document.List:
			for _, e := range items.Items {
				all.collect(f, doc, e, strings.TrimSuffix(kind, "List"), version)
			}
		case strings.HasSuffix(kind, "List") && v.Get("metadata").Get("name") == nil && items == nil:
		case version == "":
			all.refuse(f, doc, &Defect{Line: v.Line, Object: nameless(kind, v), Field: "apiVersion", Reason: "missing"})
		default:
			all.add(f, doc, v, kind, version)
		}
	default:
		all.refuse(f, doc, &Defect{Line: v.Line, Value: v.Text, Reason: "not an object"})
	}
}

// nameless is what an object is called of which no more is known than its kind, and its name if it has one.
func nameless(kind string, v *document.Value) string {
	if name := v.Get("metadata").Get("name"); name != nil && name.Kind == document.Text {
		return kind + "/" + name.Text
	}
	return kind
}

// Add keeps an object that stands in no file.
func (all *Set) Add(v *document.Value) {
	all.add("", document.Document{}, v, v.Get("kind").Text, v.Get("apiVersion").Text)
}

// Keep keeps an object of another set.
func (all *Set) Keep(o *Object) {
	o.seq = len(all.List)
	all.register(o)
	all.List = append(all.List, o)
}

// Put keeps an object of another set in place of the one of its ID; nil: there is none. The ID is that of an object whose name no other has.
// O(objects), to find it.
func (all *Set) Put(id string, o *Object) {
	old := all.Seen[id]
	switch at := slices.Index(all.List, old); {
	case old == nil && o == nil:
		return
	case old == nil:
		all.List = append(all.List, o)
	case o == nil:
		all.List = slices.Delete(all.List, at, at+1)
		delete(all.Seen, id)
		delete(all.byTitle, old.Kind+"/"+old.Namespace+"/"+old.Name)
		return
	default:
		all.List[at] = o
	}
	all.register(o)
}

// Header is what tells an object from all others.
type Header struct{ Group, Kind, Version, Namespace, Name string }

// ReadHeader reads what an object is called; an error tells what it lacks.
func ReadHeader(v *document.Value) (h Header, err error) {
	o := &Object{}
	root := Field{Of: o, Value: v}.Mapping()
	h.Kind, h.Version = root.Get("kind").Required(), root.Get("apiVersion").Required()
	if group, _, ok := strings.Cut(h.Version, "/"); ok {
		h.Group = group
	}
	meta := root.Sub("metadata")
	h.Name, h.Namespace = meta.Get("name").Required(), cmp.Or(meta.Get("namespace").Text(), defaultNamespace)
	if clusterScoped[h.Kind] {
		h.Namespace = ""
	}
	if len(o.Errors) > 0 {
		e := o.Errors[0]
		return h, &muster.InvalidError{Field: cmp.Or(e.Field, "object"), Value: e.Value, Reason: e.Reason}
	}
	return h, nil
}

// ID is unique among objects of one kind of one API group.
func (h Header) ID() string {
	o := Object{Group: h.Group, Kind: h.Kind, Namespace: h.Namespace, Name: h.Name}
	return o.id()
}

// add keeps an object of a known kind and counts one of any other.
func (all *Set) add(f string, doc document.Document, v *document.Value, kind, version string) {
	v, isPart := all.completed(kind, version, v)
	o := &Object{File: f, Document: doc.Number, seq: len(all.List), Kind: kind, Version: version, added: all.replacing, part: isPart}
	o.Root = Field{Of: o, Value: v, Line: v.Line}
	if kind == TreeKind {
		o.Name, o.Namespace = baseName(f), defaultNamespace
	} else {
		group, _, ok := strings.Cut(version, "/")
		if !ok {
			group = ""
		}
		if !all.isRead(group, kind) {
			all.Skip(kind, version)
			if IsPlainOwner(kind) {
				title, owner := ReadPlainOwner(kind, v)
				all.Plain[title] = owner
			}
			return
		}
		var said Notices
		o.readMetadata(&said)
		checkKeys(o, all.verdicts, &said)
		all.note(o, said...)
	}
	if o.Name == "" && o.prefix != "" {
		all.unnamed = append(all.unnamed, o)
	} else if o = all.enter(o); o == nil {
		return
	}
	all.List = append(all.List, o)
}

// enter gives an object its name, unless one of that name says the same already. Two that say different things are both wrong:
// which of them is meant nobody knows. The one that stands first by file and document is read, in whatever order they come; what
// enter returns is the one that comes behind all others.
func (all *Set) enter(o *Object) *Object {
	first := all.Seen[o.id()]
	switch {
	case o.Name == "":
	case first == nil:
		all.register(o)
	case o.added && !first.added:
		for _, old := range append(first.twins, first) {
			old.gone = true
		}
		all.Replaced = append(all.Replaced, o.replaces(first))
		all.register(o)
	case slices.ContainsFunc(append(first.twins, first), func(t *Object) bool { return t.Root.Value.Equal(o.Root.Value) }):
		all.note(first, o.Title()+" is in the input twice, and says the same: it counts once")
		return nil
	default:
		o.contradicts(first)
		if len(first.twins) == 0 { // else it is said already
			first.contradicts(o)
		}
		if cmp.Or(muster.CompareNatural(o.File, first.File), cmp.Compare(o.Document, first.Document)) < 0 {
			all.List[slices.Index(all.List, first)] = o
			all.register(o)
			o.twins, first.twins = first.twins, nil
			o, first = first, o
		}
		first.twins, o.Twin = append(first.twins, o), true
	}
	return o
}

// note notes what is worth saying of an object.
func (all *Set) note(o *Object, said ...string) {
	if all.held != nil {
		all.held[o] = append(all.held[o], said...)
		return
	}
	*all.notices = append(*all.notices, said...)
}

// HoldNotices keeps what is worth saying of objects until Tell, since some of them may be forgotten.
func (all *Set) HoldNotices() { all.held = map[*Object]Notices{} }

// Tell notes what is worth saying of the objects that are left.
func (all *Set) Tell() {
	for _, o := range all.List {
		*all.notices = append(*all.notices, all.held[o]...)
	}
	all.held = nil
}

// Copy is a set of the same objects, for a reading that is thrown away, and which object each of its own is a copy of.
func (all *Set) Copy() (copied *Set, of map[*Object]*Object) {
	copied, of = NewSet(all.isRead, &Notices{}), map[*Object]*Object{}
	copied.Plain = maps.Clone(all.Plain)
	for _, o := range all.List {
		next := *o
		next.Root = Field{Of: &next, Value: o.Root.Value.Clone(), Line: o.Root.Line}
		next.Errors, next.noted, next.listed = slices.Clone(o.Errors), nil, 0
		copied.List = append(copied.List, &next)
		if of[&next] = o; all.Seen[o.id()] == o {
			copied.register(&next)
		}
	}
	return copied, of
}

// Replacing says that objects which are read from now on stand in place of those of the same names that were read before. These are
// forgotten with the next Drop.
func (all *Set) Replacing() { all.replacing = true }

// Drop forgets objects.
func (all *Set) Drop(gone func(o *Object) bool) {
	all.List = slices.DeleteFunc(all.List, func(o *Object) bool {
		if !o.gone && !gone(o) {
			return false
		}
		if all.Seen[o.id()] == o {
			delete(all.Seen, o.id())
			delete(all.byTitle, o.Kind+"/"+o.Namespace+"/"+o.Name)
		}
		return true
	})
}

// register makes an object found by its name.
func (all *Set) register(o *Object) {
	all.Seen[o.id()] = o
	title := o.Kind + "/" + o.Namespace + "/" + o.Name
	all.Names.Have(title)
	all.byTitle[title] = o
}

// contradicts notes that another object of the same name says something else.
func (o *Object) contradicts(other *Object) {
	Field{Of: o, base: "metadata.name", Line: o.Root.Line}.Fail(fmt.Sprintf("duplicate name: %s is in %s, document %d, too",
		o.Title(), other.File, other.Document))
}

// MakeUpNames names objects that the API server would name, by their generateName, when those with names are known.
func (all *Set) MakeUpNames() {
	for _, o := range all.unnamed {
		for n := 0; o.Name == "" || all.Seen[o.id()] != nil; n++ {
			o.Name = o.prefix + strconv.Itoa(n)
		}
		all.register(o)
		all.note(o, o.Title()+": the name is made up, since the object has a generateName only")
	}
}

// Skip counts an object that is not read.
func (all *Set) Skip(kind, version string) {
	all.Skipped[KindCount{kind, version}]++
}

// Errors joins the defects of all objects but those that are kept apart.
func (all *Set) Errors(apart map[*Object]bool) []Located {
	errs := all.broken
	for _, o := range all.List {
		if apart[o] {
			continue
		}
		for _, err := range o.Errors {
			errs = append(errs, Located{o.seq, o, err})
		}
	}
	return errs
}

// IsTree recognises a list of `{layer, name, ...}`: every element has both, and none has a kind.
func IsTree(v *document.Value) bool {
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
