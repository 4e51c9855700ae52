package placement

import (
	"fmt"
	"iter"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// uniform is the engine for members of one shape in equal groups.
type uniform struct{ p *problem }

// Count has nothing to find out: the problem knows.
func (e uniform) Count() error { return nil }

// Admit finds how many units the quota admits, which refuses all together, and what refuses the least that the rules allow.
func (e uniform) Admit(state *quota.State) error {
	p := e.p
	p.admitted = sort.Search(len(p.pending)-1, func(n int) bool {
		refusal, err := state.Admit(p.asks(n+1), p.req.QuotaLimit)
		return refusal != nil || err != nil // never the latter: it is a part of the whole
	})
	wholes := p.wholes(max(1, p.least), len(p.pending))
	if len(wholes) == 0 || wholes[0] <= p.admitted {
		return nil
	}
	var err error
	p.refusedBy, err = state.Admit(p.asks(wholes[0]), p.req.QuotaLimit)
	return err
}

// Search is the best plan for as many new members as there is room for, between p.least and all.
func (e uniform) Search() *outcome {
	slots := e.p.slotTable()
	if n, ok := e.most(slots); ok {
		return e.searchFor(slots, n)
	}
	return nil
}

// searchFor finds the best plan for the first n pending members, nil if there is none.
func (e uniform) searchFor(slots slotTable, n int) *outcome {
	for f := range newAsk(e.p, slots, n).feasible() {
		if d := f.best(); d >= 0 {
			return f.decide(d)
		}
	}
	return nil
}

// most is the largest number of new members that the hard rules allow, ok unless it is below the least.
func (e uniform) most(slots slotTable) (n int, ok bool) {
	counts := e.p.counts()
	switch len(counts) {
	case 0:
		return 0, false
	case 1:
		return counts[0], true // the search itself finds out
	}
	// Fewer members never need more room, so the counts that fit are the first ones.
	i := sort.Search(len(counts), func(i int) bool { return !e.fits(slots, counts[i]) })
	if i == 0 {
		return 0, false
	}
	return counts[i-1], true
}

// fits says whether the first n pending members can be placed at all.
func (e uniform) fits(slots slotTable, n int) bool {
	a := newAsk(e.p, slots, n)
	return a.holds(a.p.loosest(a.p.gather.must))
}

// Outcomes iterates over the best plans in every domain that some strategy allows, best first.
func (e uniform) Outcomes() iter.Seq[*outcome] {
	return func(yield func(*outcome) bool) {
		slots := e.p.slotTable()
		n, ok := e.most(slots)
		if !ok {
			return
		}
		tried := map[layout.Vertex]bool{}
		for f := range newAsk(e.p, slots, n).feasible() {
			for _, d := range f.rankDomains() {
				if tried[d] {
					continue
				}
				tried[d] = true
				if !yield(f.decide(d)) {
					return
				}
			}
		}
	}
}

// LeastAndMore plans the least number of members, and further ones beside them.
func (e uniform) LeastAndMore() *outcome {
	p := e.p
	counts := p.counts()
	if len(counts) == 0 {
		return nil
	}
	o := e.searchFor(p.slotTable(), counts[0])
	if o == nil {
		return nil
	}
	waits := p.waitsFor(o.positions)
	positions := append(o.positions, e.further(o, waits)...)
	if len(p.levels) == 0 {
		slices.Sort(positions) // ranks follow the tree, whoever came first
	}
	return &outcome{of: p, domain: o.domain, tier: o.tier, positions: positions, waits: waits}
}

// further places the members that a waiting plan leaves out, as if its members ran: inside its domain, on what is free
// now.
func (e uniform) further(o *outcome, waits []*snapshot.Member) []int32 {
	p, n := e.p, len(o.positions)
	if n == len(p.pending) || p.mult != nil {
		return nil
	}
	more := p.beside(o)
	more.pending, more.least, more.admitted = p.pending[n:], 1, p.admitted-n
	slots := more.counting().countSlots()
	for _, pos := range o.positions {
		x := more.v.NodeVertex(pos)
		slots[x] = max(0, slots[x]-1)
	}
	more.zones().boundFurther(slots, o.positions, waits)
	more.counting().sumSlots(slots)
	rest, table := uniform{more}, slotTable{flat: slots}
	if n, ok := rest.most(table); ok {
		if next := rest.searchFor(table, n); next != nil {
			return next.positions
		}
	}
	return nil
}

// Possible says whether the least number of members can be placed at all.
func (e uniform) Possible() bool {
	counts := e.p.counts()
	return len(counts) > 0 && e.fits(e.p.slotTable(), counts[0])
}

// Minimal is the problem itself: the members of the lowest ranks are the least.
func (e uniform) Minimal() (some []*problem, whole bool) { return []*problem{e.p}, true }

// Strategies enumerates the tiers of the gang and of its groups.
func (e uniform) Strategies() iter.Seq[strategy] { return e.p.strategies() }

// Allows says whether a strategy holds so many units, and how many lie outside the tree then.
func (e uniform) Allows(units int, st strategy) (outside int64, ok bool) {
	a := newAsk(e.p, e.p.slotTable(), units)
	return a.beyond, a.holds(st)
}

// Exact says whether slots alone decide: no multiples, no begun groups.
func (e uniform) Exact() bool {
	return e.p.mult == nil && (len(e.p.levels) == 0 || len(e.p.running) == 0)
}

// Room is nil: the slots of the shape say what fits on a node.
func (e uniform) Room() func(id int32, extra []int64, zones *numa.Occupancy) int64 { return nil }

// Evidence looks for the best domain of every tier under the groups' rules alone.
func (e uniform) Evidence() evidence {
	p := e.p
	out := evidence{proven: func() bool { return p.zones().zonesProven(p.excluded(), p.leavingGifts()) }}
	slots := p.slotTable()
	a := newAsk(p, slots, len(p.pending))
	s, fits := a.newSums(a.p.loosest(p.gather.must).groups)
	for _, t := range p.v.Tiers {
		if t > p.gather.must {
			break
		}
		if found, ok := s.bestAt(slots, t, fits); ok {
			out.fits = append(out.fits, found)
		}
	}
	return out
}

// MostAdmitted is how many new members the quota admits in whole groups.
func (e uniform) MostAdmitted() int {
	wholes := e.p.wholes(1, e.p.admitted)
	if len(wholes) == 0 {
		return 0
	}
	return wholes[len(wholes)-1]
}

// HoldsWithoutRules says whether the free slots suffice.
func (e uniform) HoldsWithoutRules() bool {
	p := e.p
	if ix := p.ownIndex(); ix != nil {
		return int64(ix.Domains.At(layout.Root)) >= int64(p.least)
	}
	free := p.withoutRules().withoutMultiples()
	return free.counting().countSlots()[layout.Root] >= int64(p.least)
}

// BindingRule is the gang's own MustGather, unless the members would not fit without it either.
func (e uniform) BindingRule() string {
	if e.p.gather.hard && (e.p.mult == nil || uniform{e.p.withoutRules()}.Possible()) {
		return "MustGather " + e.p.gather.name
	}
	for _, l := range e.p.levels {
		if l.gather.hard {
			return fmt.Sprintf("MustGather %s for groups of %d", l.gather.name, l.size)
		}
	}
	return ""
}

// BindingMultiple is the first multiple that does not divide the gang, else the first.
func (e uniform) BindingMultiple() string {
	return nameOfMultiple(e.p, e.p.multiplesIn(e.p.req.Gather), len(e.p.pending)+len(e.p.running))
}
