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

// keepsMultiples says whether the gang and its parts keep their multiples with a content.
func (s *selections) keepsMultiples(in problem.Selection) bool {
	return !slices.ContainsFunc(s.p.Multiples, func(r problem.MultipleRule) bool { return !r.Keeps(s.pendingOf, in) })
}

// weighMultiples finds what members and groups count for each rule.
func (s *search) weighMultiples() {
	s.multiples = nil
	for i := range s.p.Multiples {
		if s.p.Multiples[i].Units == nil {
			s.multiples = append(s.multiples, nil)
			continue
		}
		s.multiples = append(s.multiples, s.weigh(slices.Clone(s.p.Multiples[i].Roles)))
	}
}

// keepsMultiples says whether counts, with those that run, are multiples.
func (s *search) keepsMultiples(a front.Vector) bool {
	for i, w := range s.multiples {
		if r := &s.p.Multiples[i]; w != nil && (w.Of(a)+r.Runs.At(layout.Root))%r.Total != 0 {
			return false
		}
	}
	return true
}

// dropBroken are the counts that may lie below a vertex.
func (s *search) dropBroken(x layout.Vertex, f front.Front) front.Front {
	up := s.p.View.Above(x)
	for i, w := range s.multiples {
		if w == nil {
			continue
		}
		unit, runs := s.p.Multiples[i].Units[s.p.View.Tier[up]-1], s.p.Multiples[i].Runs.At(x)
		f = slices.DeleteFunc(f, func(p front.Vector) bool { return (w.Of(p)+runs)%unit != 0 })
	}
	return f
}

// maxKeeping bounds how many contents are listed where multiples bind.
const maxKeeping = 64

// mostKeeping is the best content that fits where multiples bind: all are tried, the best first, for fewer members may need what more do not.
func (s *selections) mostKeeping(all problem.Selection, fits func(problem.Selection) bool) (best problem.Selection) {
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
	chain := s.keeping(s.chain(all))
	if i := sort.Search(len(chain), func(i int) bool { return try(chain[i]) }); i < len(chain) {
		best = chain[i] // if there are too many to be tried
	}
	steps := 0
	for in := range s.downFrom(all) {
		if best != nil && problem.CompareSelections(in, best) >= 0 {
			break
		}
		if steps++; steps > s.p.ContentSteps() || len(known) > s.p.ContentPlans() {
			*s.p.Parts.Doubt = true
			break
		}
		if s.keepsMultiples(in) && try(in) {
			return in
		}
	}
	return best
}

// allKeeping lists the contents that are multiples, those of fewer members first.
func (s *selections) allKeeping(all problem.Selection) []problem.Selection {
	list := s.chain(all)
	if steps := 0; len(s.p.Gang.Parts) > 0 {
		seen := map[string]bool{}
		for _, in := range list {
			seen[in.Key()] = true
		}
		for in := range s.downFrom(all) {
			if steps++; steps > s.p.ContentSteps() {
				s.truncated, *s.p.Parts.Doubt = true, true
				break
			}
			if !seen[in.Key()] {
				list = append(list, in)
			}
		}
	}
	list = s.keeping(list)
	slices.SortFunc(list, func(a, b problem.Selection) int {
		return cmp.Or(cmp.Compare(a.Size(), b.Size()), problem.CompareSelections(a, b))
	})
	if len(list) > maxKeeping {
		list, s.truncated, *s.p.Parts.Doubt = list[:maxKeeping], true, true
	}
	return list
}

// keeping are the contents that are multiples.
func (s *selections) keeping(list []problem.Selection) []problem.Selection {
	return slices.DeleteFunc(list, func(in problem.Selection) bool { return !s.keepsMultiples(in) })
}
