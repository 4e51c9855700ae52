// Which of the limits that a gang prefers can be kept at no cost?

package placement

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"sort"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
)

// prefers says whether a gang prefers any limit.
func prefers(req *gang.Request) bool {
	return hasLimit(req, func(l gang.Limit) bool { return l.Preferred })
}

// hasLimit says whether a gang, a part of it, or a level of groups has a limit that is so.
func hasLimit(req *gang.Request, is func(gang.Limit) bool) bool {
	return slices.ContainsFunc(limitsOf(req), func(list *[]gang.Limit) bool { return slices.ContainsFunc(*list, is) })
}

// planPreferring is planFor for gangs that prefer limits: with those that can be kept made hard.
func planPreferring(
	ctx context.Context, s *snapshot.Snapshot, req *gang.Request, t problem.Team, leave victims.Leave, b problem.Bounds,
) (*Result, error) {
	k := keeper{ctx: ctx, snapshot: s, team: t, leave: leave, bounds: b}
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
	team     problem.Team // gangs that start together; nil: there is one
	leave    victims.Leave
	bounds   problem.Bounds
	members  int           // those that run and stay included
	kept     *gang.Request // with the limits kept so far made hard, and without the other preferred ones
	alone    closing       // by the hard limits: preferred ones close nothing
	doubt    bool          // whether a limit can be kept was not known
}

// keep plans without the preferred limits, then tries one after the other beside those kept so far: it is kept if as many members are
// placed, or more, but none of higher ranks in the place of lower ones, and nobody has to leave for it, or to be waited for where nobody is without. Of members and groups that are to keep apart the
// largest number in a domain is as little above what is asked for as can be. Where members leave for the gang, none is kept.
//
// order: limits.9
func (k *keeper) keep(req *gang.Request) (*Result, error) {
	if err := k.read(req); err != nil {
		return nil, err
	}
	k.kept = withLimits(req, func(l gang.Limit) (gang.Limit, bool) { return l, !l.Preferred })
	plan, err := planFor(k.ctx, k.snapshot, k.kept, k.team, k.leave, k.bounds)
	if err != nil {
		return nil, err
	}
	k.alone, k.doubt = plan.alone, !plan.Proven // of members that might be more nobody knows which limits cost one
	if len(plan.Victims) > 0 {
		return plan, nil
	}
	for place, list := range limitsOf(req) {
		for _, l := range *list {
			if !l.Preferred {
				continue
			}
			next, err := k.tryLimit(l, place, plan)
			if err != nil {
				return nil, err
			}
			if next != nil {
				plan = next
			}
		}
	}
	plan.Proven = plan.Proven && !k.doubt
	return plan, nil
}

// read counts the members, and refuses a request of which a limit is of an unknown layer, can never be kept, or is not supported beside the
// others, though it is only preferred: whatever the cluster has free.
func (k *keeper) read(req *gang.Request) error {
	p, err := search.New(k.snapshot, req, k.team, k.bounds)
	if err != nil {
		return err
	}
	defer p.Done()
	members := p
	if p.Unbundled != nil { // whole groups are placed like members
		members = p.Unbundled
	}
	k.members = len(members.Model.Pending) + len(members.Model.Running)
	all := withLimits(req, func(l gang.Limit) (gang.Limit, bool) {
		l.Preferred = false
		return l, true
	})
	if _, err := limits.Read(p.Model.View, all); err != nil {
		return err
	}
	switch hard, err := problem.New(k.snapshot, all, k.team, k.bounds); {
	case err == nil:
		hard.Done()
	case errors.Is(err, muster.ErrNotSupported):
		return err
	}
	return nil
}

// proven says whether nothing better than a plan, or than none, was left out.
func proven(r *Result, err error) bool {
	var why *Unschedulable
	if errors.As(err, &why) {
		return why.Proven
	}
	return r == nil || r.Proven
}

// leavesOut says whether a plan places fewer members than another one, or some of higher ranks in the place of lower ones, however many there are
// beside these.
func leavesOut(r, plan *Result) bool {
	byRank := func(a, b Assignment) int { return cmp.Compare(a.Rank, b.Rank) }
	n := len(plan.Assignments)
	return len(r.Assignments) < n || slices.CompareFunc(r.Assignments[:n], plan.Assignments, byRank) > 0
}

// tryLimit is the plan with one more limit, in the list at a place of limitsOf; nil if it cannot be kept beside the others. The error is that
// the planner does not support it.
func (k *keeper) tryLimit(l gang.Limit, place int, plan *Result) (found *Result, err error) {
	was := k.kept
	with := func(most int) *gang.Request {
		next := withLimits(was, func(l gang.Limit) (gang.Limit, bool) { return l, true })
		list := limitsOf(next)[place]
		*list = append(*list, gang.Limit{Layer: l.Layer, Kind: l.Kind, Most: most, OfParts: l.OfParts})
		return next
	}
	fits := func(most int) bool {
		next := with(most)
		next.NeverPreempts = true
		r, e := planFor(k.ctx, k.snapshot, next, k.team, victims.Nobody, k.bounds)
		if errors.Is(e, muster.ErrNotSupported) {
			err = e
		}
		if e != nil || leavesOut(r, plan) || r.Waits() && !plan.Waits() {
			k.doubt = k.doubt || !proven(r, e)
			return false
		}
		found = r
		return true
	}
	most := l.Most
	if l.Kind == gang.Apart {
		most += leastMore(max(0, k.members-most), plan.Waits(), func(more int) bool { return fits(l.Most + more) })
	}
	if found == nil && !fits(most) { // else the plan found last is that of most
		return nil, err
	}
	k.kept = with(most)
	return found, nil
}

// triedOneByOne bounds how many numbers of a limit are tried one after the other.
const triedOneByOne = 32

// leastMore is the least number below n that fits, else n. A looser limit is never harder to keep, but for gangs that wait: those who come beside
// the members that wait may be others then, so that the first few numbers are tried one by one.
func leastMore(n int, waits bool, fits func(more int) bool) int {
	first := 0
	for ; waits && first < min(n, triedOneByOne); first++ {
		if fits(first) {
			return first
		}
	}
	return first + sort.Search(n-first, func(more int) bool { return fits(first + more) })
}

// withLimits is a copy of a request with other limits.
func withLimits(req *gang.Request, change func(gang.Limit) (gang.Limit, bool)) *gang.Request {
	next := *req
	next.Groups, next.Parts = slices.Clone(req.Groups), copied(req.Parts)
	for _, list := range limitsOf(&next) {
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

// copied are parts with levels of groups and inner parts of their own.
func copied(parts []gang.Part) []gang.Part {
	out := slices.Clone(parts)
	for i := range out {
		out[i].Groups, out[i].Parts = slices.Clone(out[i].Groups), copied(out[i].Parts)
	}
	return out
}

// limitsOf are the limits of a gang, of each level of its groups, and so of each part, outer ones before those in them.
func limitsOf(req *gang.Request) (lists []*[]gang.Limit) {
	add := func(own *[]gang.Limit, groups []gang.Groups) {
		lists = append(lists, own)
		for i := range groups {
			lists = append(lists, &groups[i].Limits)
		}
	}
	add(&req.Limits, req.Groups)
	var walk func(parts []gang.Part)
	walk = func(parts []gang.Part) {
		for i := range parts {
			add(&parts[i].Limits, parts[i].Groups)
			walk(parts[i].Parts)
		}
	}
	walk(req.Parts)
	return lists
}
