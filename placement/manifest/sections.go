package manifest

import (
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang/permit"
	"github.com/muster-sched/muster/placement/manifest/internal/lives"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/runs"
)

// section is a set of objects that make gangs with each other, and with no other object.
type section struct {
	items []*item // in order
	found *outcome
	told  bool
}

// pod is a pod without defects as it was read beside a base.
type pod struct {
	object *object.Object
	once   *readOnce
	base   *base
}

// read reads items as if there were no others. Pods that have not changed are not read again.
func (s *Store) read(items []*item) (sec *section, had, asked []string) {
	var notices object.Notices
	objects := object.NewSet(isRead, &notices)
	objects.Names, objects.Plain = object.NewNames(), s.plain
	known, quiet := map[*object.Object]*readOnce{}, make([]bool, len(items))
	for i, it := range items {
		told := len(notices)
		if p := it.pod; p != nil && p.base == s.base {
			objects.Keep(p.object)
			known[p.object] = p.once
		} else {
			objects.Add(it.value.Clone())
		}
		quiet[i] = len(notices) == told
	}
	r := newReader(s.base, objects, &notices, s.base.keys)
	r.pods.known, r.pods.fresh = known, map[*object.Object]*readOnce{}
	r.link()
	queues := r.queuesUsed()
	found := r.finishAll()
	for i, it := range items {
		o := objects.List[i]
		if it.pod = nil; quiet[i] && r.pods.fresh[o] != nil && len(o.Errors) == 0 {
			if it.pod = (&pod{o, r.pods.fresh[o], s.base}); known[o] == nil && it.value.Equal(o.Root.Value) {
				it.value = o.Root.Value // one of the two is enough
			}
		}
	}
	found.queues = queues
	if r.trees.Hinted {
		objects.Names.Ask(object.LayerHint)
	}
	return &section{items: items, found: found}, objects.Names.Had(), objects.Names.Asked()
}

// readDirty reads again what is to be read again. It is done when the base knows all that gangs use.
func (s *Store) readDirty() (done bool) {
	for len(s.dirty) > 0 {
		items := slices.SortedFunc(maps.Keys(s.dirty), compareItems)
		alone := map[*item]*section{}
		var first *item // that was read alone before
		for _, it := range items {
			if !it.alone && !it.namesLike(first) {
				alone[it], it.had, it.asked = s.read([]*item{it})
				first = it
			}
			it.alone = true
			if !it.linked {
				s.links.Remove(it)
				s.links.Add(it, it.had, it.asked)
				it.linked = true
			}
		}
		for _, it := range items {
			if it.section == nil {
				s.place(s.connect(it, alone[it]))
			}
		}
	}
	if s.base.uses(s.queues.Names(), s.keys.Names()) {
		return true
	}
	s.newBase()
	s.dissolveAll()
	return false
}

// connect reads an item with all that make gangs with it. What is asked for may depend on what is there, so it looks until nothing
// new comes up. Alone is the item by itself, if that is known.
func (s *Store) connect(it *item, alone *section) *section {
	for n := 0; ; {
		items := s.links.Together(it)
		if len(items) == 1 && alone != nil {
			return alone
		}
		slices.SortFunc(items, compareItems)
		sec, had, asked := s.read(items)
		if len(items) == n || s.links.Knows(items, had, asked) {
			return sec
		}
		n = len(items)
		s.links.Add(it, had, asked)
		it.linked = false
	}
}

// place makes a section the one of its items.
func (s *Store) place(sec *section) {
	for _, it := range sec.items {
		s.dissolve(it.section)
	}
	for _, it := range sec.items {
		it.section = sec
		delete(s.dirty, it)
	}
	if len(sec.items) == 1 { // which is read again when it is another one
		sec.items[0].pod = nil
	}
	s.sections[sec] = true
	s.queues.Add(sec.found.queues, 1)
	s.keys.Add(sec.found.keys, 1)
	s.told.note(sec)
}

// dissolve takes a section apart: its items are read again.
func (s *Store) dissolve(sec *section) {
	if sec == nil || !s.sections[sec] {
		return
	}
	delete(s.sections, sec)
	s.queues.Add(sec.found.queues, -1)
	s.keys.Add(sec.found.keys, -1)
	s.told.take(sec)
	for _, it := range sec.items {
		it.section, s.dirty[it] = nil, true
	}
}

func (s *Store) dissolveAll() {
	for sec := range s.sections {
		s.dissolve(sec)
	}
}

// dissolveAsking dissolves the sections that ask for a name.
func (s *Store) dissolveAsking(name string) {
	for _, it := range s.links.Asking(name) {
		s.dissolve(it.section)
	}
}

// compareHolds finds the gangs for whom other places are kept.
func (s *Store) compareHolds(c *Changes) {
	var old, now []cluster.Hold
	for _, found := range s.told.gone {
		old = append(old, found.holds...)
	}
	for sec := range s.told.fresh {
		now = append(now, sec.found.holds...)
	}
	c.Delta.Holds = runs.CompareHolds(old, now)
}

// compareLives finds what has happened to gangs.
func (s *Store) compareLives(c *Changes) {
	var names []lives.Name
	now := map[lives.Name]*lives.Life{}
	for _, found := range s.told.gone {
		for _, d := range found.gangs {
			names = append(names, lives.Name{Of: d.name, Plain: d.plain})
		}
	}
	for sec := range s.told.fresh {
		for _, d := range sec.found.gangs {
			d.live(now)
		}
	}
	c.Events = s.told.lives.Become(names, now)
	for _, ref := range slices.SortedFunc(maps.Keys(s.told.moved), runs.CompareRefs) {
		if t := s.told.moved[ref]; s.sections[t.sec] && !s.told.fresh[t.sec] {
			c.Events = append(c.Events, s.told.lives.Member(ref.Gang, ref.Member, t.sec.found.row(ref) != nil)...)
		}
	}
	slices.SortStableFunc(c.Events, func(a, b permit.Event) int { return muster.CompareNatural(a.Gang, b.Gang) })
}
