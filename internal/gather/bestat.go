// If a gang fits nowhere, which domain of a tier comes closest?

package gather

import (
	"sort"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// bestAt finds the domain of a tier that could take the most new members, in whole groups under the groups' rules; of
// equal ones that with the most slots, then the first in the order of paths. False if no domain is a candidate.
// O(domains of the tier), beside their capacities; with an index most of the tree is passed over.
//
// order: refusals.1
func (s *sums) bestAt(slots model.SlotTable, t int32) (model.Fit, bool) {
	m := s.m
	best := widest{sums: s, table: slots, place: s.m.View.TierIndex(t), domain: -1, members: -1}
	switch top := topOf(&slots); {
	case top != layout.Root && slots.At(top) == 0: // all are equal
		walk(m.View, t, layout.Root, func(layout.Vertex) verdict { return goOn }, best.first)
	case top != layout.Root && m.View.TierOf(top) <= t:
		best.look(top)
		best.domain = m.View.Highest(top, t) // which has the same room, and no other domain of the tier has any
	default:
		best.lookAround(t)
	}
	if best.domain < 0 {
		return model.Fit{}, false
	}
	out := model.Fit{Tier: t, Domain: best.domain, Members: int(best.members)}
	if len(m.Levels) > 0 {
		out.Groups = int(best.members / m.Levels[0].Size)
	}
	return out, true
}

// lookAround looks at the domains of a tier, those in the domain in which members must be.
func (w *widest) lookAround(t int32) {
	m, ask, slots, top := w.sums.m, w.sums.ask, &w.table, topOf(&w.table)
	switch {
	case m.LCA < 0 && slots.Flat == nil && !ask.isAbove(w.place) && (len(m.Levels) == 0 || ask.indexed != nil):
		if len(m.Levels) == 0 && t < m.View.RootTop && (top != layout.Root || slots.Ix.Domains.At(m.View.Outside) == 0) {
			// Without groups it has the most slots of all, a number that the root knows. With a bound just below that,
			// the walk looks at nothing else.
			w.slots = int64(slots.Ix.Most[w.place].At(top)) - 1
			w.members = min(w.slots+1, int64(len(m.Pending)))
		}
		walk(m.View, t, top, w.enter, w.visit)
	case top != layout.Root:
		walk(m.View, t, top, func(layout.Vertex) verdict { return goOn }, func(d layout.Vertex) verdict {
			w.look(d)
			return goOn
		})
	default:
		for _, d := range m.Candidates(t) {
			w.look(d)
		}
	}
}

// widest is the domain of a tier that could take the most new members so far.
type widest struct {
	sums    *sums
	table   model.SlotTable
	place   int           // of the tier in the view's Tiers
	domain  layout.Vertex // -1: none yet
	members int64         // that it could take; -1: none yet
	slots   int64         // that it has
	entered layout.Vertex // the domain above the tier that was entered last
	most    int64         // members that a domain below it could take at most
}

// look makes a domain the widest if it takes more members, or as many and has more slots.
func (w *widest) look(d layout.Vertex) {
	if w.sums.takesFewer(d, w.members) {
		return
	}
	n, slots := w.sums.capacity(d, w.table), w.table.At(d)
	if n > w.members || n == w.members && slots > w.slots {
		w.domain, w.members, w.slots = d, n, slots
	}
}

// first takes the first domain, in which no member has room.
func (w *widest) first(d layout.Vertex) verdict {
	w.domain, w.members = d, 0
	return stop
}

// enter goes below x if the index allows a better domain there. If not even below its parent one is better than the best
// by now, the rest of the siblings is left out as well.
func (w *widest) enter(x layout.Vertex) verdict {
	most, slots := w.boundBelow(x)
	if most > w.members || most == w.members && slots > w.slots {
		w.entered, w.most = x, most // bounds for x's children too, if these are of the tier
		return goOn
	}
	if up := w.sums.m.View.Above(x); up >= 0 {
		if most, slots = w.boundBelow(up); most < w.members || most == w.members && slots <= w.slots {
			return leave
		}
	}
	return pass
}

// boundBelow is the most members that one domain of the tier below x could take, and the most slots that one has.
func (w *widest) boundBelow(x layout.Vertex) (members, slots int64) {
	slots = int64(w.table.Ix.Most[w.place].At(x))
	members = min(slots, int64(len(w.sums.m.Pending)))
	if w.sums.ask.indexed != nil {
		groups := slots / w.sums.ask.sizes[0]
		if t := w.sums.m.View.TierIndex(w.sums.tiers[0]); t < w.place {
			groups = w.sums.ask.indexed.Most(w.place, t, x)
		}
		if groups < w.sums.ask.full {
			members = groups * w.sums.ask.sizes[0]
		}
	}
	return members, slots
}

// visit looks at a domain, unless by the bound of its parent it takes no more members, and it has no more slots.
func (w *widest) visit(d layout.Vertex) verdict {
	if w.sums.m.View.Above(d) != w.entered || w.most > w.members || w.table.At(d) > w.slots {
		w.look(d)
	}
	return goOn
}

// capacity is how many new members a domain could take under the groups' rules, at most all pending ones. The short
// group counts only if the domain takes all.
func (s *sums) capacity(d layout.Vertex, slots model.SlotTable) int64 {
	m := s.m
	total := int64(len(m.Pending))
	if s.ask.broken {
		return 0
	}
	if len(m.Levels) == 0 {
		n := min(total, slots.At(d))
		if s.ask.spans(d) {
			n = min(total, s.mostWithin(d))
		}
		if m.Multiple != nil {
			n -= n % m.Multiple[m.View.RootTop]
		}
		return n
	}
	if len(s.ask.begun) > 0 {
		return s.capacityWithBegun(d, slots)
	}
	if !s.fits {
		return 0
	}
	if s.takes(d) {
		return total
	}
	groups := min(s.whole(0, s.tiers[0], d), s.ask.full)
	if s.ask.spans(d) {
		groups = min(groups, s.mostWithin(d))
	}
	return groups * s.ask.sizes[0]
}

// capacityWithBegun is the capacity for a gang with begun groups: the most new members that the domain can take out of
// the numbers that the rules allow. Of a begun group all that is missing is placed, or nothing. O(log members) asks.
func (s *sums) capacityWithBegun(d layout.Vertex, slots model.SlotTable) int64 {
	// As in Engine.most: fewer members never need more room, so the counts that fit are the first ones.
	counts := s.m.Wholes(1, s.m.Admitted)
	i := sort.Search(len(counts), func(i int) bool {
		some, fits := newAsk(s.m, slots, counts[i]).newSums(s.tiers)
		return !fits || !some.takes(d)
	})
	if i == 0 {
		return 0
	}
	return int64(counts[i-1])
}
