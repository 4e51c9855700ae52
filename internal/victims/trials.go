package victims

import (
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
)

// This file answers: does the gang fit with some members gone? A trial plans it on the snapshot without them.

// fits says whether the gang fits with candidates gone, under a strategy, and how many units then lie outside the tree.
// It is the last word where the question is not exact: it makes the snapshot and the problem without them. Cost: that
// of an update and of the sums of one strategy.
func (e *victimSearch) fits(gone []int32, strategy int) (outside int64, ok bool) {
	var p *problem.Problem
	outside, ok = e.trial(strategy, func(b bounds.Search) *problem.Problem {
		p = e.without(gone, b)
		return p
	})
	if p != nil {
		p.Done()
	}
	return outside, ok
}

// fitsAtLast is fits for who need not leave of a set that is found: with steps of its own, which the search for the set cannot have spent.
func (e *victimSearch) fitsAtLast(gone []int32, strategy int) (outside int64, ok bool) {
	left := e.left
	e.left = e.reserve
	outside, ok = e.fits(gone, strategy)
	e.left = left
	return outside, ok
}

// trial is fits for a problem that is made with its part of the steps that are left.
func (e *victimSearch) trial(strategy int, without func(bounds.Search) *problem.Problem) (outside int64, ok bool) {
	if e.spent() {
		e.doubt = true
		return 0, false
	}
	part := e.left.Part(trialShare)
	had := *part
	p := without(bounds.Search{Stop: e.p.Bounds.Stop, Left: part, Steps: e.p.Bounds.Steps})
	if p == nil {
		return 0, false
	}
	if p.InParts() {
		defer func() {
			e.left.Spend(&had, part)
			e.left.Packing.Spend(6 * (int64(p.Model.View.Nodes) + int64(p.Model.Ranks) + int64(len(e.members))))
			e.doubt = e.doubt || !ok && *p.Model.Doubt
		}()
	}
	// The quota must admit the units, too, now that the victims use nothing of it.
	if counts := p.Model.Counts(); len(counts) == 0 || counts[0] != e.units {
		return 0, false
	}
	return search.For(p).Allows(e.units, e.strategies[strategy])
}

// spent says whether no steps are left for trials, or nobody waits for them.
func (e *victimSearch) spent() bool {
	select {
	case <-e.p.Bounds.Stop:
		return true
	default:
		// Where multiples or other topologies bind, nothing is built by hand.
		onlyFronts := e.p.InParts() && (e.p.Model.BindsBelow() || e.p.Model.SpansTrees())
		return e.left.Packing.Spent() || onlyFronts && e.left.Fronts.Spent()
	}
}

// evictShare: all trials may take one such part of the steps that a plan has.
const evictShare = 4

// spareShare: who need not leave is asked with one such part more.
const spareShare = 4

// trialShare: a trial of a gang in parts may take one such part of the steps that are left for all of them.
const trialShare = 4

// without is the problem on a snapshot without some candidates, with the leaving members counted as before and for the
// same selection. Never nil for candidates. The caller calls Done.
func (e *victimSearch) without(gone []int32, b bounds.Search) *problem.Problem {
	p := e.withoutFor(gone, b)
	if p != nil && e.p.Parts.Selection != nil {
		return p.Only(e.p.Parts.Selection)
	}
	return p
}

// withoutFor is without for the whole gang.
func (e *victimSearch) withoutFor(gone []int32, b bounds.Search) *problem.Problem {
	var d cluster.Delta
	for _, i := range gone {
		d.Remove = append(d.Remove, cluster.MemberRef{Gang: e.members[i].Class.Gang, Member: e.members[i].Name})
	}
	c, err := e.p.Snapshot.Update(d)
	if err != nil {
		return nil // never: they run
	}
	p, err := search.Again(c, e.p, b)
	if err != nil {
		return nil // never: it was one before
	}
	if p.Room.LeavingGone = e.p.Room.LeavingGone; b.Left != nil {
		p.Room.Zones().ShareFits(&e.p.Room)
	}
	return p
}

// allGone is the problem of the whole gang on a snapshot without some members: all that may leave for its least
// selections, which mostly are the same.
type allGone struct {
	members []*snapshot.Member
	p       *problem.Problem // nil: none yet
}

// forget gives back the problem.
func (a *allGone) forget() {
	if a.p != nil {
		a.p.Done()
	}
	*a = allGone{}
}

// fitsWithoutAll says whether the gang fits with all candidates gone. If not, it fits with none of their sets gone.
func (e *victimSearch) fitsWithoutAll() bool {
	all := make([]int32, len(e.question.Candidates))
	for i := range all {
		all[i] = int32(i)
	}
	_, ok := e.trial(len(e.strategies)-1, func(b bounds.Search) *problem.Problem {
		if e.all.p == nil || !slices.Equal(e.all.members, e.members) {
			e.all.forget()
			if e.all.members, e.all.p = e.members, e.withoutFor(all, b); e.all.p == nil {
				return nil
			}
		}
		return e.all.p.Again(b).Only(e.p.Parts.Selection)
	})
	return ok
}

// Hopeless says whether a gang in parts that is in no quota fits nowhere even once everybody is gone that may leave for it, and whether that is
// proven. It costs a part of what it takes to find that out one way after the other, and no plan comes of it.
func Hopeless(p *problem.Problem, who Leave) (hopeless, proven bool) {
	leaving := search.Awaits(p)
	evicts := who != Nobody && !p.Request.NeverPreempts && p.Snapshot.Lowest < p.Request.Priority
	if !p.InParts() || p.Request.Quota != "" || p.Bounds.Left == nil || !leaving && !evicts {
		return false, false
	}
	emptied := p.WithLeavingGone()
	emptied.Room.LeavingGone = leaving
	least, whole := search.For(emptied).Minimal()
	gone, doubt := &allGone{}, !whole || *p.Model.Doubt
	defer gone.forget()
	for _, one := range least {
		e := newVictimSearch(one, p.Bounds.Left)
		if e == nil {
			continue // so few members are known
		}
		if e.all = gone; evicts {
			e.findCandidates()
		}
		if e.spent() || e.fitsWithoutAll() {
			return false, false
		}
		doubt = doubt || e.doubt
	}
	return len(least) > 0, !doubt
}
