package placement

import (
	"cmp"
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
)

// Groups whose rules speak of another topology than the gang's are no groups in the gang's tree: their members are placed like those of what surrounds
// them, but each group on the nodes of one domain of its own topology. For one choice of these domains after the other the members are roles of their
// own, to which only the nodes of their domains are open.

// abroad is a group in another topology of which members are to be placed.
type abroad struct {
	part  *part
	home  layout.Vertex // in its topology, the lowest above its running members; -1: none run
	outer int           // the place of the group of the same topology around it, -1: there is none
	like  int           // of the last one before it that it can change places with, -1: there is none
	needs front.Vector  // its new members by role
}

// in is the problem as the rules of a part see it, in their topology.
func (p *problem) in(a *part) *problem {
	if a.abroad == nil {
		return p
	}
	other := *p
	other.v = a.abroad
	return &other
}

// free is without any rules.
func (p *problem) free() gathering {
	return gathering{must: p.v.RootTop, own: -1, worths: []int32{p.v.RootTop}}
}

// inherited are the rules of the nearest part of the same topology around one.
func (p *problem) inherited(a *part) gathering {
	for outer := a.around; outer != nil; outer = outer.around {
		if outer.abroad == a.abroad {
			return outer.gather
		}
	}
	return p.in(a).free()
}

// lowestAbroad is the lowest vertex of its topology above the members of a part, these being at positions of the gang's by rank; -1 if there are none.
// Nodes outside its topology satisfy no hard rule: members there reach the root.
func lowestAbroad(p *problem, a *part, at []int32) layout.Vertex {
	var there []int32
	for _, rank := range a.all() {
		if pos := at[rank]; pos >= 0 {
			there = append(there, a.abroad.At(p.v.Node(pos)))
		}
	}
	if len(there) == 0 {
		return -1
	}
	x := a.abroad.Lowest(there)
	if a.gather.hard && a.abroad.Contains(a.abroad.Outside, x) {
		return layout.Root
	}
	return x
}

// findAbroad lists the groups in other topologies, outer ones first; those of running members alone are noted as done.
func (c *cast) findAbroad() {
	if c.abroad = nil; !c.p.travels() {
		return
	}
	b := billing{p: c.p, place: c.p.places(), at: c.p.positionsByRank(), signs: map[*part]string{}}
	b.sign(c.p.whole)
	known := map[*part]int{}
	c.p.whole.each(func(a *part) {
		if a.abroad == nil || a.bundle {
			return
		}
		g := b.groupAbroad(a)
		if g.needs.Total() == 0 {
			if g.home >= 0 {
				c.done = append(c.done, finished{gather: a.gather, level: a.level, abroad: true, tier: a.abroad.TierOf(g.home)})
			}
			return
		}
		for up := a.around; up != nil && g.outer < 0; up = up.around {
			if i, ok := known[up]; ok && up.abroad == a.abroad {
				g.outer = i
			}
		}
		for i, o := range c.abroad {
			if o.part.around == a.around && b.signs[o.part] == b.signs[a] {
				g.like = i
			}
		}
		known[a] = len(c.abroad)
		c.abroad = append(c.abroad, g)
	})
}

// groupAbroad is a group in another topology, by itself.
func (b *billing) groupAbroad(a *part) abroad {
	g := abroad{part: a, home: lowestAbroad(b.p, a, b.at), outer: -1, like: -1, needs: make(front.Vector, len(b.p.shapes))}
	for _, rank := range a.all() {
		if i := b.place[rank]; i >= 0 {
			g.needs[b.p.role(int(i))]++
		}
	}
	return g
}

// travels says whether the rules of any part are of another topology.
func (p *problem) travels() (is bool) {
	p.whole.each(func(a *part) { is = is || a.abroad != nil && !a.bundle })
	return is
}

// spreads says whether domains of other topologies are to be chosen.
func (c *cast) spreads() bool { return len(c.abroad) > 0 && c.p.parting.penOf == nil }

// schemes iterates over the schemes for a strategy under which the gang fits: where groups lie in other topologies, one for every choice of domains
// there, groups that are alike in either order being one choice.
func (c *cast) schemes(st strategy) iter.Seq[*scheme] {
	return func(yield func(*scheme) bool) {
		if g := c.under(st); g != nil && g.fits() {
			c.spreading(g, yield).spread(0, g)
		}
	}
}

// anySchemes iterates over some of the schemes for a strategy, whether the gang fits or not: for the choices of the roomiest domains.
func (c *cast) anySchemes(st strategy) iter.Seq[*scheme] {
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
func (c *cast) first(st strategy) *scheme {
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
	if g.strategy.gang < c.p.v.RootTop || c.p.v.FirstPos[c.p.v.Outside] == c.p.v.Nodes {
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
	strategy strategy
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
	v, bound := a.part.abroad, a.part.gather.within(w.strategy.groups[a.part.level-1])
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
	v, around, room := a.part.abroad, layout.Root, map[layout.Vertex]int64{}
	if a.outer >= 0 {
		around = w.at[a.outer]
	}
	tier, out := w.boundOf(a), []layout.Vertex{}
	for _, d := range v.DomainsOf(bound) {
		d, inside := v.Inside(d, around)
		_, known := room[d]
		if known || !inside || a.part.gather.hard && v.Contains(v.Outside, d) {
			continue
		}
		if w.any <= 0 && !(w.cast.pens.holds(a, d) && (tier >= w.cast.p.v.RootTop || w.cast.pens.fitsIn(a, d, tier))) {
			continue
		}
		out, room[d] = append(out, d), w.cast.pens.room(a, d)
	}
	slices.SortFunc(out, func(x, y layout.Vertex) int {
		order := w.cast.p.compareFree(room[x], room[y])
		if w.any > 0 {
			order = cmp.Compare(room[y], room[x])
		}
		return cmp.Or(order, v.ComparePaths(x, y))
	})
	return out
}

// boundOf is the tier within which the strategy keeps what a group lies in, in the gang's topology.
func (w *spreading) boundOf(a *abroad) int32 {
	bound := w.strategy.gang
	for up := a.part.around; up != nil && up.level > 0; up = up.around {
		if up.inTree() {
			bound = min(bound, up.gather.within(w.strategy.groups[up.level-1]))
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

// elsewhere says where the groups in other topologies lie, new members being at these positions.
func elsewhere(p *problem, positions []int32) (out []GroupPlace) {
	var at []int32
	p.whole.each(func(a *part) {
		if a.abroad == nil || a.bundle {
			return
		}
		if at == nil {
			at = p.allByRank(positions)
		}
		v := a.abroad
		x := lowestAbroad(p, a, at)
		if x < 0 {
			return
		}
		x = v.Named(x)
		tier := v.TierOf(x)
		out = append(out, GroupPlace{
			Part: a.label, Tree: v.Name, Tier: int(tier), Layer: v.LayerName(tier), Domain: v.Path(x, p.c.Lineage.NodeName),
		})
	})
	return out
}
