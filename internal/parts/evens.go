package parts

import (
	"cmp"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// rulesTried bounds how many rules are looked at one by one for one that binds a gang in parts.
const rulesTried = 8

// even says whether the gang and its parts keep their multiples with a content.
func (c *contents) even(in problem.Selection) bool {
	return !slices.ContainsFunc(c.p.Multiples, func(r problem.MultipleRule) bool { return !r.Keeps(c.place, in) })
}

// weighEvens finds what members and groups count for each rule.
func (c *cast) weighEvens() {
	c.counted = nil
	for i := range c.p.Multiples {
		if c.p.Multiples[i].Units == nil {
			c.counted = append(c.counted, nil)
			continue
		}
		c.counted = append(c.counted, c.scale(slices.Clone(c.p.Multiples[i].Roles)))
	}
}

// even says whether counts, with those that run, are multiples.
func (c *cast) even(a front.Vector) bool {
	for i, w := range c.counted {
		if r := &c.p.Multiples[i]; w != nil && (w.Of(a)+r.Runs.At(layout.Root))%r.Total != 0 {
			return false
		}
	}
	return true
}

// evenAt are the counts that may lie below a vertex.
func (c *cast) evenAt(x layout.Vertex, f front.Front) front.Front {
	up := c.p.View.Above(x)
	for i, w := range c.counted {
		if w == nil {
			continue
		}
		unit, runs := c.p.Multiples[i].Units[c.p.View.Tier[up]-1], c.p.Multiples[i].Runs.At(x)
		f = slices.DeleteFunc(f, func(p front.Vector) bool { return (w.Of(p)+runs)%unit != 0 })
	}
	return f
}

// evenContents bounds how many contents are listed where multiples bind.
const evenContents = 64

// mostEven is the best content that fits where multiples bind: all are tried, the best first, for fewer members may need what more do not.
func (c *contents) mostEven(all problem.Selection, fits func(problem.Selection) bool) (best problem.Selection) {
	known := map[string]bool{}
	try := func(in problem.Selection) bool {
		key := in.Key()
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
		if best != nil && problem.CompareSelections(in, best) >= 0 {
			break
		}
		if steps++; steps > c.p.ContentSteps() || len(known) > c.p.ContentPlans() {
			*c.p.Parts.Doubt = true
			break
		}
		if c.even(in) && try(in) {
			return in
		}
	}
	return best
}

// everyEven lists the contents that are multiples, those of fewer members first.
func (c *contents) everyEven(all problem.Selection) []problem.Selection {
	list := c.chain(all)
	if steps := 0; len(c.p.Gang.Parts) > 0 {
		seen := map[string]bool{}
		for _, in := range list {
			seen[in.Key()] = true
		}
		for in := range c.downFrom(all) {
			if steps++; steps > c.p.ContentSteps() {
				c.truncated, *c.p.Parts.Doubt = true, true
				break
			}
			if !seen[in.Key()] {
				list = append(list, in)
			}
		}
	}
	list = c.evenOf(list)
	slices.SortFunc(list, func(a, b problem.Selection) int {
		return cmp.Or(cmp.Compare(a.Size(), b.Size()), problem.CompareSelections(a, b))
	})
	if len(list) > evenContents {
		list, c.truncated, *c.p.Parts.Doubt = list[:evenContents], true, true
	}
	return list
}

// evenOf are the contents that are multiples.
func (c *contents) evenOf(list []problem.Selection) []problem.Selection {
	return slices.DeleteFunc(list, func(in problem.Selection) bool { return !c.even(in) })
}
