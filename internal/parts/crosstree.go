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

// crossGroup is a group in another topology of which members are to be placed.
type crossGroup struct {
	part  *problem.Part
	home  layout.Vertex // in its topology, the lowest above its running members; -1: none run
	outer int           // the place of the group of the same topology around it, -1: there is none
	twin  int           // of the last one before it that it can change places with, -1: there is none
	needs front.Vector  // its new members by role
}

// findCrossGroups lists the groups in other topologies, outer ones first; those of running members alone are noted as done.
func (s *search) findCrossGroups() {
	if s.crossGroups = nil; !problem.SpansTrees(s.p) {
		return
	}
	inv := inventory{p: s.p, pendingOf: s.p.Places(), positionOf: s.p.PositionsByRank(), signatures: map[*problem.Part]string{}}
	inv.addSignature(s.p.Gang)
	known := map[*problem.Part]int{}
	s.p.Gang.Each(func(a *problem.Part) {
		if a.OtherTree == nil || a.Bundle {
			return
		}
		g := inv.newCrossGroup(a)
		if g.needs.Total() == 0 {
			if g.home >= 0 {
				tier := a.OtherTree.TierOf(g.home)
				s.done = append(s.done, finished{gather: a.Gather, level: a.Level, otherTree: true, tier: tier})
			}
			return
		}
		for up := a.Outer; up != nil && g.outer < 0; up = up.Outer {
			if i, ok := known[up]; ok && up.OtherTree == a.OtherTree {
				g.outer = i
			}
		}
		for i, o := range s.crossGroups {
			if o.part.Outer == a.Outer && inv.signatures[o.part] == inv.signatures[a] {
				g.twin = i
			}
		}
		known[a] = len(s.crossGroups)
		s.crossGroups = append(s.crossGroups, g)
	})
}

// newCrossGroup is a group in another topology, by itself.
func (inv *inventory) newCrossGroup(a *problem.Part) crossGroup {
	g := crossGroup{part: a, outer: -1, twin: -1, needs: make(front.Vector, len(inv.p.Shapes))}
	g.home = problem.LowestAbroad(inv.p, a, inv.positionOf)
	for _, rank := range a.All() {
		if i := inv.pendingOf[rank]; i >= 0 {
			g.needs[inv.p.Role(int(i))]++
		}
	}
	return g
}

// crossesTrees says whether domains of other topologies are to be chosen.
func (s *search) crossesTrees() bool { return len(s.crossGroups) > 0 && s.p.Parts.AllowedOf == nil }

// capacities iterates over the schemes for a strategy under which the gang fits: where groups lie in other topologies, one for every choice of domains
// there, groups that are alike in either order being one choice.
func (s *search) capacities(st problem.Strategy) iter.Seq[*capacity] {
	return func(yield func(*capacity) bool) {
		if c := s.under(st); c != nil && c.fits() {
			s.newCrossSearch(c, yield).chooseFrom(0, c)
		}
	}
}

// roomiestCapacities iterates over some of the schemes for a strategy, whether the gang fits or not: for the choices of the roomiest domains.
func (s *search) roomiestCapacities(st problem.Strategy) iter.Seq[*capacity] {
	return func(yield func(*capacity) bool) {
		if c := s.under(st); c != nil {
			x := s.newCrossSearch(c, yield)
			x.sampled = roomiestChoices
			x.chooseFrom(0, c)
		}
	}
}

// roomiestChoices bounds how many choices are looked at to say how many members fit.
const roomiestChoices = 16

// firstCapacity is the first of the schemes for a strategy, nil if there is none.
func (s *search) firstCapacity(st problem.Strategy) *capacity {
	for c := range s.capacities(st) {
		return c
	}
	return nil
}

// fitsAcrossTrees says whether the gang fits as it does under a scheme where groups in other topologies are bound too. For that more members may have to lie
// outside the tree.
func (s *search) fitsAcrossTrees(c *capacity) bool {
	if !s.crossesTrees() {
		return true
	}
	most := s.members(s.want)
	if c.strategy.Gang < s.p.View.RootTop || s.p.View.FirstPos[s.p.View.Outside] == s.p.View.Nodes {
		most = s.outside
	}
	for ; s.firstCapacity(c.strategy) == nil; s.outside++ {
		if s.outside >= most {
			return false
		}
	}
	return true
}

// crossSearch chooses domains for the groups in other topologies, one after the other.
type crossSearch struct {
	search   *search
	strategy problem.Strategy
	chosen   []layout.Vertex // by group; the root: anywhere
	ordinal  []int           // of these among all that the group may lie in
	yield    func(*capacity) bool
	lists    [][]layout.Vertex // of domains that groups may lie in, whatever is chosen for others; nil: not known
	sampled  int               // choices that are still looked at whether the gang fits or not; 0: it must
}

func (s *search) newCrossSearch(c *capacity, yield func(*capacity) bool) *crossSearch {
	n := 0
	if s.crossesTrees() {
		n = len(s.crossGroups)
	}
	return &crossSearch{
		search: s, strategy: c.strategy, yield: yield,
		chosen: make([]layout.Vertex, n), ordinal: make([]int, n), lists: make([][]layout.Vertex, n),
	}
}

// chooseFrom chooses for the groups from one on; the gang fits with those before it. False ends the search.
func (x *crossSearch) chooseFrom(i int, c *capacity) bool {
	if i == len(x.chosen) {
		x.sampled--
		return x.yield(c) && x.sampled != 0
	}
	for ordinal, d := range x.domains(i) {
		if twin := x.search.crossGroups[i].twin; twin >= 0 && ordinal < x.ordinal[twin] {
			continue
		}
		next := c
		if x.chosen[i], x.ordinal[i] = d, ordinal; d != layout.Root {
			next = x.capacity()
		}
		if next != nil && !x.chooseFrom(i+1, next) {
			return false
		}
	}
	x.chosen[i] = layout.Root
	return true
}

// domains lists where a group may lie under the strategy beside the groups around it, those with the fewest slots first (under Spread, or if it need not
// fit, the most), then in the order of paths.
func (x *crossSearch) domains(i int) []layout.Vertex {
	a := &x.search.crossGroups[i]
	v, bound := a.part.OtherTree, a.part.Gather.Within(x.strategy.Groups[a.part.Level-1])
	switch {
	case x.lists[i] != nil:
		return x.lists[i]
	case a.home >= 0 && v.TierOf(a.home) > bound:
		return nil
	case bound >= v.RootTop && a.outer >= 0:
		return []layout.Vertex{x.chosen[a.outer]}
	case bound >= v.RootTop:
		return []layout.Vertex{layout.Root}
	case a.home >= 0:
		return []layout.Vertex{v.Highest(a.home, bound)}
	}
	list := x.domainsWithin(a, bound)
	if a.outer < 0 {
		x.lists[i] = list
	}
	return list
}

// domainsWithin are the domains of a tier that may have room for a group.
func (x *crossSearch) domainsWithin(a *crossGroup, bound int32) []layout.Vertex {
	v, around, room := a.part.OtherTree, layout.Root, map[layout.Vertex]int64{}
	if a.outer >= 0 {
		around = x.chosen[a.outer]
	}
	tier, out := x.boundAround(a), []layout.Vertex{}
	for _, d := range v.DomainsOf(bound) {
		d, inside := v.Inside(d, around)
		_, known := room[d]
		if known || !inside || a.part.Gather.Hard && v.Contains(v.Outside, d) {
			continue
		}
		if x.sampled <= 0 && !x.mayHold(a, d, tier) {
			continue
		}
		out, room[d] = append(out, d), x.search.choices.slotsFor(a, d)
	}
	slices.SortFunc(out, func(left, right layout.Vertex) int {
		order := x.search.p.CompareFree(room[left], room[right])
		if x.sampled > 0 {
			order = cmp.Compare(room[right], room[left])
		}
		return cmp.Or(order, v.ComparePaths(left, right))
	})
	return out
}

// mayHold
func (x *crossSearch) mayHold(a *crossGroup, d layout.Vertex, tier int32) bool {
	choices := x.search.choices
	return choices.mayHold(a, d) && (tier >= x.search.p.View.RootTop || choices.mayHoldWithin(a, d, tier))
}

// boundAround is the tier within which the strategy keeps what a group lies in, in the gang's topology.
func (x *crossSearch) boundAround(a *crossGroup) int32 {
	bound := x.strategy.Gang
	for up := a.part.Outer; up != nil && up.Level > 0; up = up.Outer {
		if up.InTree() {
			bound = min(bound, up.Gather.Within(x.strategy.Groups[up.Level-1]))
		}
	}
	return bound
}

// capacity is the scheme for the domains chosen, nil if the gang does not fit.
func (x *crossSearch) capacity() *capacity {
	s := x.searchInChosen()
	if s == nil {
		return nil
	}
	s.outside = x.search.outside
	if c := s.under(x.strategy); c != nil && (x.sampled > 0 || c.fits()) {
		return c
	}
	return nil
}

// searchInChosen
func (x *crossSearch) searchInChosen() *search {
	if x.sampled > 0 {
		return x.search.inDomains(x.chosen)
	}
	return x.search.inDomainsCheaply(x.chosen)
}
