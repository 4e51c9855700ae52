package selections

import (
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/model"
)

// This file answers: which selections keep the multiples of the gang and its parts?

// keepsMultiples says whether a selection keeps the multiples of the gang and its parts.
func (s *Selections) keepsMultiples(in model.Selection) bool {
	return !slices.ContainsFunc(s.m.Multiples, func(r model.MultipleRule) bool { return !r.Keeps(s.pendingOf, in) })
}

// maxKeeping bounds the list of least selections where multiples bind.
const maxKeeping = 64

// mostKeeping is most for a gang with multiples. Fewer members may not fit where more do, so that a binary search may
// miss the best of the chain: it only gives a first answer, and all better selections are tried, best first. If steps
// run out, the first answer stands, with doubt.
func (s *Selections) mostKeeping(all model.Selection, fits func(model.Selection) bool) (best model.Selection) {
	known := map[string]bool{}
	try := func(in model.Selection) bool {
		key := keyOf(in)
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
		if steps++; steps > Steps(s.m) || len(known) > Plans(s.m) {
			*s.m.Doubt = true
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
func (s *Selections) allKeeping(all model.Selection) []model.Selection {
	list := s.ends(all)
	if steps := 0; len(s.m.Gang.Parts) > 0 {
		seen := map[string]bool{}
		for _, in := range list {
			seen[keyOf(in)] = true
		}
		for in := range s.downFrom(all) {
			if steps++; steps > Steps(s.m) {
				s.Truncated, *s.m.Doubt = true, true
				break
			}
			if !seen[keyOf(in)] {
				list = append(list, in)
			}
		}
	}
	list = s.keeping(list)
	sortBySize(list)
	if len(list) > maxKeeping {
		list, s.Truncated, *s.m.Doubt = list[:maxKeeping], true, true
	}
	return list
}

// ends lists the selections of the chain from one, of a long one the largest and the least: then there is doubt.
func (s *Selections) ends(all model.Selection) []model.Selection {
	chain, most := s.chain(all), Steps(s.m)
	var out []model.Selection
	for i := range chain.len() {
		if i < most || i >= chain.len()-most {
			out = append(out, chain.at(i))
		}
	}
	if len(out) < chain.len() {
		s.Truncated, *s.m.Doubt = true, true
	}
	return out
}

// keeping drops the selections that break a multiple.
func (s *Selections) keeping(list []model.Selection) []model.Selection {
	return slices.DeleteFunc(list, func(in model.Selection) bool { return !s.keepsMultiples(in) })
}
