package manifest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang/permit"
	"github.com/muster-sched/muster/placement/manifest/internal/budgets"
	"github.com/muster-sched/muster/placement/manifest/internal/lives"
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
	"github.com/muster-sched/muster/placement/manifest/internal/runs"
	"github.com/muster-sched/muster/quota"
)

// Changes are what the calls of Set and Delete since the last call of Changes have changed. It belongs to the caller.
type Changes struct {
	// Delta makes of the cluster as it was the cluster as it is. It is observed: what a host did to its cluster in the meantime, such as
	// Apply of a plan, never makes it a conflict.
	Delta cluster.Delta
	// Rebuild says that no Delta can tell the change, since quotas are others, a topology is gone or there was no node, and so no
	// cluster: Delta is empty, and a new cluster is to be made of Input.
	Rebuild bool
	// Gangs are those that wait and are new, or whose request or terms are not as they were, in queue order; Gone are the names of
	// those that wait no longer, in natural order.
	Gangs []Gang
	Gone  []string
	// Events are what has happened to gangs, waiting or not, and to their pods, for [permit.Lifecycle]: seen, bound and deleted, and which terms. By
	// gang, then by member, in natural order; the times are the host's. A pod in no gang is a member without one, by its namespace and name.
	Events []permit.Event
	// Defects and Notices are those that were not there before. A defect of a waiting gang is its Err.
	Defects []error
	Notices []string
}

// told is what the caller knows, and what of it may be otherwise now.
type told struct {
	trees   []cluster.NamedTree
	quotas  *quota.Tree
	nodes   map[string]cluster.Node
	demand  map[string]muster.Resources
	budgets map[string]cluster.Budget
	texts   map[string]bool // defects and notices of the base
	ofTrees map[string]bool // notices of the trees of its nodes

	based   bool            // the base is another one
	rebuilt bool            // its trees are others
	nodesOf map[string]bool // nodes that may be otherwise
	sums    bool            // what sections add up to may be
	held    nodes.Held
	bound   budgets.Counts
	gone    []*outcome        // of sections that were told and are no more
	fresh   map[*section]bool // that are not told

	// What was told of sections of which a part is another thing, and that were not read again: of members, of gangs that wait and of minima.
	moved  map[cluster.MemberRef]asTold[*cluster.Running] // nil: it did not run
	waited map[string]asTold[Gang]
	least  map[string]asTold[int]

	lives lives.Told
}

// asTold is what was told of a section.
type asTold[T any] struct {
	was T
	sec *section
}

// remember keeps what was told of a section, the first time.
func remember[K comparable, T any](to map[K]asTold[T], key K, was T, sec *section) {
	if _, is := to[key]; sec.told && !is {
		to[key] = asTold[T]{was, sec}
	}
}

// move remembers a member as it was told; nil: it did not run.
func (t *told) move(sec *section, ref cluster.MemberRef, m *cluster.Running) {
	if m != nil {
		was := *m
		m = &was
	}
	remember(t.moved, ref, m, sec)
}

func newTold() told {
	return told{
		nodes: map[string]cluster.Node{}, demand: map[string]muster.Resources{}, budgets: map[string]cluster.Budget{},
		nodesOf: map[string]bool{}, fresh: map[*section]bool{}, held: nodes.Held{},
		moved: map[cluster.MemberRef]asTold[*cluster.Running]{}, waited: map[string]asTold[Gang]{}, least: map[string]asTold[int]{},
		lives: lives.Told{},
	}
}

// note remembers that a section is new.
func (t *told) note(sec *section) {
	t.fresh[sec] = true
	t.touch(sec.found)
}

// take remembers that a section is no more.
func (t *told) take(sec *section) {
	if sec.told {
		t.gone = append(t.gone, sec.found)
	}
	delete(t.fresh, sec)
	t.touch(sec.found)
}

func (t *told) touch(found *outcome) {
	for name := range found.held {
		t.nodesOf[name] = true
	}
	t.sums = t.sums || len(found.held)+len(found.bound)+len(found.demand) > 0
}

// Changes reads what was set, and forgets what was deleted, since the last call, and tells what that changes: gangs that an object
// makes with others cost O(their members), a node O(log nodes) beside its gangs or, where it moves in a topology, what that costs to build, what
// else gangs refer to O(all objects). The first call tells everything.
func (s *Store) Changes() *Changes {
	if err := s.made(); err != nil {
		return &Changes{Defects: []error{err}}
	}
	if s.isTold() {
		return &Changes{Rebuild: len(s.told.nodes) == 0}
	}
	s.freshBase()
	for !s.readDirty() {
	}
	c := &Changes{}
	s.compareGangs(c)
	s.compareRunning(c)
	s.compareHolds(c)
	s.compareLives(c)
	s.compareBase(c)
	s.compareTexts(c)
	c.Delta.Observed = !reflect.ValueOf(c.Delta).IsZero()
	t := &s.told
	for sec := range t.fresh {
		sec.told = true
	}
	t.based, t.rebuilt, t.sums, t.gone = false, false, false, nil
	// Maps are new: one that has been large is walked through in full, however little is in it.
	s.dirty, t.fresh, t.nodesOf = map[*item]bool{}, map[*section]bool{}, map[string]bool{}
	clear(t.moved)
	clear(t.waited)
	clear(t.least)
	return c
}

// isTold says whether nothing was set or deleted since the last call of Changes that is read.
func (s *Store) isTold() bool {
	t := &s.told
	return s.base != nil && !s.rebase && len(s.nodes)+len(s.classes)+len(s.dirty) == 0 &&
		!t.based && !t.sums && len(t.nodesOf)+len(t.gone)+len(t.fresh)+len(t.moved) == 0
}

// compareGangs finds the gangs that wait and are others.
func (s *Store) compareGangs(c *Changes) {
	old := map[string]Gang{}
	for _, found := range s.told.gone {
		for _, q := range found.waiting {
			old[q.Request.Name] = q
		}
	}
	var changed []Gang
	for name, t := range s.told.waited {
		if old[name] = t.was; !s.sections[t.sec] {
			continue
		}
		if i := slices.IndexFunc(t.sec.found.waiting, func(q Gang) bool { return q.Request.Name == name }); i >= 0 { // with fewer members
			changed = append(changed, t.sec.found.waiting[i])
			delete(old, name)
		}
	}
	for sec := range s.told.fresh {
		for _, q := range sec.found.waiting {
			if was, is := old[q.Request.Name]; !is || !was.same(&q) {
				changed = append(changed, q)
			}
			delete(old, q.Request.Name)
		}
	}
	sortQueue(changed)
	c.Gangs, c.Gone = changed, object.SortedKeys(old)
}

// same says whether nothing that the caller sees of a gang, or its place in the queue, is another one.
func (g *Gang) same(o *Gang) bool {
	return fmt.Sprint(g.Err) == fmt.Sprint(o.Err) && g.Created.Equal(o.Created) && g.UID == o.UID && g.Plain == o.Plain && g.namespace == o.namespace && maps.Equal(g.promised, o.promised) &&
		g.Total == o.Total && maps.Equal(g.Ignored, o.Ignored) && reflect.DeepEqual(g.Terms, o.Terms) && reflect.DeepEqual(g.Request, o.Request)
}

// compareRunning finds the members that run and are others.
func (s *Store) compareRunning(c *Changes) {
	old := map[cluster.MemberRef]cluster.Running{}
	for _, found := range s.told.gone {
		for _, m := range found.running {
			if least, is := s.told.least[m.Gang]; is {
				m.MinMember = least.was
			}
			old[runs.Ref(&m)] = m
		}
	}
	var now []cluster.Running
	for ref, t := range s.told.moved {
		row := t.sec.found.row(ref)
		if !s.sections[t.sec] {
			row = nil
		}
		if row != nil {
			now = append(now, *row)
		}
		if delete(old, ref); t.was != nil {
			was := *t.was
			if least, is := s.told.least[ref.Gang]; is && row != nil { // which is told of all
				was.MinMember = row.MinMember
			} else if is {
				was.MinMember = least.was
			}
			old[ref] = was
		}
	}
	for sec := range s.told.fresh {
		now = append(now, sec.found.running...)
	}
	runs.Compare(old, now, &c.Delta)
	s.compareMinima(c)
}

// compareBase finds the nodes, quotas and budgets that are others.
func (s *Store) compareBase(c *Changes) {
	t := &s.told
	if t.sums {
		s.addUp(c)
	}
	c.Rebuild = len(t.nodes) == 0
	if t.based {
		for name := range t.nodes {
			t.nodesOf[name] = true
		}
		for name := range s.base.nodes.ByName {
			t.nodesOf[name] = true
		}
	}
	for _, name := range object.SortedKeys(t.nodesOf) {
		was, is := t.nodes[name]
		switch n := s.base.zones.CountedNode(name, t.held); {
		case n == nil && is:
			c.Delta.RemoveNodes = append(c.Delta.RemoveNodes, name)
			delete(t.nodes, name)
		case n != nil && (!is || !reflect.DeepEqual(was, *n)):
			c.Delta.SetNodes = append(c.Delta.SetNodes, *n)
			t.nodes[name] = *n
		}
	}
	budgets := s.base.budgets.Allowed(t.bound)
	for _, b := range budgets {
		if was, is := t.budgets[b.Name]; !is || was != b {
			c.Delta.Budgets = append(c.Delta.Budgets, b)
			t.budgets[b.Name] = b
		}
	}
	if t.based {
		quotas := s.base.quotas.Tree
		c.Rebuild = c.Rebuild || !reflect.DeepEqual(quotas, t.quotas)
		t.quotas = quotas
	}
	if t.based || t.rebuilt {
		trees := s.base.trees.Lookup(s.base.keys).All()
		c.Rebuild = !s.changeTrees(c, trees) || c.Rebuild
		t.trees = trees
	}
	if c.Rebuild { // a cluster made anew has no budgets but these
		c.Delta, t.budgets = cluster.Delta{}, map[string]cluster.Budget{}
		for _, b := range budgets {
			t.budgets[b.Name] = b
		}
	}
}

// changeTrees finds the topologies that are others; false if one is gone, or has no node any more.
func (s *Store) changeTrees(c *Changes, now []cluster.NamedTree) bool {
	left := len(s.told.trees)
	for _, t := range now {
		i := slices.IndexFunc(s.told.trees, func(old cluster.NamedTree) bool { return old.Name == t.Name })
		if i >= 0 {
			left--
		}
		switch {
		case t.Tree.NumNodes() == 0:
			return false
		case i < 0 || !t.Tree.Equal(s.told.trees[i].Tree):
			c.Delta.Trees = append(c.Delta.Trees, t)
		}
	}
	return left == 0
}

// addUp sums up what sections hold of zones, count in budgets and ask for.
func (s *Store) addUp(c *Changes) {
	t := &s.told
	t.held, t.bound = nodes.Held{}, budgets.Counts{}
	var demand map[string]muster.Resources
	for sec := range s.sections {
		t.held.Add(sec.found.held)
		t.bound.Add(sec.found.bound)
		demand = quotas.AddDemand(demand, sec.found.demand)
	}
	for name := range t.demand {
		if demand[name] == nil {
			demand = quotas.AddDemand(demand, map[string]muster.Resources{name: {}})
		}
	}
	for name, now := range demand {
		if !maps.Equal(t.demand[name], now) {
			if c.Delta.Demand == nil {
				c.Delta.Demand = map[string]muster.Resources{}
			}
			c.Delta.Demand[name] = now
		}
	}
	t.demand = demand
}

// compareTexts finds the defects and notices that are new.
func (s *Store) compareTexts(c *Changes) {
	old := map[string]bool{}
	for _, found := range s.told.gone {
		found.texts(old)
	}
	fresh := slices.SortedFunc(maps.Keys(s.told.fresh), func(a, b *section) int { return compareItems(a.items[0], b.items[0]) })
	found := make([]*outcome, 0, len(fresh)+1)
	if s.told.based {
		base := s.base.outcome()
		base.notices = *s.base.notices
		maps.Copy(old, s.told.texts)
		s.told.texts = map[string]bool{}
		base.texts(s.told.texts)
		found = append(found, base)
	}
	if s.told.based || len(s.told.nodesOf) > 0 {
		trees := &outcome{notices: s.base.trees.Notices()}
		maps.Copy(old, s.told.ofTrees)
		s.told.ofTrees = map[string]bool{}
		trees.texts(s.told.ofTrees)
		found = append(found, trees)
	}
	for _, sec := range fresh {
		found = append(found, sec.found)
	}
	for _, f := range found {
		for _, e := range slices.Concat(f.fatal, f.spared) {
			if err := errorOf(e.Defect); !old[err.Error()] {
				c.Defects = append(c.Defects, err)
			}
		}
		for _, text := range f.notices {
			if !old[text] {
				c.Notices = append(c.Notices, text)
			}
		}
	}
	slices.SortFunc(c.Notices, muster.CompareNatural)
}

// texts are those of defects and notices.
func (f *outcome) texts(to map[string]bool) {
	for _, e := range slices.Concat(f.fatal, f.spared) {
		to[e.Defect.Error()] = true
	}
	for _, text := range f.notices {
		to[text] = true
	}
}
