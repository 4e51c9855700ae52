package placement

import (
	"sort"

	"github.com/muster-sched/muster/internal/layout"
)

// bestAt finds the domain of a tier that could take the most new members, whole groups under the groups' rules; of
// equals that with the most slots, then the first in path order.
func (s *sums) bestAt(slots slotTable, t int32, fits bool) (fit, bool) {
	p := s.p
	best := widest{sums: s, table: slots, fits: fits, tier: t, domain: -1, members: -1}
	if s.p.lca < 0 && slots.flat == nil && (len(s.p.levels) == 0 || s.ask.indexed != nil) {
		i := s.p.v.TierIndex(t)
		if len(s.p.levels) == 0 && t < s.p.v.RootTop && slots.ix.Domains.At(s.p.v.Outside) == 0 {
			// The one to be found has the most slots of all.
			best.slots = int64(slots.ix.Most[i].At(layout.Root)) - 1
			best.members = min(best.slots+1, int64(len(s.p.pending)))
		}
		best.walk(layout.Root, i)
	} else {
		for _, d := range s.p.candidates(t) {
			best.look(d)
		}
	}
	if best.domain < 0 {
		return fit{}, false
	}
	out := fit{tier: t, domain: best.domain, members: int(best.members)}
	if len(p.levels) > 0 {
		out.groups = int(best.members / p.levels[0].size)
	}
	return out, true
}

// widest is the domain of a tier that could take the most new members so far.
type widest struct {
	sums    *sums
	table   slotTable
	fits    bool
	tier    int32
	domain  layout.Vertex
	members int64
	slots   int64
}

func (w *widest) look(d layout.Vertex) {
	n, slots := w.sums.capacity(d, w.table, w.fits), w.table.at(d)
	if n > w.members || n == w.members && slots > w.slots {
		w.domain, w.members, w.slots = d, n, slots
	}
}

// walk looks at the domains below x, except where the index says that none is better; i is the place of the tier.
func (w *widest) walk(x layout.Vertex, i int) {
	if w.sums.p.v.TierOf(x) <= w.tier {
		w.look(x)
		return
	}
	slots := int64(w.table.ix.Most[i].At(x))
	n := min(slots, int64(len(w.sums.p.pending)))
	if w.sums.ask.indexed != nil {
		groups := slots / w.sums.ask.sizes[0]
		if t := w.sums.p.v.TierIndex(w.sums.tiers[0]); t < i {
			groups = int64(w.sums.ask.indexed.Most[i][t].At(x))
		}
		if groups < w.sums.ask.full {
			n = groups * w.sums.ask.sizes[0]
		}
	}
	if n < w.members || n == w.members && slots <= w.slots {
		return
	}
	lo, end := w.sums.p.v.Kids(x)
	for c := lo; c < end; c++ {
		if n > w.members || w.table.at(c) > w.slots {
			w.walk(c, i)
		}
	}
}

// capacity is how many new members a domain could take under the groups' rules, at most all pending ones.
func (s *sums) capacity(d layout.Vertex, slots slotTable, fits bool) int64 {
	p := s.p
	total := int64(len(p.pending))
	if len(p.levels) == 0 {
		n := min(total, slots.at(d))
		if p.mult != nil {
			n -= n % p.mult[p.v.RootTop]
		}
		return n
	}
	if len(s.ask.begun) > 0 {
		return s.capacityWithBegun(d, slots)
	}
	if !fits {
		return 0
	}
	if s.takes(d) {
		return total
	}
	groups := min(s.whole(0, s.tiers[0], d), s.ask.full)
	return groups * s.ask.sizes[0]
}

// capacityWithBegun is the capacity for a gang with begun groups: of these all that is missing is placed, or nothing.
func (s *sums) capacityWithBegun(d layout.Vertex, slots slotTable) int64 {
	counts := s.p.wholes(1, s.p.admitted)
	i := sort.Search(len(counts), func(i int) bool {
		some, fits := newAsk(s.p, slots, counts[i]).newSums(s.tiers)
		return !fits || !some.takes(d)
	})
	if i == 0 {
		return 0
	}
	return int64(counts[i-1])
}
