package parts

import (
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: which selections and vectors of a gang in parts keep its multiples?

// keepsMultiples says whether a selection keeps the multiples of the gang and its parts.
func (s *selections) keepsMultiples(in model.Selection) bool {
	return !slices.ContainsFunc(s.p.Model.Multiples, func(r model.MultipleRule) bool { return !r.Keeps(s.pendingOf, in) })
}

// weighMultiples finds, for each rule with Units, the members that one of each role, or one group of each class,
// counts for.
func (s *search) weighMultiples() {
	s.multiples = nil
	for i := range s.p.Model.Multiples {
		if s.p.Model.Multiples[i].Units == nil {
			s.multiples = append(s.multiples, nil)
			continue
		}
		s.multiples = append(s.multiples, s.weigh(slices.Clone(s.p.Model.Multiples[i].Roles)))
	}
}

// keepsMultiples says whether a vector, with the running members, keeps in total every multiple that binds domains.
func (s *search) keepsMultiples(a front.Vector) bool {
	for i, w := range s.multiples {
		if r := &s.p.Model.Multiples[i]; w != nil && (w.Of(a)+r.Runs.At(layout.Root))%r.Total != 0 {
			return false
		}
	}
	return true
}

// dropBroken drops the vectors of a front that would break a multiple at x, running members below x included. The
// unit is that of the tier right below x's parent, since x stands for all missing tiers up to there. It reuses the
// slice. x is not the root.
//
// order: roles.6, parts.6
func (s *search) dropBroken(x layout.Vertex, f front.Front) front.Front {
	up := s.p.Model.View.Above(x)
	for i, w := range s.multiples {
		if w == nil {
			continue
		}
		unit, runs := s.p.Model.Multiples[i].Units[s.p.Model.View.Tier[up]-1], s.p.Model.Multiples[i].Runs.At(x)
		f = slices.DeleteFunc(f, func(p front.Vector) bool { return (w.Of(p)+runs)%unit != 0 })
	}
	return f
}

// maxKeeping bounds the list of least selections where multiples bind.
const maxKeeping = 64

// mostKeeping is most for a gang with multiples. Fewer members may not fit where more do, so that a binary search may
// miss the best of the chain: it only gives a first answer, and all better selections are tried, best first. If steps
// run out, the first answer stands, with doubt.
func (s *selections) mostKeeping(all model.Selection, fits func(model.Selection) bool) (best model.Selection) {
	known := map[string]bool{}
	try := func(in model.Selection) bool {
		key := in.Key()
		is, ok := known[key]
		if !ok {
			is = fits(in)
			known[key] = is
		}
		return is
	}
	chain := s.keeping(s.ends(all))
	// Selections that break a multiple are no trials: they are left out before.
	if i := sort.Search(len(chain), func(i int) bool { return try(chain[i]) }); i < len(chain) {
		best = chain[i] // the answer if trials run out
	}
	steps := 0
	for in := range s.downFrom(all) {
		if best != nil && compareSelections(in, best) >= 0 {
			break
		}
		if steps++; steps > s.p.SelectionSteps() || len(known) > s.p.SelectionPlans() {
			*s.p.Model.Doubt = true
			break
		}
		if s.keepsMultiples(in) && try(in) {
			return in
		}
	}
	return best
}

// allKeeping lists the selections that keep the multiples, fewest members first, maxKeeping at most. The chain is
// among those that are looked at, whenever steps run out.
func (s *selections) allKeeping(all model.Selection) []model.Selection {
	list := s.ends(all)
	if steps := 0; len(s.p.Model.Gang.Parts) > 0 {
		seen := map[string]bool{}
		for _, in := range list {
			seen[in.Key()] = true
		}
		for in := range s.downFrom(all) {
			if steps++; steps > s.p.SelectionSteps() {
				s.truncated, *s.p.Model.Doubt = true, true
				break
			}
			if !seen[in.Key()] {
				list = append(list, in)
			}
		}
	}
	list = s.keeping(list)
	sortBySize(list)
	if len(list) > maxKeeping {
		list, s.truncated, *s.p.Model.Doubt = list[:maxKeeping], true, true
	}
	return list
}

// ends lists the selections of the chain from one, of a long one the largest and the least: then there is doubt.
func (s *selections) ends(all model.Selection) []model.Selection {
	chain, most := s.chain(all), s.p.SelectionSteps()
	var out []model.Selection
	for i := range chain.len() {
		if i < most || i >= chain.len()-most {
			out = append(out, chain.at(i))
		}
	}
	if len(out) < chain.len() {
		s.truncated, *s.p.Model.Doubt = true, true
	}
	return out
}

// keeping drops the selections that break a multiple.
func (s *selections) keeping(list []model.Selection) []model.Selection {
	return slices.DeleteFunc(list, func(in model.Selection) bool { return !s.keepsMultiples(in) })
}
