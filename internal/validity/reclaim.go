package validity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/quota"
)

// eviction is what leaves a quota at once: a member that is reclaimed, or all of a gang with a minimum that leaves whole.
type eviction struct {
	quota string
	holds muster.Resources
}

// key is equal for evictions that are alike.
func (v *eviction) key() string { return fmt.Sprint(v.quota, v.holds) }

// evictions of those of a set that are reclaimed.
func (e *Evictions) evictions(set []int) []*eviction {
	of := map[string]int{}
	for _, i := range set {
		of[e.spec.Running[i].Gang]++
	}
	whole := map[[2]string]*eviction{} // by gang and quota
	var out []*eviction
	for _, i := range set {
		r := &e.spec.Running[i]
		if e.byPriority(r) {
			continue
		}
		at := [2]string{r.Gang, r.Quota}
		v := whole[at]
		if v == nil {
			v = &eviction{quota: r.Quota, holds: muster.Resources{}}
			out = append(out, v)
			if g := e.gangs[r.Gang]; g.least > 0 && of[r.Gang] == len(g.members) {
				whole[at] = v
			}
		}
		v.holds.Add(r.Resources)
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
	for _, q := range e.below(v.quota, e.req.Quota) {
		over := false
		for resource, asked := range e.ask {
			over = over || asked > 0 && v.holds[resource] > 0 && governs(&q, resource) &&
				e.used[q.Name][resource]-e.gone(q.Name, resource, before) > q.Min[resource]
		}
		if !over {
			return false
		}
	}
	return true
}

// gone is what evictions took of a quota and of those below it.
func (e *Evictions) gone(name, resource string, evicted []string) int64 {
	sum := int64(0)
	for _, key := range evicted {
		v := e.kinds[key]
		if slices.ContainsFunc(chainOf(e.spec.Quotas, v.quota), func(q quota.Spec) bool { return q.Name == name }) {
			sum += v.holds[resource]
		}
	}
	return sum
}

// overMinIn lists the resources in which the quota of a member that is reclaimed is over its min while nobody has left yet, of those
// that leave it together with the member.
func (e *Evictions) overMinIn(at int, set []int) []string {
	r := &e.spec.Running[at]
	holds, of := muster.Resources{}, 0
	for _, i := range set {
		if o := &e.spec.Running[i]; o.Gang == r.Gang {
			if of++; o.Quota == r.Quota {
				holds.Add(o.Resources)
			}
		}
	}
	if g := e.gangs[r.Gang]; g.least == 0 || of < len(g.members) {
		holds = r.Resources
	}
	var out []string
	q, _ := e.spec.Quotas.Spec(r.Quota)
	for _, resource := range e.ask.Names() {
		if e.ask[resource] > 0 && holds[resource] > 0 && governs(&q, resource) && e.used[q.Name][resource] > q.Min[resource] {
			out = append(out, resource)
		}
	}
	return out
}
