// By how much would quotas have to be raised?

package remedies

import (
	"maps"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// quotas raises the fewest quotas, then by the least; where that has no room, of limits the maximum if that suffices, else the minimum; and
// where members may leave, the minima that keep the gang from taking back what others use beyond theirs. First for what must be placed; where that has no room, others may have, and
// then for all.
func (f *Search) quotas(at state) []step {
	p := f.at(at).p
	if p == nil || at.req.Quota == "" || at.s.Quotas == nil {
		return nil
	}
	least, all := leastAsk(p), p.Demand()
	steps := f.raise(at, p, least)
	if steps == nil && p.InParts() && !(maps.Equal(least.Request, all.Request) && maps.Equal(least.Pinned, all.Pinned)) {
		if steps = f.raise(at, p, all); steps != nil {
			steps[0].least = false
		}
	}
	return steps
}

// raise is quotas for an ask.
func (f *Search) raise(at state, p *problem.Problem, ask quota.Ask) []step {
	q := raisingFor(p, ask)
	q.spend = func() bool {
		f.share.Packing.Spend(int64(1+len(q.of.Quotas())*len(ask.Request)) / looksInStep)
		return !f.share.Packing.Spent()
	}
	if refusal, _ := q.refusal(raises{}); refusal != nil {
		if steps := f.admit(at, q, mayEvict(p) || p.InParts()); steps != nil { // in parts others may do that ask for less
			return steps
		}
	}
	if !mayEvict(p) {
		return nil
	}
	r := q.enough()
	for _, name := range q.path() {
		if r == nil {
			f.doubt = true
			break
		}
		if q.within(r, name) {
			if steps := f.raised(at, q, r, r.size() == 1, true); steps != nil {
				return steps
			}
		}
	}
	return nil
}

// admit raises what refuses until the gang is admitted, by the least; where that has no room, maxima, then minima, until nothing refuses.
func (f *Search) admit(at state, q *raising, less bool) []step {
	tried, least := q.fewest()
	f.doubt = f.doubt || q.checks < 0
	if tried != nil {
		if steps := f.raised(at, q, tried, least && !(less && tried.size() > 1), less); steps != nil {
			return steps
		}
	}
	for _, q.side = range []int{maximum, minimum} {
		r := q.enough()
		if r == nil {
			f.doubt = true
			continue
		}
		least := q.lower(r)
		if tried != nil && r.equal(tried) {
			continue
		}
		if steps := f.raised(at, q, r, least, less); steps != nil {
			return steps
		}
		tried = r
	}
	return nil
}

// raised plans with more for quotas, and with less of it where that is one amount and less may do; nil: it is refused.
func (f *Search) raised(at state, q *raising, r raises, least, less bool) []step {
	plan := f.after(at, q.edit(r))
	if plan == nil {
		return nil
	}
	if least && less && r.size() == 1 {
		r, plan = f.lessQuota(at, q, r, plan)
	}
	steps := found(explain.Change{Kind: explain.KindQuota, Quotas: q.changes(r)}, q.edit(r), plan)
	steps[0].least = least
	return f.settle(steps)
}

// lessQuota is a single amount that suffices where members may leave, who give back some of the quota, and its plan.
func (f *Search) lessQuota(at state, q *raising, r raises, plan *explain.Plan) (raises, *explain.Plan) {
	name, side, resource, by := r.single()
	less := func(n int) raises {
		next := raises{}
		next.add(name, side, resource, by-int64(n))
		return next
	}
	if by < 2 {
		return r, plan
	}
	next := f.after(at, q.edit(less(1))) // mostly it is refused
	if next == nil {
		return r, plan
	}
	n, next := f.largest(at, 1, int(by-1), next, func(n int) edit { return q.edit(less(n)) })
	return less(n), next
}

func (q *raising) edit(r raises) edit {
	return func(at state) (state, bool) {
		if at.s.Quotas == nil {
			return at, false
		}
		next := raised(at.s.Quotas, r)
		if next == nil {
			return at, false
		}
		return state{snapshot.WithQuotas(at.s, next), at.req}, true
	}
}

// leastAsk is what as few units take as must be placed at least: those of the minimal selection, or whole groups, or all where fewer are
// known.
func leastAsk(p *problem.Problem) quota.Ask {
	if in := p.Parts.Minimal; in != nil {
		return p.Only(in).Asks(in.Size())
	}
	return p.Asks(min(int(unitsOf(p)), len(p.Model.Pending)))
}

// withoutQuota plans the gang in no quota, as if all of them had enough.
func withoutQuota(_ *Search, at state) []edit {
	if at.req.Quota == "" {
		return nil
	}
	return []edit{func(at state) (state, bool) {
		req := *at.req
		req.Quota = ""
		return state{at.s, &req}, true
	}}
}
