package parts

import (
	"github.com/muster-sched/muster/internal/fronts"
	"github.com/muster-sched/muster/internal/selections"
)

// This file answers: is a refusal proven?

// proven says whether a refusal is certain: every least selection was tried, under the hard rules alone, without
// forgotten vectors, and with zones relaxed where they are inexact. If no least selection fits, none does, unless the
// list is truncated. One that fits does no harm if the quota refused the gang.
func proven(s *fronts.Search) bool {
	p := of(s)
	list := selectionsOf(p)
	if s.CrossesTrees() {
		return provenAcrossTrees(s, list)
	}
	s = s.Relaxed()
	for i, in := range list.Least() {
		if i > 0 && p.Model.Left.Packing.Spent() {
			return false
		}
		if !s.ForSelection(in).IsRefuted(p.RefusedBy != nil) {
			return false
		}
	}
	return !list.Truncated && provenOfAny(s)
}

// provenOfAny says whether it is certain that no members of any ranks fit, or are admitted.
//
// order: howmany.4
func provenOfAny(s *fronts.Search) bool {
	doubt := s.Model().Doubt
	before := *doubt
	*doubt = false
	found := anyone(s, true)
	sure := !*doubt
	*doubt = *doubt || before
	return found == nil && sure
}

// provenAcrossTrees is proven for a gang with groups of other topologies: every choice of domains must have been tried
// as well.
func provenAcrossTrees(s *fronts.Search, list *selections.Selections) bool {
	p := of(s)
	for i, in := range list.Least() {
		if i > 0 && p.Model.Left.Packing.Spent() {
			return false
		}
		if !s.ForSelection(in).IsRefutedAcrossTrees(p.RefusedBy != nil) {
			return false // trials ran out before it
		}
	}
	return !list.Truncated && !*p.Model.Doubt && provenOfAny(s)
}
