package gather

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// candidate is a domain with the keys that compare it, in the order of docs/order.md section 3. They are filled one
// after the other, for the domains that are still equal only.
type candidate struct {
	domain layout.Vertex
	intact []int64 // by level and tier: groups that stay whole
	anchor int64
	span   int64
}

// rankDomains orders the domains of a strategy, best first.
func (f *found) rankDomains() []layout.Vertex {
	var cands []candidate
	for d := range f.domains(nil) {
		cands = append(cands, candidate{domain: d, intact: f.intact(d), anchor: f.p.Friends.At(d)})
	}
	slices.SortStableFunc(cands, compareCoarse)
	out := make([]layout.Vertex, 0, len(cands))
	for len(cands) > 0 {
		n := 1
		for n < len(cands) && compareCoarse(cands[0], cands[n]) == 0 {
			n++
		}
		out = append(out, f.rankEqual(cands[:n])...)
		cands = cands[n:]
	}
	return out
}

// best is the first of rankDomains, without ordering the rest: keys are computed as far as two domains are equal. It is
// -1 if there is none.
func (f *found) best() layout.Vertex {
	if f.p.LCA >= 0 { // there is at most one, and nothing to compare
		if d := f.p.AboveRunning(f.strategy.Gang); d >= 0 && f.sums.takes(d) {
			return d
		}
		return -1
	}
	if d, ok := f.plainBest(); ok {
		return d
	}
	best := candidate{domain: -1}
	best.intact = f.ask.scratch.carve(len(f.p.Levels) * len(f.p.View.Tiers))[:0]
	var skip func(x layout.Vertex) bool
	if f.ask.slots.Flat == nil && len(f.p.Siblings) == 0 {
		skip = func(x layout.Vertex) bool { return best.domain >= 0 && f.allWorse(&best, x) }
	}
	equals := 0
	for d := range f.domains(skip) {
		switch order := f.compareTo(&best, d); {
		case order < 0:
			equals = 1
		case order == 0 && f.scoresTell(best.domain, d):
			equals++
		}
	}
	if equals <= 1 {
		return best.domain
	}
	same := []candidate{{domain: best.domain}} // what lies behind it may be skipped, and it lies there itself
	for d := range f.domains(skip) {
		if other := best; d != best.domain && f.compareTo(&other, d) == 0 {
			same = append(same, candidate{domain: d})
		}
	}
	return f.rankEqual(same)[0]
}

// knowSpan fills the span of a candidate.
func (f *found) knowSpan(c *candidate) {
	if c.span < 0 {
		c.span = f.sums.placer().spanOf(c.domain)
	}
}

// compareTo compares a domain with the best so far by every key but the score, and takes its place if it is better.
//
// order: domain.2
func (f *found) compareTo(best *candidate, d layout.Vertex) int {
	order := -1
	if best.domain >= 0 {
		if order = f.compareIntact(best.intact, d); order == 0 {
			order = cmp.Compare(best.anchor, f.p.Friends.At(d))
		}
	}
	span := int64(-1)
	if order == 0 {
		f.knowSpan(best)
		packing := f.comparePacking(d, best.domain)
		if f.sums.spans().isWider(d, best.span) || packing > 0 && f.sums.spans().isWider(d, best.span-1) {
			return 1
		}
		span = f.sums.placer().spanOf(d)
		order = cmp.Or(cmp.Compare(span, best.span), packing)
	}
	if order < 0 {
		f.better++
		best.intact = f.appendIntact(best.intact[:0], d)
		best.domain, best.anchor, best.span = d, f.p.Friends.At(d), span
	}
	return order
}

// compareCoarse compares intact groups and anchors.
//
// order: domain.2
func compareCoarse(a, b candidate) int {
	return cmp.Or(slices.Compare(b.intact, a.intact), cmp.Compare(b.anchor, a.anchor))
}

// rankEqual orders domains that are equal in intact groups and anchors.
//
// order: domain.6, domain.7
func (f *found) rankEqual(cands []candidate) []layout.Vertex {
	for i := range cands {
		cands[i].span = f.sums.placer().spanOf(cands[i].domain)
	}
	scores := map[layout.Vertex]sets.Score{}
	scoreOf := func(d layout.Vertex) sets.Score {
		if _, ok := scores[d]; !ok {
			scores[d] = f.sums.placer().scoreBelow(d, f.ask.everything())
		}
		return scores[d]
	}
	slices.SortStableFunc(cands, func(a, b candidate) int {
		if c := cmp.Or(cmp.Compare(a.span, b.span), f.comparePacking(a.domain, b.domain)); c != 0 {
			return c
		}
		return cmp.Or(scoreOf(b.domain).Compare(scoreOf(a.domain)), f.p.View.ComparePaths(a.domain, b.domain))
	})
	out := make([]layout.Vertex, len(cands))
	for i, c := range cands {
		out[i] = c.domain
	}
	return out
}

// intact is, for each level from the outside and each tier below the strategy's, how many whole groups the domain can
// keep in one domain of that tier.
func (f *found) intact(d layout.Vertex) []int64 { return f.appendIntact(nil, d) }

func (f *found) appendIntact(out []int64, d layout.Vertex) []int64 {
	f.eachIntact(d, func(n int64) bool {
		out = append(out, n)
		return true
	})
	return out
}

// compareIntact is below 0 if a domain keeps more groups whole than a list says.
func (f *found) compareIntact(list []int64, d layout.Vertex) int {
	i, order := 0, 0
	f.eachIntact(d, func(n int64) bool {
		order = cmp.Compare(list[i], n)
		i++
		return order == 0
	})
	return order
}

// eachIntact yields the numbers of intact, one after the other.
//
// order: domain.1
func (f *found) eachIntact(d layout.Vertex, yield func(n int64) bool) {
	groups := f.ask.full
	for i := range f.p.Levels {
		if i > 0 {
			groups *= f.ask.ratio(i - 1)
		}
		for _, t := range slices.Backward(f.p.View.TiersBelow(f.strategy.Groups[i])) {
			if !yield(min(groups, f.sums.whole(i, t, d))) {
				return
			}
		}
	}
}

// comparePacking compares free slots, of the domains, then of their parents, and so on up; between nodes first their zones.
//
// order: domain.4, domain.5
func (f *found) comparePacking(a, b layout.Vertex) int {
	if c := f.p.Zones().CompareZones(a, b); c != 0 {
		return c
	}
	if f.p.Policy == gang.ByScore && f.p.View.IsNode(a) && f.p.View.IsNode(b) {
		if c := cmp.Compare(f.ask.nodeScore(b), f.ask.nodeScore(a)); c != 0 {
			return c
		}
	}
	for a != b && a >= 0 && b >= 0 {
		if c := f.p.CompareFree(f.ask.slots.At(a), f.ask.slots.At(b)); c != 0 {
			return c
		}
		a, b = f.p.View.Above(a), f.p.View.Above(b)
	}
	return 0
}
