package manifest

import (
	"maps"
	"slices"

	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// freshBase brings the base up to date, and notes which gangs that may change.
func (s *Store) freshBase() {
	if s.rebase || s.base == nil {
		s.readBase("")
	} else if hint := s.base.trees.Hint(); !s.follow() {
		s.readBase(hint)
	} else if hint != s.base.trees.Hint() {
		s.dissolveAsking(object.LayerHint)
	}
	maps.Copy(s.told.nodesOf, s.nodes)
	s.nodes, s.classes = map[string]bool{}, map[string]*item{}
	s.rebase = false
}

// follow brings the base up to date where no more than nodes, their zones, and classes are others; false: it is to be read anew.
func (s *Store) follow() bool {
	for _, id := range slices.Sorted(maps.Keys(s.classes)) {
		if s.odd[id] || !s.followClass(id, s.classes[id].header) {
			return false
		}
	}
	moved, keys, names := false, map[string]bool{}, slices.Sorted(maps.Keys(s.nodes))
	for _, name := range names {
		if s.odd[name] {
			return false
		}
		change, ok := s.followNode(name)
		if !ok {
			return false
		}
		moved = moved || change.Moved
		maps.Copy(keys, change.Labels)
	}
	if !s.base.trees.Lie(moved, keys) {
		return true
	}
	s.told.rebuilt = true
	if s.base.trees.Follow(names, func(node string) (map[string]string, bool) {
		n := s.base.nodes.ByName[node]
		if n == nil {
			return nil, false
		}
		return n.Labels, true
	}) {
		return true // of the same layers: it means the same
	}
	meaning := s.base.trees.Meaning()
	sound := s.base.trees.Rebuild()
	if !sound || meaning != s.base.trees.Meaning() {
		s.dissolveAll()
	}
	return sound
}

// followNode reads a node again, with its zones, and takes the sections apart that it may mean something else to; not ok: more is to be read.
func (s *Store) followNode(name string) (change nodes.Change, ok bool) {
	b, id, idOfZones := s.base, "/Node/"+name, "topology.node.k8s.io/"+nodeZones+"/"+name
	node, zones := s.items[id].objectOnce(), s.items[idOfZones].objectOnce()
	calls, was := b.nodes.Calls(name), b.nodes.ByName[name]
	if was != nil {
		b.trees.Count(was.Labels, -1)
	}
	if change, ok = b.zones.Replace(name, node, zones); !ok {
		return change, false
	}
	if is := b.nodes.ByName[name]; is != nil {
		b.trees.Count(is.Labels, 1)
	}
	b.objects.Put(id, node)
	b.objects.Put(idOfZones, zones)
	if change.Seen || change.Moved {
		for _, call := range append(calls, b.nodes.Calls(name)...) {
			s.dissolveAsking(call)
		}
	}
	for _, resource := range change.Reports {
		s.dissolveAsking(object.ResourceName(resource))
	}
	return change, !s.isOdd(name)
}

// followClass reads a class of priorities again, and takes the sections apart that ask for it; not ok: more is to be read.
func (s *Store) followClass(id string, of object.Header) (ok bool) {
	o := s.items[id].objectOnce()
	for _, name := range s.base.priorities.Replace(of.Kind, of.Name, o) {
		s.dissolveAsking(name)
	}
	s.base.objects.Put(id, o)
	return !s.isOdd(id)
}

// readBase reads the base anew. Gangs were told so of labels that look like layers.
func (s *Store) readBase(hint string) {
	old := s.base
	s.newBase()
	if s.rebase || old == nil || old.trees.Meaning() != s.base.trees.Meaning() || !s.base.uses(old.queues, old.keys) {
		s.dissolveAll()
		return
	}
	for name := range s.nodes {
		s.dissolveOn(old, name)
		s.dissolveOn(s.base, name)
	}
	for _, it := range s.classes {
		for _, name := range s.base.priorities.Otherwise(&old.priorities, it.header.Kind, it.header.Name) {
			s.dissolveAsking(name)
		}
	}
	for _, resource := range old.nodes.ReportOtherwise(&s.base.nodes) {
		s.dissolveAsking(object.ResourceName(resource))
	}
	if hint != s.base.trees.Hint() {
		s.dissolveAsking(object.LayerHint)
	}
}

// dissolveOn takes the sections apart that ask for a node, or for its host as a base knows it.
func (s *Store) dissolveOn(b *base, node string) {
	for _, name := range b.nodes.Calls(node) {
		s.dissolveAsking(name)
	}
}

// objectOnce is the object of an item that the base reads alone, made once; nil if there is no such item.
func (it *item) objectOnce() *object.Object {
	if it == nil {
		return nil
	}
	if it.object == nil {
		objects := object.NewSet(isRead, &it.notices)
		objects.Add(it.value.Clone())
		it.object = objects.List[0]
	}
	return it.object
}

// isOdd says whether a node by its name, or its zones, or a class by its id, have defects or notices, which the base keeps.
func (s *Store) isOdd(name string) bool {
	for _, it := range []*item{s.items["/Node/"+name], s.items["topology.node.k8s.io/"+nodeZones+"/"+name], s.items[name]} {
		if it != nil && len(it.object.Errors)+len(it.notices) > 0 {
			return true
		}
	}
	return false
}

// newBase reads the base from its objects, with the queues and keys that gangs use.
func (s *Store) newBase() {
	var notices object.Notices
	named := map[string]bool{}
	objects := object.NewSet(isRead, &notices)
	for _, it := range slices.SortedFunc(maps.Values(s.items), compareItems) {
		switch name := it.header.Group + "/" + it.header.Kind; {
		case clusterKinds[name] == nil:
		case name == "/Node" || it.header.Kind == nodeZones:
			objects.Keep(it.objectOnce())
			notices = append(notices, it.notices...)
			named[it.header.Name] = true
		case classKinds[name]:
			objects.Keep(it.objectOnce())
			notices = append(notices, it.notices...)
			named[it.id] = true
		default:
			objects.Add(it.value.Clone())
		}
	}
	b := newBase(s.opt, objects, &notices)
	if s.base != nil {
		b.zones.Again(&s.base.zones)
		b.trees.Again(&s.base.trees)
	}
	b.read()
	if s.base != nil && len(s.nodes) == 0 {
		b.trees.Counted(&s.base.trees)
	}
	b.queues, b.keys = s.queues.Names(), s.keys.Names()
	maps.DeleteFunc(b.queues, func(name string, _ bool) bool { return !b.quotas.HasQueue(name) })
	b.quotas.Build(b.queues)
	maps.DeleteFunc(named, func(name string, _ bool) bool { return !s.isOdd(name) })
	s.base, s.odd = b, named
	s.told.based = true
}

// uses says whether the base was read with what gangs use.
func (b *base) uses(queues, keys map[string]bool) bool {
	return maps.Equal(b.queues, queues) && maps.Equal(b.keys, keys)
}

// outcome is what is wrong with the base itself.
func (b *base) outcome() *outcome {
	return &outcome{held: nodes.Held{}, fatal: b.objects.Errors(nil)}
}
