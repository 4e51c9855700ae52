package fronts

import (
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: which strategies are there, best first, and what fits where under each?

// capacity answers what fits where under one strategy. It is a view of tables that strategies with equal bounds
// share, with the verdicts of the strategy itself. A front depends on the bounds of groups alone; whether a domain
// holds the gang depends on the gang's tier as well.
type capacity struct {
	m        *model.Model
	search   *Search
	strategy model.Strategy
	tables   *tables
	outside  front.Vector             // the part of the gang's vector outside the tree; nil: it does not fit even with that
	rooms    []map[layout.Vertex]bool // the gang's domain is in all of these
	inside   bool                     // a domain in the tree is known to hold the gang, which may span the root
	holding  []verdict                // by vertex class: whether a domain of it holds the gang
	// shares are those of the gang's vector below domains whose span was found.
	shares map[layout.Vertex][]share
}

// tables are the fronts of all vertices for one vector of bounds, by vertex class, filled on demand. They belong to one
// search and one selection.
type tables struct {
	bounds []int32         // by class of groups: the highest tier of a group
	homes  []layout.Vertex // by class of groups: where a group with running members is made; -1: none run
	space  *front.Space
	fronts []classFronts // by vertex class, as far as they were asked for
	// forgot: some front lacks vectors.
	forgot   bool
	repeated map[int64]repeatedFront // by class and number, as in vertexClass
}

// classFronts are the fronts of a vertex class before groups are made there, and after; nil: not found yet.
type classFronts struct {
	below, above front.Front
	forgot       bool // they lack vectors
}

// at is the entry of a class, valid until the next call.
func (t *tables) at(class int32) *classFronts {
	if n := int(class) + 1 - len(t.fronts); n > 0 {
		t.fronts = append(t.fronts, make([]classFronts, n)...)
	}
	return &t.fronts[class]
}

// forget notes that fronts of a class lack vectors.
func (t *tables) forget(class int32, forgot bool) {
	if forgot {
		t.at(class).forgot, t.forgot = true, true
	}
}

// repeatedFront is the summed front of several children of one class.
type repeatedFront struct {
	front  front.Front
	forgot bool // the front lacks vectors
}

// under is the capacity under a strategy; nil if running members of a group reach above its bound, also of a group
// all of whose members run. Classes come outermost first, so that the bound around a class is known before its own.
// O(classes), and O(vertex classes) the first time for these bounds; fronts are summed when they are asked for, for a
// gang that may span the root at once.
//
// order: parts.8
func (s *Search) under(st model.Strategy) *capacity {
	for _, d := range s.done {
		if d.tier > within(d.gather, st.Groups[d.level-1]) {
			return nil
		}
	}
	bounds := make([]int32, len(s.groups))
	for k := range s.groups {
		a := &s.groups[k]
		bounds[k] = min(s.boundAround(a, st, bounds), within(a.gather, st.Groups[a.level-1]))
	}
	return s.withBounds(st, bounds)
}

// boundAround is the bound of the class around a class, the gang's tier for outermost ones.
func (s *Search) boundAround(a *groupClass, st model.Strategy, bounds []int32) int32 {
	if a.parent < 0 {
		return st.Gang
	}
	return bounds[a.parent]
}

// withBounds is the capacity for explicit bounds of the classes; nil as for under. st is copied: its slice is the
// iterator's.
func (s *Search) withBounds(st model.Strategy, bounds []int32) *capacity {
	i := slices.IndexFunc(s.cached, func(f *tables) bool { return slices.Equal(f.bounds, bounds) })
	if i < 0 {
		f := s.newTables(bounds)
		if f == nil {
			return nil
		}
		i = len(s.cached)
		s.cached = append(s.cached, f)
	}
	c := &capacity{m: s.m, search: s, strategy: model.Strategy{Gang: st.Gang, Groups: slices.Clone(st.Groups)}, tables: s.cached[i], shares: map[layout.Vertex][]share{}}
	c.splitGang()
	return c
}

// newTables makes empty tables. A group with running members has its home at the largest domain within its bound that
// holds them; nil if they reach above the bound. Where multiples bind domains, fronts are exact.
//
// order: parts.8
func (s *Search) newTables(bounds []int32) *tables {
	f := &tables{
		bounds: bounds, homes: make([]layout.Vertex, len(bounds)), space: s.counted.space(s.totals, s.m.Steps, &s.m.Left.Fronts), repeated: map[int64]repeatedFront{},
	}
	f.space.Exact, f.space.Features = s.m.BindsBelow(), s.m.Features()
	for k, t := range bounds {
		f.homes[k] = s.groups[k].home
		if f.homes[k] < 0 {
			continue
		}
		if s.m.View.TierOf(f.homes[k]) > t {
			return nil
		}
		f.homes[k] = s.m.View.Highest(f.homes[k], t)
	}
	return f
}

// loosest is the strategy of a gang tier with the largest miss on each level: only hard rules bind the groups. If the
// gang does not fit under it, no strategy of that tier helps.
func (s *Search) loosest(gang int32) model.Strategy {
	st := model.Strategy{Gang: gang}
	for _, list := range s.misses {
		st.Groups = append(st.Groups, list[len(list)-1])
	}
	return st
}

// strategies iterates over the distinct strategies, best first. try prunes: if it refuses a strategy with loose inner
// levels, none with tighter ones is visited. That is right as long as try refuses all tighter strategies with a
// looser one. A level of Groups holds the miss allowed there; the slice belongs to the iterator.
func (s *Search) strategies(try func(st model.Strategy) bool) iter.Seq[model.Strategy] {
	return func(yield func(model.Strategy) bool) {
		for _, t := range s.m.Gather.Worths {
			st := s.loosest(t)
			if try(st) && !s.tighter(st, 0, try, yield) {
				return
			}
		}
	}
}

// tighter enumerates the misses of levels i and inwards, smallest first, so that strategies come in the order of
// their vectors of misses. On entry inner levels are at their largest miss and try has accepted st. It stops at the
// first miss that adds no bound to level i, for larger ones would repeat the same strategy. It is false if yield
// ended the enumeration.
//
// order: parts.7
func (s *Search) tighter(st model.Strategy, i int, try, yield func(model.Strategy) bool) bool {
	if i == len(st.Groups) {
		return yield(st)
	}
	widest := st.Groups[i] // restored on return: the level around tries its next miss with it
	defer func() { st.Groups[i] = widest }()
	for _, miss := range s.misses[i] {
		st.Groups[i] = miss
		// The largest miss is the strategy that try accepted before.
		if (miss == widest || try(st)) && !s.tighter(st, i+1, try, yield) {
			return false
		}
		if s.bindsNothing(st, i) {
			break
		}
	}
	return true
}

// bindsNothing says whether every group of level i is bound by its hard rules and the gang's tier alone, so that a
// larger miss of the level changes nothing: groups with new members, finished ones and those of other topologies, to
// which the gang's tier is no bound.
func (s *Search) bindsNothing(st model.Strategy, i int) bool {
	for _, k := range s.groups {
		if k.level == i+1 && within(k.gather, st.Groups[i]) < min(st.Gang, k.gather.Must) {
			return false
		}
	}
	for _, d := range s.done {
		bound := d.gather.Must
		if !d.otherTree {
			bound = min(bound, st.Gang)
		}
		if d.level == i+1 && within(d.gather, st.Groups[i]) < bound {
			return false
		}
	}
	for _, a := range s.crossGroups {
		if a.part.Level == i+1 && within(a.part.Gather, st.Groups[i]) < a.part.Gather.Must {
			return false
		}
	}
	return true
}

// feasible iterates over the capacities under which some domain holds the gang, best first. try accepted every
// strategy that comes. Within one topology it has made the capacity too, mostly as its last act, so that this is
// yielded. Across topologies a strategy has a capacity for each choice of domains.
func (s *Search) feasible() iter.Seq[*capacity] {
	return func(yield func(*capacity) bool) {
		var last *capacity
		try := func(st model.Strategy) bool {
			last = s.firstCapacity(st)
			return last != nil
		}
		for st := range s.strategies(try) {
			if s.CrossesTrees() {
				for c := range s.capacities(st) {
					if !yield(c) {
						return
					}
				}
				continue
			}
			// The strategy was accepted on an outer level, and others were tried since.
			if last == nil || !slices.Equal(last.strategy.Groups, st.Groups) || last.strategy.Gang != st.Gang {
				last = s.firstCapacity(st)
			}
			if !yield(last) {
				return
			}
		}
	}
}

// made says whether groups of class k become whole groups at x: at the largest domain within their bound, or at their
// home. On the way from a node to the root there is one such vertex for a class without home.
//
// order: parts.5
func (c *capacity) made(k int, x layout.Vertex) bool {
	if c.tables.homes[k] >= 0 {
		return c.tables.homes[k] == x
	}
	return c.m.View.TierOf(x) <= c.tables.bounds[k] && (x == layout.Root || c.tables.bounds[k] < c.m.View.TierOf(c.m.View.Above(x)))
}

// expandFrom replaces the groups that may be made at a tier or above it by their members and inner groups.
func (c *capacity) expandFrom(tier int32, want front.Vector) front.Vector {
	return c.replace(want, func(k int) bool { return c.tables.bounds[k] >= tier })
}

// expand replaces the groups that are made at x by their members and inner groups. Outer classes come first: an inner
// group that is made at x as well is replaced in turn. So it turns a vector as seen from above x into one that can be
// compared with the front below.
func (c *capacity) expand(x layout.Vertex, want front.Vector) front.Vector {
	return c.replace(want, func(k int) bool { return c.made(k, x) })
}

// replace replaces the groups of some classes by their members and inner groups.
func (c *capacity) replace(want front.Vector, some func(k int) bool) front.Vector {
	out := slices.Clone(want)
	r := c.search.roles
	for k := range c.search.groups { // outer ones first
		n := out[r+k]
		if n == 0 || !some(k) {
			continue
		}
		out[r+k] = 0
		for i, m := range c.search.groups[k].needs {
			out[i] += n * m
		}
	}
	return out
}

// Answers iterates over the best plans for the selection, best first: under each strategy those without the nodes meant for
// others come before all plans.
func (s *Search) Answers() iter.Seq[*model.Answer] {
	return func(yield func(*model.Answer) bool) {
		var last *model.Answer
		for o := range overAllNodes(s) {
			if last == nil || last.Tier != o.Tier || !slices.Equal(last.Misses, o.Misses) {
				for own := range withoutOthers(s, o) {
					if !yield(own) {
						return
					}
				}
			}
			if last = o; !yield(o) {
				return
			}
		}
	}
}

// withoutOthers iterates over the plans of the strategy of a plan, and with as many members outside the tree, without the nodes
// meant for others; none if leaving these out changes nothing.
func withoutOthers(s *Search, o *model.Answer) iter.Seq[*model.Answer] {
	own := s.asked.WithoutOthers(model.Strategy{Gang: o.Tier, Groups: o.Misses})
	return func(yield func(*model.Answer) bool) {
		if own == nil {
			return
		}
		t := New(own)
		if t.totals[0] == 0 { // of the first role nobody is placed: no node is meant for others than it
			if t.slots = s.slots; t.manyShapes != nil {
				t.manyShapes.Slots = s.slots
			}
		}
		for level := range t.misses {
			t.misses[level] = []int32{o.Misses[level]}
		}
		if outside := int64(outsideTree(o)); outside > 0 && !t.Possible() && t.manyShapes == nil { // tiers below the root's do not tell how many
			t.feasibility, t.outside = yes, outside
		}
		for next := range overAllNodes(t) {
			if outsideTree(next) != outsideTree(o) || !yield(next) {
				return
			}
		}
	}
}

// outsideTree counts the members of a plan, or units, on nodes outside the tree. O(members).
func outsideTree(o *model.Answer) (n int) {
	first := o.Of.View.FirstPos[o.Of.View.Outside]
	for _, pos := range o.Positions {
		if pos >= first {
			n++
		}
	}
	return n
}
