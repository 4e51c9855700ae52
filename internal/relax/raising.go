// Which amounts of quotas are enough?

package relax

import (
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/problem"
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

// raising is the search for amounts.
type raising struct {
	of          *quota.State
	ask, demand quota.Ask
	limit       quota.Limit
	side        int
}

func raisingFor(p *problem.Problem, ask quota.Ask) *raising {
	return &raising{of: p.Snapshot.Quotas, ask: ask, demand: p.Demand(), limit: p.Request.QuotaLimit}
}

// enough raises whatever refuses, again and again, until nobody does; nil if that does not end, or quotas cannot have so much.
func (q *raising) enough() raises {
	r := raises{}
	for n := range mostRaises {
		refusal, ok := q.refusal(r)
		switch {
		case !ok:
			return nil
		case refusal == nil:
			return r
		}
		for _, s := range refusal.Short {
			name, on := refusal.Quota, q.side
			if refusal.Rule == quota.RuleMin {
				on = minimum
			}
			if on == maximum {
				if name = q.maximumOf(name, s.Resource); name == "" { // the share is what is short
					name, on = refusal.Quota, minimum
				}
			}
			q.raise(r, name, on, s.Resource, doubled(s.By, n-steadyRaises)) // shares may follow by a fraction
		}
	}
	return nil
}

// within raises the minimum of a quota of the gang's path until all that it uses is within it, the whole request included; false: it is.
// The gang may take back from quotas beside those of its path for which that holds.
//
// order: victims.4
func (q *raising) within(r raises, name string) (raised bool) {
	spec, _ := q.of.Spec(name)
	used, _, _ := q.of.Usage(name)
	for _, resource := range slices.SortedFunc(maps.Keys(used), muster.CompareNatural) {
		_, most := spec.Max[resource]
		_, least := spec.Min[resource]
		asked := q.ask.Request[resource]
		if asked == 0 || !most && !least || !q.guarantees(resource) {
			continue
		}
		if lacks := used[resource] + asked - q.minimumOf(r, name, resource); lacks > 0 {
			q.raise(r, name, minimum, resource, lacks)
			raised = true
		}
	}
	return raised
}

// path is the gang's quota, and those above it.
func (q *raising) path() (out []string) {
	for name := q.ask.Quota; name != ""; {
		out = append(out, name)
		spec, _ := q.of.Spec(name)
		name = spec.Parent
	}
	return out
}

// guarantees says whether minima of the path speak of a resource, or of none at all.
func (q *raising) guarantees(resource string) bool {
	none := true
	for _, name := range q.path() {
		spec, _ := q.of.Spec(name)
		if _, named := spec.Min[resource]; named {
			return true
		}
		none = none && len(spec.Min) == 0
	}
	return none
}

// doubled is an amount doubled so many times, as far as there is room for that.
func doubled(amount int64, times int) int64 {
	for range times {
		if amount < math.MaxInt64>>8 {
			amount *= 2
		}
	}
	return amount
}

// maximumOf is the quota whose maximum of a resource is that of another one: its own, or one above; empty: there is none.
func (q *raising) maximumOf(name, resource string) string {
	for name != "" {
		spec, _ := q.of.Spec(name)
		if _, bounded := spec.Max[resource]; bounded {
			return name
		}
		name = spec.Parent
	}
	return ""
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
	return q.refusalBy(state)
}

// refusalBy is what refuses the gang in a state of the quotas.
func (q *raising) refusalBy(state *quota.State) (*quota.Refusal, bool) {
	if wanting, err := state.Wanting(q.demand); err == nil {
		state = wanting
	}
	refusal, err := state.Admit(q.ask, q.limit)
	return refusal, err == nil
}

// lower makes a single amount as small as it can be, and says whether that is the least change: several amounts may trade off.
func (q *raising) lower(r raises) bool {
	name, side, resource, by := r.single()
	if r.size() != 1 || by <= 0 {
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
