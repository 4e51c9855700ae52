// In which order come the domains that hold a gang under one strategy?

package gather

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/keys"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// candidate is a domain with its keys, in the order of docs/order/3-domain.md. In the search for the best one a later
// key is filled only when two domains are equal in all keys before it.
type candidate struct {
	domain layout.Vertex // -1: none yet
	intact []int64       // whole groups, by level from the outside, and in it by tier, the highest first
	span   int64         // children in use; 0 for a node, -1 in the best so far: not counted yet
	below  []int64       // vertices in use below the children, layer by layer; nil: not counted yet, or they do not count
}

// rankDomains orders the domains of a strategy that were not tried, best first. O(n log n) comparisons of n domains. All
// spans are counted.
func (f *found) rankDomains(tried map[layout.Vertex]bool) []layout.Vertex {
	if f.ask.groupsFrom > 0 {
		if g := f.asMembers(); g != nil {
			return g.rankDomains(tried)
		}
	}
	var cands []candidate
	for d := range f.domains(nil) {
		if tried[d] {
			continue
		}
		cands = append(cands, candidate{domain: d, intact: f.intact(d)})
	}
	slices.SortStableFunc(cands, f.compareCoarse)
	out := make([]layout.Vertex, 0, len(cands))
	for len(cands) > 0 { // runs that are equal in the keys so far are ordered by the others
		n := 1
		for n < len(cands) && f.compareCoarse(cands[0], cands[n]) == 0 {
			n++
		}
		out = append(out, f.rankEqual(cands[:n])...)
		cands = cands[n:]
	}
	return out
}

// knowSpan counts the span of the best so far, once.
func (f *found) knowSpan(c *candidate) {
	if c.span < 0 {
		c.span = f.sums.placer().spanOf(c.domain)
	}
}

// below are the vertices in use below the children of a domain, layer by layer; nil if they do not count.
func (f *found) below(d layout.Vertex) []int64 {
	if f.ask.layers == nil || f.m.View.IsNode(d) || f.m.LCA >= 0 {
		return nil
	}
	return f.sums.placer().spansOf(d, f.ask.everything(), f.ask.lowest(d))[1:]
}

// compareTo compares a domain with the best so far by every key before the scores: below 0 if the domain is better,
// which then becomes the best; 0 if it is equal, above 0 if it is worse.
//
// It computes no more than it needs. A span is counted only for domains equal in intact groups and the keys before it, and not if
// a lower bound tells: the span is wider, or at least as wide and the packing worse.
//
// order: domain.2
func (f *found) compareTo(best *candidate, d layout.Vertex) int {
	order := -1 // the first domain is the best so far
	if best.domain >= 0 {
		if order = f.compareIntact(best.intact, d); order == 0 {
			order = f.m.Compare(f.ask.keySet().Before(keys.Span), &f.ask.slots, d, best.domain)
		}
	}
	span, below := int64(-1), []int64(nil)
	if order == 0 {
		f.knowSpan(best)
		packing := f.comparePacking(d, best.domain)
		if f.sums.spans().isWider(d, best.span) || f.ask.layers == nil && packing > 0 && f.sums.spans().isWider(d, best.span-1) {
			return 1
		}
		span = f.sums.placer().spanOf(d)
		if order = cmp.Compare(span, best.span); order == 0 {
			if best.below == nil {
				best.below = f.below(best.domain)
			}
			below = f.below(d)
			order = cmp.Or(slices.Compare(below, best.below), packing)
		}
	}
	if order < 0 {
		f.better++
		best.intact = f.appendIntact(best.intact[:0], d)
		best.domain, best.span, best.below = d, span, below
	}
	return order
}

// comparePacking compares two domains by the keys behind the span: slots, those of the parents, and so on up; nodes first by zones and waste, and
// under ByScore by host score in place of slots. Below 0 if a is better, 0 if only scores and the order of paths are left. O(depth).
//
// order: domain.4, domain.5
func (f *found) comparePacking(a, b layout.Vertex) int {
	set := f.ask.keySet().From(keys.Span)
	if f.ask.rules.Hosts && f.m.View.IsNode(a) && f.m.View.IsNode(b) {
		if c := f.m.Compare(set.Before(keys.Packing), &f.ask.slots, a, b); c != 0 {
			return c
		}
		if c := cmp.Compare(f.ask.nodeScore(b), f.ask.nodeScore(a)); c != 0 {
			return c
		}
		set = set.From(keys.Packing).Without(keys.Packing)
	}
	return f.m.Compare(set, &f.ask.slots, a, b)
}

// compareCoarse compares intact groups and the keys before the span.
//
// order: domain.2
func (f *found) compareCoarse(a, b candidate) int {
	return cmp.Or(slices.Compare(b.intact, a.intact), f.m.Compare(f.ask.keySet().Before(keys.Span), &f.ask.slots, a.domain, b.domain))
}

// rankEqual orders domains that are equal in all keys before the span, best first. It sorts cands in place. A score
// takes a placement in the domain, so it is computed once, and only for domains that are equal by span and packing.
//
// order: domain.6, domain.7
func (f *found) rankEqual(cands []candidate) []layout.Vertex {
	for i := range cands {
		cands[i].span, cands[i].below = f.sums.placer().spanOf(cands[i].domain), f.below(cands[i].domain)
	}
	scores := map[layout.Vertex]sets.Score{}
	scoreOf := func(d layout.Vertex) sets.Score {
		if _, ok := scores[d]; !ok {
			scores[d] = f.sums.placer().scoreBelow(d, f.ask.everything())
		}
		return scores[d]
	}
	slices.SortStableFunc(cands, func(a, b candidate) int {
		if c := cmp.Or(cmp.Compare(a.span, b.span), slices.Compare(a.below, b.below), f.comparePacking(a.domain, b.domain)); c != 0 {
			return c
		}
		return cmp.Or(scoreOf(b.domain).Compare(scoreOf(a.domain)), f.m.View.ComparePaths(a.domain, b.domain))
	})
	out := make([]layout.Vertex, len(cands))
	for i, c := range cands {
		out[i] = c.domain
	}
	return out
}

// intact lists the intact groups of a domain, in the order of eachIntact.
func (f *found) intact(d layout.Vertex) []int64 { return f.appendIntact(nil, d) }

// appendIntact appends the intact groups of a domain to a list.
func (f *found) appendIntact(out []int64, d layout.Vertex) []int64 {
	f.eachIntact(d, func(n int64) bool {
		out = append(out, n)
		return true
	})
	return out
}

// compareIntact compares a domain with a list of intact groups: below 0 if the domain keeps more, at the first number
// in which they differ. As for slices.Compare, numbers are more than none: above domains that are counted there are none.
func (f *found) compareIntact(list []int64, d layout.Vertex) int {
	i, order := 0, 0
	f.eachIntact(d, func(n int64) bool {
		if i == len(list) {
			order = -1
			return false
		}
		order = cmp.Compare(list[i], n)
		i++
		return order == 0
	})
	if order == 0 && i < len(list) {
		return 1
	}
	return order
}

// eachIntact yields, for each level from the outside and each tier below the strategy's for it, the highest first: how
// many new groups of the level can each lie whole in one domain of the tier. Numbers are computed one at a time, so a
// comparison that ends early pays for few.
//
// order: domain.1
func (f *found) eachIntact(d layout.Vertex, yield func(n int64) bool) {
	if f.ask.spans(d) { // whole groups are decided below the domains that are counted
		return
	}
	groups := f.ask.full // new whole groups of the level
	for i := range f.m.Levels {
		if i > 0 {
			groups *= f.ask.ratio(i - 1)
		}
		for _, t := range slices.Backward(f.m.View.TiersBelow(f.strategy.Groups[i])) {
			n := min(groups, f.sums.whole(i, t, d))
			if f.ask.short > 0 && f.sums.keepsShort(d, t) {
				n++
			}
			if !yield(n) {
				return
			}
		}
	}
}

// known is what allWorse has proven of the children of one domain, for the best so far.
type known struct {
	at layout.Vertex // the domain
	// narrowest, if above 0: the candidates below are its children, none has a narrower span or keeps more groups whole
	// than the best so far. enough, if above 0: none with more slots is better.
	narrowest, enough int64
}

// below is what is known of the children of x: zeros unless the domain entered last is x.
func (k known) below(x layout.Vertex) known {
	if k.at != x {
		return known{}
	}
	return k
}
