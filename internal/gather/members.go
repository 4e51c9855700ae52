// Where no domain holds a group whole, how do the members of groups lie? As those of a gang without groups.

package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// asMembers is the ask for the same members without groups, of which the same layers count.
func (a *ask) asMembers() *ask {
	if a.alone == nil {
		m := *a.m
		m.Gather.Finest, m.Levels = finest(a.m), nil
		a.alone = newAsk(&m, a.slots, int(a.members))
	}
	return a.alone
}

// areSplit says whether no domain below x of a tier below this one holds a group of the innermost level whole, nor one of another level therefore.
// O(tiers), for the root O(tiers * children).
func (s *sums) areSplit(x layout.Vertex, tier int32) bool {
	for _, t := range s.m.View.TiersBelow(tier) {
		if s.whole(s.ask.bottom()-1, t, x) > 0 {
			return false
		}
	}
	return true
}

// asMembers is the same strategy for the members without groups, where layers below the children count for these, and no domain below the gang's tier
// holds a group whole: then domains compare as they do for members. Else nil.
//
// order: domain.3
func (f *found) asMembers() *found {
	if f.ask.groupsFrom == 0 || slices.Min(f.strategy.Groups) < f.strategy.Gang || !f.sums.areSplit(layout.Root, f.strategy.Gang) {
		return nil
	}
	a := f.ask.asMembers()
	s, _ := a.newSums(nil)
	return &found{m: a.m, ask: a, sums: s, strategy: model.Strategy{Gang: f.strategy.Gang}}
}

// placeMembers is place for members of groups that are split at x or above it, where layers below the children count for them; nil where not.
//
// order: sets.1, fill.1
func (pl placer) placeMembers(x layout.Vertex, d *demand) (positions []int32) {
	if pl.ask.groupsFrom == 0 || pl.ask.asMembers().widthBelow(x) == 0 {
		return nil
	}
	n := pl.ask.newMembers(d)
	if d.units[pl.ask.bottom()] < n && !pl.sums.areSplit(x, pl.m.View.TierOf(x)) {
		return nil
	}
	a := pl.ask.asMembers()
	s, _ := a.newSums(nil)
	a.additions = pl.ask.additions
	sh := s.placer().place(x, demand{units: []int64{n}})
	pl.ask.additions = a.additions
	return s.placer().positionsOf(&sh, pl.ask.scratch.positions(n))
}
