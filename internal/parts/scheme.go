package parts

import (
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// scheme is a cast under a strategy: at which tiers groups are made, and what fits where then.
type scheme struct {
	p        *problem.Problem
	cast     *cast
	strategy problem.Strategy
	fitting  *fitting
	outside  front.Vector // what of the gang lies outside the tree; nil: it does not fit into both
	held     []int8       // by class of the gang's tier: 1 if it holds the gang, -1 if not, 0: not known yet
}

// fitting is what fits where if groups are bound so.
type fitting struct {
	bounds []int32         // by kind: the highest tier of a group
	homes  []layout.Vertex // by kind: where a group with running members is made, -1: it has none
	folder *front.Space
	// By class: what fits below a vertex before groups are made there, and after, as far as it is of use above; nil: not found yet.
	below, above []front.Front
	forgot       []bool            // by class: some counts are missing there or below
	several      map[int64]several // by class and number, see terrain.kidsOf
}

// several is what fits below several children of a class.
type several struct {
	frontier front.Front
	forgot   bool // some counts are missing
}

// under is the scheme for a strategy; nil if groups with running members reach higher already.
func (c *cast) under(st problem.Strategy) *scheme {
	for _, d := range c.done {
		if d.tier > d.gather.Within(st.Groups[d.level-1]) {
			return nil
		}
	}
	bounds := make([]int32, len(c.kinds))
	for k := range c.kinds {
		a := &c.kinds[k]
		bounds[k] = min(c.boundAround(a, st, bounds), a.gather.Within(st.Groups[a.level-1]))
	}
	return c.bound(st, bounds)
}

// boundAround is the bound of what groups of a kind lie in.
func (c *cast) boundAround(a *groupKind, st problem.Strategy, bounds []int32) int32 {
	if a.parent < 0 {
		return st.Gang
	}
	return bounds[a.parent]
}

// bound is the scheme for bounds of kinds; nil if groups with running members reach higher already.
func (c *cast) bound(st problem.Strategy, bounds []int32) *scheme {
	i := slices.IndexFunc(c.fittings, func(f *fitting) bool { return slices.Equal(f.bounds, bounds) })
	if i < 0 {
		f := c.newFitting(bounds)
		if f == nil {
			return nil
		}
		i = len(c.fittings)
		c.fittings = append(c.fittings, f)
	}
	g := &scheme{p: c.p, cast: c, strategy: problem.Strategy{Gang: st.Gang, Groups: slices.Clone(st.Groups)}, fitting: c.fittings[i]}
	g.held = make([]int8, len(c.terrain.classes))
	g.split()
	return g
}

func (c *cast) newFitting(bounds []int32) *fitting {
	n := len(c.terrain.classes)
	f := &fitting{
		bounds: bounds, homes: make([]layout.Vertex, len(bounds)), folder: front.NewSpace(c.most, c.p.Steps(), c.steps),
		below: make([]front.Front, n), above: make([]front.Front, n), forgot: make([]bool, n),
		several: map[int64]several{},
	}
	f.folder.Exact = problem.BindsBelow(c.p)
	for k, t := range bounds {
		f.homes[k] = c.kinds[k].home
		if f.homes[k] < 0 {
			continue
		}
		if c.p.View.TierOf(f.homes[k]) > t {
			return nil
		}
		f.homes[k] = c.p.View.Highest(f.homes[k], t)
	}
	return f
}

// loosest is the strategy that binds nothing but by the hard rules.
func (c *cast) loosest(gang int32) problem.Strategy {
	st := problem.Strategy{Gang: gang}
	for _, list := range c.misses {
		st.Groups = append(st.Groups, list[len(list)-1])
	}
	return st
}

// strategies iterates over the strategies that differ, the best first, as far as try says that it is worth looking closer; the groups' tiers are what
// they may miss. The slice of groups is the iterator's.
func (c *cast) strategies(try func(st problem.Strategy) bool) iter.Seq[problem.Strategy] {
	return func(yield func(problem.Strategy) bool) {
		for _, t := range c.p.Gather.Worths {
			st := c.loosest(t)
			if try(st) && !c.tighter(st, 0, try, yield) {
				return
			}
		}
	}
}

// tighter goes through what the groups of level i and inwards may miss.
func (c *cast) tighter(st problem.Strategy, i int, try, yield func(problem.Strategy) bool) bool {
	if i == len(st.Groups) {
		return yield(st)
	}
	loose := st.Groups[i]
	defer func() { st.Groups[i] = loose }()
	for _, miss := range c.misses[i] {
		st.Groups[i] = miss
		if (miss == loose || try(st)) && !c.tighter(st, i+1, try, yield) {
			return false
		}
		if c.bindsNothing(st, i) {
			break
		}
	}
	return true
}

// bindsNothing says whether the groups of level i are bound by nothing but their hard rules and what they lie in.
func (c *cast) bindsNothing(st problem.Strategy, i int) bool {
	for _, k := range c.kinds {
		if k.level == i+1 && k.gather.Within(st.Groups[i]) < min(st.Gang, k.gather.Must) {
			return false
		}
	}
	for _, d := range c.done {
		bound := d.gather.Must
		if !d.abroad {
			bound = min(bound, st.Gang)
		}
		if d.level == i+1 && d.gather.Within(st.Groups[i]) < bound {
			return false
		}
	}
	for _, a := range c.abroad {
		if a.part.Level == i+1 && a.part.Gather.Within(st.Groups[i]) < a.part.Gather.Must {
			return false
		}
	}
	return true
}

// feasible iterates over the schemes under which some domain holds the gang, the best first.
func (c *cast) feasible() iter.Seq[*scheme] {
	return func(yield func(*scheme) bool) {
		var last *scheme
		try := func(st problem.Strategy) bool {
			last = c.first(st)
			return last != nil
		}
		for st := range c.strategies(try) {
			if c.spreads() {
				for g := range c.schemes(st) {
					if !yield(g) {
						return
					}
				}
				continue
			}
			if last == nil || !slices.Equal(last.strategy.Groups, st.Groups) || last.strategy.Gang != st.Gang {
				last = c.first(st)
			}
			if !yield(last) {
				return
			}
		}
	}
}

// made says whether groups of a kind are made at a vertex: the highest within their bound; where members of one run, at its home.
func (g *scheme) made(k int, x layout.Vertex) bool {
	if g.fitting.homes[k] >= 0 {
		return g.fitting.homes[k] == x
	}
	return g.p.View.TierOf(x) <= g.fitting.bounds[k] && (x == layout.Root || g.fitting.bounds[k] < g.p.View.TierOf(g.p.View.Above(x)))
}

// expand puts what groups are made of in the place of those that are made at a vertex.
func (g *scheme) expand(x layout.Vertex, want front.Vector) front.Vector {
	out := slices.Clone(want)
	r := len(g.cast.roles)
	for k := range g.cast.kinds { // outer ones first
		n := out[r+k]
		if n == 0 || !g.made(k, x) {
			continue
		}
		out[r+k] = 0
		for i, m := range g.cast.kinds[k].needs {
			out[i] += n * m
		}
	}
	return out
}
