package fronts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/steps"
)

// This file answers: how many domains do the gang and its parts use, each under its Within? Vectors have a last number for each Within,
// negated: a vector in fewer domains is the larger one.

// countedDomains are the Withins of several domains, of the gang and of its parts. Nil: there is none.
type countedDomains struct {
	view *layout.View
	list []countedLimit
}

// countedLimit is one of them.
type countedLimit struct {
	tier  int32
	ranks []int                  // of the members that it counts
	all   bool                   // these are everybody
	used  map[layout.Vertex]bool // domains with running ones
	left  int32                  // further domains
	its   front.Weights          // members that it counts, in one of each dimension; known once totals are
}

// countedOf reads the limits of a gang; nil: it has none. O(limits * running members * tiers).
func countedOf(m *model.Model) *countedDomains {
	w := &countedDomains{view: m.View}
	m.Gang.Each(func(a *model.Part) {
		if a == m.Gang && m.Limits.CountDomains() {
			for _, c := range m.Limits.Within {
				w.add(m, a, c.Tier, c.Most)
			}
		}
		for _, l := range a.Limits {
			if l.Domains {
				w.add(m, a, l.Tier, l.Most)
			}
		}
	})
	if len(w.list) == 0 {
		return nil
	}
	return w
}

// add adds a limit of the gang or of a part.
func (w *countedDomains) add(m *model.Model, a *model.Part, tier int32, most int64) {
	c := countedLimit{tier: tier, ranks: a.All(), all: a == m.Gang, used: map[layout.Vertex]bool{}}
	at := m.PositionsByRank()
	for _, rank := range c.ranks {
		if at[rank] >= 0 {
			c.used[w.view.DomainAt(at[rank], tier)] = true
		}
	}
	c.left = int32(max(0, min(most-int64(len(c.used)), int64(len(m.Pending)))))
	w.list = append(w.list, c)
}

// weighed are the limits of a search, whose totals are known, with the members that each counts. O(limits * members).
func (w *countedDomains) weighed(s *Search) *countedDomains {
	if w == nil || !slices.ContainsFunc(w.list, func(c countedLimit) bool { return !c.all || s.m.BindsBelow() }) {
		return w
	}
	place, at := s.m.Places(), s.m.PositionsByRank()
	next := &countedDomains{view: w.view, list: slices.Clone(w.list)}
	for i := range next.list {
		next.list[i].its = countMembers(s, w.list[i].ranks, place, at).of
	}
	return next
}

// dims is the number of dimensions that count domains.
func (w *countedDomains) dims() int {
	if w == nil {
		return 0
	}
	return len(w.list)
}

// bound sets the numbers of domains of a wanted vector: all that are left.
func (w *countedDomains) bound(want front.Vector) {
	for i := range w.dims() {
		want[len(want)-len(w.list)+i] = -w.list[i].left
	}
}

// space is a space for vectors, with room in its tables for the numbers of domains.
func (w *countedDomains) space(totals front.Vector, limit int, left *steps.Budget) *front.Space {
	var domains []int32
	room := int64(1)
	for i := range w.dims() {
		domains, room = append(domains, w.list[i].left), min(room*int64(w.list[i].left+1), 1<<31-1)
	}
	space := front.NewSpace(totals, max(limit, int(room)), left)
	space.Domains = domains
	return space
}

// at is the further domain that new members in x use: x, or the domain around it. Not ok: x lies above, or members run there already.
func (c *countedLimit) at(v *layout.View, x layout.Vertex) (d layout.Vertex, ok bool) {
	if v.TierOf(x) > c.tier {
		return 0, false
	}
	d = v.Highest(x, c.tier)
	return d, !c.used[d]
}

// counts says whether it counts members in a dimension.
func (c *countedLimit) counts(dim int) bool { return c.all || c.its[dim] > 0 }

// above is the front of x for its parent: a vector with members that a Within counts uses one domain, if x is one.
//
// order: limits.10
func (w *countedDomains) above(x layout.Vertex, f front.Front, space *front.Space) (above front.Front, forgot bool) {
	var here []int
	all := true
	for i := range w.dims() {
		if d, ok := w.list[i].at(w.view, x); ok && d == x {
			here, all = append(here, i), all && w.list[i].all
		}
	}
	if len(here) == 0 || f.IsZero() {
		return f, false
	}
	space.Spend(int64(len(f) * len(here)))
	out, dims := make(front.Front, len(f), len(f)+1), len(space.Zero[0])-len(w.list)
	for i, p := range f {
		out[i] = slices.Clone(p)
	}
	if all && !space.Exact { // whatever lies there uses one domain
		for _, i := range here {
			if w.list[i].left == 0 {
				return space.Zero, false
			}
			for _, p := range out {
				p[dims+i] = -1
			}
		}
		return append(out, space.Zero[0]), false
	}
	for _, i := range here {
		out = w.list[i].use(out, dims+i, space.Exact)
	}
	if space.Exact {
		return space.InFewest(out), false
	}
	return w.largest(out, space)
}

// use makes each vector use a domain in a dimension, if it has members that the limit counts. A vector that need not be used up may do
// without these, and without the domain.
func (c *countedLimit) use(f front.Front, dim int, exact bool) (out front.Front) {
	for _, p := range f {
		if c.its.Of(p) == 0 {
			out = append(out, p)
			continue
		}
		if !exact {
			without := slices.Clone(p)
			for r := range without {
				if c.its[r] > 0 {
					without[r] = 0
				}
			}
			out = append(out, without)
		}
		if p[dim]--; c.left > 0 {
			out = append(out, p)
		}
	}
	return out
}

// largest drops the vectors within others.
func (w *countedDomains) largest(f front.Front, space *front.Space) (out front.Front, forgot bool) {
	sides := make(front.Vector, len(space.Zero[0]))
	for r := range sides {
		sides[r] = max(0, f.Most(r))
	}
	forgot = space.Begin(sides)
	for _, p := range f {
		space.Put(p, space.Zero[0])
	}
	return space.End(), forgot
}

// breakDomains says whether running members lie in more domains than a part may, or outside the tree.
func breakDomains(m *model.Model) (broken bool) {
	at := m.PositionsByRank()
	m.Gang.Each(func(a *model.Part) {
		for _, l := range a.Limits {
			broken = broken || l.Domains && usesTooMany(m.View, a, l, at)
		}
	})
	return broken
}

func usesTooMany(v *layout.View, a *model.Part, l limits.OnPart, at []int32) bool {
	used := map[layout.Vertex]bool{}
	for _, rank := range a.All() {
		if at[rank] < 0 {
			continue
		}
		if used[v.DomainAt(at[rank], l.Tier)] = true; at[rank] >= v.FirstPos[v.Outside] {
			return true
		}
	}
	return int64(len(used)) > l.Most
}
