package manifest

import (
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/assumed"
	"github.com/muster-sched/muster/placement/manifest/internal/links"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Store is for hosts that have objects decoded already and see them change one by one, as an informer does: it reads what [Read]
// reads, without files, and tells what changed. An object that changes is read again together with those that make gangs with it,
// and no other; a class of priorities alone, with the gangs that ask for it; a node alone, and with it the topologies that depend on it: on one of its labels or, where it comes or goes, all. The rest
// of what gangs refer to (topologies, quotas, budgets, nodes and classes with defects)
// is read again as a whole where some of it changes, and then all gangs if it may mean something else to them. An object that says
// what it said is only compared, and where a pod changes its status, gets a node, is over or leaves, see restate and isMoved, most gangs are not read again.
//
// The order of objects changes nothing. A Store is not safe for concurrent use.
type Store struct {
	opt     Options
	items   map[string]*item
	named   map[object.Naming]*item      // the same, by what they call themselves
	plain   map[string]object.PlainOwner // by title
	assumed assumed.Pods                 // by item: what runs by what a host says
	links   links.Graph[*item]           // of what makes gangs

	base         *base       // nil: to be read
	queues, keys links.Count // used by gangs, see outcome
	sections     map[*section]bool

	// What is to be read again: items of gangs, nodes by name, classes, and the base.
	dirty   map[*item]bool
	nodes   map[string]bool
	classes map[string]*item // of priorities: who was or is there, by id
	rebase  bool
	odd     map[string]bool // nodes by name, and classes by id, with defects or notices, which the base keeps
	told    told
}

// item is an object of the store.
type item struct {
	id     string
	header object.Header
	naming object.Naming
	value  *document.Value

	object     *object.Object // of a node, its zones, or a class of priorities, which are read once
	notices    object.Notices // of the object
	pod        *pod           // as it was read with others; nil: it is to be read
	section    *section       // that it makes with others, if it makes gangs
	alone      bool           // has been read alone, for these names:
	had, asked []string
	linked     bool // by these alone, and not by those of others beside it
}

// NewStore has no objects yet. Options.KeepGoing is on: what is wrong with an object stops only what depends on it.
func NewStore(opt Options) *Store {
	opt.KeepGoing = true
	return &Store{
		opt: opt, items: map[string]*item{}, named: map[object.Naming]*item{}, plain: map[string]object.PlainOwner{}, assumed: assumed.Pods{}, queues: links.Count{}, keys: links.Count{},
		sections: map[*section]bool{}, dirty: map[*item]bool{}, nodes: map[string]bool{}, classes: map[string]*item{}, told: newTold(),
	}
}

// Set adds an object, or replaces the one of its API group, kind, namespace and name: a map as encoding/json or an unstructured
// client decodes it, with int64 or float64 for numbers, lists and mappings of texts typed or not. It is not kept, and may change afterwards. The error is a
// [muster.InvalidError]: the object lacks what names it, is a List, whose items are to be set one by one, or holds what is not
// JSON, as a text that is not UTF-8. Whatever else is wrong with it [Store.Changes] tells. O(object).
func (s *Store) Set(obj map[string]any) error {
	if err := s.made(); err != nil {
		return err
	}
	name := object.NamingOf(obj)
	if old := s.named[name]; old != nil && !s.assumed.Has(old.id) && old.value.Says(obj) {
		return nil
	}
	value, header, err := readPlain(obj)
	if err != nil {
		return err
	}
	s.put(&item{id: header.ID(), header: header, naming: name, value: s.assumed.Read(header.ID(), value)})
	return nil
}

// put adds an item, or replaces the one of its id.
func (s *Store) put(it *item) {
	old := s.items[it.id]
	if old != nil {
		if old.value.Equal(it.value) || s.restate(old, it.value) || s.isMoved(old, it.value) {
			return // nothing that is read
		}
		delete(s.named, old.naming)
	}
	s.items[it.id], s.named[it.naming] = it, it
	s.replace(old, it)
}

// Assume lets a pod run on a node before its object says so: a host has bound it, or is about to. Objects of the pod without a node change
// nothing about that, since they may be older. It ends with an object that names a node, whichever, with another pod of that name (by its UID), with
// [Store.Delete] and with [Store.Forget]. Of pod nothing is read but what names it. The error is a [muster.InvalidError]: the store has no such pod, or
// its object names a node.
func (s *Store) Assume(pod map[string]any, node string) error {
	old, err := s.podItem(pod)
	if err != nil {
		return err
	}
	field := "pod " + old.header.Namespace + "/" + old.header.Name
	switch at := old.value.TextAt("spec", "nodeName"); {
	case node == "":
		return &muster.InvalidError{Field: field, Reason: "no node is named for it"}
	case at != "" && !s.assumed.Has(old.id):
		return &muster.InvalidError{Field: field, Value: at, Reason: "has a node"}
	}
	s.put(&item{id: old.id, header: old.header, naming: old.naming, value: s.assumed.Add(old.id, old.value, node)})
	return nil
}

// Forget ends what [Store.Assume] said of a pod: it waits again, unless its object names a node by now. One of which nothing is assumed is no
// error.
func (s *Store) Forget(pod map[string]any) error {
	old, err := s.podItem(pod)
	if err != nil {
		return err
	}
	if value, is := s.assumed.Forget(old.id, old.value); is {
		s.put(&item{id: old.id, header: old.header, naming: old.naming, value: value})
	}
	return nil
}

// podItem is the item of a pod.
func (s *Store) podItem(pod map[string]any) (*item, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	old, header, err := s.item(pod)
	if err != nil {
		return nil, err
	}
	if old == nil || !isPod(header) {
		return nil, &muster.InvalidError{Field: header.Kind + " " + header.Namespace + "/" + header.Name, Reason: "no such pod is in the store"}
	}
	return old, nil
}

// item is the one of an object's name; nil: there is none.
func (s *Store) item(obj map[string]any) (*item, object.Header, error) {
	if old := s.named[object.NamingOf(obj)]; old != nil {
		return old, old.header, nil
	}
	_, header, err := readPlain(obj)
	return s.items[header.ID()], header, err
}

// Delete forgets the object of the same API group, kind, namespace and name; more of it is not looked at. One that is not there is
// no error.
func (s *Store) Delete(obj map[string]any) error {
	if err := s.made(); err != nil {
		return err
	}
	old, _, err := s.item(obj)
	if err != nil {
		return err
	}
	if old != nil {
		delete(s.assumed, old.id)
		delete(s.items, old.id)
		delete(s.named, old.naming)
		if !s.isMoved(old, nil) {
			s.replace(old, nil)
		}
	}
	return nil
}

// made says whether there is a store.
func (s *Store) made() error {
	if s == nil || s.items == nil {
		return &muster.InvalidError{Field: "store", Reason: "nil, or not made by NewStore"}
	}
	return nil
}

func readPlain(obj map[string]any) (*document.Value, object.Header, error) {
	value, err := document.FromPlain(obj)
	if err != nil {
		return nil, object.Header{}, &muster.InvalidError{Field: "object", Reason: err.Error()}
	}
	header, err := object.ReadHeader(value)
	return value, header, err
}

// replace notes what is to be read again for an object that takes the place of another one; nil: there is none.
func (s *Store) replace(old, it *item) {
	some := it
	if some == nil {
		some = old
	}
	switch name := some.header.Group + "/" + some.header.Kind; {
	case name == "/Node" || some.header.Kind == nodeZones:
		s.nodes[some.header.Name] = true
		if old != nil && old.object != nil {
			s.base.zones.Forget(old.object)
		}
	case classKinds[name]:
		s.classes[some.id] = some
	case clusterKinds[name] != nil:
		s.rebase = true
	case isRead(some.header.Group, some.header.Kind):
		if old != nil {
			s.dissolve(old.section)
			s.links.Remove(old)
			delete(s.dirty, old)
		}
		if it != nil {
			s.dirty[it] = true
		}
	case object.IsPlainOwner(some.header.Kind):
		title, owner := object.ReadPlainOwner(some.header.Kind, some.value)
		if delete(s.plain, title); it != nil {
			s.plain[title] = owner
		}
		s.dissolveAsking(title)
	}
}

// nodeZones is the kind of objects that describe the zones of the node of their name.
const nodeZones = "NodeResourceTopology"

// Input is everything that the store holds, as Read gives it for the same objects with Options.KeepGoing, as of the last call of
// Changes; what Read refuses whole is among the defects. Errors name no file. O(n log n).
func (s *Store) Input() *Input {
	if err := s.made(); err != nil {
		return &Input{Defects: []error{err}}
	}
	if s.base == nil {
		s.newBase()
	}
	skipped := maps.Clone(s.base.objects.Skipped)
	for _, it := range s.items {
		if !isRead(it.header.Group, it.header.Kind) {
			skipped[object.KindCount{Kind: it.header.Kind, Version: it.header.Version}]++
		}
	}
	found := []*outcome{s.base.outcome()}
	for _, sec := range slices.SortedFunc(maps.Keys(s.sections), func(a, b *section) int { return compareItems(a.items[0], b.items[0]) }) {
		found = append(found, sec.found)
	}
	return s.base.input(found, skipped)
}

func compareItems(a, b *item) int { return muster.CompareNatural(a.id, b.id) }
