package fronts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
)

// This file answers: which vectors of a gang in parts keep its multiples?

// weighRules finds, for each multiple with Units, the members that one of each role, or one group of each class,
// counts for, and likewise for each Within: these need them all where multiples bind.
func (s *Search) weighRules() {
	s.multiples = nil
	for i := range s.m.Multiples {
		if s.m.Multiples[i].Units == nil {
			s.multiples = append(s.multiples, nil)
			continue
		}
		s.multiples = append(s.multiples, s.weigh(slices.Clone(s.m.Multiples[i].Roles)))
	}
	s.counted = s.counted.weighed(s)
}

// keepsMultiples says whether a vector, with the running members, keeps in total every multiple that binds domains.
func (s *Search) keepsMultiples(a front.Vector) bool {
	for i, w := range s.multiples {
		if r := &s.m.Multiples[i]; w != nil && (w.Of(a)+r.Runs.At(layout.Root))%r.Total != 0 {
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
func (s *Search) dropBroken(x layout.Vertex, f front.Front) front.Front {
	up := s.m.View.Above(x)
	for i, w := range s.multiples {
		if w == nil {
			continue
		}
		unit, runs := s.m.Multiples[i].Units[s.m.View.Tier[up]-1], s.m.Multiples[i].Runs.At(x)
		f = slices.DeleteFunc(f, func(p front.Vector) bool { return (w.Of(p)+runs)%unit != 0 })
	}
	return f
}
