package placement

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
)

// keys compare candidate domains: docs/order.md section 3, in this order. They are filled one after the other, for the
// domains that are still equal only.
type candidate struct {
	domain vertex
	intact []int64 // by level and tier: groups that stay whole
	anchor int64
	span   int64
}

// rankDomains orders the domains of a strategy, best first.
func (f *found) rankDomains() []vertex {
	if len(f.domains) == 1 {
		return f.domains
	}
	cands := make([]candidate, len(f.domains))
	for i, d := range f.domains {
		cands[i] = candidate{domain: d, intact: f.intact(d), anchor: f.friends[d]}
	}
	slices.SortStableFunc(cands, compareCoarse)
	out := make([]vertex, 0, len(cands))
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

// best is the first of rankDomains, without ordering the rest.
func (f *found) best() vertex {
	if len(f.domains) == 1 {
		return f.domains[0]
	}
	cands := make([]candidate, 0, len(f.domains))
	for _, d := range f.domains {
		c := candidate{domain: d, intact: f.intact(d), anchor: f.friends[d]}
		if len(cands) > 0 {
			switch order := compareCoarse(c, cands[0]); {
			case order > 0:
				continue
			case order < 0:
				cands = cands[:0]
			}
		}
		cands = append(cands, c)
	}
	least := int64(-1)
	for i := range cands {
		cands[i].span = f.spanOf(cands[i].domain)
		if least < 0 || cands[i].span < least {
			least = cands[i].span
		}
	}
	cands = slices.DeleteFunc(cands, func(c candidate) bool { return c.span != least })
	first := cands[0].domain
	equal := 1
	for _, c := range cands[1:] {
		order := f.comparePacking(c.domain, first)
		if order < 0 {
			first, equal = c.domain, 1
		} else if order == 0 {
			equal++
		}
	}
	if equal == 1 || !f.scored() {
		return first
	}
	return f.rankEqual(cands)[0]
}

// compareCoarse compares intact groups and anchors.
func compareCoarse(a, b candidate) int {
	return cmp.Or(slices.Compare(b.intact, a.intact), cmp.Compare(b.anchor, a.anchor))
}

// rankEqual orders domains that are equal in intact groups and anchors.
func (f *found) rankEqual(cands []candidate) []vertex {
	for i := range cands {
		cands[i].span = f.spanOf(cands[i].domain)
	}
	scores := map[vertex]int64{}
	score := func(d vertex) int64 {
		if !f.scored() {
			return 0
		}
		if _, ok := scores[d]; !ok {
			sh := f.place(d, f.everything())
			scores[d] = f.score(&sh)
		}
		return scores[d]
	}
	slices.SortStableFunc(cands, func(a, b candidate) int {
		if c := cmp.Or(cmp.Compare(a.span, b.span), f.comparePacking(a.domain, b.domain)); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(score(b.domain), score(a.domain)), f.v.comparePaths(a.domain, b.domain))
	})
	out := make([]vertex, len(cands))
	for i, c := range cands {
		out[i] = c.domain
	}
	return out
}

// intact is, for each level from the outside and each tier below the strategy's, how many whole groups the domain can
// keep in one domain of that tier.
func (f *found) intact(d vertex) []int64 {
	var out []int64
	groups := f.full
	for i := range f.levels {
		if i > 0 {
			groups *= f.ratio(i - 1)
		}
		below := f.v.tiersBelow(f.groups[i])
		for j := len(below) - 1; j >= 0; j-- {
			out = append(out, min(groups, f.whole(i, below[j], d)))
		}
	}
	return out
}

// comparePacking compares free slots, of the domains, then of their parents, and so on up.
func (f *found) comparePacking(a, b vertex) int {
	if f.policy == gang.ByScore && f.v.isNode(a) && f.v.isNode(b) {
		if c := cmp.Compare(f.nodeScore(b), f.nodeScore(a)); c != 0 {
			return c
		}
	}
	for a != b && a >= 0 && b >= 0 {
		if c := cmp.Compare(f.slots.at(a), f.slots.at(b)); c != 0 {
			if f.policy == gang.Spread {
				return -c
			}
			return c
		}
		a, b = f.v.above(a), f.v.above(b)
	}
	return 0
}
