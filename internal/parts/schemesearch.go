package parts

import (
	"cmp"
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// outcomes iterates over the best plans for a content in every domain that some strategy allows, best first.
func (c *cast) outcomes() iter.Seq[*problem.Outcome] {
	return func(yield func(*problem.Outcome) bool) {
		if !c.possible() {
			return
		}
		tried := map[layout.Vertex]bool{}
		for g := range c.feasible() {
			for d, tight := range g.ranked(tried) {
				tried[d] = true
				if !yield(tight.decide(d, g.strategy)) {
					return
				}
			}
		}
	}
}

// best is the best plan for a content, nil if there is none.
func (c *cast) best() *problem.Outcome {
	for o := range c.outcomes() {
		return o
	}
	return nil
}

// possible says whether a content can be placed at all, and finds the least number of members that lie outside the tree then.
func (c *cast) possible() bool {
	if c.fit == 0 {
		c.fit, c.beyond = -1, 0
		if !problem.EvenContent(c.p) {
			return false
		}
		worths := c.p.Gather.Worths // what holds the gang further down saves a look at the whole cluster
		if c.spreads() {
			worths = worths[len(worths)-1:] // but there may be many choices that do not
		}
		for _, t := range worths {
			g := c.under(c.loosest(t))
			if g == nil {
				continue
			}
			if c.beyond = c.members(g.outside); c.p.LCA >= 0 && c.p.Gather.Must < c.p.View.RootTop && c.p.View.Contains(c.p.View.Outside, c.p.LCA) {
				c.beyond = c.members(c.want) // where the gang must be
			}
			if g.fits() && c.fitsAbroad(g) {
				c.fit = 1
				*c.p.Parts.Doubt = *c.p.Parts.Doubt || c.beyond > 0 && slices.Contains(g.fitting.forgot, true)
				break
			}
		}
	}
	return c.fit > 0
}

// split decides what of the gang lies outside the tree, where that has no room for all.
func (g *scheme) split() {
	g.outside = g.fitting.folder.None[0]
	if g.strategy.Gang < g.p.View.RootTop {
		return
	}
	g.outside, _ = g.splitOf(g.expand(layout.Root, g.cast.want))
}

// splitOf is what lies outside the tree of counts that are wanted below the root; false if there is no room.
func (g *scheme) splitOf(want front.Vector) (outside front.Vector, ok bool) {
	tree := g.fitsBelow(layout.Root)
	if !g.fitting.folder.Exact && tree.Holds(want) {
		return g.fitting.folder.None[0], true
	}
	room, best := g.fitsIn(g.p.View.Outside), front.Vector(nil)
	for _, t := range tree {
		inside, ok := g.fitting.folder.Takes(want, t)
		if !ok || !g.fitting.folder.Holds(room, want.Minus(inside)) {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(g.cast.members(inside), g.cast.members(best)), slices.Compare(inside, best)) > 0 {
			best = inside
		}
	}
	if best == nil {
		return nil, false
	}
	return want.Minus(best), true
}

// fits says whether any domain holds the gang.
func (g *scheme) fits() bool {
	fits := g.fitsAnywhere()
	*g.p.Parts.Doubt = *g.p.Parts.Doubt || !fits && g.leavesDoubt()
	return fits
}

// leavesDoubt says whether the gang might fit after all: some counts are forgotten, or there may be other ways to find zones.
func (g *scheme) leavesDoubt() bool {
	if slices.Contains(g.fitting.forgot, true) {
		return true
	}
	if g.cast.relaxed || !g.cast.terrain.inexact {
		return false
	}
	loose := g.cast.loose().under(g.strategy)
	return loose != nil && (loose.fitsAnywhere() || slices.Contains(loose.fitting.forgot, true))
}

func (g *scheme) fitsAnywhere() bool {
	if g.p.LCA >= 0 || g.strategy.Gang == g.p.View.RootTop {
		return slices.ContainsFunc(g.p.Candidates(g.strategy.Gang), g.holds)
	}
	return slices.ContainsFunc(g.cast.terrain.classes, func(x layout.Vertex) bool {
		return g.p.View.TierOf(x) <= g.strategy.Gang && g.p.View.TierOf(g.p.View.Above(x)) > g.strategy.Gang && g.holds(x)
	})
}

// holds says whether a domain of the gang's tier holds the gang, with no more members outside the tree than must be.
func (g *scheme) holds(d layout.Vertex) bool {
	known := &g.held[g.cast.terrain.of[d]]
	if *known == 0 {
		*known = -1
		if g.takesAll(d) {
			*known = 1
		}
	}
	return *known > 0
}

func (g *scheme) takesAll(d layout.Vertex) bool {
	want := g.expand(d, g.cast.want)
	switch {
	case d == layout.Root && (g.outside == nil || g.cast.members(g.outside) > g.cast.beyond):
		return false
	case d == layout.Root:
		want = want.Minus(g.outside)
	case g.p.View.Contains(g.p.View.Outside, d) && g.cast.beyond < g.cast.members(g.cast.want):
		return false
	}
	return g.fitting.folder.Holds(g.fitsBelow(d), want)
}

// rankedDomain is a domain that holds the gang, with the number of children that it uses, or one that this is not below.
type rankedDomain struct {
	at    layout.Vertex
	span  int
	exact bool
}

// ranked iterates over the domains that hold the gang, best first, each with the scheme that keeps as many groups there as tight as can be.
func (g *scheme) ranked(tried map[layout.Vertex]bool) iter.Seq2[layout.Vertex, *scheme] {
	return func(yield func(layout.Vertex, *scheme) bool) {
		var open []layout.Vertex
		for _, d := range g.p.Candidates(g.strategy.Gang) {
			if !tried[d] && g.holds(d) {
				open = append(open, d)
			}
		}
		for len(open) > 0 {
			tight := g.tightest(open)
			for d := range tight.bySpan(open) {
				if !yield(d, tight) {
					return
				}
			}
			open = slices.DeleteFunc(open, tight.holds)
		}
	}
}

// bySpan iterates over those of some domains that hold the gang, best first. How many children one uses is found out once nothing else is
// better than it could be.
func (g *scheme) bySpan(domains []layout.Vertex) iter.Seq[layout.Vertex] {
	return func(yield func(layout.Vertex) bool) {
		var list []rankedDomain
		for _, d := range domains {
			if g.holds(d) {
				list = append(list, rankedDomain{at: d, span: g.leastSpan(d)})
			}
		}
		slices.SortFunc(list, g.compareDomains)
		for len(list) > 0 {
			best := list[0]
			list = list[1:]
			if best.exact {
				if !yield(best.at) {
					return
				}
				continue
			}
			best.span, best.exact = g.span(best.at), true
			at, _ := slices.BinarySearchFunc(list, best, g.compareDomains)
			list = slices.Insert(list, at, best)
		}
	}
}

func (g *scheme) compareDomains(a, b rankedDomain) int {
	return cmp.Or(
		cmp.Compare(g.p.Friends.At(b.at), g.p.Friends.At(a.at)),
		cmp.Compare(a.span, b.span),
		g.compareSlots(a.at, b.at),
		g.p.View.ComparePaths(a.at, b.at),
	)
}

// leastSpan is a number of children that a domain cannot do with less than: were there nothing but numbers of members or amounts of a resource.
func (g *scheme) leastSpan(d layout.Vertex) int {
	if g.p.View.IsNode(d) || g.p.LCA >= 0 || d == layout.Root {
		return 0
	}
	lo, end := g.p.View.Kids(d)
	places := make([]front.Front, 0, end-lo)
	for kid := lo; kid < end; kid++ {
		places = append(places, g.fitsIn(kid))
	}
	_, n := g.cast.scarcest(places, g.expand(d, g.cast.want))
	return n
}

// span is the number of children that a domain uses, those of running members included.
func (g *scheme) span(d layout.Vertex) int {
	n := 0
	for _, s := range g.shares(d, g.expand(d, g.cast.want)) {
		if g.p.Siblings.At(s.at) == 0 {
			n++
		}
	}
	if g.p.View.IsNode(d) || len(g.p.Siblings) == 0 {
		return n
	}
	lo, end := g.p.View.Kids(d)
	for kid := lo; kid < end; kid++ {
		if g.p.Siblings.At(kid) > 0 {
			n++
		}
	}
	return n
}

// compareSlots compares the slots of the first role in two domains, then in their parents, and so on.
func (g *scheme) compareSlots(a, b layout.Vertex) int {
	for a != b && a >= 0 && b >= 0 {
		if c := g.p.CompareFree(g.cast.slots.At(a), g.cast.slots.At(b)); c != 0 {
			return c
		}
		a, b = g.p.View.Above(a), g.p.View.Above(b)
	}
	return 0
}
