// Which amounts of quotas are enough?

package remedies

import (
	"iter"
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/quota"
)

// mostRaises bounds how often amounts are raised before it is given up: each time some quota refuses by less, or another one does.
const mostRaises = 64

// steadyRaises is how often they are raised by what is short; then by twice as much each time.
const steadyRaises = 8

// raising is the search for amounts.
type raising struct {
	of          *quota.State
	ask, demand quota.Ask
	limit       quota.Limit
	side        int
	checks      int         // states of quotas that may still be looked at in [raising.fewest]; below 0: one was not
	spend       func() bool // takes the steps for one; false: there are none left
}

// mostChecks bounds the states of quotas that are looked at for the fewest quotas.
const mostChecks = 1 << 11

// lever is an amount of a quota of the path, and by what it is raised.
type lever struct {
	name string
	side int
	by   muster.Resources
}

// fewest is what must rise so that the gang is admitted: the fewest quotas, then the least amounts in sum, resource by resource; exact: nothing
// less does. Nil: none was found.
//
// What a maximum, or the minimum of members that are not preemptible, lacks by itself has to rise in any case. Where shares are still
// short, sets of maxima and minima of the path are tried, the smallest first, each as low as it can be.
func (q *raising) fewest() (best raises, exact bool) {
	q.checks = mostChecks
	must := q.must()
	if q.admits(must) {
		return must, true
	}
	path := q.path()
	for size := 1; size <= len(path) && (best == nil || size < len(best)); size++ {
		for levers := range leversOf(path, size) {
			if r := q.lowered(must, levers); r != nil && (best == nil || r.before(best)) {
				best = r
			}
		}
	}
	return best, best.size() == 1 && q.checks >= 0
}

// must is by what each maximum and each minimum of the path lacks, whatever else there is more of.
func (q *raising) must() raises {
	r := raises{}
	for _, name := range q.path() {
		spec, _ := q.of.Spec(name)
		used, pinned, _ := q.of.Usage(name)
		for _, resource := range slices.SortedFunc(maps.Keys(q.ask.Request), muster.CompareNatural) {
			asked := q.ask.Request[resource]
			if most, bounded := spec.Max[resource]; bounded && asked > 0 && used[resource]+asked > most {
				r.add(name, maximum, resource, used[resource]+asked-most)
			}
			_, governed := spec.Max[resource]
			_, least := spec.Min[resource]
			held := q.ask.Pinned[resource]
			if lacks := pinned[resource] + held - q.minimumOf(r, name, resource); held > 0 && lacks > 0 && (governed || least) && q.guarantees(resource) {
				q.raise(r, name, minimum, resource, lacks)
			}
		}
	}
	return r
}

// leversOf goes through sets of so many quotas of a path, the nearest first, each by its maximum before its minimum.
func leversOf(path []string, size int) iter.Seq[[]lever] {
	return func(yield func([]lever) bool) {
		var choose func(from int, set []lever) bool
		choose = func(from int, set []lever) bool {
			if len(set) == size {
				return yield(slices.Clone(set))
			}
			for i := from; i < len(path); i++ {
				for _, side := range [...]int{maximum, minimum} {
					if !choose(i+1, append(slices.Clip(set), lever{name: path[i], side: side})) {
						return false
					}
				}
			}
			return true
		}
		choose(0, nil)
	}
}

// lowered is what must rise and some amounts more, each as low as it can be beside the others. Nil: they do not suffice.
func (q *raising) lowered(must raises, levers []lever) raises {
	with := func() raises {
		r := must.clone()
		for _, l := range levers {
			for _, resource := range slices.SortedFunc(maps.Keys(l.by), muster.CompareNatural) {
				if l.by[resource] > 0 {
					q.raise(r, l.name, l.side, resource, l.by[resource])
				}
			}
		}
		return r
	}
	for i := range levers {
		l := &levers[i]
		l.by = muster.Resources{}
		spec, _ := q.of.Spec(l.name)
		for resource, asked := range q.ask.Request {
			if _, bounded := spec.Max[resource]; asked > 0 && (bounded || l.side == minimum) {
				l.by[resource] = farRaise
			}
		}
	}
	if !q.admits(with()) {
		return nil
	}
	for _, l := range levers {
		for _, resource := range slices.SortedFunc(maps.Keys(l.by), muster.CompareNatural) {
			l.by[resource] = leastEnough(q.ask.Request[resource], func(by int64) bool {
				l.by[resource] = by
				return q.admits(with())
			})
		}
	}
	if q.checks < 0 {
		return nil // the last answers were none
	}
	return with()
}

// leastEnough is the least amount that suffices, where farRaise does, and more of it whenever less does; about so much is likely.
func leastEnough(about int64, suffices func(by int64) bool) int64 {
	if suffices(0) {
		return 0
	}
	low, high := int64(0), max(1, about) // low does not
	for high < farRaise && !suffices(high) {
		low, high = high, 2*high
	}
	high = min(high, farRaise)
	for low+1 < high {
		if mid := low + (high-low)/2; suffices(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// farRaise stands for as much as quotas may ever have, with room for sums of it.
const farRaise = 1 << 56

// admits says whether quotas that are raised admit the gang.
func (q *raising) admits(r raises) bool {
	if q.checks--; q.checks < 0 {
		return false
	}
	if q.spend != nil && !q.spend() {
		q.checks = -1
		return false
	}
	refusal, ok := q.refusal(r)
	return ok && refusal == nil
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
