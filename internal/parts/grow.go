package parts

import (
	"cmp"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/problem"
)

// Growth of a selection off the chain of removals.

// growthPlans, divided by the square of the number of parts, bounds the trials of grow: each trial costs more with more
// parts.
func growthPlans(p *problem.Problem) int { return max(1, p.Steps()/4) }

// leastThatFits is the first least selection that fits, refused ones left out. If none does, no selection fits, unless
// trials ran out; then there is doubt.
//
// order: parts.4
func (s *selections) leastThatFits(refused map[string]bool, fits func(problem.Selection) bool, plans *int) problem.Selection {
	for _, in := range s.least() {
		if refused[in.Key()] {
			continue
		}
		if *plans++; *plans > s.p.SelectionPlans() {
			*s.p.Parts.Doubt = true
			return nil
		}
		if fits(in) {
			return in
		}
	}
	return nil
}

// grow extends a selection that fits toward all, part by part, outer ones first, each by as much as fits. It finds
// members that the chain left out although there is room.
func (s *selections) grow(in, all problem.Selection, fits func(problem.Selection) bool) problem.Selection {
	parts := 0
	s.p.Gang.Each(func(*problem.Part) { parts++ })
	plans := min(s.p.SelectionPlans(), growthPlans(s.p)/(parts*parts))
	var walk func(a *problem.Part)
	walk = func(a *problem.Part) {
		if plans <= 0 {
			return
		}
		there := func() bool { return a == s.p.Gang || a.Idle || s.placedIn(a, in) > 0 }
		var more []problem.Selection // by size, smallest first
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
			return // its inner parts cannot be placed without it
		}
		for _, b := range a.Parts {
			walk(b)
		}
	}
	walk(s.p.Gang)
	return in
}

// withOwn lists selections with one, two and more own members of a part, lowest ranks first.
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

// withPart lists selections with more and more of a part that was left out, smallest first.
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
