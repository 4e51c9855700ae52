package placement

import (
	"cmp"
	"slices"
	"sort"
)

// growth bounds how many contents are tried to add to one that fits, times the square of the parts: a try costs more the more of these there are.
func growth(p *problem) int { return max(1, p.steps()/4) }

// leastThatFits is the first content of which nothing can be left out that fits. If there is none, none of any size fits, but for those that
// are not tried after so many plans.
func (c *contents) leastThatFits(refused map[string]bool, fits func(content) bool, plans *int) content {
	for _, in := range c.least() {
		if refused[in.key()] {
			continue
		}
		if *plans++; *plans > c.p.contentPlans() {
			*c.p.parting.doubt = true
			return nil
		}
		if fits(in) {
			return in
		}
	}
	return nil
}

// grow adds to a content that fits what else fits of a larger one, part by part, outer ones first, and of each as much as fits: where the last
// members of a gang are left out first, there may be room for some of them all the same.
func (c *contents) grow(in, all content, fits func(content) bool) content {
	parts := 0
	c.p.whole.each(func(*part) { parts++ })
	plans := min(c.p.contentPlans(), growth(c.p)/(parts*parts))
	var walk func(a *part)
	walk = func(a *part) {
		if plans <= 0 {
			return
		}
		there := func() bool { return a == c.p.whole || a.idle || c.count(a, in) > 0 }
		var more []content // rising
		if there() {
			more = c.withOwn(a, in, all)
		} else {
			more = c.withPart(a, in, all)
		}
		n := sort.Search(len(more), func(i int) bool {
			plans--
			return plans < 0 || !fits(more[i])
		})
		if n > 0 {
			in = more[n-1]
		}
		if !there() {
			return // nothing in it may be there without it
		}
		for _, b := range a.parts {
			walk(b)
		}
	}
	walk(c.p.whole)
	return in
}

// withOwn are contents with more and more of the members of a part itself, the lowest ranks first.
func (c *contents) withOwn(a *part, in, all content) (more []content) {
	for _, rank := range a.ranks {
		if i := c.place[rank]; i >= 0 && all[i] && !in[i] {
			in = slices.Clone(in)
			in[i] = true
			more = append(more, in)
		}
	}
	return more
}

// withPart are contents with more and more of a part of which nobody is in yet.
func (c *contents) withPart(a *part, in, all content) (more []content) {
	next := slices.Clone(in)
	for _, rank := range a.all() {
		if i := c.place[rank]; i >= 0 && all[i] {
			next[i] = true
		}
	}
	for c.complete(c.p.whole, next) && c.count(a, next) > 0 {
		more = append(more, next)
		list := slices.DeleteFunc(c.removals(next), func(r removal) bool {
			return slices.ContainsFunc(r.ranks, func(rank int) bool { i := c.place[rank]; return i >= 0 && in[i] })
		})
		if len(list) == 0 {
			break
		}
		next = c.without(next, slices.MaxFunc(list, func(a, b removal) int { return cmp.Compare(a.first, b.first) }))
	}
	slices.Reverse(more)
	return more
}
