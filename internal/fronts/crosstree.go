package fronts

import (
	"cmp"
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/keys"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: in which domain of its own topology does each group of another topology lie?
//
// Such groups bind nothing in the gang's tree: their members lie there like those of the part around. But each must
// keep to one domain of its own topology. For one choice of domains after the other its members become roles of their
// own, to which the nodes of that domain alone are open.

// crossGroup is a group of another topology with new members.
type crossGroup struct {
	part  *model.Part
	home  layout.Vertex // the lowest vertex of its topology above its running members; -1: none run
	outer int           // index of the group of its topology around it; -1: none
	twin  int           // index of the last equal group before it; -1: none
	needs front.Vector  // its new members by role
}

// findCrossGroups lists the groups of other topologies, outer ones first. Those without new members go to the finished
// groups. A group is the twin of an equal one before it in the same part: their domains are then tried in one order
// only.
//
// order: trees.1
func (s *Search) findCrossGroups() {
	if s.crossGroups = nil; !s.m.SpansTrees() {
		return
	}
	inv := inventory{m: s.m, roles: s.roles, pendingOf: s.m.Places(), positionOf: s.m.PositionsByRank()}
	inv.signatures = s.m.Signatures(inv.pendingOf, false, false)
	known := map[*model.Part]int{} // index in s.crossGroups
	s.m.Gang.Each(func(a *model.Part) {
		if a.OtherTree == nil || a.Bundle {
			return
		}
		g := inv.newCrossGroup(a)
		if g.needs.Total() == 0 { // it chooses nothing, but its running members limit the strategies
			if g.home >= 0 {
				tier := a.OtherTree.TierOf(g.home)
				s.done = append(s.done, finished{gather: a.Gather, level: a.Level, otherTree: true, tier: tier})
			}
			return
		}
		// Each comes after those around it. The nearest group of the same topology confines it.
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

// newCrossGroup reads the new members and the home of a group, without the groups around it.
func (inv *inventory) newCrossGroup(a *model.Part) crossGroup {
	g := crossGroup{part: a, outer: -1, twin: -1, needs: make(front.Vector, inv.roles)}
	g.home = inv.m.LowestInOtherTree(a, inv.positionOf)
	for _, rank := range a.All() {
		if i := inv.pendingOf[rank]; i >= 0 {
			g.needs[inv.m.Role(int(i))]++
		}
	}
	return g
}

// CrossesTrees says whether domains of other topologies are still to be chosen. In a search within chosen domains
// they are not: its roles say where members may be.
func (s *Search) CrossesTrees() bool { return len(s.crossGroups) > 0 && s.chosen == nil }

// capacities iterates over the capacities under a strategy with which the gang fits: one for each choice of domains
// in other topologies, in the order in which they are preferred. Without such groups there is at most one. If the
// gang does not fit with these groups unbound, it does with no choice.
func (s *Search) capacities(st model.Strategy) iter.Seq[*capacity] {
	return func(yield func(*capacity) bool) {
		if c := s.under(st); c != nil && c.fits() {
			s.newCrossSearch(c, yield).chooseFrom(0, c)
		}
	}
}

// roomiestCapacities iterates over at most roomiestChoices capacities under a strategy, for the roomiest domains in
// other topologies, whether the gang fits or not. Evidence for a refusal is read from them.
func (s *Search) roomiestCapacities(st model.Strategy) iter.Seq[*capacity] {
	return func(yield func(*capacity) bool) {
		if c := s.under(st); c != nil {
			x := s.newCrossSearch(c, yield)
			x.sampled = roomiestChoices
			x.chooseFrom(0, c)
		}
	}
}

// roomiestChoices bounds the choices of domains that evidence for a refusal looks at.
const roomiestChoices = 16

// firstCapacity is the first of the capacities for a strategy: with the preferred domains in other topologies. Nil if
// the gang does not fit.
func (s *Search) firstCapacity(st model.Strategy) *capacity {
	for c := range s.capacities(st) {
		return c
	}
	return nil
}

// fitsAcrossTrees says whether the gang, which fits under c, also fits once its groups of other topologies are bound.
// These may force further members out of the tree: s.outside rises one by one, so that it ends at the fewest for
// which a choice of domains exists. Where the gang is bound below the root, or no node lies outside, it cannot rise.
func (s *Search) fitsAcrossTrees(c *capacity) bool {
	if !s.CrossesTrees() {
		return true
	}
	most := s.members(s.want)
	if c.strategy.Gang < s.m.View.RootTop || s.m.View.FirstPos[s.m.View.Outside] == s.m.View.Nodes {
		most = s.outside
	}
	for ; s.firstCapacity(c.strategy) == nil; s.outside++ {
		if s.outside >= most {
			return false
		}
	}
	return true
}

// crossSearch chooses a domain for each group of another topology, by backtracking. A choice for the first groups is
// only extended if the gang fits with it, for a domain of a further group only takes nodes away.
type crossSearch struct {
	search   *Search
	strategy model.Strategy
	chosen   []layout.Vertex // by group; the root: no domain
	ordinal  []int           // index of chosen in the group's list
	yield    func(*capacity) bool
	lists    [][]layout.Vertex // by group: domains, if they depend on no other group; nil: unknown
	sampled  int               // choices left to sample, fitting or not; 0 or less: all choices with which the gang fits
}

// newCrossSearch begins without any choice; c is the capacity of the gang as if its groups of other topologies were not
// bound.
func (s *Search) newCrossSearch(c *capacity, yield func(*capacity) bool) *crossSearch {
	n := 0
	if s.CrossesTrees() {
		n = len(s.crossGroups)
	}
	return &crossSearch{
		search: s, strategy: c.strategy, yield: yield,
		chosen: make([]layout.Vertex, n), ordinal: make([]int, n), lists: make([][]layout.Vertex, n),
	}
}

// chooseFrom chooses for the groups from i on, after a choice for all before i under which c is the capacity. Groups
// from i on are at the root, which confines nothing. It returns false to end the search: yield said so, or enough was
// sampled.
//
// order: trees.2
func (x *crossSearch) chooseFrom(i int, c *capacity) bool {
	if i == len(x.chosen) {
		switch {
		case x.sampled <= 0:
		case x.sampled < roomiestChoices && x.search.m.Left.Fronts.Spent():
			return false // nothing more is seen
		case x.choosesDomain():
			if c = x.capacity(); c == nil {
				return true
			}
		}
		x.sampled--
		return x.yield(c) && x.sampled != 0
	}
	for ordinal, d := range x.domains(i) {
		// Equal groups have the same list; a choice that exchanges their domains is the same plan but for names.
		if twin := x.search.crossGroups[i].twin; twin >= 0 && ordinal < x.ordinal[twin] {
			continue
		}
		next := c // the root changes nothing
		// A sample need not fit, so that only the whole choice is looked into.
		if x.chosen[i], x.ordinal[i] = d, ordinal; d != layout.Root && x.sampled <= 0 {
			next = x.capacity()
		}
		if next != nil && !x.chooseFrom(i+1, next) {
			return false
		}
	}
	x.chosen[i] = layout.Root // for the next choice of the groups before
	return true
}

// choosesDomain says whether any group is confined.
func (x *crossSearch) choosesDomain() bool {
	return slices.ContainsFunc(x.chosen, func(d layout.Vertex) bool { return d != layout.Root })
}

// domains lists the domains that group i may lie in, given the choice for the groups around it: fewest slots first
// (Spread, or sampling: most slots), then in the order of paths. Running members leave one domain, or none if they
// reach above the bound. A group that may span its topology is confined like the group around it. Lists that depend
// on no other group are kept; the slice is the search's.
func (x *crossSearch) domains(i int) []layout.Vertex {
	a := &x.search.crossGroups[i]
	v, bound := a.part.OtherTree, within(a.part.Gather, x.strategy.Groups[a.part.Level-1])
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

// lower is the lower of two vertices, false if neither lies below the other. O(depth).
func lower(v *layout.View, x, y layout.Vertex) (layout.Vertex, bool) {
	if v.Contains(x, y) {
		return y, true
	}
	return x, v.Contains(y, x)
}

// domainsWithin lists the domains of a tier, inside the domain of the outer group, whose slots suffice for the group
// by itself. It is never nil, since nil stands for a list that is unknown. O(domains * log), and the bounds of
// mayHold.
//
// order: trees.2
func (x *crossSearch) domainsWithin(a *crossGroup, bound int32) []layout.Vertex {
	v, around, room := a.part.OtherTree, layout.Root, map[layout.Vertex]int64{}
	if a.outer >= 0 {
		around = x.chosen[a.outer]
	}
	tier, out := x.boundAround(a), []layout.Vertex{}
	for _, d := range v.DomainsOf(bound) {
		// A domain of the tier may be larger than that of the outer group, which then stands for it, once.
		d, inside := lower(v, d, around)
		_, known := room[d]
		if known || !inside || a.part.Gather.Hard && v.Contains(v.Outside, d) {
			continue
		}
		if x.sampled <= 0 && !x.mayHold(a, d, tier) {
			continue
		}
		out, room[d] = append(out, d), x.search.choices.slotsFor(a, d)
	}
	rules := keys.RulesOf(x.search.m.Policy)
	slices.SortFunc(out, func(left, right layout.Vertex) int {
		order := rules.CompareSlots(room[left], room[right])
		if x.sampled > 0 {
			order = cmp.Compare(room[right], room[left])
		}
		return cmp.Or(order, v.ComparePaths(left, right))
	})
	return out
}

// mayHold rules out domains by slots alone, before the search in them is paid for. Slots are an upper bound for each
// role by itself, so that no domain is lost. tier bounds the part of the gang around the group, in the gang's tree;
// at the root it says nothing.
func (x *crossSearch) mayHold(a *crossGroup, d layout.Vertex, tier int32) bool {
	choices := x.search.choices
	return choices.mayHold(a, d) && (tier >= x.search.m.View.RootTop || len(choices.roomWithin(a, d, tier)) > 0)
}

// boundAround is the tier in the gang's tree that bounds the members of a group of another topology: the lowest bound
// of the gang and of the groups of the tree around it.
func (x *crossSearch) boundAround(a *crossGroup) int32 {
	bound := x.strategy.Gang
	for up := a.part.Outer; up != nil && up.Level > 0; up = up.Outer {
		if up.InTree() {
			bound = min(bound, within(up.Gather, x.strategy.Groups[up.Level-1]))
		}
	}
	return bound
}

// capacity is the capacity within the chosen domains, nil if the gang does not fit there. A sample need not fit.
func (x *crossSearch) capacity() *capacity {
	s := x.searchInChosen()
	if s == nil {
		return nil
	}
	s.outside = x.search.outside
	c := s.under(x.strategy)
	if c == nil {
		return nil
	}
	c.rooms = x.rooms()
	if x.sampled > 0 || c.fits() {
		return c
	}
	return nil
}

// rooms are, by group whose domain is chosen and whose members all lie in the gang's domain, the domains of the gang's tier
// that may hold it there.
func (x *crossSearch) rooms() (out []map[layout.Vertex]bool) {
	for i, d := range x.chosen {
		a := &x.search.crossGroups[i]
		if tier := x.boundAround(a); d != layout.Root && tier == x.strategy.Gang && tier < x.search.m.View.RootTop {
			out = append(out, x.search.choices.roomWithin(a, d, tier))
		}
	}
	return out
}

// searchInChosen is the search within the chosen domains, nil where the budget is spent. Only samples, which are few,
// go beyond it.
func (x *crossSearch) searchInChosen() *Search {
	if x.sampled > 0 {
		return x.search.inDomains(x.chosen)
	}
	return x.search.inDomainsCheaply(x.chosen)
}
