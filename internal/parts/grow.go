package parts

import (
	"cmp"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/problem"
)

// growthPlans bounds how many contents are tried to add to one that fits, times the square of the parts: a try costs more the more of these there are.
func growthPlans(p *problem.Problem) int { return max(1, p.Steps()/4) }

// leastThatFits is the first content of which nothing can be left out that fits. If there is none, none of any size fits, but for those that
// are not tried after so many plans.
func (s *selections) leastThatFits(refused map[string]bool, fits func(problem.Selection) bool, plans *int) problem.Selection {
	for _, in := range s.least() {
		if refused[in.Key()] {
			continue
		}
		if *plans++; *plans > s.p.ContentPlans() {
			*s.p.Parts.Doubt = true
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
func (s *selections) grow(in, all problem.Selection, fits func(problem.Selection) bool) problem.Selection {
	parts := 0
	s.p.Gang.Each(func(*problem.Part) { parts++ })
	plans := min(s.p.ContentPlans(), growthPlans(s.p)/(parts*parts))
	var walk func(a *problem.Part)
	walk = func(a *problem.Part) {
		if plans <= 0 {
			return
		}
		there := func() bool { return a == s.p.Gang || a.Idle || s.placedIn(a, in) > 0 }
		var more []problem.Selection // rising
		if there() {
			more = s.withOwn(a, in, all)
		} else {
			more = s.withPart(a, in, all)
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
		for _, b := range a.Parts {
			walk(b)
		}
	}
	walk(s.p.Gang)
	return in
}

// withOwn are contents with more and more of the members of a part itself, the lowest ranks first.
func (s *selections) withOwn(a *problem.Part, in, all problem.Selection) (more []problem.Selection) {
	for _, rank := range a.Ranks {
		if i := s.pendingOf[rank]; i >= 0 && all[i] && !in[i] {
			in = slices.Clone(in)
			in[i] = true
			more = append(more, in)
		}
	}
	return more
}

// withPart are contents with more and more of a part of which nobody is in yet.
func (s *selections) withPart(a *problem.Part, in, all problem.Selection) (more []problem.Selection) {
	next := slices.Clone(in)
	for _, rank := range a.All() {
		if i := s.pendingOf[rank]; i >= 0 && all[i] {
			next[i] = true
		}
	}
	for s.complete(s.p.Gang, next) && s.placedIn(a, next) > 0 {
		more = append(more, next)
		list := slices.DeleteFunc(s.removals(next), func(r removal) bool {
			return slices.ContainsFunc(r.ranks, func(rank int) bool { i := s.pendingOf[rank]; return i >= 0 && in[i] })
		})
		if len(list) == 0 {
			break
		}
		next = s.without(next, slices.MaxFunc(list, func(a, b removal) int { return cmp.Compare(a.first, b.first) }))
	}
	slices.Reverse(more)
	return more
}
