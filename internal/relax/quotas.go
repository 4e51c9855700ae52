// By how much would quotas have to be raised?

package relax

import (
	"maps"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// What of a quota is raised.
const (
	maximum = iota
	minimum
)

// raises are amounts by quota on top of what it has: on its maximum and its minimum.
type raises map[string]*[2]muster.Resources

func (r raises) add(q string, side int, resource string, by int64) {
	if r[q] == nil {
		r[q] = &[2]muster.Resources{{}, {}}
	}
	r[q][side][resource] += by
}

// mostRaises bounds how often amounts are raised before it is given up: each time some quota refuses by less, or another one does.
const mostRaises = 64

// steadyRaises is how often they are raised by what is short; then by twice as much each time.
const steadyRaises = 8

// quotas raises what refuses: of limits the maximum if that suffices, else the minimum; and where members may leave, the minima that keep
// the gang from taking back what others use beyond theirs. First for what must be placed; where that has no room, others may have, and
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
	refusal, _ := q.refusal(raises{})
	if refusal != nil {
		var tried raises
		for _, q.side = range []int{maximum, minimum} {
			r := q.enough()
			if r == nil {
				f.doubt = true
				continue
			}
			least := q.lower(r)
			if r.equal(tried) {
				break
			}
			if steps := f.raised(at, q, r, least, mayEvict(p) || p.InParts()); steps != nil { // in parts others may do that ask for less
				return steps
			}
			tried = r
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

// raised plans with more for quotas, and with less of it where that is one amount and less may do; nil: it is refused.
func (f *Search) raised(at state, q *raising, r raises, least, less bool) []step {
	plan := f.after(at, q.edit(r))
	if plan == nil {
		return nil
	}
	if least && less {
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

// single is the only amount of raises that have one.
func (r raises) single() (name string, side int, resource string, by int64) {
	for name, of := range r {
		for side := range of {
			for resource, by := range of[side] {
				return name, side, resource, by
			}
		}
	}
	return "", 0, "", 0
}

func (r raises) equal(s raises) bool {
	return maps.EqualFunc(r, s, func(a, b *[2]muster.Resources) bool {
		return maps.Equal(a[maximum], b[maximum]) && maps.Equal(a[minimum], b[minimum])
	})
}

// size is of how many amounts there is more.
func (r raises) size() (n int) {
	for _, of := range r {
		n += len(of[maximum]) + len(of[minimum])
	}
	return n
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

// with is a quota with amounts on top. A maximum that it lacks is that of the quotas above, and stays missing.
func with(spec quota.Spec, more *[2]muster.Resources) quota.Spec {
	if more == nil {
		return spec
	}
	spec.Max, spec.Min = maps.Clone(spec.Max), maps.Clone(spec.Min)
	for resource, by := range more[maximum] {
		if most, ok := spec.Max[resource]; ok {
			spec.Max[resource] = most + by
		}
	}
	for resource, by := range more[minimum] {
		if spec.Min == nil {
			spec.Min = muster.Resources{}
		}
		spec.Min[resource] += by
	}
	return spec
}

// raised is the state of quotas with amounts on top and the same usage, nil if there is no such tree.
func raised(of *quota.State, r raises) *quota.State {
	var specs []quota.Spec
	for _, name := range of.Quotas() {
		spec, _ := of.Spec(name)
		specs = append(specs, with(spec, r[name]))
	}
	tree, err := quota.New(specs)
	if err != nil {
		return nil
	}
	state, err := tree.State(of.Total())
	for _, name := range of.Quotas() {
		if err != nil {
			return nil
		}
		if !of.IsLeaf(name) {
			continue
		}
		used, pinned, demand := of.Usage(name)
		if state, err = state.Use(name, used, pinned); err == nil {
			state, err = state.WithDemand(name, demand)
		}
	}
	if err != nil {
		return nil
	}
	return state
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
