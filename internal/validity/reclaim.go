package validity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// eviction is what leaves at once: a member, or a gang with a minimum as a whole.
type eviction struct {
	holds map[string]muster.Resources // of those who are reclaimed, by quota
}

func (v *eviction) reclaims() bool { return len(v.holds) > 0 }

// key is equal for evictions that are alike.
func (v *eviction) key() string { return fmt.Sprint(v.holds) }

// evictions of a set of members.
func (e *Evictions) evictions(set []int) []*eviction {
	of := map[string]int{}
	for _, i := range set {
		of[e.spec.Running[i].Gang]++
	}
	whole := map[string]*eviction{}
	var out []*eviction
	for _, i := range set {
		r := &e.spec.Running[i]
		v := whole[r.Gang]
		if v == nil {
			v = &eviction{holds: map[string]muster.Resources{}}
			out = append(out, v)
			if g := e.gangs[r.Gang]; g.least > 0 && of[r.Gang] == len(g.members) {
				whole[r.Gang] = v
			}
		}
		if e.byPriority(r) {
			continue
		}
		if v.holds[r.Quota] == nil {
			v.holds[r.Quota] = muster.Resources{}
		}
		v.holds[r.Quota].Add(r.Resources)
	}
	return out
}

// below is the path from a quota up to below the lowest one that is above another as well.
func (e *Evictions) below(name, other string) []quota.Spec {
	others := chainOf(e.spec.Quotas, other)
	var out []quota.Spec
	for _, q := range chainOf(e.spec.Quotas, name) {
		if slices.ContainsFunc(others, func(o quota.Spec) bool { return o.Name == q.Name }) {
			break
		}
		out = append(out, q)
	}
	return out
}

func governs(q *quota.Spec, resource string) bool {
	_, inMax := q.Max[resource]
	_, inMin := q.Min[resource]
	return inMax || inMin
}

// beyondMin is a quota above the gang that it would leave its min in, if it took something from another quota while these amounts
// of its own go; empty if there is none.
func (e *Evictions) beyondMin(from string, own muster.Resources) string {
	chain := chainOf(e.spec.Quotas, e.req.Quota)
	for _, q := range e.below(e.req.Quota, from) {
		for resource, asked := range e.ask {
			looked := asked > 0 && governs(&q, resource) && promised(chain, resource)
			if looked && e.used[q.Name][resource]-own[resource]+asked > q.Min[resource] {
				return q.Name
			}
		}
	}
	return ""
}

// ordered holds if there is an order of these evictions, by key and sorted, in which each is legal: if one of them is legal after all
// others, and these have an order. The evictions of equal keys are interchangeable, so every list is looked at once.
func (e *Evictions) ordered(list []string) bool {
	if len(list) == 0 {
		return true
	}
	key := strings.Join(list, "\n")
	if done, ok := e.orders[key]; ok {
		return done
	}
	found := false
	for i := range list {
		if found || i > 0 && list[i] == list[i-1] {
			continue
		}
		before := slices.Delete(slices.Clone(list), i, i+1)
		found = e.overMin(e.kinds[list[i]], before) && e.ordered(before)
	}
	e.orders[key] = found
	return found
}

// overMin holds if every quota that an eviction takes from, up to below the one that it shares with the gang, is over its min in
// something that the gang asks for and the evicted hold, when others are gone already.
func (e *Evictions) overMin(v *eviction, before []string) bool {
	for name, holds := range v.holds {
		for _, q := range e.below(name, e.req.Quota) {
			over := false
			for resource, asked := range e.ask {
				over = over || asked > 0 && holds[resource] > 0 && governs(&q, resource) &&
					e.used[q.Name][resource]-e.gone(q.Name, resource, before) > q.Min[resource]
			}
			if !over {
				return false
			}
		}
	}
	return true
}

// gone is what evictions took of a quota and of those below it.
func (e *Evictions) gone(name, resource string, evicted []string) int64 {
	sum := int64(0)
	for _, key := range evicted {
		for from, holds := range e.kinds[key].holds {
			if slices.ContainsFunc(chainOf(e.spec.Quotas, from), func(q quota.Spec) bool { return q.Name == name }) {
				sum += holds[resource]
			}
		}
	}
	return sum
}

// overMinIn lists the resources in which so many of the lowest quotas that a member is reclaimed from are over their min, while
// nobody has left yet.
func (e *Evictions) overMinIn(r *placement.Running, quotas int) []string {
	var out []string
	for _, resource := range e.ask.Names() {
		over := e.ask[resource] > 0 && r.Resources[resource] > 0
		for i, q := range e.below(r.Quota, e.req.Quota) {
			over = over && (i >= quotas || governs(&q, resource) && e.used[q.Name][resource] > q.Min[resource])
		}
		if over {
			out = append(out, resource)
		}
	}
	return out
}
