package parts

import (
	"cmp"
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// Groups whose rules speak of another topology than the gang's are no groups in the gang's tree: their members are placed like those of what surrounds
// them, but each group on the nodes of one domain of its own topology. For one choice of these domains after the other the members are roles of their
// own, to which only the nodes of their domains are open.

// abroad is a group in another topology of which members are to be placed.
type abroad struct {
	part  *problem.Part
	home  layout.Vertex // in its topology, the lowest above its running members; -1: none run
	outer int           // the place of the group of the same topology around it, -1: there is none
	like  int           // of the last one before it that it can change places with, -1: there is none
	needs front.Vector  // its new members by role
}

// findAbroad lists the groups in other topologies, outer ones first; those of running members alone are noted as done.
func (c *cast) findAbroad() {
	if c.abroad = nil; !problem.SpansTrees(c.p) {
		return
	}
	b := billing{p: c.p, place: c.p.Places(), at: c.p.PositionsByRank(), signs: map[*problem.Part]string{}}
	b.sign(c.p.Gang)
	known := map[*problem.Part]int{}
	c.p.Gang.Each(func(a *problem.Part) {
		if a.OtherTree == nil || a.Bundle {
			return
		}
		g := b.groupAbroad(a)
		if g.needs.Total() == 0 {
			if g.home >= 0 {
				c.done = append(c.done, finished{gather: a.Gather, level: a.Level, abroad: true, tier: a.OtherTree.TierOf(g.home)})
			}
			return
		}
		for up := a.Outer; up != nil && g.outer < 0; up = up.Outer {
			if i, ok := known[up]; ok && up.OtherTree == a.OtherTree {
				g.outer = i
			}
		}
		for i, o := range c.abroad {
			if o.part.Outer == a.Outer && b.signs[o.part] == b.signs[a] {
				g.like = i
			}
		}
		known[a] = len(c.abroad)
		c.abroad = append(c.abroad, g)
	})
}

// groupAbroad is a group in another topology, by itself.
func (b *billing) groupAbroad(a *problem.Part) abroad {
	g := abroad{part: a, home: problem.LowestAbroad(b.p, a, b.at), outer: -1, like: -1, needs: make(front.Vector, len(b.p.Shapes))}
	for _, rank := range a.All() {
		if i := b.place[rank]; i >= 0 {
			g.needs[b.p.Role(int(i))]++
		}
	}
	return g
}

// spreads says whether domains of other topologies are to be chosen.
func (c *cast) spreads() bool { return len(c.abroad) > 0 && c.p.Parts.AllowedOf == nil }

// schemes iterates over the schemes for a strategy under which the gang fits: where groups lie in other topologies, one for every choice of domains
// there, groups that are alike in either order being one choice.
func (c *cast) schemes(st problem.Strategy) iter.Seq[*scheme] {
	return func(yield func(*scheme) bool) {
		if g := c.under(st); g != nil && g.fits() {
			c.spreading(g, yield).spread(0, g)
		}
	}
}

// anySchemes iterates over some of the schemes for a strategy, whether the gang fits or not: for the choices of the roomiest domains.
func (c *cast) anySchemes(st problem.Strategy) iter.Seq[*scheme] {
	return func(yield func(*scheme) bool) {
		if g := c.under(st); g != nil {
			w := c.spreading(g, yield)
			w.any = anyChoices
			w.spread(0, g)
		}
	}
}

// anyChoices bounds how many choices are looked at to say how many members fit.
const anyChoices = 16

// first is the first of the schemes for a strategy, nil if there is none.
func (c *cast) first(st problem.Strategy) *scheme {
	for g := range c.schemes(st) {
		return g
	}
	return nil
}

// fitsAbroad says whether the gang fits as it does under a scheme where groups in other topologies are bound too. For that more members may have to lie
// outside the tree.
func (c *cast) fitsAbroad(g *scheme) bool {
	if !c.spreads() {
		return true
	}
	most := c.members(c.want)
	if g.strategy.Gang < c.p.View.RootTop || c.p.View.FirstPos[c.p.View.Outside] == c.p.View.Nodes {
		most = c.beyond
	}
	for ; c.first(g.strategy) == nil; c.beyond++ {
		if c.beyond >= most {
			return false
		}
	}
	return true
}

// spreading chooses domains for the groups in other topologies, one after the other.
type spreading struct {
	cast     *cast
	strategy problem.Strategy
	at       []layout.Vertex // by group; the root: anywhere
	place    []int           // of these among all that the group may lie in
	yield    func(*scheme) bool
	lists    [][]layout.Vertex // of domains that groups may lie in, whatever is chosen for others; nil: not known
	any      int               // choices that are still looked at whether the gang fits or not; 0: it must
}

func (c *cast) spreading(g *scheme, yield func(*scheme) bool) *spreading {
	n := 0
	if c.spreads() {
		n = len(c.abroad)
	}
	return &spreading{cast: c, strategy: g.strategy, at: make([]layout.Vertex, n), place: make([]int, n), lists: make([][]layout.Vertex, n), yield: yield}
}

// spread chooses for the groups from one on; the gang fits with those before it. False ends the search.
func (w *spreading) spread(i int, g *scheme) bool {
	if i == len(w.at) {
		w.any--
		return w.yield(g) && w.any != 0
	}
	for place, d := range w.domains(i) {
		if like := w.cast.abroad[i].like; like >= 0 && place < w.place[like] {
			continue
		}
		next := g
		if w.at[i], w.place[i] = d, place; d != layout.Root {
			next = w.attempt()
		}
		if next != nil && !w.spread(i+1, next) {
			return false
		}
	}
	w.at[i] = layout.Root
	return true
}

// domains lists where a group may lie under the strategy beside the groups around it, those with the fewest slots first (under Spread, or if it need not
// fit, the most), then in the order of paths.
func (w *spreading) domains(i int) []layout.Vertex {
	a := &w.cast.abroad[i]
	v, bound := a.part.OtherTree, a.part.Gather.Within(w.strategy.Groups[a.part.Level-1])
	switch {
	case w.lists[i] != nil:
		return w.lists[i]
	case a.home >= 0 && v.TierOf(a.home) > bound:
		return nil
	case bound >= v.RootTop && a.outer >= 0:
		return []layout.Vertex{w.at[a.outer]}
	case bound >= v.RootTop:
		return []layout.Vertex{layout.Root}
	case a.home >= 0:
		return []layout.Vertex{v.Highest(a.home, bound)}
	}
	list := w.domainsWithin(a, bound)
	if a.outer < 0 {
		w.lists[i] = list
	}
	return list
}

// domainsWithin are the domains of a tier that may have room for a group.
func (w *spreading) domainsWithin(a *abroad, bound int32) []layout.Vertex {
	v, around, room := a.part.OtherTree, layout.Root, map[layout.Vertex]int64{}
	if a.outer >= 0 {
		around = w.at[a.outer]
	}
	tier, out := w.boundOf(a), []layout.Vertex{}
	for _, d := range v.DomainsOf(bound) {
		d, inside := v.Inside(d, around)
		_, known := room[d]
		if known || !inside || a.part.Gather.Hard && v.Contains(v.Outside, d) {
			continue
		}
		if w.any <= 0 && !(w.cast.pens.holds(a, d) && (tier >= w.cast.p.View.RootTop || w.cast.pens.fitsIn(a, d, tier))) {
			continue
		}
		out, room[d] = append(out, d), w.cast.pens.room(a, d)
	}
	slices.SortFunc(out, func(x, y layout.Vertex) int {
		order := w.cast.p.CompareFree(room[x], room[y])
		if w.any > 0 {
			order = cmp.Compare(room[y], room[x])
		}
		return cmp.Or(order, v.ComparePaths(x, y))
	})
	return out
}

// boundOf is the tier within which the strategy keeps what a group lies in, in the gang's topology.
func (w *spreading) boundOf(a *abroad) int32 {
	bound := w.strategy.Gang
	for up := a.part.Outer; up != nil && up.Level > 0; up = up.Outer {
		if up.InTree() {
			bound = min(bound, up.Gather.Within(w.strategy.Groups[up.Level-1]))
		}
	}
	return bound
}

// attempt is the scheme for the domains chosen, nil if the gang does not fit.
func (w *spreading) attempt() *scheme {
	some := w.cast.penned(w.at, w.any > 0)
	if some == nil {
		return nil
	}
	some.beyond = w.cast.beyond
	if g := some.under(w.strategy); g != nil && (w.any > 0 || g.fits()) {
		return g
	}
	return nil
}
