package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
)

// This file answers: which vectors of a gang in parts keep its multiples?

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

// keepsInTotal says whether the gang and its parts keep their multiples in total once all pending members are
// placed. A selection is by index in the pending members of the whole gang.
func keepsInTotal(p *problem.Problem) bool {
	if len(p.Model.Multiples) == 0 {
		return true
	}
	all := p
	if p.Parts.All != nil {
		all = p.Parts.All
	}
	place := all.Model.Places()
	return !slices.ContainsFunc(p.Model.Multiples, func(r model.MultipleRule) bool { return !r.Keeps(place, p.Parts.Selection) })
}
