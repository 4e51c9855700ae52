package gather

import (
	"sort"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// bestAt finds the domain of a tier that could take the most new members, whole groups under the groups' rules; of
// equals that with the most slots, then the first in path order.
//
// order: refusals.1
func (s *sums) bestAt(slots problem.SlotTable, t int32) (problem.Fit, bool) {
	p := s.p
	best := widest{sums: s, table: slots, place: s.p.View.TierIndex(t), domain: -1, members: -1}
	if s.p.LCA < 0 && slots.Flat == nil && (len(s.p.Levels) == 0 || s.ask.indexed != nil) {
		if len(s.p.Levels) == 0 && t < s.p.View.RootTop && slots.Ix.Domains.At(s.p.View.Outside) == 0 {
			// The one to be found has the most slots of all.
			best.slots = int64(slots.Ix.Most[best.place].At(layout.Root)) - 1
			best.members = min(best.slots+1, int64(len(s.p.Pending)))
		}
		walk(p.View, t, layout.Root, best.enter, best.visit)
	} else {
		for _, d := range s.p.Candidates(t) {
			best.look(d)
		}
	}
	if best.domain < 0 {
		return problem.Fit{}, false
	}
	out := problem.Fit{Tier: t, Domain: best.domain, Members: int(best.members)}
	if len(p.Levels) > 0 {
		out.Groups = int(best.members / p.Levels[0].Size)
	}
	return out, true
}

// widest is the domain of a tier that could take the most new members so far.
type widest struct {
	sums    *sums
	table   problem.SlotTable
	place   int // of the tier
	domain  layout.Vertex
	members int64
	slots   int64
	entered layout.Vertex // the domain entered last
	most    int64         // members that one below it could take at most
}

func (w *widest) look(d layout.Vertex) {
	n, slots := w.sums.capacity(d, w.table), w.table.At(d)
	if n > w.members || n == w.members && slots > w.slots {
		w.domain, w.members, w.slots = d, n, slots
	}
}

// enter says whether the index allows a better domain below x.
func (w *widest) enter(x layout.Vertex) bool {
	slots := int64(w.table.Ix.Most[w.place].At(x))
	n := min(slots, int64(len(w.sums.p.Pending)))
	if w.sums.ask.indexed != nil {
		groups := slots / w.sums.ask.sizes[0]
		if t := w.sums.p.View.TierIndex(w.sums.tiers[0]); t < w.place {
			groups = int64(w.sums.ask.indexed.Most[w.place][t].At(x))
		}
		if groups < w.sums.ask.full {
			n = groups * w.sums.ask.sizes[0]
		}
	}
	w.entered, w.most = x, n
	return n > w.members || n == w.members && slots > w.slots
}

// visit looks at a domain unless the index of its parent says that it is no better.
func (w *widest) visit(d layout.Vertex) verdict {
	if w.sums.p.View.Above(d) != w.entered || w.most > w.members || w.table.At(d) > w.slots {
		w.look(d)
	}
	return goOn
}

// capacity is how many new members a domain could take under the groups' rules, at most all pending ones.
func (s *sums) capacity(d layout.Vertex, slots problem.SlotTable) int64 {
	p := s.p
	total := int64(len(p.Pending))
	if len(p.Levels) == 0 {
		n := min(total, slots.At(d))
		if p.Multiple != nil {
			n -= n % p.Multiple[p.View.RootTop]
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
	return groups * s.ask.sizes[0]
}

// capacityWithBegun is the capacity for a gang with begun groups: of these all that is missing is placed, or nothing.
func (s *sums) capacityWithBegun(d layout.Vertex, slots problem.SlotTable) int64 {
	counts := s.p.Wholes(1, s.p.Admitted)
	i := sort.Search(len(counts), func(i int) bool {
		some, fits := newAsk(s.p, slots, counts[i]).newSums(s.tiers)
		return !fits || !some.takes(d)
	})
	if i == 0 {
		return 0
	}
	return int64(counts[i-1])
}
