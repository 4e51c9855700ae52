package parts

import (
	"iter"
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/crowd"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/packing"
	"github.com/muster-sched/muster/internal/problem"
)

// This file answers: when are fronts too long, and what decides in their place?

// crowdedFrom is the number of vectors that a front of the whole gang may have, from which on it is not listed.
const crowdedFrom = 1 << 12

// isPlain says whether packing knows all rules of the gang.
func (s *search) isPlain() bool {
	return len(s.groups)+len(s.done) == 0 && !s.crossesTrees() && s.p.Parts.AllowedOf == nil && len(s.p.Multiples) == 0
}

// seeCrowd makes the search one for a crowd, if fronts of the gang would be too long.
//
// order: roles.12
func (s *search) seeCrowd() {
	s.crowd = nil
	if s.isPlain() && s.vectors() > max(crowdedFrom, int64(s.p.Steps())/16) {
		s.crowd = s.newCrowd()
	}
}

// newCrowd makes the search that packs the gang's members, whatever groups they are in.
func (s *search) newCrowd() *crowd.Crowd {
	k := &crowd.Crowd{
		P: s.p, Asks: s.asks, Want: s.totals[:len(s.roles)], Slots: s.slots, Of: s.classes.of, Left: &s.p.Parts.Left.Packing,
		ChildrenOf: s.classes.childrenOf,
	}
	for i := range s.classes.nodes {
		k.Kinds = append(k.Kinds, s.kindOf(&s.classes.nodes[i]))
	}
	k.Begin()
	return k
}

// construct iterates over plans by construction, where steps for fronts are spent.
func (s *search) construct() iter.Seq[*problem.Outcome] {
	if s.isPlain() { // what fronts forgot does not matter
		s.crowd, *s.p.Parts.Doubt = s.newCrowd(), s.doubted
		return s.crowd.Plans()
	}
	*s.p.Parts.Doubt = true
	if s.crossesTrees() || problem.BindsBelow(s.p) {
		return func(func(*problem.Outcome) bool) {}
	}
	return s.builds()
}

// vectors bounds the number of vectors in a front: those of all roles but the largest.
func (s *search) vectors() int64 {
	n, largest := int64(1), slices.Max(s.totals)
	for _, most := range s.totals {
		if n *= int64(most) + 1; n > math.MaxInt32*int64(largest+1) {
			return math.MaxInt32
		}
	}
	return n / int64(largest+1)
}

// kindOf is a class of nodes as packing knows it.
func (s *search) kindOf(a *nodeClass) packing.Kind {
	kind := packing.Kind{Free: a.free, Open: a.open}
	if a.zones != nil {
		kind.Takes = func(some []int32) bool {
			s.p.Parts.Left.Packing.Spend(int64(len(a.zones)) / 4)
			return a.zones.Holds(problem.ByShape(s.p, front.Vector(some)))
		}
	}
	return kind
}
