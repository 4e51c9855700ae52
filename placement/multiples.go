package placement

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// multiple binds the number of members in the domains of a tier.
type multiple struct {
	tier int32
	of   int64
}

// multiplesIn reads those of rules whose layers are known.
func (p *problem) multiplesIn(rules []gang.Rule) (out []multiple) {
	for _, r := range rules {
		if tier, ok := p.tier(r.Layer); ok && r.Multiple > 0 {
			out = append(out, multiple{tier, int64(r.Multiple)})
		}
	}
	return out
}

// unitsOf is, by tier, the least common multiple of all multiples at or below it; nil: there are none.
func (p *problem) unitsOf(list []multiple) (units []int64) {
	if len(list) == 0 {
		return nil
	}
	units = slices.Repeat([]int64{1}, int(p.v.RootTop)+1)
	for _, m := range list {
		for t := m.tier; t <= p.v.RootTop; t++ {
			units[t] = lcm(units[t], m.of)
		}
	}
	return units
}

// maxMultiple bounds least common multiples; no gang is larger.
const maxMultiple = 1 << 31

func lcm(a, b int64) int64 {
	return min(maxMultiple, a/gcd(a, b)*b)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// checkMultiples refuses combinations that no placement could obey.
func checkMultiples(p *problem) error {
	if p.mult == nil {
		return nil
	}
	for i, l := range p.levels {
		if within := p.mult[l.gather.must]; l.size%within != 0 {
			return muster.Invalid(fmt.Sprintf("request.Groups[%d].Size", i), l.size,
				fmt.Sprintf("multiple %d inside the group's bound does not divide the group", within))
		}
	}
	return nil
}

// settleMultiples refuses combinations that are not decided. For a gang in parts it finds the multiples that bind.
func settleMultiples(p *problem) error {
	switch {
	case p.inParts():
		p.mult, p.whole.multiples = nil, p.multiplesIn(p.req.Gather)
		bindMultiples(p)
		return nil
	case p.mult == nil:
		return nil
	case len(p.running) > 0 && len(p.levels) > 0:
		return muster.Unsupported("request.Gather", p.req.Name, "multiples for a gang with groups of which members run")
	}
	if len(p.levels) > 0 {
		size := p.levels[0].size
		if int64(len(p.pending))%size != 0 && size%p.mult[p.v.RootTop] != 0 {
			return muster.Unsupported("request.Gather", p.req.Name, "multiples that do not divide the groups, beside a short last group")
		}
	}
	return nil
}

// keeps says whether of whatever may be placed of a part a multiple of members lies in each domain of a tier: they are in groups that are placed
// whole, each in one such domain.
func (a *part) keeps(m int64, tier int32) bool {
	if a.inTree() && a.gather.hard && a.gather.must <= tier && int64(len(a.all()))%m == 0 && a.wholly() {
		return true
	}
	return len(a.ranks) == 0 && !slices.ContainsFunc(a.parts, func(b *part) bool { return !b.keeps(m, tier) })
}

// wholly says whether nothing of a part may be left out if it is placed.
func (a *part) wholly() bool {
	whole := true
	a.each(func(b *part) {
		whole = whole && !b.idle && b.leastParts >= len(b.parts) && (b.least == 0 || b.least >= len(b.all()))
	})
	return whole
}

// evenContents bounds how many contents are listed where multiples bind.
const evenContents = 64

// mostEven is the best content that fits where multiples bind: all are tried, the best first, for fewer members may need what more do not.
func (c *contents) mostEven(all content, fits func(content) bool) (best content) {
	known := map[string]bool{}
	try := func(in content) bool {
		key := in.key()
		is, ok := known[key]
		if !ok {
			is = fits(in)
			known[key] = is
		}
		return is
	}
	chain := c.evenOf(c.chain(all))
	if i := sort.Search(len(chain), func(i int) bool { return try(chain[i]) }); i < len(chain) {
		best = chain[i] // if there are too many to be tried
	}
	steps := 0
	for in := range c.downFrom(all) {
		if best != nil && compareContents(in, best) >= 0 {
			break
		}
		if steps++; steps > c.p.contentSteps() || len(known) > c.p.contentPlans() {
			*c.p.parting.doubt = true
			break
		}
		if c.even(in) && try(in) {
			return in
		}
	}
	return best
}

// everyEven lists the contents that are multiples, those of fewer members first.
func (c *contents) everyEven(all content) []content {
	list := c.chain(all)
	if steps := 0; len(c.p.whole.parts) > 0 {
		seen := map[string]bool{}
		for _, in := range list {
			seen[in.key()] = true
		}
		for in := range c.downFrom(all) {
			if steps++; steps > c.p.contentSteps() {
				c.truncated, *c.p.parting.doubt = true, true
				break
			}
			if !seen[in.key()] {
				list = append(list, in)
			}
		}
	}
	list = c.evenOf(list)
	slices.SortFunc(list, func(a, b content) int {
		return cmp.Or(cmp.Compare(a.size(), b.size()), compareContents(a, b))
	})
	if len(list) > evenContents {
		list, c.truncated, *c.p.parting.doubt = list[:evenContents], true, true
	}
	return list
}

// evenOf are the contents that are multiples.
func (c *contents) evenOf(list []content) []content {
	return slices.DeleteFunc(list, func(in content) bool { return !c.even(in) })
}
