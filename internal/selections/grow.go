package selections

import (
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/model"
)

// This file answers: how good a selection that fits is found with few trials?

// growthPlans, divided by the square of the number of parts, bounds the trials of grow: a trial costs more with more
// parts, and there are more to try.
func growthPlans(m *model.Model) int { return max(1, m.Steps/4) }

// leastThatFits is the first least selection that fits, refused ones left out; nil if none does. Every selection has
// a least one within it, which fits if it does: so a nil says that no selection fits, unless trials ran out. Then
// there is doubt. plans counts the trials, those of the caller included.
//
// order: parts.4
func (s *Selections) leastThatFits(refused, fits func(model.Selection) bool, plans *int) model.Selection {
	for _, in := range s.Least() {
		if refused(in) {
			continue
		}
		if *plans++; *plans > Plans(s.m) {
			*s.m.Doubt = true
			return nil
		}
		if fits(in) {
			return in
		}
	}
	return nil
}

// grow extends a selection that fits toward all, part by part, outer ones first, each by as much as fits. It finds
// members that the chain left out although there is room. The result fits, but need not be the best; where trials run
// out it is as large as they came. A part that is there gets more own members, one that was left out is tried as a
// whole and less.
func (s *Selections) grow(in, all model.Selection, fits func(model.Selection) bool) model.Selection {
	parts := 0
	s.m.Gang.Each(func(*model.Part) { parts++ })
	plans := min(Plans(s.m), growthPlans(s.m)/(parts*parts))
	var walk func(a *model.Part)
	walk = func(a *model.Part) {
		if plans <= 0 {
			return
		}
		there := func() bool { return a == s.m.Gang || a.Idle || in.PlacedIn(a, s.pendingOf) > 0 }
		// By size, smallest first.
		var count int
		var more func(i int) model.Selection
		if there() {
			count, more = s.withOwn(a, in, all)
		} else {
			count, more = s.withPart(a, in, all)
		}
		// Each of more is within the next: the first n fit. Without trials all count as too large, which is on the
		// safe side.
		n := sort.Search(count, func(i int) bool {
			plans--
			return plans < 0 || !fits(more(i))
		})
		if n > 0 {
			in = more(n - 1)
		}
		if !there() {
			return // its inner parts cannot be placed without it
		}
		for _, b := range a.Parts {
			walk(b)
		}
	}
	walk(s.m.Gang)
	return in
}

// withOwn are the selections with one, two and more further own members of a part, lowest ranks first. Minima stay
// fulfilled, for members are only added to a part that is placed.
func (s *Selections) withOwn(a *model.Part, in, all model.Selection) (count int, more func(i int) model.Selection) {
	var further []int32
	for _, rank := range a.Ranks {
		if i := s.pendingOf[rank]; i >= 0 && all[i] && !in[i] {
			further = append(further, i)
		}
	}
	return len(further), func(i int) model.Selection {
		out := slices.Clone(in)
		for _, k := range further[:i+1] {
			out[k] = true
		}
		return out
	}
}

// withPart are the selections with more and more of a part that was left out, smallest first. They come from the whole
// part downwards, by removals that leave the members of in alone, and so keep all minima: in and all meet them, and so
// do both together.
func (s *Selections) withPart(a *model.Part, in, all model.Selection) (count int, more func(i int) model.Selection) {
	next := slices.Clone(in)
	for _, rank := range a.All() {
		if i := s.pendingOf[rank]; i >= 0 && all[i] {
			next[i] = true
		}
	}
	sparesIn := func(r removal) bool {
		spares := true
		r.each(func(_ *model.Part, rank int) {
			i := s.pendingOf[rank]
			spares = spares && (i < 0 || !in[i])
		})
		return spares
	}
	c := s.ladder().chainFrom(next, sparesIn, func(st *standing) bool { return st.placed[st.down.at[a]] == 0 })
	return c.len(), func(i int) model.Selection { return c.at(c.len() - 1 - i) }
}
