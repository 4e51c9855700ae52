package parts

import (
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// capacity is a cast under a strategy: at which tiers groups are made, and what fits where then.
type capacity struct {
	p        *problem.Problem
	search   *search
	strategy problem.Strategy
	tables   *tables
	outside  front.Vector // what of the gang lies outside the tree; nil: it does not fit into both
	holding  []verdict    // by class of the gang's tier
}

// tables is what fits where if groups are bound so.
type tables struct {
	bounds []int32         // by kind: the highest tier of a group
	homes  []layout.Vertex // by kind: where a group with running members is made, -1: it has none
	space  *front.Space
	// By class: what fits below a vertex before groups are made there, and after, as far as it is of use above; nil: not found yet.
	below, above []front.Front
	forgot       []bool                  // by class: some counts are missing there or below
	repeated     map[int64]repeatedFront // by class and number, see terrain.kidsOf
}

// repeatedFront is what fits below several children of a class.
type repeatedFront struct {
	front  front.Front
	forgot bool // some counts are missing
}

// under is the scheme for a strategy; nil if groups with running members reach higher already.
func (s *search) under(st problem.Strategy) *capacity {
	for _, d := range s.done {
		if d.tier > d.gather.Within(st.Groups[d.level-1]) {
			return nil
		}
	}
	bounds := make([]int32, len(s.groups))
	for k := range s.groups {
		a := &s.groups[k]
		bounds[k] = min(s.boundAround(a, st, bounds), a.gather.Within(st.Groups[a.level-1]))
	}
	return s.withBounds(st, bounds)
}

// boundAround is the bound of what groups of a kind lie in.
func (s *search) boundAround(a *groupClass, st problem.Strategy, bounds []int32) int32 {
	if a.parent < 0 {
		return st.Gang
	}
	return bounds[a.parent]
}

// withBounds is the scheme for bounds of kinds; nil if groups with running members reach higher already.
func (s *search) withBounds(st problem.Strategy, bounds []int32) *capacity {
	i := slices.IndexFunc(s.cached, func(f *tables) bool { return slices.Equal(f.bounds, bounds) })
	if i < 0 {
		f := s.newTables(bounds)
		if f == nil {
			return nil
		}
		i = len(s.cached)
		s.cached = append(s.cached, f)
	}
	c := &capacity{p: s.p, search: s, strategy: problem.Strategy{Gang: st.Gang, Groups: slices.Clone(st.Groups)}, tables: s.cached[i]}
	c.holding = make([]verdict, len(s.classes.first))
	c.splitGang()
	return c
}

func (s *search) newTables(bounds []int32) *tables {
	n := len(s.classes.first)
	f := &tables{
		bounds: bounds, homes: make([]layout.Vertex, len(bounds)), space: front.NewSpace(s.totals, s.p.Steps(), s.steps),
		below: make([]front.Front, n), above: make([]front.Front, n), forgot: make([]bool, n),
		repeated: map[int64]repeatedFront{},
	}
	f.space.Exact = problem.BindsBelow(s.p)
	for k, t := range bounds {
		f.homes[k] = s.groups[k].home
		if f.homes[k] < 0 {
			continue
		}
		if s.p.View.TierOf(f.homes[k]) > t {
			return nil
		}
		f.homes[k] = s.p.View.Highest(f.homes[k], t)
	}
	return f
}

// loosest is the strategy that binds nothing but by the hard rules.
func (s *search) loosest(gang int32) problem.Strategy {
	st := problem.Strategy{Gang: gang}
	for _, list := range s.misses {
		st.Groups = append(st.Groups, list[len(list)-1])
	}
	return st
}

// strategies iterates over the strategies that differ, the best first, as far as try says that it is worth looking closer; the groups' tiers are what
// they may miss. The slice of groups is the iterator's.
func (s *search) strategies(try func(st problem.Strategy) bool) iter.Seq[problem.Strategy] {
	return func(yield func(problem.Strategy) bool) {
		for _, t := range s.p.Gather.Worths {
			st := s.loosest(t)
			if try(st) && !s.tighter(st, 0, try, yield) {
				return
			}
		}
	}
}

// tighter goes through what the groups of level i and inwards may miss.
func (s *search) tighter(st problem.Strategy, i int, try, yield func(problem.Strategy) bool) bool {
	if i == len(st.Groups) {
		return yield(st)
	}
	widest := st.Groups[i]
	defer func() { st.Groups[i] = widest }()
	for _, miss := range s.misses[i] {
		st.Groups[i] = miss
		if (miss == widest || try(st)) && !s.tighter(st, i+1, try, yield) {
			return false
		}
		if s.bindsNothing(st, i) {
			break
		}
	}
	return true
}

// bindsNothing says whether the groups of level i are bound by nothing but their hard rules and what they lie in.
func (s *search) bindsNothing(st problem.Strategy, i int) bool {
	for _, k := range s.groups {
		if k.level == i+1 && k.gather.Within(st.Groups[i]) < min(st.Gang, k.gather.Must) {
			return false
		}
	}
	for _, d := range s.done {
		bound := d.gather.Must
		if !d.otherTree {
			bound = min(bound, st.Gang)
		}
		if d.level == i+1 && d.gather.Within(st.Groups[i]) < bound {
			return false
		}
	}
	for _, a := range s.crossGroups {
		if a.part.Level == i+1 && a.part.Gather.Within(st.Groups[i]) < a.part.Gather.Must {
			return false
		}
	}
	return true
}

// feasible iterates over the schemes under which some domain holds the gang, the best first.
func (s *search) feasible() iter.Seq[*capacity] {
	return func(yield func(*capacity) bool) {
		var last *capacity
		try := func(st problem.Strategy) bool {
			last = s.firstCapacity(st)
			return last != nil
		}
		for st := range s.strategies(try) {
			if s.crossesTrees() {
				for c := range s.capacities(st) {
					if !yield(c) {
						return
					}
				}
				continue
			}
			if last == nil || !slices.Equal(last.strategy.Groups, st.Groups) || last.strategy.Gang != st.Gang {
				last = s.firstCapacity(st)
			}
			if !yield(last) {
				return
			}
		}
	}
}

// made says whether groups of a kind are made at a vertex: the highest within their bound; where members of one run, at its home.
func (c *capacity) made(k int, x layout.Vertex) bool {
	if c.tables.homes[k] >= 0 {
		return c.tables.homes[k] == x
	}
	return c.p.View.TierOf(x) <= c.tables.bounds[k] && (x == layout.Root || c.tables.bounds[k] < c.p.View.TierOf(c.p.View.Above(x)))
}

// expand puts what groups are made of in the place of those that are made at a vertex.
func (c *capacity) expand(x layout.Vertex, want front.Vector) front.Vector {
	out := slices.Clone(want)
	r := len(c.search.roles)
	for k := range c.search.groups { // outer ones first
		n := out[r+k]
		if n == 0 || !c.made(k, x) {
			continue
		}
		out[r+k] = 0
		for i, m := range c.search.groups[k].needs {
			out[i] += n * m
		}
	}
	return out
}
