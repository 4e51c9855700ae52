// Which of the limits that a gang prefers can be kept at no cost?

package placement

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sort"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
)

// prefers says whether a gang prefers any limit.
func prefers(req *gang.Request) bool {
	return hasLimit(req, func(l gang.Limit) bool { return l.Preferred })
}

// hasLimit says whether a gang, or a level of its groups, has a limit that is so.
func hasLimit(req *gang.Request, is func(gang.Limit) bool) bool {
	for level := -1; level < len(req.Groups); level++ {
		if slices.ContainsFunc(*limitsOf(req, level), is) {
			return true
		}
	}
	return false
}

// planPreferring is planOn for a gang that prefers limits: with those that can be kept made hard.
func planPreferring(ctx context.Context, s *snapshot.Snapshot, req *gang.Request, leave victims.Leave, b problem.Bounds) (*Result, error) {
	k := keeper{ctx: ctx, snapshot: s, leave: leave, bounds: b}
	plan, err := k.keep(req)
	if err == nil {
		plan.alone = k.alone
	}
	return plan, err
}

// candidatesPreferring is candidatesOn for such a gang.
func candidatesPreferring(s *snapshot.Snapshot, req *gang.Request) iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		k := keeper{ctx: context.Background(), snapshot: s, leave: victims.Anybody}
		if _, err := k.keep(req); err != nil {
			yield(nil, err)
			return
		}
		for r, err := range candidatesOn(s, k.kept) {
			if err == nil {
				r.alone = k.alone
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// keeper finds the preferred limits that can be kept.
type keeper struct {
	ctx      context.Context
	snapshot *snapshot.Snapshot
	leave    victims.Leave
	bounds   problem.Bounds
	kept     *gang.Request // with the limits kept so far made hard, and without the other preferred ones
	alone    string        // the layer in which the hard limits alone close domains
}

// keep plans without the preferred limits, then tries one after the other beside those kept so far: it is kept if as many members are
// placed, and nobody has to leave for it, or to be waited for where nobody is without. Of members and groups that are to keep apart the
// largest number in a domain is as little above what is asked for as can be. Where members leave for the gang, none is kept.
//
// order: limits.9
func (k *keeper) keep(req *gang.Request) (*Result, error) {
	k.kept = withLimits(req, func(l gang.Limit) (gang.Limit, bool) { return l, !l.Preferred })
	plan, err := planOn(k.ctx, k.snapshot, k.kept, k.leave, k.bounds)
	if err != nil {
		return nil, err
	}
	k.alone = plan.alone
	if _, err := limits.Read(k.snapshot.View(plan.Tree), withLimits(req, func(l gang.Limit) (gang.Limit, bool) {
		l.Preferred = false
		return l, true
	})); err != nil {
		return nil, err // of a layer that is unknown, though the limit is only preferred
	}
	if len(plan.Victims) > 0 {
		return plan, nil
	}
	for level := -1; level < len(req.Groups); level++ {
		for _, l := range *limitsOf(req, level) {
			if !l.Preferred {
				continue
			}
			next, err := k.tryLimit(l, level, plan)
			if err != nil {
				return nil, err
			}
			if next != nil {
				plan = next
			}
		}
	}
	return plan, nil
}

// tryLimit is the plan with one more limit, of a level of groups, -1: of the gang; nil if it cannot be kept beside the others. The error is
// that the planner does not support it.
func (k *keeper) tryLimit(l gang.Limit, level int, plan *Result) (found *Result, err error) {
	was := k.kept
	with := func(most int) *gang.Request {
		next := withLimits(was, func(l gang.Limit) (gang.Limit, bool) { return l, true })
		list := limitsOf(next, level)
		*list = append(*list, gang.Limit{Layer: l.Layer, Kind: l.Kind, Most: most, OfParts: l.OfParts})
		return next
	}
	fits := func(most int) bool {
		next := with(most)
		next.NeverPreempts = true
		r, e := planOn(k.ctx, k.snapshot, next, victims.Nobody, k.bounds)
		if errors.Is(e, muster.ErrNotSupported) {
			err = e
		}
		if e != nil || len(r.Assignments) < len(plan.Assignments) || len(r.WaitsFor) > 0 && len(plan.WaitsFor) == 0 {
			return false
		}
		found = r
		return true
	}
	most := l.Most
	if l.Kind == gang.Apart { // a looser one is never harder to keep
		all := len(was.Members) + len(k.snapshot.MembersOf(was.Name))
		most += sort.Search(max(0, all-most), func(more int) bool { return fits(l.Most + more) })
	}
	if found == nil && !fits(most) { // else the plan found last is that of most
		return nil, err
	}
	k.kept = with(most)
	return found, nil
}

// withLimits is a copy of a request with other limits.
func withLimits(req *gang.Request, change func(gang.Limit) (gang.Limit, bool)) *gang.Request {
	next := *req
	next.Groups = slices.Clone(req.Groups)
	for level := -1; level < len(next.Groups); level++ {
		list := limitsOf(&next, level)
		var changed []gang.Limit
		for _, l := range *list {
			if l, ok := change(l); ok {
				changed = append(changed, l)
			}
		}
		*list = changed
	}
	return &next
}

// limitsOf are the limits of a level of groups, -1: of the gang.
func limitsOf(req *gang.Request, level int) *[]gang.Limit {
	if level < 0 {
		return &req.Limits
	}
	return &req.Groups[level].Limits
}
