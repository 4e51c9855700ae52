// What an engine is asked about a gang of one shape, and how an answer comes about.

package gather

import (
	"iter"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/invariant"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// Search is the best answer for as many new members as there is room for, nil if not even the least number fits.
func Search(m *model.Model) *model.Answer {
	slots := m.Room.Table()
	if n, ok := most(m, slots); ok {
		return searchFor(m, slots, n)
	}
	return nil
}

// SearchLeast is the best answer for the least number of new members, nil if they do not fit.
func SearchLeast(m *model.Model) *model.Answer {
	if counts := m.Counts(); len(counts) > 0 {
		return searchFor(m, m.Room.Table(), counts[0])
	}
	return nil
}

// searchFor is the best answer for the first n pending members, nil if there is none.
func searchFor(m *model.Model, slots model.SlotTable, n int) *model.Answer {
	spares := m.Room.SomeAreForOthers()
	for f := range newAsk(m, slots, n).feasible(nil) { // the first strategy with a domain is the best
		if f.isAboveInside() {
			if f.sums.takes(topOf(&slots)) {
				return searchFor(m, asCounted(m, slots), n) // spans, and what stays together, are told from the domain around
			}
			continue
		}
		if spares { // mostly possible, and then no domain of all nodes is compared
			if g := f.withoutOthers(); g != nil {
				if d := g.best(); d >= 0 {
					return g.decide(d)
				}
			}
		}
		if d := f.best(); d >= 0 {
			return f.decide(d)
		}
	}
	return nil
}

// withoutOthers is the same strategy for the same members without the nodes meant for others. Nil if the strategy is not possible
// at all, if that changes nothing, or leaves more members outside the tree.
func (f *found) withoutOthers() *found {
	if !f.sums.holds(f.strategy, nil) {
		return nil
	}
	own := f.m.Room.WithoutOthers(f.strategy)
	if own == nil {
		return nil
	}
	slots := own.Room.Table()
	if f.ask.slots.Flat != nil && topOf(&slots) != layout.Root { // as this one is counted
		slots = asCounted(own, slots)
	}
	a := newAsk(own, slots, int(f.ask.members))
	if a.beyond != f.ask.beyond {
		return nil
	}
	s, fits := a.newSums(f.strategy.Groups)
	if !fits {
		return nil
	}
	return &found{m: own, ask: a, sums: s, strategy: f.strategy}
}

// asCounted is the table of a gang that must be in one domain with a number for every vertex, so that no place of the index counts nodes outside
// of it. O(vertices).
func asCounted(m *model.Model, slots model.SlotTable) model.SlotTable {
	flat := make([]int64, m.View.NumDomains()+int(m.View.Nodes))
	for x := range flat {
		flat[x] = slots.At(layout.Vertex(x))
	}
	return model.SlotTable{Flat: flat}
}

// most is the largest number of new members that the hard rules allow, ok unless it is below the least.
//
// order: howmany.1
func most(m *model.Model, slots model.SlotTable) (n int, ok bool) {
	counts := m.Counts()
	switch len(counts) {
	case 0:
		return 0, false
	case 1:
		return counts[0], true // whether they fit the search finds out
	}
	// Fewer members never need more room, so the counts that fit are the first ones.
	i := sort.Search(len(counts), func(i int) bool { return !fits(m, slots, counts[i]) })
	if i == 0 {
		return 0, false
	}
	return counts[i-1], true
}

// fits says whether the first n pending members can be placed at all.
func fits(m *model.Model, slots model.SlotTable, n int) bool {
	return newAsk(m, slots, n).holds(loosest(m, m.Gather.Must))
}

// loosest is the strategy for a gang tier that binds groups by the hard rules alone: if the gang does not fit under
// it, no strategy of that tier helps.
func loosest(m *model.Model, gang int32) model.Strategy {
	s := model.Strategy{Gang: gang}
	for _, l := range m.Levels {
		s.Groups = append(s.Groups, l.Gather.Must)
	}
	return s
}

// Possible says whether the least number of members can be placed at all.
func Possible(m *model.Model) bool {
	counts := m.Counts()
	return len(counts) > 0 && fits(m, m.Room.Table(), counts[0])
}

// Allows says whether some domain holds so many units under a strategy, and how many members lie outside the tree then.
func Allows(m *model.Model, units int, st model.Strategy) (outside int64, ok bool) {
	a := newAsk(m, m.Room.Table(), units)
	return a.beyond, a.holds(st)
}

// Answers iterates over the best answer in every domain that some strategy allows, best first. A domain comes once,
// under the best strategy that allows it.
func Answers(m *model.Model) iter.Seq[*model.Answer] {
	return func(yield func(*model.Answer) bool) {
		slots := m.Room.Table()
		n, ok := most(m, slots)
		if !ok {
			return
		}
		if topOf(&slots) != layout.Root { // the domains around come as well
			slots = asCounted(m, slots)
		}
		tried, spares := map[layout.Vertex]bool{}, m.Room.SomeAreForOthers()
		all := func(f *found) bool {
			for _, d := range f.rankDomains(tried) {
				tried[d] = true
				if !yield(f.decide(d)) {
					return false
				}
			}
			return true
		}
		for f := range newAsk(m, slots, n).feasible(tried) {
			if spares {
				if g := f.withoutOthers(); g != nil && !all(g) {
					return
				}
			}
			if !all(&f) {
				return
			}
		}
	}
}

// Fits has, for every tier up to the gang's MustGather, the domain that could take the most members under the hard rules of the groups.
func Fits(m *model.Model) []model.Fit {
	out := make([]model.Fit, 0, len(m.View.Tiers))
	slots := m.Room.Table()
	s, _ := newAsk(m, slots, len(m.Pending)).newSums(loosest(m, m.Gather.Must).Groups)
	for _, t := range m.View.Tiers {
		if t > m.Gather.Must {
			break
		}
		if found, ok := s.bestAt(slots, t); ok {
			out = append(out, found)
		}
	}
	return out
}

// found is a strategy under which all begun groups can be completed, with the sums for it. Whether a domain holds the
// ask is still open.
type found struct {
	m        *model.Model
	ask      *ask
	sums     *sums
	strategy model.Strategy
	known    known // proven of the children of one domain, while domains are compared
	better   int   // how often a domain became the best so far
}

// feasible enumerates the strategies that may hold the ask in a domain that was not tried, best first; tried may grow
// meanwhile, and is nil where none was. A value is good until the next one is asked for. With whole groups counted by
// the index a strategy costs no more than to see whether it is worth a look, so that this is left out.
func (a *ask) feasible(tried map[layout.Vertex]bool) iter.Seq[found] {
	var sums *sums // of the loosest groups: gang tiers follow each other with the same ones, and share the tables
	try := func(st model.Strategy) bool {
		if sums == nil || !slices.Equal(sums.tiers, st.Groups) {
			sums, _ = a.newSums(slices.Clone(st.Groups))
		}
		return sums.fits && sums.holds(st, tried)
	}
	if a.indexed != nil && tried == nil {
		try = nil
	}
	return func(yield func(found) bool) {
		for st := range a.m.Strategies(try) {
			if s, fits := a.newSums(st.Groups); fits && !yield(found{m: s.m, ask: s.ask, sums: s, strategy: st}) {
				return
			}
		}
	}
}

// holds says whether some domain can hold the ask under a strategy. O(domains), beside the sums.
func (a *ask) holds(st model.Strategy) bool {
	s, fits := a.newSums(st.Groups)
	return fits && s.holds(st, nil)
}

// holds says whether some domain that was not tried can hold the ask under the strategy of the sums.
func (s *sums) holds(st model.Strategy, tried map[layout.Vertex]bool) bool {
	for d := range (&found{m: s.m, ask: s.ask, sums: s, strategy: st}).domains(nil) {
		if !tried[d] {
			return true
		}
	}
	return false
}

// decide places the ask below a domain that takes it, and gives the members their positions.
func (f *found) decide(d layout.Vertex) *model.Answer {
	sh := f.sums.placer().place(d, f.ask.everything())
	o := &model.Answer{Of: f.m, Domain: d, Tier: f.strategy.Gang, Positions: sh.run}
	if sh.run == nil || f.ask.bottom() > 0 { // a run without groups is in rank order already
		ar := arranger{f.m, f.ask}
		o.Positions = ar.assign(ar.arrange(&sh))
	}
	if invariant.On {
		f.checkPlan(o, &sh)
	}
	return o
}
