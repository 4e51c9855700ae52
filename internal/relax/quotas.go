// By how much would quotas have to be raised?

package relax

import (
	"maps"
	"slices"
	"sort"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
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

// quotas raises what refuses: of limits the maximum if that suffices, else the minimum.
func (f *Search) quotas(at state) []step {
	p := f.at(at).p
	if p == nil {
		return nil
	}
	if p.RefusedBy == nil {
		return nil
	}
	ask, demand := p.Asks(p.Least), p.Demand()
	for _, s := range []int{maximum, minimum} {
		q := &raising{of: at.s.Quotas, ask: ask, demand: demand, limit: at.req.QuotaLimit, side: s}
		r := q.enough()
		if r == nil {
			f.doubt = true
			continue
		}
		least := q.lower(r)
		plan := f.after(at, q.edit(r))
		if plan == nil {
			continue
		}
		if least && mayEvict(p) {
			r, plan = f.lessQuota(at, q, r, plan)
		}
		steps := found(explain.Change{Kind: explain.KindQuota, Quotas: q.changes(r)}, q.edit(r), plan)
		steps[0].least = least
		return f.settle(steps)
	}
	return nil
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

// raising is the search for amounts.
type raising struct {
	of          *quota.State
	ask, demand quota.Ask
	limit       quota.Limit
	side        int
}

// enough raises whatever refuses, again and again, until nobody does; nil if that does not end, or quotas cannot have so much.
func (q *raising) enough() raises {
	r := raises{}
	for range mostRaises {
		refusal, ok := q.refusal(r)
		switch {
		case !ok:
			return nil
		case refusal == nil:
			return r
		}
		for _, s := range refusal.Short {
			on := q.side
			if refusal.Rule == quota.RuleMin {
				on = minimum
			}
			q.raise(r, refusal.Quota, on, s.Resource, s.By)
		}
	}
	return nil
}

// raise raises an amount, with what must not be below it: the maximum of the quota, and the minima of the quotas above.
func (q *raising) raise(r raises, name string, side int, resource string, by int64) {
	r.add(name, side, resource, by)
	if side == maximum {
		return
	}
	for {
		spec, _ := q.of.Spec(name)
		if most, bounded := spec.Max[resource]; bounded {
			if lacks := q.minimumOf(r, name, resource) - most - r[name][maximum][resource]; lacks > 0 {
				r.add(name, maximum, resource, lacks)
			}
		}
		if name = spec.Parent; name == "" {
			return
		}
		lacks := -q.minimumOf(r, name, resource)
		for _, child := range q.of.Quotas() {
			if below, _ := q.of.Spec(child); below.Parent == name {
				lacks += q.minimumOf(r, child, resource)
			}
		}
		if lacks <= 0 {
			return
		}
		r.add(name, minimum, resource, lacks)
	}
}

// minimumOf is the minimum of a quota with what it is raised by.
func (q *raising) minimumOf(r raises, name, resource string) int64 {
	spec, _ := q.of.Spec(name)
	n := spec.Min[resource]
	if r[name] != nil {
		n += r[name][minimum][resource]
	}
	return n
}

// refusal is what still refuses; not ok if no tree of quotas is like that.
func (q *raising) refusal(r raises) (*quota.Refusal, bool) {
	state := raised(q.of, r)
	if state == nil {
		return nil, false
	}
	if wanting, err := state.Wanting(q.demand); err == nil {
		state = wanting
	}
	refusal, err := state.Admit(q.ask, q.limit)
	return refusal, err == nil
}

// lower makes a single amount as small as it can be, and says whether that is the least change: several amounts may trade off.
func (q *raising) lower(r raises) bool {
	name, side, resource, by := r.single()
	if len(r) != 1 || len(r[name][0])+len(r[name][1]) != 1 || by <= 0 {
		return false
	}
	at := r[name][side]
	at[resource] = int64(sort.Search(int(by), func(n int) bool {
		at[resource] = int64(n)
		refusal, ok := q.refusal(r)
		return ok && refusal == nil
	}))
	return true
}

// changes are the new amounts, quotas in natural order.
func (q *raising) changes(r raises) (out []explain.QuotaChange) {
	for _, name := range slices.SortedFunc(maps.Keys(r), muster.CompareNatural) {
		spec, _ := q.of.Spec(name)
		next := with(spec, r[name])
		c := explain.QuotaChange{Quota: name}
		for resource := range r[name][maximum] {
			if c.Max == nil {
				c.Max = muster.Resources{}
			}
			c.Max[resource] = next.Max[resource]
		}
		for resource := range r[name][minimum] {
			if c.Min == nil {
				c.Min = muster.Resources{}
			}
			c.Min[resource] = next.Min[resource]
		}
		out = append(out, c)
	}
	return out
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
func (f *Search) withoutQuota(at state) []edit {
	if at.req.Quota == "" {
		return nil
	}
	return []edit{func(at state) (state, bool) {
		req := *at.req
		req.Quota = ""
		return state{at.s, &req}, true
	}}
}
